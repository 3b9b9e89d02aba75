"""What `verify` proves of a log, of which version, and what only the head proves."""

import hashlib
import json
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click.testing
import pytest

from clock import __version__
from clock.cli import DAMAGED, main
from clock.eventlog.codec import DamagedError
from clock.eventlog.head import head_text
from clock.eventlog.recovery import recover
from clock.eventlog.replay import DiffersError, replay, replay_lines
from clock.eventlog.verification import is_chain_intact, verify, versions
from clock.match.inputs import FaultSeen
from clock.match.machine import advance
from clock.match.profiles import PROFILES
from clock.match.rules import settings_code
from clock.match.types import Phase
from tests.support.logs import forged
from tests.support.match_scripts import log_of
from tests.support.paths import DATA
from tests.support.world import SECOND_NS, match_settings

RELEASES = DATA / "releases"
OLD_LOGS = sorted(RELEASES.glob("*/*.jsonl"))
EBF = (DATA / "ebf.jsonl").read_bytes().splitlines()


def said(*arguments: str | Path) -> click.testing.Result:
    """Return what a command says."""
    return click.testing.CliRunner().invoke(main, [str(each) for each in arguments])


def release_name(path: Path) -> str:
    """Return the version and the name of a log that is kept."""
    return f"{path.parent.name}-{path.stem}"


def written(path: Path, lines: list[bytes]) -> Path:
    """Return a file with these lines."""
    path.write_bytes(b"".join(line + b"\n" for line in lines))
    return path


# --- logs of earlier versions -----------------------------------------------------------------


def test_each_version_keeps_logs() -> None:
    """All profiles of the present version, and some of the first."""
    kept = {path.name: {log.stem for log in path.iterdir()} for path in RELEASES.iterdir()}
    assert kept["0.1.0"] == {"ebf", "nbgf", "nbgf-analog", "us", "us-doubles"}
    assert kept[__version__] == set(PROFILES)


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
@pytest.mark.parametrize("path", OLD_LOGS, ids=release_name)
def test_the_logs_of_every_version_are_recovered(path: Path) -> None:
    """R67: after each line; the present version goes on in the same log."""
    lines = path.read_bytes().splitlines()
    steps = list(replay_lines(lines))
    for count, step in enumerate(steps, 1):
        match = step.match
        recovery = recover(lines[:count], None, match.chain.boot, match.state.at_ns)
        assert recovery.match == match
    state, chain = steps[-1].match
    _, records = advance(state, FaultSeen(state.at_ns, "log", "full"))
    _, line = chain.append(records[0], "2026-05-01T10:00:00+02:00")
    assert replay([*lines, line[:-1]]).match.chain.seq == len(lines) + 1


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
        ("pressed", put(force_n=[1.5, {"left": 2}])),
        ("game_over", put(cube=2)),
        ("match_opened", drop("clock")),
        ("stopped", drop("side")),
        ("break_started", drop("side")),
        ("corrected", drop("flag_cleared")),
        ("resumed", drop("invalid_rolls")),
        ("pressed", drop("score")),
    ],
    ids=range(9),
)
def test_a_field_more_or_a_default_less_is_of_another_version(
    event: str, change: Callable[[dict[str, Any]], object]
) -> None:
    """Unknown fields are ignored, and missing ones have their defaults."""
    log = forged(EBF, line_of(event), change)
    assert log != EBF
    assert replay(log).match.state == replay(EBF).match.state


def test_a_setting_of_another_version_does_not_make_the_settings_code_wrong() -> None:
    """The code is that of the settings as the line has them."""

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
    """R83: exit code 4; the log is not called altered, as every hash is right."""
    at = line_of("flag_fell")
    log = forged(forged(EBF, 0, put(version="0.3.7")), at, put(order=2))
    with pytest.raises(DiffersError) as caught:
        verify(log)
    assert (caught.value.line, caught.value.why) == (
        at + 1,
        "order is 2, but replaying gives 1",
    )
    result = said("verify", path := written(tmp_path / "other.jsonl", log))
    assert (result.exit_code, result.stdout) == (DAMAGED, "")
    assert result.stderr == (
        f"gammonclock: {path}, line {at + 1}: order is 2, but replaying gives 1."
        " No line is damaged: every hash is right."
        f" Version 0.3.7 wrote the log; this is version {__version__}, and it may have other"
        " rules.\n"
    )


