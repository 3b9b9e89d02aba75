"""The certificates of broker and pages, which are made once."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from cryptography import x509

from room.cards.certificates import Identity, ends_soon, make_authority, make_pages
from room.cards.servers import pages_identity

HOST = "192.168.8.2"
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
