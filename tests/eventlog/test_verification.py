"""What `verify` proves of a log, of which version, and what only the fingerprint proves."""

import json
import zlib
from collections.abc import Callable
from contextlib import suppress
from functools import reduce
from pathlib import Path
from typing import Any

import msgspec
import pytest

from clock import __version__
from clock.eventlog.codec import DamagedError
from clock.eventlog.event_inputs import MENU, input_of
from clock.eventlog.fingerprint import fingerprint_text
from clock.eventlog.recovery import Checkpoint, recover
from clock.eventlog.replay import DiffersError, replay, replay_lines
from clock.eventlog.salvage import salvage
from clock.eventlog.verification import (
    description,
    fingerprint_of,
    latest_hash,
    verify,
    versions,
    writers,
)
from clock.match.inputs import FaultSeen, Noted, Pressed, Ruling, TimePassed
from clock.match.machine import advance
from clock.match.profiles import PROFILES
from clock.match.rules import settings_code
from clock.match.state import AT_REST
from clock.match.types import Phase, Side
from gammonclock.console import DAMAGED
from lab.support.commands import said
from lab.support.last_run import continued, match_in
from lab.support.logs import forged, sealed
from lab.support.match_scripts import log_of
from lab.support.paths import DATA
from lab.support.random_logs import random_logs
from lab.support.rows import rest_slow
from lab.support.world import LEFT, SECOND_NS, match_settings
from room.lines.track import Track, follow

RELEASES = DATA / "releases"
OLD_LOGS = sorted(RELEASES.glob("*/*.jsonl"))
EBF = (DATA / "ebf.jsonl").read_bytes().splitlines()


def release_name(path: Path) -> str:
    """Return the version and the name of a log that is kept."""
    return f"{path.parent.name}-{path.stem}"


def written(path: Path, lines: list[bytes]) -> Path:
    path.write_bytes(b"".join(line + b"\n" for line in lines))
    return path


# --- logs of earlier versions -----------------------------------------------------------------


def test_each_version_keeps_logs() -> None:
    kept = {path.name: {log.stem for log in path.iterdir()} for path in RELEASES.iterdir()}
    assert (
        {"ebf"} <= kept[__version__] <= set(PROFILES)
    )  # a federation may be newer than the release


@pytest.mark.slow
@pytest.mark.rule("R83")
@pytest.mark.parametrize("path", OLD_LOGS, ids=release_name)
def test_the_logs_of_every_version_are_verified_and_reported(path: Path) -> None:
    """R83: by the commands; the version that wrote them is named."""
    verified = said("verify", path)
    assert verified.exit_code == 0, verified.stderr
    assert f"{path}: undamaged and consistent. " in verified.stdout
    assert f"written by version {path.parent.name}\n" in verified.stdout
    reported = said("report", path)
    assert reported.exit_code == 0, reported.stderr
    lines = path.read_bytes().splitlines()
    score = json.loads(lines[-1])["score"]
    assert f"score {score[0]}-{score[1]} of 7" in verified.stdout


@pytest.mark.rule("R67")
@pytest.mark.parametrize("path", rest_slow(OLD_LOGS), ids=release_name)
def test_the_logs_of_every_version_are_recovered(path: Path) -> None:
    """R67: after each third line; the present version goes on in the same log."""
    lines = path.read_bytes().splitlines()
    steps = list(replay_lines(lines))
    for count in range(1, len(steps) + 1, 3):
        match = steps[count - 1].match
        recovery = recover(lines[:count], None, match.chain.boot, match.state.at_ns)
        assert recovery.match == match
    state, chain = steps[-1].match
    _, records = advance(state, FaultSeen(state.at_ns, "log", "full"))
    _, line = chain.append(records[0], "2026-05-01T10:00:00+02:00")
    assert replay([*lines, line[:-1]]).match.chain.seq == len(lines) + 1


