"""A log that is handed in later, against what the hub heard."""

import shutil
import urllib.request
from collections.abc import Callable
from contextlib import closing
from email.message import Message
from io import BytesIO
from pathlib import Path
from typing import Any
from unittest.mock import Mock
from urllib.error import HTTPError

import click.testing
import msgspec
import pytest

from clock.eventlog.codec import stated_hash
from clock.eventlog.head import head_text
from gammonclock.__main__ import main
from lab.support.logs import forged
from lab.support.paths import DATA
from lab.support.postgresql import PostgreSqlServer
from lab.support.watch_program import WatchProgram
from room.boards.effects import NewLine
from room.lines.inbox import Head, receive
from room.store import witness
from room.store.store import Store
from room.store.witness import (
    ON_PAPER,
    TIMEOUT_S,
    Comparison,
    FirstLine,
    Heard,
    WitnessError,
    _get,
    ask,
    compare,
    match_of_lines,
)

FILE = DATA / "ebf.jsonl"
LOG = FILE.read_bytes().splitlines()
MATCH = "play-1"
END = len(LOG)


def changed(at: int) -> list[bytes]:
    """The log with another wall time in a line, and every hash made right."""
    return forged(LOG, at, lambda fields: fields.update(wall="2030-01-01T00:00:00+00:00"))


@pytest.mark.parametrize(
    ("log", "heard", "expected", "agrees"),
    [
        (LOG, LOG, (END, END, END), True),
        (LOG, LOG[:60], (60, END, 60), True),  # the hub was off at the end
        (LOG[:60], LOG, (60, 60, END), False),  # the end is missing
        (changed(40), LOG, (40, END, END), False),
        (changed(110), LOG, (110, END, END), False),
        (changed(0), LOG, (0, END, END), False),
        (changed(80), LOG[:60], (60, END, 60), True),  # the hub cannot know
        ([], LOG, (0, 0, END), False),
    ],
)
def test_the_first_line_that_differs_is_found(
    log: list[bytes], heard: list[bytes], expected: tuple[int, int, int], *, agrees: bool
) -> None:
    found = compare(log, heard)
    assert found == Comparison(*expected)
    assert found.agrees is agrees


def test_the_match_is_that_of_the_first_line_that_can_be_read() -> None:
    assert match_of_lines(LOG) == match_of_lines([b"noise", *LOG[5:]]) == MATCH
    assert match_of_lines([b"noise"]) == match_of_lines([]) == ""


def verify(path: Path, lines: list[bytes], where: object) -> click.testing.Result:
    """Verify a log against a hub."""
    path.write_bytes(b"".join(line + b"\n" for line in lines))
    return click.testing.CliRunner().invoke(main, ["verify", str(path), "--against", str(where)])


def keep(where: Path | str, lines: list[bytes], source: str = "here") -> None:
    """Have a hub keep lines, and end it."""
    head, kept = Head(), []
    for line in lines:
        head, verdict = receive(head, line)
        kept.append(NewLine(source, MATCH, head.seq, verdict, line))
    with closing(Store(where, wall=lambda: "2026-05-01T14:02:03+02:00")) as store:
        store.keep(kept)


def wait_for_result(address: str) -> None:
    """Wait until a hub has read the log."""
    with urllib.request.urlopen(f"{address}api/events") as events:  # noqa: S310 (its own address)
        while events.readline() != b"event: result\n":
            pass


Judge = Callable[[list[bytes]], click.testing.Result]


