"""Offers: signed by the hub, verified by the clock, checked like a preset."""

import hmac
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from clock.config.loader import parse_settings
from clock.config.offer import (
    KEY_BYTES,
    MAX_BYTES,
    LatestLine,
    OfferError,
    SignedOffer,
    check_offer,
    offer_key,
    offered_match,
    parse_key,
    sign,
    verify,
)
from clock.config.reader import ConfigError
from clock.config.schema import ConfigFile
from clock.eventlog.codec import Chain
from clock.eventlog.replay import replay
from clock.match.events import Writer
from clock.match.invariants import check
from clock.match.machine import open_match
from clock.match.types import Crawford, Pair, Phase
from clock.units import SECOND_NS

MASTER = bytes(range(KEY_BYTES))
KEY = offer_key(MASTER, "red-7")
LATEST = LatestLine("2026-05-01T10-00-00-7", 12, "3ce2f4d3ba24f2aa0c1d5e77a9b80f64")
FILE = parse_settings(
    """
[match]
length = 9
score = [2, 1]
reserves = ["20:00", "19:00"]
names = ["Ann", "Bob"]
[rules]
delay = "0:10"
[[preset]]
name = "Final"
profile = "nbgf"
length = 13
""",
    "gammonclock.toml",
).file


def offer(**settings: Any) -> SignedOffer:
    """An offer for the clock red-7."""
    return SignedOffer(1, "offer-001", "red-7", LATEST, settings)


def refusal(line: bytes, key: bytes = KEY) -> str:
    with pytest.raises(OfferError) as refused:
        check_offer(verify(line, key), LATEST, FILE)
    return str(refused.value)


def resigned(change: dict[str, Any]) -> bytes:
    """A line with other fields, signed by the hub all the same."""
    fields = msgspec.to_builtins(offer(length=5)) | change
    body = msgspec.json.encode(fields)[:-1]
    return b'%b,"mac":"%b"}' % (body, hmac.digest(KEY, body, "sha256").hex().encode())


# --- the line ---------------------------------------------------------------------------------


def test_the_format_is_the_agreed_one() -> None:
    """Other programs sign such lines too: fields, order, key and MAC are fixed."""
    key = hmac.digest(MASTER, b"gammonclock offer 1 red-7", "sha256")
    body = (
        b'{"v":1,"offer":"offer-001","clock":"red-7","after":{"match":"2026-05-01T10-00-00-7",'
        b'"seq":12,"hash":"3ce2f4d3ba24f2aa0c1d5e77a9b80f64"},"match_settings":{"length":5}'
    )
    mac = hmac.digest(key, body, "sha256").hex().encode()
    assert sign(offer(length=5), KEY) == body + b',"mac":"' + mac + b'"}\n'
    nothing = b'{"match":"","seq":0,"hash":"00000000000000000000000000000000"}'
    assert msgspec.json.encode(LatestLine()) == nothing  # before the first line


@given(
    st.text(min_size=8, max_size=16, alphabet="abcXYZ019_-"),
    st.text(max_size=32),
    st.dictionaries(st.text(max_size=8), st.text(max_size=12) | st.integers(0, 99), max_size=5),
)
def test_what_was_signed_is_verified(id_: str, clock: str, settings: dict[str, Any]) -> None:
    """With or without the line feed; every field comes back."""
    made = SignedOffer(1, id_, clock, LATEST, settings)
    line = sign(made, KEY)
    assert verify(line, KEY) == verify(line.removesuffix(b"\n"), KEY) == made


@given(st.data())
def test_any_change_is_noticed(data: st.DataObject) -> None:
    line = sign(offer(length=5, names=["A", "B"]), KEY)[:-1]
    at = data.draw(st.integers(0, len(line)))
    end = data.draw(st.integers(at, min(len(line), at + 3)))
    changed = line[:at] + data.draw(st.binary(max_size=3)) + line[end:]
    if changed not in (line, line + b"\n"):
        with pytest.raises(OfferError):
            verify(changed, KEY)


@given(st.binary(max_size=300))
def test_nothing_else_raises(line: bytes) -> None:
    for each in (line, b'%b,"mac":"%b"}' % (line, hmac.digest(KEY, line, "sha256").hex().encode())):
        with pytest.raises(OfferError):
            verify(each, KEY)


def test_each_refusal_has_its_sentence() -> None:
    line = sign(offer(length=5), KEY)
    assert refusal(b"") == "the offer is not complete: it does not end with a MAC"
    assert refusal(line[:100]) == "the offer is not complete: it does not end with a MAC"
    assert refusal(line * 100) == f"the offer is longer than {MAX_BYTES} bytes"
    other = "the MAC is wrong: the offer is for another clock, or not from the hub"
    assert refusal(line.replace(b":5}", b":7}")) == other
    assert refusal(line, offer_key(MASTER, "red-8")) == other
    late = "too late: the log has gone on since the offer was made"
    assert (
        refusal(resigned({"after": {"match": LATEST.match, "seq": 11, "hash": LATEST.hash}}))
        == late
    )
    assert refusal(resigned({"after": {}})) == late
    assert refusal(resigned({"after": {"seq": -1}})).startswith("the offer cannot be read: ")
    assert refusal(resigned({"v": 3})) == "the offer has version 3, expected 1"
    of_ruling = resigned({"v": 2, "ruling": {"item": "names"}})
    assert refusal(of_ruling) == "the offer has version 2, expected 1"
    assert refusal(resigned({"offer": "short"})).startswith("the offer cannot be read: ")
    assert refusal(resigned({"match_settings": [1]})).startswith("the offer cannot be read: ")
    body = b'{"v":1,"offer":"offer-001","x":"\xff"'
    mac = hmac.digest(KEY, body, "sha256").hex().encode()
    assert "utf-8" in refusal(b'%b,"mac":"%b"}' % (body, mac))


