"""`gammonclock logs`: the list of a directory, the match under way, and deleting."""

import errno
import re
from pathlib import Path

import pytest

from clock.eventlog.codec import Chain
from clock.match.events import Origin, Writer
from clock.match.inputs import Restored
from clock.match.machine import open_match, restore_match
from clock.match.types import Pair, Phase
from clock.storage.inventory import LoggedMatch, Play
from gammonclock.console import WRONG_USAGE
from gammonclock.logs import standing, table
from lab.support.commands import LOG, failed, said
from lab.support.last_run import match_in, put_log
from lab.support.logs import body, renamed, sealed
from lab.support.world import LEFT, World, match_settings


@pytest.fixture
def shelf(tmp_path: Path) -> Path:
    """A directory with two finished matches of 2025 and the current one, which is as old."""
    logs = tmp_path / "logs"
    logs.mkdir()
    for name, board in (("2025-05-01T10-00-00-7", "7"), ("old", ""), ("now", "")):
        _, record = open_match(match_settings(), 0, Writer("test", board=board))
        _, line = Chain(name, "boot").append(record, "2025-05-01T10:00:00+02:00")
        (logs / f"{name}.jsonl").write_bytes(line)
    (logs / "old.torn").touch()
    (logs / "current.jsonl").symlink_to("now.jsonl")
    return logs


def test_logs_lists_the_matches_of_a_directory(shelf: Path) -> None:
    """A line each, and one that says what is wrong with a file that is no log."""
    (shelf / "note.jsonl").write_text("\x1b[31m")
    lines = said("logs", str(shelf)).stdout.splitlines()
    assert [line.split()[0] for line in lines] == [
        "FILE", "2025-05-01T10-00-00-7.jsonl", "note.jsonl", "now.jsonl", "old.jsonl",
    ]  # fmt: skip
    assert [" ".join(line.split()[1:]) for line in lines[1:]] == [
        "2025-05-01 10:00 7 Left, Right 0-0 of 11 not finished 2 kB undamaged",
        "1 kB not a log: line 1: not a record: JSON is malformed: invalid character (byte 0)",
        "2025-05-01 10:00 - Left, Right 0-0 of 11 not finished, current 2 kB undamaged",
        "2025-05-01 10:00 - Left, Right 0-0 of 11 not finished 2 kB undamaged",
    ]


def test_logs_says_which_match_is_under_way(shelf: Path) -> None:
    """One that players have confirmed and that is not over; nothing is said of any other."""
    assert said("logs", str(shelf), "--under-way").stdout == ""  # still at the review
    records = Path(LOG).read_bytes().splitlines(keepends=True)
    (shelf / "now.jsonl").write_bytes(b"".join(records))
    assert said("logs", str(shelf), "--under-way").stdout == ""  # it is over
    (shelf / "now.jsonl").write_bytes(b"".join(records[:12]))
    before = sorted(shelf.iterdir())
    found = said("logs", str(shelf), "--under-way").stdout
    assert re.fullmatch(r".+, .+  \d+-\d+ of \d+  [A-Z_]+\n", found)
    assert sorted(shelf.iterdir()) == before
    (shelf / "now.jsonl").unlink()
    assert said("logs", str(shelf), "--under-way").stdout == ""  # nothing proves a match


def test_logs_deletes_old_matches_but_never_the_current_one(shelf: Path) -> None:
    """Each file is named; what is not old stays, and so does everything without --delete."""
    before = sorted(shelf.iterdir())
    assert len(said("logs", str(shelf), "--older-than", "99999d").stdout.splitlines()) == 1
    assert len(said("logs", str(shelf), "--older-than", "0d").stdout.splitlines()) == 4
    kept = said("logs", str(shelf), "--older-than", "99999d", "--delete")
    assert (kept.exit_code, kept.stdout) == (0, "nothing to delete\n")
    assert sorted(shelf.iterdir()) == before
    deleted = said("logs", str(shelf), "--older-than", "0d", "--delete").stdout.splitlines()
    gone = ("2025-05-01T10-00-00-7.jsonl", "old.jsonl", "old.torn")
    assert deleted == [f"deleted {shelf / name}" for name in gone]
    assert {path.name for path in shelf.iterdir()} == {"now.jsonl", "current.jsonl"}


