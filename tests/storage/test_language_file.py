"""The panels' language as it was chosen in the menu."""

import os
from pathlib import Path

import pytest

from clock.storage.language_file import NAME, keep_language, kept_language


@pytest.mark.rule("R133")
def test_a_language_is_kept_until_the_file_says_another(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Over a restart; the director's file wins when it is changed, and when nothing was chosen."""
    monkeypatch.setattr(os, "fsync", lambda _: pytest.fail("the loop would wait for the card"))
    assert kept_language(tmp_path, "en") == "en"
    keep_language(tmp_path, "en", "da")
    assert (kept_language(tmp_path, "en"), kept_language(tmp_path, "de")) == ("da", "de")
    for damaged in (b"", b"xx en", b"\xff" * 99, b"da"):
        (tmp_path / NAME).write_bytes(damaged)
        assert kept_language(tmp_path, "en") == "en"
    keep_language(tmp_path / "missing", "en", "da")
