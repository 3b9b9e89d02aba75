"""A script played through the whole program in virtual time, with simulated hardware.

The loop, the machine, the dialogue, the displays' faces and the log are the real ones; only time
does not pass, it jumps. The one rule: the same script gives the same log, byte for byte.
"""

from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime, timedelta

from clock.ui.dialogue import ButtonMoved
from clock.ui.face import Face
from clock.match.state import MatchState
from clock.runtime.ports import Drained, Fault, Ports
from clock.eventlog.recovery import Checkpoint, recovered
from clock.match.rules import MatchSettings
from clock.runtime.loop import Manner, Runtime
from clock.apps.script import Segment
from clock.match.sides import Pair

FIRST_DAY = datetime(2000, 1, 1, 12, tzinfo=UTC)  # the wall clock at the beginning of every script


class VirtualTime:
    """A time that stands still until it is moved; each boot begins at 0."""

    def __init__(self) -> None:
        """The first boot, at noon."""
        self._boots = 1
        self._before_ns = 0
        self.ns = 0

    @property
    def boot(self) -> str:
        """A boot id that says which boot it is."""
        return f"00000000-0000-4000-8000-{self._boots:012}"

    def now_ns(self) -> int:
        """Nanoseconds since this boot."""
        return self.ns

    def wall(self) -> str:
        """Noon of the first day and what has passed since."""
        passed = timedelta(microseconds=(self._before_ns + self.ns) // 1000)
        return (FIRST_DAY + passed).isoformat(timespec="milliseconds")

    def reboot(self) -> None:
        """The power was cut; the clock of the new boot begins at 0."""
        self._boots += 1
        self._before_ns += self.ns
        self.ns = 0


class ScriptedButtons:
    """Fingers that follow a script; waiting for them moves the time."""

    def __init__(self, time: VirtualTime, segment: Segment) -> None:
        """The presses of one segment."""
        self._time = time
        self._moves = list(reversed(segment.moves))
        self._end_ns = segment.end_ns

    def wait(self, until_ns: int | None) -> None:
        """Jump to the next press, to the end of the segment, or to an instant before."""
        next_ns = self._moves[-1].at_ns if self._moves else self._end_ns
        until_ns = next_ns if until_ns is None else min(until_ns, next_ns)
        self._time.ns = max(self._time.ns, until_ns)

    def drain(self, now_ns: int) -> Drained:
        """What the script has done by now; it keeps nothing back."""
        moved: list[ButtonMoved] = []
        while self._moves and self._moves[-1].at_ns <= now_ns:
            moved.append(self._moves.pop())
        return Drained(moved, now_ns)

    @property
    def done(self) -> bool:
        """The segment has been played to its end."""
        return not self._moves and self._time.ns >= self._end_ns


class Disk:
    """A disk that writes at once and survives power cuts."""

    def __init__(self, write: Callable[[bytes], None]) -> None:
        """An empty disk; each line is also given to `write`."""
        self._write = write
        self._matches = 0
        self.match = ""
        self.lines: list[bytes] = []
        self.life: Checkpoint | None = None

    def begin(self, match: str) -> str:  # noqa: ARG002 (the name that a real log would have)
        """The matches of a script are counted, not dated."""
        self.lines.clear()
        self._matches += 1
        self.match = f"play-{self._matches}"
        return self.match

    def append(self, line: bytes) -> None:
        """The line is on the disk."""
        self.lines.append(line)
        self._write(line)

    def checkpoint(self, seq: int, at_ns: int, boot: str, state: MatchState) -> None:
        """It is on the disk; those that follow it are made up when they are read."""
        self.life = Checkpoint(self.match, seq, at_ns, boot, state)

    def late_ns(self) -> int | None:
        """It never is."""
        return None


class Unseen:
    """Panels that nobody looks at, parts that never fail, and the same settings for every match."""

    def __init__(self, settings: MatchSettings) -> None:
        """Whatever is asked, these settings."""
        self._settings = settings
        self.faces: Pair[Face] | None = None

    def show(self, faces: Pair[Face]) -> None:
        """Keep the latest faces."""
        self.faces = faces

    def drain(self) -> Sequence[Fault]:
        """No faults."""
        return ()

    def settings(self) -> MatchSettings:
        """The settings given."""
        return self._settings


def play(
    segments: Sequence[Segment],
    settings: MatchSettings,
    manner: Manner,
    write: Callable[[bytes], None],
) -> MatchState:
    """Play a script and give each line of the log to `write`; returns the match at its end."""
    time, unseen = VirtualTime(), Unseen(settings)
    disk = Disk(write)
    for runtime, buttons in _boots(segments, time, unseen, disk, manner):
        while not buttons.done:
            runtime.turn()
    return runtime.state


def _boots(
    segments: Sequence[Segment], time: VirtualTime, unseen: Unseen, disk: Disk, manner: Manner
) -> Iterator[tuple[Runtime, ScriptedButtons]]:
    """The program, started anew for each segment with what was on the disk."""
    for number, segment in enumerate(segments):
        buttons = ScriptedButtons(time, segment)
        ports = Ports(time, buttons, unseen, disk, unseen, unseen)
        if number == 0:
            yield Runtime(ports, manner), buttons
            continue
        latest = disk.life and disk.life.by(time.now_ns())
        time.reboot()
        lines = (line.rstrip(b"\n") for line in disk.lines)
        found = recovered(lines, latest, time.boot, time.now_ns())
        yield Runtime(ports, manner, found), buttons
