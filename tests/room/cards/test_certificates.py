"""The certificates of a room: from when they are valid, and for which broker."""

import ipaddress
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from cryptography import x509

from room.cards.certificates import (
    Identity,
    ends_soon,
    is_for,
    make_authority,
    make_pages,
    make_server,
    pages_identity,
)

HOST = "192.168.8.2"


def test_certificates_are_valid_in_1970() -> None:
    """A Raspberry Pi without a clock chip is there after each start."""
    authority = make_authority("open-2026")
    server = make_server(authority, HOST)
    for each in (authority, server):
        certificate = x509.load_pem_x509_certificate(each.certificate.encode())
        assert certificate.not_valid_before_utc.timestamp() == 0
        assert certificate.not_valid_after_utc.year == 2199
    certificate = x509.load_pem_x509_certificate(server.certificate.encode())
    [name] = certificate.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    assert name.value == ipaddress.ip_address(HOST)
    assert is_for(server, authority, HOST)
    assert not is_for(server, authority, "room.local")
    assert not is_for(server, make_authority("open-2026"), HOST)


AUTHORITY = make_authority("open-2026")


@pytest.mark.rule("R147")
def test_phones_take_the_certificate_of_the_pages(tmp_path: Path) -> None:
    """One that is valid for 825 days at most; the same one until half a year before its end."""
    paths = (tmp_path / "hub.crt", tmp_path / "hub.key")

    def keep(made: Identity) -> None:
        for path, text in zip(paths, made, strict=True):
            path.write_text(text, encoding="ascii")

    made = pages_identity(AUTHORITY, HOST, *paths)
    certificate = x509.load_pem_x509_certificate(made.certificate.encode())
    valid = certificate.not_valid_after_utc - certificate.not_valid_before_utc
    assert timedelta(days=700) < valid <= timedelta(days=825)
    keep(made)
    assert pages_identity(AUTHORITY, HOST, *paths) == made
    assert pages_identity(AUTHORITY, "room.local", *paths) != made
    old = make_pages(AUTHORITY, HOST, datetime.now(UTC) - timedelta(days=700))
    assert ends_soon(old, datetime.now(UTC))
    keep(old)
    assert pages_identity(AUTHORITY, HOST, *paths) != old
