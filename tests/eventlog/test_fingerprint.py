"""The fingerprint of a log: written down, photographed, read back."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clock.eventlog.fingerprint import (
    ALPHABET,
    FingerprintError,
    Shown,
    fingerprint_text,
    parse_fingerprint,
    parse_qr,
    qr_text,
)
from clock.match.types import Pair

hashes = st.integers(0, 2**128 - 1).map(lambda number: f"{number:032x}")


def test_the_fingerprint_is_the_first_60_bits() -> None:
    """Worked by hand: five bits a character, from the left."""
    assert fingerprint_text("0" * 32) == "0000-0000-0000"
    assert fingerprint_text("f" * 32) == "ZZZZ-ZZZZ-ZZZZ"
    assert fingerprint_text("08" + "0" * 30) == "1000-0000-0000"
    assert fingerprint_text("0" * 14 + "1" + "f" * 17) == "0000-0000-0001"


@given(hashes, hashes)
def test_fingerprints_differ_where_the_first_60_bits_do(one: str, other: str) -> None:
    assert (fingerprint_text(one) == fingerprint_text(other)) == (one[:15] == other[:15])


@given(hashes)
def test_a_fingerprint_is_read_however_it_is_written(hash_: str) -> None:
    """Lower case, spaces or nothing between, O for 0 and I or L for 1."""
    fingerprint = fingerprint_text(hash_)
    assert set(fingerprint) <= {*ALPHABET, "-"}
    written = fingerprint.lower().replace("-", " ").replace("0", "o").replace("1", "l")
    assert (
        parse_fingerprint(fingerprint)
        == parse_fingerprint(written)
        == parse_fingerprint(fingerprint.replace("-", ""))
        == fingerprint
    )


@pytest.mark.parametrize("text", ["", "7KQ2-M9XT", "7KQ2-M9XT-4WDA-1", "7KQ2-M9XT-4WDU", "é" * 12])
def test_other_texts_are_no_fingerprints(text: str) -> None:
    with pytest.raises(FingerprintError, match="7KQ2-M9XT-4WDA"):
        parse_fingerprint(text)


@given(hashes, st.integers(1, 999_999), st.integers(0, 99), st.integers(0, 99))
def test_a_code_says_all_of_it(hash_: str, seq: int, left: int, right: int) -> None:
    shown = Shown(hash_, seq, Pair(left, right))
    text = qr_text(shown)
    assert parse_qr(text) == shown
    assert len(text) <= 44
    assert set(text) <= set("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ $%*+-./:")


@pytest.mark.parametrize(
    "text",
    [
        "",
        "GC2",
        "GC1:" + "0" * 26 + ":1:0-0",
        "GC2:" + "Z" * 26 + ":1:0-0",
        "GC2:8" + "0" * 25 + ":1:0-0",  # a hash of 129 bits
        "GC2:0:1:0-0",
    ],
)
def test_other_codes_are_refused(text: str) -> None:
    with pytest.raises(FingerprintError, match="GC2:"):
        parse_qr(text)
