"""The program is killed while it works: what it said was saved, is saved, and the match goes on."""

import os
import signal
import subprocess
import sys
from pathlib import Path
from random import Random

import msgspec
import pytest

from clock.journal import Found, Journal
from clock.play import VirtualTime
from clock.recovery import recovered
from clock.replay import replay
from clock.rules import SECOND_NS

DRIVER = Path(__file__).parent / "clock_process.py"
RUNS, KILLS = 6, 5  # matches, and how often each is killed


def killed(directory: Path, seed: int, begin_ns: int, acknowledged: int) -> list[bytes]:
    """Start the clock, kill it after so many lines; returns all that it acknowledged."""
    root = DRIVER.parent.parent
    environ = os.environ | {"PYTHONPATH": os.pathsep.join((str(root), str(DRIVER.parent)))}
    command = [sys.executable, str(DRIVER), str(directory), str(seed), str(begin_ns)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, env=environ) as process:
        if process.stdout is None:
            raise TypeError("a process without output")
        lines = [process.stdout.readline() for _ in range(acknowledged)]
        process.send_signal(signal.SIGKILL)
        lines += process.stdout.readlines()  # in the pipe already
    return [line for line in lines if line.endswith(b"\n")]


def left_behind(directory: Path) -> Found:
    """What the next run finds."""
    journal = Journal(directory)
    found = journal.found()
    journal.close()
    if found is None:
        raise LookupError("no match was found")
    return found


@pytest.mark.rule("R67", "R83", "R84", "T12")
@pytest.mark.parametrize("run", range(RUNS))
def test_no_acknowledged_line_is_lost(tmp_path: Path, run: int) -> None:
    """R67: killed again and again, the match goes on exactly, and its log is one whole log."""
    random, saved = Random(run), list[bytes]()
    begin_ns = 0
    for kill in range(KILLS):
        saved += killed(tmp_path, 100 * run + kill, begin_ns, random.randrange(1, 60))
        found = left_behind(tmp_path)
        assert list(found.lines[: len(saved)]) == [line[:-1] for line in saved]
        assert len(found.lines) <= len(saved) + 1  # written, not yet acknowledged

        replayed = replay(found.lines)
        seen_ns = max(replayed.match.state.at_ns, found.latest.at_ns if found.latest else 0)
        again = recovered(found.lines, found.latest, VirtualTime().boot, seen_ns + 29 * SECOND_NS)
        assert (again.match, again.happened) == (replayed.match, None)
        if found.latest and found.latest.seq == replayed.match.chain.seq:
            assert found.latest.state == replayed.match.state
        saved = [line + b"\n" for line in found.lines]
        begin_ns = seen_ns
    events = [msgspec.json.decode(line)["event"] for line in saved]
    assert events.count("match_opened") == 1
    assert "restored" not in events
    assert not list(tmp_path.glob("*.new"))
