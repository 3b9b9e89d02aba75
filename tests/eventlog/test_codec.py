"""The lines of a log: their fields, their order, their hashes."""

import itertools
import json
import re
from typing import Any

import msgspec
import pytest

from clock.eventlog.codec import (
    HASH_DIGITS,
    LOG,
    START,
    Chain,
    DamagedError,
    decode,
    heartbeat_line,
    is_first,
    right_hash,
    stated_hash,
    stated_match,
)
from clock.eventlog.replay import replay_lines
from clock.match.events import (
    AdjournedEvent,
    AnyEvent,
    CorrectedEvent,
    Event,
    FaultEvent,
    MatchOverEvent,
    Origin,
    PressedEvent,
    Record,
    Stamps,
)
from clock.match.faults import PARTS
from clock.match.rules import Answer, Reason, Ruler, RulingReason
from clock.match.state import AT_REST
from clock.match.types import Button, NextDelay, Pair, Phase, ResumeWith, Side
from lab.support.logs import OWN, monkey_logs, tag
from lab.support.paths import ROOT
from lab.support.random_logs import random_logs
from lab.support.world import match_settings

WALL = "2000-01-01T12:00:00.000+00:00"
ENVELOPE = ["v", "seq", "match", "boot", "at_ns", "wall", "event"]
PLACE = ["phase", "running", "left_ns", "right_ns", "delay_ns", "score", "hash"]
BEFORE = "0123456789abcdef" * 2

SAMPLES: dict[Any, object] = {  # a value of each type that an event's fields have
    int: 12_000_000_001,
    str: 'a "quoted" \\ name, Åse\n\u2028',
    bool: True,
    Side: Side.RIGHT,
    NextDelay: NextDelay.WAIT,
    Reason: Reason.GAME_OVER,
    RulingReason: RulingReason.MISTAKE,
    ResumeWith: ResumeWith.WAIT,
    Button: Button.CENTRE,
    Stamps: "software",
    Pair[int]: Pair(3, 4),
    Origin: Origin("old", 7, BEFORE, "log", 2, "line 8"),
    dict[str, Any]: {"phase": "STOPPED"},
    tuple[Answer, ...]: ("left", 72, ("director", None)),
}


def sample(kind: type[Event]) -> AnyEvent:
    """An event of a kind with something in every field."""
    values: dict[str, object] = {}
    for field in msgspec.structs.fields(kind):
        if field.name == "settings":
            values[field.name] = match_settings()
        elif field.name == "unclaimed_flags":
            values[field.name] = [Side.LEFT, Side.RIGHT]
        else:
            options = getattr(field.type, "__args__", (field.type,))
            options = (field.type, *options)
            values[field.name] = next(SAMPLES[each] for each in options if each in SAMPLES)
    return kind(**values)  # type: ignore[return-value]


def record(event: AnyEvent, running: Side | None = Side.LEFT) -> Record:
    return Record(5, event, Phase.RUNNING, running, 7, 8, 9, Pair(3, 4))


def pressed() -> Record:
    return record(PressedEvent(Button.LEFT, accepted=True, why=None))


@pytest.mark.rule("R83")
@pytest.mark.parametrize("kind", OWN, ids=tag)
def test_every_event_goes_into_a_line_and_back(kind: type[Event]) -> None:
    """R83: what is decoded is what was encoded, and encoded again gives the same bytes."""
    written = msgspec.structs.replace(record(sample(kind)), carries_out="x", ruled_by=Ruler.MONITOR)
    chain, line = Chain("match", "boot", 41, BEFORE).append(written, WALL)
    read = decode(line[:-1], 1)
    assert read.record == written
    envelope = read.envelope
    assert (envelope.v, envelope.seq, envelope.match, envelope.boot) == (2, 42, "match", "boot")
    assert (envelope.wall, right_hash(line[:-1], BEFORE)) == (WALL, chain.hash)
    assert Chain("match", "boot", 41, BEFORE).append(read.record, envelope.wall) == (chain, line)


@pytest.mark.rule("R83")
@pytest.mark.parametrize("kind", OWN, ids=tag)
def test_the_fields_of_a_line_stand_in_one_order(kind: type[Event]) -> None:
    """R83: the envelope, the event, its own fields, the match after it, the hash."""
    _, line = Chain("match", "boot").append(record(sample(kind)), WALL)
    names = [name for name, _ in json.loads(line, object_pairs_hook=list)]
    own = [name for name in kind.__struct_fields__ if name != "score"]  # a field of every line
    assert names == [*ENVELOPE, *own, *PLACE]
    assert len(set(names)) == len(names)  # no field of an event has the name of one of these


@pytest.mark.parametrize("kind", OWN, ids=tag)
def test_a_line_is_one_line_of_json_in_utf_8(kind: type[Event]) -> None:
    """Whatever a name holds: one line feed, at the end, and any JSON reader can read the rest."""
    _, line = Chain("match", "boot").append(record(sample(kind)), WALL)
    assert line.endswith(b"}\n")
    assert line.count(b"\n") == 1
    assert b": " not in line.replace(b'quoted\\" ', b"")  # compact
    assert json.loads(line)["event"] == tag(kind)


def test_an_event_needs_all_its_fields() -> None:
    """A line that lacks a field, or has one of another type, is no record."""
    _, line = Chain("match", "boot").append(pressed(), WALL)
    for old, new in (
        (b'"accepted":true,', b""),
        (b'"accepted":true', b'"accepted":1'),
        (b'"seq":1', b'"seq":"1"'),
        (b'"running":"left"', b'"running":"middle"'),
        (b'"event":"pressed"', b'"event":"lifted"'),
        (b'"left_ns":7', b'"left_ns":7.0'),
        (b'"left_ns":7', b'"left_ns":NaN'),
        (b'"left_ns":7', b'"left_ns":null'),
        (b'"why":null', b'"why":' + b"[" * 5000),
        (b'"why":null', b'"why":null,"more":' + b"[" * 200_000 + b"]" * 200_000),
        (b'"match"', b'"m\xff"'),
    ):
        changed = line[:-1].replace(old, new, 1)
        assert changed != line[:-1]
        with pytest.raises(DamagedError, match="line 7: not a record: "):
            decode(changed, 7)