def test_an_event_of_a_later_version_is_not_called_damage(tmp_path: Path) -> None:
    """This version cannot replay it, and says so."""
    log = forged(EBF, 5, put(event="coffee_spilt"))
    result = said("verify", written(tmp_path / "later.jsonl", log))
    assert result.exit_code == DAMAGED
    assert "line 6: not a record" in result.stderr
    assert "every hash is right" in result.stderr


def test_damage_after_a_line_that_differs_is_damage(tmp_path: Path) -> None:
    """Then the chain is not right, and nothing is said of versions."""
    log = forged(EBF, line_of("flag_fell"), put(order=2))
    log[-1] = log[-1].replace(b"FINISHED", b"FINISHEd")
    assert not is_chain_intact(log)
    assert "every hash is right" not in said("verify", written(tmp_path / "x", log)).stderr


def test_the_versions_that_wrote_a_log() -> None:
    """Each once, in their order; damaged lines say nothing."""
    assert versions(EBF) == [__version__]
    assert versions([b'{"version":"2"}', b'{"version":"1"}', b'{"version":"2"}']) == ["2", "1"]
    assert versions([b'{"version":"2"', b'{"version":""}', b'{"version":"\xff"}', b"", b"x"]) == []


def test_an_empty_log_proves_nothing() -> None:
    """It is damaged."""
    with pytest.raises(DamagedError, match="line 1: the log is empty"):
        verify([])


# --- what the head proves, and the chain alone does not ---------------------------------------

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


def chain_1(bodies: list[bytes]) -> list[bytes]:
    """Return the lines of a log of version 1."""
    lines, crc = [], 0
    for body in bodies:
        crc = zlib.crc32(body, crc)
        lines.append(b'%b,"crc":"%08x"}' % (body, crc))
    return lines


def chain_2(bodies: list[bytes]) -> list[bytes]:
    """Return the lines of a log of version 2."""
    lines, before = [], "0" * 32
    for body in bodies:
        before = hashlib.sha256(before.encode() + body).hexdigest()[:32]
        lines.append(b'%b,"hash":"%b"}' % (body, before.encode()))
    return lines


def bodies(records: list[dict[str, Any]], version: int) -> list[bytes]:
    """Return records as lines without their hashes."""
    plain = [{**each, "v": version} for each in records]
    for each in plain:
        del each["hash"]
        if version == 1 and each["event"] in {"reason_shown", "reason_chosen"}:
            each |= {"event": "reason_chosen", "by": each.get("by", "centre")}
    return [json.dumps(each, separators=(",", ":")).encode()[:-1] for each in plain]


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


@pytest.mark.parametrize(("version", "chain"), [(1, chain_1), (2, chain_2)], ids=["1", "2"])
def test_only_the_head_tells_that_a_flag_was_removed(
    tmp_path: Path, version: int, chain: Callable[[list[bytes]], list[bytes]]
) -> None:
    """Whoever knows the format can make every hash right; of version 1 nothing tells it."""
    settings = match_settings(length=1, time_per_point_ns=60 * SECOND_NS)
    records = [json.loads(line) for line in log_of(FLAGGED, settings)]
    assert (records[-1]["phase"], records[-1]["unclaimed_flags"]) == (Phase.FINISHED, ["left"])
    true = written(tmp_path / "true.jsonl", chain(bodies(records, version)))
    false = written(tmp_path / "false.jsonl", chain(bodies(without_flag(records), version)))
    for path in (true, false):
        assert said("verify", path).exit_code == 0
    assert b"flag_fell" in true.read_bytes()
    assert b"flag_fell" not in false.read_bytes()
    if version == 1:
        assert "a log of version 1 has no head" in said("verify", false).stdout
        return
    head = head_text(json.loads(true.read_bytes().splitlines()[-1])["hash"])
    assert f"head {head} at line {len(records)}, the end" in said("verify", true).stdout
    assert said("verify", true, "--head", head).exit_code == 0
    assert head not in said("verify", false).stdout
    refused = said("verify", false, "--head", head)
    assert refused.exit_code == DAMAGED
    assert "this log never showed that head" in refused.stderr
