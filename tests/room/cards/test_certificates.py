"""The certificates of a room: from when they are valid, and for which broker."""

import ipaddress

from cryptography import x509

from room.cards.certificates import is_for, make_authority, make_server

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