@pytest.fixture(
    scope="module",
    params=["database", pytest.param("server", marks=pytest.mark.slow), "address"],
)
def judge(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Any:
    """What verifies a log against a hub that heard the whole of it, in each way."""
    folder = tmp_path_factory.mktemp("hub")
    log = folder / "log.jsonl"
    match request.param:
        case "database":
            keep(folder / "room.sqlite", LOG)
            yield lambda lines: verify(log, lines, folder / "room.sqlite")
        case "server":
            with PostgreSqlServer() as server:
                url = server.new_url()
                keep(url, LOG)
                yield lambda lines: verify(log, lines, url)
        case _:
            shutil.copy(FILE, folder / f"{MATCH}.jsonl")
            with WatchProgram(folder / f"{MATCH}.jsonl") as hub:
                wait_for_result(hub.address)
                yield lambda lines: verify(log, lines, hub.address)


def test_a_log_as_it_was_heard(judge: Judge) -> None:
    result = judge(LOG)
    assert (result.exit_code, result.stderr) == (0, "")
    assert f"  the hub heard the same {END} lines\n" in result.stdout


def test_a_log_that_was_changed_is_named_with_the_line(judge: Judge) -> None:
    result = judge(changed(40))
    assert result.exit_code == 4
    assert "undamaged and consistent" in result.stdout
    assert "log.jsonl, line 41: the hub heard another line; those before agree" in result.stderr


def test_a_log_whose_end_is_missing(judge: Judge) -> None:
    result = judge(LOG[:100])
    assert result.exit_code == 4
    assert f"the end is missing: the hub heard {END - 100} more lines" in result.stderr


def test_a_match_that_the_hub_did_not_hear(tmp_path: Path) -> None:
    keep(tmp_path / "room.sqlite", [])
    result = verify(tmp_path / "log.jsonl", LOG, tmp_path / "room.sqlite")
    assert result.exit_code == 4
    assert "the hub does not know the match play-1" in result.stderr


def test_a_hub_that_was_switched_off_before_the_end(tmp_path: Path) -> None:
    keep(tmp_path / "room.sqlite", LOG[:100])
    result = verify(tmp_path / "log.jsonl", LOG, tmp_path / "room.sqlite")
    assert result.exit_code == 0
    assert (
        f"the hub heard the same 100 lines; it did not hear the {END - 100} after them"
        in result.stdout
    )


@pytest.mark.rule("R83")
@pytest.mark.parametrize("option", ["--against", "--room"])
def test_the_hub_says_when_it_first_saw_the_last_line(tmp_path: Path, option: str) -> None:
    """R83: and for ever that another line came in the place of one that it had seen."""
    room, log, at = tmp_path / "room.sqlite", tmp_path / "log.jsonl", "2026-05-01T14:02:03+02:00"
    keep(room, LOG)
    log.write_bytes(b"".join(line + b"\n" for line in LOG))
    ask = ["verify", str(log), option, str(room)]
    seen = click.testing.CliRunner().invoke(main, ask)
    assert f"  the hub first saw the last line, {END}, at {at}\n" in seen.stdout
    keep(room, [*LOG, *changed(40)[40:]])
    log.write_bytes(b"".join(line + b"\n" for line in changed(40)))
    other = click.testing.CliRunner().invoke(main, ask)
    head = head_text(stated_hash(LOG[-1]) or "")
    assert f"  line 41 came with another content at {at}: the hub had seen" in other.stdout
    assert f" the lines up to {END} before, with the head {head}\n" in other.stdout


def test_a_match_that_two_accounts_sent_is_compared_with_both(tmp_path: Path) -> None:
    """Whichever log is handed in: the hub cannot know whose is right, and names both."""
    room, log = tmp_path / "room.sqlite", tmp_path / "log.jsonl"
    keep(room, LOG, "hall/red-7")
    keep(room, changed(40), "hall/thief")
    for lines, same, other in (
        (LOG, "hall/red-7", "hall/thief"),
        (changed(40), "hall/thief", "hall/red-7"),
    ):
        result = verify(log, lines, room)
        assert result.exit_code == 4
        assert f"  from {same}: the hub heard the same {END} lines\n" in result.stdout
        differs = f"line 41: the hub heard another line; those before agree (from {other})."
        assert differs in result.stderr


@pytest.mark.parametrize("where", ["missing.sqlite", "http://127.0.0.1:1/", "http://", "http://["])
def test_a_hub_that_cannot_be_asked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, where: str
) -> None:
    monkeypatch.chdir(tmp_path)
    result = verify(tmp_path / "log.jsonl", LOG, where)
    assert result.exit_code == 2
    assert "gammonclock: --against: " in result.stderr


