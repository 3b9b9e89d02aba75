"""The room's own certificate authority, and the certificates of the broker and of the pages.

Those of authority and broker are valid from 1970 on, practically without an end: a Raspberry Pi
without a clock chip begins in 1970 when it has no network, and would refuse a certificate that is
not valid yet. Phones take a certificate of pages for 825 days at most.
"""

import ipaddress
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import NamedTuple

from cryptography import x509
from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

from room.cards.private_files import read_private

BEGIN = datetime(1970, 1, 1, tzinfo=UTC)
END = datetime(2199, 12, 31, 23, 59, 59, tzinfo=UTC)  # ejabberd has no timers of 300 years
DAMAGED = (
    "is damaged. Take it from a copy of the folder; without a copy, empty the folder, run"
    " room-cards again and give all clocks their new files."
)
PAGES_DAYS, RENEW_DAYS = 820, 180  # that a certificate of pages is valid; before its end: a new one


class AuthorityError(Exception):
    """The certificate or the key of an authority is damaged; the message says what to do."""


class Identity(NamedTuple):
    """A certificate with its private key, both as PEM."""

    certificate: str
    key: str


def make_authority(room: str) -> Identity:
    """Return a new authority that signs for one room."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = _name(f"gammonclock {room}")
    usage = _usage(digital_signature=False, key_cert_sign=True, crl_sign=True)
    signed = (
        _builder(name, name, key)
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .add_extension(usage, critical=True)
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False)
        .sign(key, hashes.SHA256())
    )
    return _identity(signed, key)


def make_server(
    authority: Identity, host: str, validity: tuple[datetime, datetime] = (BEGIN, END)
) -> Identity:
    """Return a certificate for the broker or the pages at a host: a name or an IP address."""
    issuer, issuer_key = _issuer(authority)
    key = ec.generate_private_key(ec.SECP256R1())
    usage = _usage(digital_signature=True, key_cert_sign=False, crl_sign=False)
    server = x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH])
    issued_by = x509.AuthorityKeyIdentifier.from_issuer_public_key(issuer_key.public_key())
    signed = (
        _builder(_name(f"gammonclock {host}"[:64]), issuer.subject, key, validity)
        .add_extension(x509.SubjectAlternativeName([_host_name(host)]), critical=False)
        .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
        .add_extension(usage, critical=True)
        .add_extension(server, critical=False)
        .add_extension(issued_by, critical=False)
        .sign(issuer_key, hashes.SHA256())
    )
    return _identity(signed, key)


def make_pages(authority: Identity, host: str, now: datetime) -> Identity:
    """Return a certificate for the pages at a host, as phones take one."""
    begin = now - timedelta(days=1)
    return make_server(authority, host, (begin, begin + timedelta(days=PAGES_DAYS)))


def ends_soon(pages: Identity, now: datetime) -> bool:
    """Return whether a certificate of pages is to be replaced."""
    certificate = x509.load_pem_x509_certificate(pages.certificate.encode())
    return certificate.not_valid_after_utc - now < timedelta(days=RENEW_DAYS)


def is_for(server: Identity, authority: Identity, host: str) -> bool:
    """Return whether a certificate is of this authority and for this host."""
    try:
        certificate = x509.load_pem_x509_certificate(server.certificate.encode())
        certificate.verify_directly_issued_by(
            x509.load_pem_x509_certificate(authority.certificate.encode())
        )
    except Exception:  # noqa: BLE001 (of several libraries; each means that it is not)
        return False
    names = certificate.extensions.get_extension_for_class(x509.SubjectAlternativeName)
    return list(names.value) == [_host_name(host)]


def _host_name(host: str) -> x509.GeneralName:
    try:
        return x509.IPAddress(ipaddress.ip_address(host))
    except ValueError:
        return x509.DNSName(host)


def _name(text: str) -> x509.Name:
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, text)])


def _usage(*, digital_signature: bool, key_cert_sign: bool, crl_sign: bool) -> x509.KeyUsage:
    return x509.KeyUsage(
        digital_signature=digital_signature,
        content_commitment=False,
        key_encipherment=False,
        data_encipherment=False,
        key_agreement=False,
        key_cert_sign=key_cert_sign,
        crl_sign=crl_sign,
        encipher_only=False,
        decipher_only=False,
    )


def _builder(
    subject: x509.Name,
    issuer: x509.Name,
    key: ec.EllipticCurvePrivateKey,
    validity: tuple[datetime, datetime] = (BEGIN, END),
) -> x509.CertificateBuilder:
    return (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(validity[0])
        .not_valid_after(validity[1])
    )


def _identity(signed: x509.Certificate, key: ec.EllipticCurvePrivateKey) -> Identity:
    certificate = signed.public_bytes(serialization.Encoding.PEM)
    private = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    return Identity(certificate.decode(), private.decode())


def _issuer(authority: Identity) -> tuple[x509.Certificate, ec.EllipticCurvePrivateKey]:
    """Return the certificate and the key of an authority; raise AuthorityError if it is damaged."""
    try:
        issuer = x509.load_pem_x509_certificate(authority.certificate.encode())
        key = serialization.load_pem_private_key(authority.key.encode(), password=None)
    except (ValueError, TypeError, UnsupportedAlgorithm) as error:
        raise AuthorityError(DAMAGED) from error
    if not isinstance(key, ec.EllipticCurvePrivateKey):
        raise AuthorityError(DAMAGED)
    return issuer, key


def server_identity(authority: Identity, host: str, *paths: Path) -> Identity:
    """Return the broker's certificate: a new one if the broker has another host now.

    Args:
        authority: of the room.
        host: of the broker.
        paths: of certificate and key, if there was an earlier call.
    """
    found = _kept(*paths)
    return found if found and is_for(found, authority, host) else make_server(authority, host)


def pages_identity(authority: Identity, host: str, *paths: Path) -> Identity:
    """Return the certificate of the pages; see `server_identity`. One that ends soon is renewed."""
    found, now = _kept(*paths), datetime.now(UTC)
    if found and is_for(found, authority, host) and not ends_soon(found, now):
        return found
    return make_pages(authority, host, now)


def _kept(*paths: Path) -> Identity | None:
    """Return the certificate of an earlier call; None: there is none."""
    if not all(path.exists() for path in paths):
        return None
    return Identity(*(read_private(path).decode("ascii", "replace") for path in paths))
