"""A clock in a process of its own, killed again and again: real loop and journal, scripted fingers.

    python -m lab.support.clock_process SEED KILLS     says how many lines it wrote

Time is virtual and goes on after each kill, on the same boot. Each line is acknowledged after it
was synced: what has been acknowledged may never be lost, and the match goes on exactly.
"""

import os
import signal
import sys
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

import msgspec

from clock.apps.playback import NullPanels
from clock.apps.script import Segment
from clock.eventlog.recovery import recover
from clock.eventlog.replay import replay
from clock.match.state import MatchState
from clock.match.types import Button
from clock.runtime.startup import find_match
from clock.storage.disk import Disk
from clock.storage.journal import Journal
from clock.storage.log_reader import SavedMatch
from clock.ui.dialogue import HOLD_NS, ButtonMoved
from clock.virtual import VirtualButtons, VirtualTime
from lab.support.loops import make_loop
from lab.support.world import SECOND_NS, match_settings

PRESSES = 400
PAUSES_NS = (*[SECOND_NS] * 4, 20 * SECOND_NS)  # at most, between two presses
FEWEST, MOST = 1, 60  # lines acknowledged before a kill


def moves(seed: int, begin_ns: int) -> Segment:
    """Presses at random, never 30 s apart; most soon, as each second costs a picture."""
    random, at_ns, edges = Random(seed), begin_ns, []
    for _ in range(PRESSES):
        at_ns += random.randrange(1, random.choice(PAUSES_NS))
        button = random.choices(list(Button), (4, 4, 1))[0]
        held_ns = HOLD_NS if button is Button.CENTRE and random.random() < 0.2 else 0
        edges.append(ButtonMoved(button, down=True, at_ns=at_ns))
        at_ns += held_ns
        edges.append(ButtonMoved(button, down=False, at_ns=at_ns))
    return Segment(tuple(edges), at_ns)


# --- the clock --------------------------------------------------------------------------------


class AcknowledgingDisk(Disk):
    """A disk that says of every line that it was synced."""

    def __init__(self, to: int) -> None:
        self._to = to
        self._latest: dict[int, bytes] = {}

    def write(self, file: int, data: bytes) -> int:
        """See `Disk`."""
        self._latest[file] = data
        return super().write(file, data)

    def sync_data(self, file: int) -> None:
        """See `Disk`."""
        super().sync_data(file)
        if file in self._latest:
            os.write(self._to, self._latest.pop(file))


class JournalInStep(Journal):
    """A journal whose checkpoints have the virtual time of the loop."""

    def __init__(self, directory: Path, begin_ns: int, disk: Disk) -> None:
        self.ns = begin_ns
        super().__init__(directory, lambda: self.ns, disk=disk)

    def checkpoint(self, seq: int, at_ns: int, boot: str, state: MatchState) -> None:
        """See `Journal.checkpoint`."""
        self.ns = at_ns
        super().checkpoint(seq, at_ns, boot, state)


def play(directory: Path, seed: int, begin_ns: int, to: int) -> None:
    """Play until killed, or until there is nothing left to press."""
    time = VirtualTime()
    time.ns = begin_ns
    journal = JournalInStep(directory, begin_ns, AcknowledgingDisk(to))
    segment = moves(seed, begin_ns)
    buttons = VirtualButtons(time, segment.moves, segment.end_ns)
    unseen = NullPanels(match_settings(time_per_point_ns=30 * SECOND_NS, bank_step_ns=1))
    runtime = make_loop(time, buttons, unseen, journal, begin=(find_match(journal, time).recovery,))
    while not buttons.done:
        runtime.turn()
    journal.close()


# --- who kills it -----------------------------------------------------------------------------


def killed(directory: Path, seed: int, begin_ns: int, count: int) -> list[bytes]:
    """Let a clock play, kill it after so many lines; returns all that it acknowledged."""
    here, there = os.pipe()
    child = os.fork()
    if not child:
        play(directory, seed, begin_ns, there)
        os._exit(0)
    os.close(there)
    with os.fdopen(here, "rb") as acknowledged:
        lines = [acknowledged.readline() for _ in range(count)]
        os.kill(child, signal.SIGKILL)
        lines += acknowledged.readlines()  # in the pipe already
    os.waitpid(child, 0)
    return [line for line in lines if line.endswith(b"\n")]


def left_behind(directory: Path) -> SavedMatch | None:
    """What the next run finds; None if a new match had no line yet."""
    journal = Journal(directory)
    found = journal.reopen()
    journal.close()
    return found


def all_lines(directory: Path) -> list[bytes]:
    """The lines of all matches: when one is over, the buttons may begin the next."""
    logs = sorted(path for path in directory.glob("*.jsonl") if not path.is_symlink())
    return [line for log in logs for line in log.read_bytes().splitlines(keepends=True)]


def check(found: SavedMatch) -> int:
    """The match goes on exactly; returns when it was seen last.

    Raises:
        AssertionError: it does not.
    """
    match, latest = replay(found.lines).match, found.checkpoint
    ours = latest if latest and latest.match == match.chain.match else None
    seen_ns = max(match.state.at_ns, ours.at_ns if ours else 0)
    again = recover(found.lines, latest, VirtualTime().boot, seen_ns + 29 * SECOND_NS)
    assert (again.match, again.restored) == (match, None), "it does not go on exactly"
    if ours and ours.seq == match.chain.seq:
        assert ours.state == match.state, "log and checkpoint differ"
    return seen_ns


def kill(directory: Path, seed: int, kills: int) -> int:
    """Kill a clock again and again; returns how many lines it has written at the end.

    Raises:
        AssertionError: something was lost.
    """
    random, saved, begin_ns = Random(seed), list[bytes](), 0
    for number in range(kills):
        saved += killed(directory, 1000 * seed + number, begin_ns, random.randrange(FEWEST, MOST))
        found, lines = left_behind(directory), all_lines(directory)
        assert lines[: len(saved)] == saved, "a line was lost"
        assert len(lines) <= len(saved) + 1, "more than what was written and not acknowledged"
        begin_ns = begin_ns if found is None else check(found)
        saved = lines
    events = [msgspec.json.decode(line)["event"] for line in saved]
    matches = len([path for path in directory.glob("2*.jsonl") if path.stat().st_size])
    assert events.count("match_opened") == matches, "a match began anew"
    assert "restored" not in events, "it did not go on exactly"
    assert not list(directory.glob("*.new")), "a file is left"
    return len(saved)


def main() -> None:
    """Kill a match, and say how long it became."""
    with TemporaryDirectory() as directory:
        print(kill(Path(directory), int(sys.argv[1]), int(sys.argv[2])))


if __name__ == "__main__":
    main()