@pytest.mark.rule("R67")
@pytest.mark.parametrize("path", sorted(RELEASES.glob("*/*.checkpoint")), ids=release_name)
def test_a_match_under_way_survives_an_upgrade(path: Path) -> None:
    """R67: this version goes on from the checkpoint of another one, to the nanosecond."""
    checkpoint = msgspec.json.decode(path.read_bytes(), type=Checkpoint)
    lines = path.with_suffix(".jsonl").read_bytes().splitlines()[: checkpoint.seq]
    before, at_ns = checkpoint.state, checkpoint.at_ns
    assert before.running is not None
    recovery = recover(lines, checkpoint, "another boot", 5)
    assert recovery.restored is not None
    assert recovery.restored.lost_ns == SECOND_NS
    state, _ = advance(recovery.match.state, recovery.restored)
    assert state.phase is Phase.STOPPED
    assert [state.reserve_ns(side, 5) for side in Side] == [
        before.reserve_ns(side, at_ns) for side in Side
    ]
    assert (state.score, state.names) == (before.score, before.names)


# --- logs of later versions, and of other rules -----------------------------------------------


def put(**values: object) -> Callable[[dict[str, Any]], object]:
    """Return a change that sets fields."""
    return lambda fields: fields.update(values)


def drop(*names: str) -> Callable[[dict[str, Any]], object]:
    """Return a change that removes fields."""
    return lambda fields: [fields.pop(name) for name in names]


def line_of(event: str) -> int:
    """Return the index of the first line of an event in the log of the EBF's match."""
    return next(at for at, line in enumerate(EBF) if json.loads(line)["event"] == event)


@pytest.mark.parametrize(
    ("event", "change"),
    [
        ("match_opened", put(weather="fine")),
        ("pressed", put(force_n=[15, {"left": 2}])),
        ("game_over", put(dice=2)),
        ("match_opened", drop("clock")),
        ("stopped", drop("side")),
        ("break_started", drop("side")),
        ("corrected", drop("flag_cleared")),
        ("resumed", drop("invalid_rolls")),
    ],
    ids=range(8),
)
def test_a_field_more_or_a_default_less_is_of_another_version(
    event: str, change: Callable[[dict[str, Any]], object]
) -> None:
    log = forged(EBF, line_of(event), change)
    assert log != EBF
    assert replay(log).match.state == replay(EBF).match.state
    records, expected = ([step.line.record for step in replay_lines(of)] for of in (log, EBF))
    assert records[1:] == expected[1:]  # the first says which clock it was, and no replay can


def test_a_setting_of_another_version_does_not_make_the_settings_code_wrong() -> None:
    def with_more(fields: dict[str, Any]) -> None:
        fields["settings"]["rules"]["new_rule"] = "yes"
        fields["code"] = settings_code(fields["settings"])

    log = forged(EBF, 0, with_more)
    assert json.loads(log[0])["code"] != json.loads(EBF[0])["code"]
    assert replay(log).match.state == replay(EBF).match.state
    with pytest.raises(DiffersError, match="code is 'AAAA', but replaying gives"):
        replay(forged(EBF, 0, put(code="AAAA")))


@pytest.mark.rule("R83")
def test_a_value_that_differs_is_named_with_the_version_that_wrote_it(tmp_path: Path) -> None:
    """R83: exit code 4; the log is called altered only if this very version should replay it."""
    at = line_of("flag_fell")
    log = forged(forged(EBF, 0, put(version="0.3.7")), at, put(order=2))
    with pytest.raises(DiffersError) as caught:
        verify(log)
    assert (caught.value.line, caught.value.why) == (
        at + 1,
        "order is 2, but replaying gives 1",
    )
    result = said("verify", path := written(tmp_path / "other.jsonl", log))
    assert (result.exit_code, result.stdout.partition(":")[0]) == (DAMAGED, "CONTRADICTED")
    assert result.stderr == (
        f"gammonclock: {path}, line {at + 1}: order is 2, but replaying gives 1."
        " No line is damaged: every hash is right."
        f" The log names version 0.3.7; this is version {__version__}, and that one may have other"
        " rules.\n"
    )
    result = said("verify", path := written(tmp_path / "own.jsonl", forged(EBF, at, put(order=2))))
    assert result.stderr == (
        f"gammonclock: {path}, line {at + 1}: order is 2, but replaying gives 1. Every hash is"
        f" right, and the log names version {__version__}, which is this one: some other program"
        " wrote or changed it, or this version has a fault.\n"
    )