@pytest.mark.rule("R131")
def test_logs_keeps_what_waits_to_be_taken_up(tmp_path: Path) -> None:
    """A match that was adjourned can be deleted when a log beside it continues it."""
    aside = match_in("PUT_ASIDE")
    dated = (body(line).replace(b'"2000-', b'"2025-') for line in renamed(aside.lines, "aside"))
    put_log(tmp_path / "aside.jsonl", sealed(dated))
    delete = ("logs", str(tmp_path), "--older-than", "0d", "--delete")
    assert said(*delete).stdout == "nothing to delete\n"
    origin = Origin("aside", aside.chain.seq, aside.chain.hash, "log", 0, None)
    _, record = restore_match(aside.state, Restored(0, 0, None), origin, Writer("test"))
    _, line = Chain("later", "boot").append(record, "2099-05-01T10:00:00+02:00")
    (tmp_path / "later.jsonl").write_bytes(line)
    assert said(*delete).stdout == f"deleted {tmp_path / 'aside.jsonl'}\n"


def test_logs_refuses_what_could_delete_too_much(shelf: Path, tmp_path: Path) -> None:
    before = sorted(shelf.iterdir())
    assert "--older-than" in failed(WRONG_USAGE, "logs", str(shelf), "--delete")
    for age in ("", "30", "-1d", "30h", "d"):
        message = failed(WRONG_USAGE, "logs", str(shelf), "--older-than", age, "--delete")
        assert "a number of days such as 30d" in message
    assert "No such file" in failed(WRONG_USAGE, "logs", str(tmp_path / "missing"))
    assert "Not a directory" in failed(WRONG_USAGE, "logs", str(shelf / "now.jsonl"))
    assert sorted(shelf.iterdir()) == before


def test_logs_says_which_file_could_not_be_deleted(
    shelf: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(path: Path, **_: object) -> None:
        raise PermissionError(errno.EACCES, "Permission denied", str(path))

    monkeypatch.setattr(Path, "unlink", refuse)
    message = failed(WRONG_USAGE, "logs", str(shelf), "--older-than", "0d", "--delete")
    assert f"{shelf / '2025-05-01T10-00-00-7.jsonl'}: not deleted: Permission denied" in message


def test_a_log_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    """Exit code 2: whether a match is under way is not known."""
    log = tmp_path / "current.jsonl"
    with log.open("wb") as file:
        file.truncate(1 << 40)
    assert f"{log}: cannot be read" in failed(WRONG_USAGE, "logs", tmp_path, "--under-way")


def test_the_table_of_matches() -> None:
    """A line each, in columns; of a log that cannot be read only its size and why."""
    began = "2026-05-01T10:00:00+02:00"
    play = Play(
        began, began, "7", Pair("Ada", "Bo"), Pair(3, 11), 11, Phase.FINISHED, "", damage=None
    )
    other = play._replace(board="", phase=Phase.PUT_ASIDE, damage="line 7")
    matches = [
        LoggedMatch("a", (Path("x/a.jsonl"),), 1001, is_current=False, play=play),
        LoggedMatch("b", (Path("x/b.jsonl"),), 9, is_current=True, play=other),
        LoggedMatch("c", (Path("x/c.jsonl"),), 0, is_current=False, play=None, problem="no log"),
    ]
    assert [line.split("  ") for line in map(" ".join, map(str.split, table(matches)))] == [
        ["FILE BEGAN BOARD PLAYERS SCORE MATCH SIZE LOG"],
        ["a.jsonl 2026-05-01 10:00 7 Ada, Bo 3-11 of 11 finished 2 kB undamaged"],
        ["b.jsonl 2026-05-01 10:00 - Ada, Bo 3-11 of 11 adjourned, current 1 kB line 7"],
        ["c.jsonl 0 kB no log"],
    ]
    starts = {
        line.index(word) for line, word in zip(table(matches)[1:3], ("Ada", "Ada"), strict=True)
    }
    assert len(starts) == 1
    assert table(matches)[0].startswith("FILE     BEGAN             BOARD")
    assert standing(World.running(LEFT).state) == "Left, Right  0-0 of 11  RUNNING"