def test_a_line_of_brackets_in_brackets_is_refused_alike_wherever_it_is_read() -> None:
    """A browser's Python has a small stack; brackets in a text are none."""
    _, line = Chain("match", "boot").append(pressed(), WALL)
    nested = "line 7: not a record: brackets are nested more than 50 deep"
    deep, end = b"[" * 51, b'"' + b'\\"' * 1_000_000
    for more in (b"[" * 100_000, b'{"a":' * 100_000, deep + b"]" * 51, b'"]' + deep, deep + end):
        with pytest.raises(DamagedError, match=f"^{nested}$"):
            decode(line[:-2] + b',"more":' + more, 7)
    for more in (b"[" * 49 + b"]" * 49, b'"%b"' % (b"[" * 300), b"[%b[]]" % (b"[]," * 60)):
        decode(line[:-2] + b',"more":' + more + b"}", 7)


def test_a_line_has_whole_numbers_alone_and_says_each_thing_once() -> None:
    """In a field that this version does not know, too: another reader could read it otherwise."""
    _, line = Chain("match", "boot").append(pressed(), WALL)
    for more, why in (
        (b'"more":1.0', "not a record: 1.0 is not an integer"),
        (b'"more":1,"more":2', "no clock writes JSON like that"),
        (b'"more": 1', "no clock writes JSON like that"),
    ):
        changed = line[:-1].replace(b'"why":null', b'"why":null,' + more)
        with pytest.raises(DamagedError, match=f"line 7: {why}"):
            decode(changed, 7)


def test_a_line_of_an_unknown_format_is_refused() -> None:
    """`v` says how the line is to be read."""
    _, line = Chain("match", "boot").append(pressed(), WALL)
    for version in (0, 1, 3):
        with pytest.raises(DamagedError, match=f"line 1: unknown format {version}, expected 2"):
            decode(line[:-1].replace(b'"v":2', b'"v":%d' % version), 1)


def test_what_is_wrong_with_a_line_has_no_control_characters() -> None:
    """It is shown, logged and sent, and parts of it may come from the line."""
    assert str(DamagedError(1, "\x1b[2J\n")) == "line 1: ?[2J?"


def test_a_hash_has_32_digits() -> None:
    """Leading zeros too: the end of a line has one length."""
    for number in range(2000):
        fault = record(FaultEvent("log", str(number)))
        chain, line = Chain("match", "boot").append(fault, WALL)
        assert line.endswith(b',"hash":"%b"}\n' % chain.hash.encode())
        assert len(chain.hash) == HASH_DIGITS
        assert right_hash(line[:-1], START) == chain.hash


def test_only_the_first_line_of_a_match_is_first() -> None:
    [*logs] = monkey_logs(4)
    for first, *others in logs:
        assert is_first(first)
        assert not any(is_first(line) for line in others)


def test_the_fingerprint_stays_at_a_press_on_a_page_and_at_any_beside_a_result() -> None:
    """Any other line of a match that goes on gives a new one, the first line always."""
    for log in itertools.chain.from_iterable(map(random_logs, range(12))):
        for step in replay_lines(log):
            _, _, seq, hash_, fingerprint_seq, fingerprint_hash = step.match.chain
            event, phase = step.line.record.event, step.line.record.phase
            assert fingerprint_hash == stated_hash(log[fingerprint_seq - 1])
            if phase not in AT_REST or isinstance(event, PressedEvent):
                on_page = isinstance(event, PressedEvent) and event.why == "menu"
                assert (
                    (fingerprint_hash != hash_)
                    == (fingerprint_seq < seq)
                    == (on_page or phase in AT_REST)
                )
            if isinstance(event, MatchOverEvent | CorrectedEvent | AdjournedEvent):
                assert fingerprint_seq == seq


def test_what_states_no_hash_of_32_digits_states_none() -> None:
    assert stated_hash(b'{"a":1,"hash":"%b"}' % (b"0a" * 16)) == "0a" * 16
    assert stated_match(b'{"seq":1,"match":"\xff","boot":"b"}') == "\udcff"
    for hash_ in (b"", b"0a", b"0A" * 16, b"0a" * 17):
        assert stated_hash(b',"hash":"%b"}' % hash_) is None


def test_the_example_in_the_document_is_a_heartbeat() -> None:
    """The same fields in the same order; the boot id is left out there."""
    text = (ROOT / "docs" / "event-log.md").read_text(encoding="utf-8")
    [example] = re.findall(r'^\{"v":2,"heartbeat".*\}$', text, re.MULTILINE)
    said = msgspec.json.decode(example)
    chain = Chain(said["match"], "earlier boot", said["seq"])
    line = heartbeat_line(said["heartbeat"], said["boot"], said["now_ns"], chain, ())
    assert line.decode() == f"{example}\n"


def test_the_log_is_a_part_that_can_fail() -> None:
    """Its fault is what makes `log_saved` false."""
    assert LOG in PARTS
    for warnings, saved in (((), True), (("serial",), True), (("serial", LOG), False)):
        found = msgspec.json.decode(heartbeat_line(1, "b", 0, Chain("m", "b"), warnings))
        assert (found["log_saved"], found["warnings"]) == (saved, list(warnings))