def test_an_event_of_a_later_version_is_not_called_damage(tmp_path: Path) -> None:
    log = forged(forged(EBF, 0, put(version="9")), 5, put(event="coffee_spilt"))
    result = said("verify", written(tmp_path / "later.jsonl", log))
    assert result.exit_code == DAMAGED
    assert "line 6: not a record" in result.stderr
    assert "every hash is right. The log names version 9" in result.stderr


def test_damage_after_a_line_that_differs_is_damage(tmp_path: Path) -> None:
    log = forged(EBF, line_of("flag_fell"), put(order=2))
    log[-1] = log[-1].replace(b"FINISHED", b"FINISHEd")
    assert latest_hash(log) is None
    assert "every hash is right" not in said("verify", written(tmp_path / "x", log)).stderr


def test_the_versions_that_wrote_a_log() -> None:
    """Each once, in their order; damaged lines say nothing."""
    assert versions(EBF) == [__version__]
    assert versions([b'{"version":"2"}', b'{"version":"1"}', b'{"version":"2"}']) == ["2", "1"]
    damaged = [b'{"version":"2"', b'{"version":""}', b'{"version":"\xff"}', b"", b"x"]
    damaged.append(b'{"version":"4","more":' + b"[" * 100_000)
    assert versions([*damaged, b'{"version":"3"}']) == ["3"]
    assert (writers(EBF[:1]), writers(damaged)) == (__version__, "not known")


# --- what the fingerprint proves, and the chain alone does not --------------------------------


@pytest.mark.parametrize("share", rest_slow(range(2)))
def test_the_fingerprint_changes_with_all_but_pages_and_what_is_beside_a_result(share: int) -> None:
    """A match at rest has the fingerprint of the latest ruling or end; everybody reads it alike."""
    restored = continued(
        salvage(match_in("FINISHED").lines, None), "damaged", "b", Pressed(9, LEFT)
    )
    for lines in (restored, *(log for seed in range(share, 20, 2) for log in random_logs(seed))):
        shown, hashes = 1, list[str]()
        for seq, (match, line) in enumerate(replay_lines(lines), 1):
            happened = input_of(line.record) if seq > 1 else None
            if line.record.phase in AT_REST:
                changes = isinstance(happened, Ruling | TimePassed)
            else:
                changes = not isinstance(happened, Noted) or happened.why != MENU
            shown = seq if changes else shown
            hashes.append(match.chain.hash)
            assert match.chain[-2:] == (shown, hashes[shown - 1])
            if shown < seq or seq < 3:
                assert fingerprint_of(lines[:seq]) == fingerprint_text(hashes[shown - 1])
                changed = lines[seq - 1].replace(b'"wall":"2', b'"wall":"3')
                assert fingerprint_of([*lines[: seq - 1], changed]) == ""


FLAGGED = """
1 press left
1 press right
1 press centre
1 press right
75 press left
5 press centre
1 press right
1 press centre
1 press left
1 press centre
"""  # left's reserve of a minute is over when they press; nobody claims it, and left wins


def as_version_1(line: bytes, before: str, old: bytes, new: bytes) -> bytes:
    """Return a line with another content, the true hash, and the CRC that version 1 had."""
    start, _, tail = line.rpartition(b',"hash":"')
    changed = start.replace(old, new, 1).replace(b'{"v":2,', b'{"v":1,', 1)
    body = b'%b,"hash":"%b"' % (changed, tail[:32])
    return b'%b,"crc":"%08x"}' % (body, zlib.crc32(body, int(before[-8:], 16)))


def with_two_hashes(line: bytes, before: str, old: bytes, new: bytes) -> bytes:
    """Return a changed line whose right hash is followed, or preceded, by the true one."""
    start, _, tail = line.rpartition(b',"hash":"')
    body = b'%b,"hash":"%b"' % (start.replace(old, new, 1), tail[:32])
    return sealed([body], before)[0]


def with_hash_first(line: bytes, before: str, old: bytes, new: bytes) -> bytes:
    """Return a changed line with another right hash, and the true one in a field of its own."""
    start, _, tail = line.rpartition(b',"hash":"')
    changed = start.replace(old, new, 1)
    return sealed([b'{"hash":"%b",%b' % (tail[:32], changed[1:])], before)[0]


