"""The head of a log: written down, photographed, read back."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clock.eventlog.head import ALPHABET, HeadError, Shown, head_text, parse_head, parse_qr, qr_text
from clock.match.types import Pair

hashes = st.integers(0, 2**128 - 1).map(lambda number: f"{number:032x}")


def test_the_head_is_the_first_60_bits() -> None:
    """Worked by hand: five bits a character, from the left."""
    assert head_text("0" * 32) == "0000-0000-0000"
    assert head_text("f" * 32) == "ZZZZ-ZZZZ-ZZZZ"
    assert head_text("08" + "0" * 30) == "1000-0000-0000"
    assert head_text("0" * 14 + "1" + "f" * 17) == "0000-0000-0001"


@given(hashes, hashes)
def test_heads_differ_where_the_first_60_bits_do(one: str, other: str) -> None:
    assert (head_text(one) == head_text(other)) == (one[:15] == other[:15])


@given(hashes)
def test_a_head_is_read_however_it_is_written(hash_: str) -> None:
    """Lower case, spaces or nothing between, O for 0 and I or L for 1."""
    head = head_text(hash_)
    assert set(head) <= {*ALPHABET, "-"}
    written = head.lower().replace("-", " ").replace("0", "o").replace("1", "l")
    assert parse_head(head) == parse_head(written) == parse_head(head.replace("-", "")) == head


@pytest.mark.parametrize("text", ["", "7KQ2-M9XT", "7KQ2-M9XT-4WDA-1", "7KQ2-M9XT-4WDU", "é" * 12])
def test_other_texts_are_no_heads(text: str) -> None:
    with pytest.raises(HeadError, match="7KQ2-M9XT-4WDA"):
        parse_head(text)


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
    with pytest.raises(HeadError, match="GC2:"):
        parse_qr(text)