def test_the_hub_signs_no_longer_line() -> None:
    """It would be refused by the link and by the clock."""
    room = MAX_BYTES - len(sign(offer(names=[""]), KEY))
    longest = offer(names=["x" * room])
    assert verify(sign(longest, KEY), KEY) == longest
    with pytest.raises(OfferError, match="more than 4096"):
        sign(offer(names=["x" * (room + 1)]), KEY)


@pytest.mark.parametrize("text", ["", "0" * 63, "0" * 65, "0" * 63 + "G", "\uff10" * 64])
def test_a_key_has_64_hex_digits(text: str) -> None:
    assert parse_key(text) is None
    assert parse_key(KEY.hex() + "\n") == KEY


def test_each_clock_has_a_key_of_its_own() -> None:
    keys = {offer_key(MASTER, f"red-{number}") for number in range(100)}
    assert len(keys) == 100
    assert {len(key) for key in keys} == {KEY_BYTES}


# --- the settings -----------------------------------------------------------------------------


def test_an_offer_changes_the_settings_file_as_a_preset_does() -> None:
    """What it does not name stays; score and times are those of a new match."""
    match = offered_match(FILE, {"names": ["Cid", "Dora"], "length": 7, "time_per_point": "1:00"})
    own = offered_match(FILE, {})
    assert (match.names, match.length, match.score) == (Pair("Cid", "Dora"), 7, Pair(0, 0))
    assert (own.names, own.length, own.score) == (Pair("Ann", "Bob"), 9, Pair(0, 0))
    assert own.reserves is match.reserves is msgspec.UNSET
    assert own.rules.delay_ns == match.rules.delay_ns == 10 * 10**9
    assert match.rules.time_per_point_ns == 60 * 10**9


@pytest.mark.rule("R224")
def test_an_offer_may_say_where_a_match_stands() -> None:
    """Of a clock that has failed: score, times and Crawford, which begin the log."""
    keys = {"score": [8, 3], "crawford": "done", "reserves": ["12:34", "1:08:05"]}
    state, record = open_match(offered_match(FILE, keys), 5, Writer("test"))
    assert (state.score, state.crawford, state.phase) == (Pair(8, 3), Crawford.DONE, Phase.REVIEW)
    assert (record.left_ns, record.right_ns) == (754 * SECOND_NS, 4085 * SECOND_NS)
    _, line = Chain("m", "boot").append(record, "")
    assert replay([line.rstrip(b"\n")]).match.state == state
    assert state.code == state.settings.code != offered_match(FILE, {}).code
    check(state)


def test_an_offer_may_name_a_preset() -> None:
    match = offered_match(FILE, {"preset": "Final", "names": ["Cid", "Dora"]})
    assert (match.length, match.rules.profile) == (13, "nbgf")
    assert offered_match(FILE, {"preset": "Final", "length": 15}).length == 15


@pytest.mark.parametrize(
    ("keys", "key"),
    [
        ({"length": 0}, "length"),
        ({"length": "7"}, "length"),
        ({"score": [9, 0]}, "match.score"),
        ({"score": [1, 0], "crawford": "done"}, "match.crawford"),
        ({"reserves": ["12:34"]}, "reserves"),
        ({"reserves": ["12:34", "8:05"], "time_per_point": "none"}, "match.reserves"),
        ({"board": "8"}, "board"),
        ({"flag": 1}, "flag"),
        ({"names": ["A" * 41, "B"]}, "names"),
        ({"names": ["A"]}, "names"),
        ({"names": ["  ", "B"]}, "match.names"),
        ({"names": ["\u202eA", "B"]}, "match.names"),
        ({"delay": "0:99"}, "delay"),
        ({"profile": "chess"}, "profile"),
        ({"time_per_point": "0:00"}, "rules.time_per_point"),
        ({"play": "doubles"}, "rules.time_per_point"),
        ({"preset": "Semifinal"}, "preset"),
        ({"preset": ["Final"]}, "preset"),
    ],
    ids=str,
)
def test_impossible_settings_are_refused(keys: dict[str, Any], key: str) -> None:
    with pytest.raises(ConfigError) as refused:
        offered_match(FILE, keys)
    assert refused.value.key == key
    line = sign(offer(**keys), KEY)
    assert refusal(line) == (f"{key} is {refused.value.found}, but must be {refused.value.allowed}")


def test_without_presets_none_can_be_named() -> None:
    with pytest.raises(ConfigError, match="must be left out"):
        offered_match(ConfigFile(), {"preset": "Final"})