def with_true_hash(line: bytes, _before: str, old: bytes, new: bytes) -> bytes:
    """Return a changed line that still states the true hash."""
    return line.replace(old, new, 1)


FORGERIES = (as_version_1, with_two_hashes, with_hash_first, with_true_hash)
CHANGES = (  # of what replaying does not compare
    (b'"wall":"20', b'"wall":"19'),
    (b'"event":', b'"spilt":"coffee","event":'),
    (b'"boot":', b'"match":"play-1","boot":'),
)


@pytest.mark.rule("R83")
@pytest.mark.parametrize("change", CHANGES, ids=range(len(CHANGES)))
@pytest.mark.parametrize("forge", FORGERIES)
def test_no_changed_line_has_the_true_fingerprint(
    forge: Callable[[bytes, str, bytes, bytes], bytes], change: tuple[bytes, bytes]
) -> None:
    """R83: a hash counts only where it was computed over the line, whatever else the line states.

    Nor is it in the origin of a log that continues this one, or on a page.
    """
    hashes = [json.loads(line)["hash"] for line in EBF]
    last = forge(EBF[-1], hashes[-2], *change)
    assert change[1] in last
    log = [*EBF[:-1], last]
    with suppress(DamagedError):
        assert verify(log).line_of(fingerprint_text(hashes[-1])) is None
    assert salvage(log, None).origin.hash != hashes[-1]
    track = reduce(follow, log, Track())
    assert track.match is not None
    assert track.match.chain.hash != hashes[-1]
    assert latest_hash(log) != hashes[-1]


def without_flag(records: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the records without the flag: as if the turn had ended a second before it."""
    at = next(at for at, record in enumerate(records) if record["event"] == "flag_fell")
    flag = records[at]
    early_ns = records[at + 1]["at_ns"] - flag["at_ns"] + SECOND_NS
    kept = [dict(record) for record in records if record is not flag]
    for seq, record in enumerate(kept, 1):
        record["seq"] = seq
        if seq > at:
            record["at_ns"] -= early_ns
            record[f"{flag['side']}_ns"] += SECOND_NS
            if "unclaimed_flags" in record:
                record["unclaimed_flags"] = []
    return kept


def bodies(records: list[dict[str, Any]]) -> list[bytes]:
    """Return records as lines without their hashes."""
    plain = [{name: each[name] for name in each if name != "hash"} for each in records]
    return [json.dumps(each, separators=(",", ":")).encode()[:-1] for each in plain]


def test_only_the_fingerprint_tells_that_a_flag_was_removed(tmp_path: Path) -> None:
    settings = match_settings(length=1, time_per_point_ns=60 * SECOND_NS)
    records = [json.loads(line) for line in log_of(FLAGGED, settings)]
    assert (records[-1]["phase"], records[-1]["unclaimed_flags"]) == (Phase.FINISHED, ["left"])
    true = written(tmp_path / "true.jsonl", sealed(bodies(records)))
    false = written(tmp_path / "false.jsonl", sealed(bodies(without_flag(records))))
    for path in (true, false):
        assert said("verify", path).exit_code == 0
    assert b"flag_fell" in true.read_bytes()
    assert b"flag_fell" not in false.read_bytes()
    fingerprint = fingerprint_text(json.loads(true.read_bytes().splitlines()[-1])["hash"])
    assert f"log code {fingerprint} at line {len(records)}, the end" in said("verify", true).stdout
    assert said("verify", true, "--head", fingerprint).exit_code == 0
    assert fingerprint not in said("verify", false).stdout
    refused = said("verify", false, "--head", fingerprint)
    assert refused.exit_code == DAMAGED
    assert "this log never showed that log code" in refused.stderr


@pytest.mark.rule("R131")
def test_what_was_damaged_in_the_log_before_is_said() -> None:
    lines = match_in("STOPPED").lines
    for before, says in (
        ([*lines[:2], b"torn", *lines[3:]], 'damage there: "line 3'),
        (lines, 'continues the log "match" after its line'),
    ):
        log = verify(continued(salvage(before, None), "damaged", "next"))
        *_, origin, _ = description(log, "test")
        assert says in origin
        assert ("damage there" in origin) == (before is not lines)
