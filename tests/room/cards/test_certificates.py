"""The certificates of a room: from when they are valid, and for which broker."""

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
        assert certificate.not_valid_after_utc == datetime(2199, 12, 31, 23, 59, 59, tzinfo=UTC)
    make_server(authority, "a-name-that-does-not-fit-into-the-certificate-as-its-own.local")
    assert is_for(server, authority, HOST)
    assert not is_for(server, authority, "room.local")
    assert not is_for(server, make_authority("open-2026"), HOST)


AUTHORITY = make_authority("open-2026")


def extensions(made: Identity) -> dict[str, tuple[bool, str]]:
    """Return whether each is critical, and what it says, as DER."""
    found = x509.load_pem_x509_certificate(made.certificate.encode()).extensions
    return {type(e.value).__name__: (e.critical, e.value.public_bytes().hex()) for e in found}


def test_each_certificate_may_do_its_own_work_alone() -> None:
    """The authority signs (bits 5 and 6), and for no other one; the server shows who it is."""
    authority, server = extensions(AUTHORITY), extensions(make_server(AUTHORITY, HOST))
    _, key = authority["SubjectKeyIdentifier"]
    assert authority == {
        "SubjectKeyIdentifier": (False, key),
        "BasicConstraints": (True, "30060101ff020100"),
        "KeyUsage": (True, "03020106"),
    }
    assert server == {
        "SubjectAlternativeName": (False, "30068704c0a80802"),
        "BasicConstraints": (True, "3000"),
        "KeyUsage": (True, "03020780"),
        "ExtendedKeyUsage": (False, "300a06082b06010505070301"),
        "AuthorityKeyIdentifier": (False, "30168014" + key.removeprefix("0414")),
    }


@pytest.mark.rule("R147")
def test_phones_take_the_certificate_of_the_pages(tmp_path: Path) -> None:
    """One that is valid for 825 days at most; the same one until half a year before its end."""
    paths = (tmp_path / "hub.crt", tmp_path / "hub.key")

    def keep(made: Identity) -> None:
        for path, text in zip(paths, made, strict=True):
            path.write_text(text, encoding="ascii")

    made = pages_identity(AUTHORITY, HOST, *paths)
    day = timedelta(days=1)
    fixed = make_pages(AUTHORITY, HOST, datetime(2026, 5, 2, tzinfo=UTC))
    certificate = x509.load_pem_x509_certificate(fixed.certificate.encode())
    begin, end = certificate.not_valid_before_utc, certificate.not_valid_after_utc
    assert (begin, end - begin) == (datetime(2026, 5, 1, tzinfo=UTC), 820 * day)
    soon = [ends_soon(fixed, end - 180 * day + timedelta(seconds=late)) for late in (0, 1)]
    assert soon == [False, True]
    keep(made)
    assert pages_identity(AUTHORITY, HOST, *paths) == made
    assert pages_identity(AUTHORITY, "room.local", *paths) != made
    old = make_pages(AUTHORITY, HOST, datetime.now(UTC) - timedelta(days=700))
    keep(old)
    assert pages_identity(AUTHORITY, HOST, *paths) != old