def test_a_database_is_not_made_by_asking(tmp_path: Path) -> None:
    verify(tmp_path / "log.jsonl", LOG, tmp_path / "missing.sqlite")
    assert not (tmp_path / "missing.sqlite").exists()


def test_a_server_is_no_file() -> None:
    with pytest.raises(WitnessError, match="connection"):
        ask("postgresql://127.0.0.1:1/room", "m")


def test_a_hub_is_asked_for_the_log_of_each_source(monkeypatch: pytest.MonkeyPatch) -> None:
    """With the director's token; an earlier version of it names none."""
    first = [FirstLine(3, "HEAD", "14:02", source=source) for source in ("a b", "c")]
    report = msgspec.json.encode({"first_heard": first, "result": {"forks": 2}})
    answers = {"?source=a%20b": report, "?source=c": b"", "/log?source=a%20b": b"1\n2\n"}
    asked = list[tuple[str | None, str | None]]()

    def urlopen(request: urllib.request.Request, *, timeout: float) -> Any:
        assert timeout == TIMEOUT_S
        asked.append((request.host, request.get_header("Authorization")))
        left = request.full_url.removeprefix("http://hub/api/matches/m%2F1")
        return closing(BytesIO(answers.get(left, b"")))

    monkeypatch.setattr("urllib.request.urlopen", urlopen)
    answers[""] = report
    found = ask("http://hub/?token=secret", "m/1")
    assert found == [Heard([b"1", b"2"], 2, first[0]), Heard([], 0, first[1])]
    assert set(asked) == {("hub", "Bearer secret")}
    asked.clear()
    answers |= {"": b"", "/log": b"1\n"}
    assert ask("http://hub/", "m/1") == [Heard([b"1"], 0, None)]
    assert set(asked) == {("hub", None)}


def test_a_hub_that_has_deleted_the_lines_is_no_witness(monkeypatch: pytest.MonkeyPatch) -> None:
    first = FirstLine(END, "HEAD", "14:02")
    monkeypatch.setattr("room.store.witness.ask", lambda *_: [Heard([], 0, first)])
    assert "the hub does not know the match" in witness.testify(LOG, "http://hub").objection


def test_a_hub_that_fails_has_said_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Else the witness would find that the match is missing there, which a hub says with 404."""
    errors = [
        HTTPError("http://hub", code, reason, Message(), BytesIO())
        for code, reason in ((500, "Broken"), (404, "Not Found"))
    ]
    monkeypatch.setattr("urllib.request.urlopen", Mock(side_effect=errors))
    with pytest.raises(OSError, match="500 Broken"):
        _get("http://hub", "")
    assert _get("http://hub", "") == b""


def test_each_of_several_sources_says_what_it_heard(monkeypatch: pytest.MonkeyPatch) -> None:
    """The first that differs is the objection, others are remarks; so are lines that came twice."""
    first = [FirstLine(END, "HEAD", "", source=source) for source in ("a", "b", "c")]
    logs = (changed(40), LOG, changed(80))
    heard = [Heard(*each) for each in zip(logs, (0, 1, 0), first, strict=True)]
    monkeypatch.setattr("room.store.witness.ask", lambda *_: heard)
    said = witness.testify(LOG, "http://hub")
    differs = "the hub heard another line; those before agree"
    twice = "the hub heard lines that contradict earlier ones (once), and counts the later ones."
    assert said.objection == f", line 41: {differs} (from a). {ON_PAPER}"
    assert said.remarks == (
        f"from b: the hub heard the same {END} lines",
        f"from b: {twice} {ON_PAPER}",
        f"from c, line 81: {differs}",
    )
