"""Play a script through the whole program in virtual time, with simulated hardware.

Loop, machine, dialogue, faces and log are the real ones; only the time jumps. The same script gives
the same log, byte for byte.
"""

from collections.abc import Callable, Sequence
from itertools import pairwise

from clock.apps.script import Segment
from clock.config.settings import Preset
from clock.eventlog.codec import is_first
from clock.eventlog.recovery import Checkpoint, Recovery, recover
from clock.match.faults import Fault
from clock.match.rules import MatchSettings
from clock.match.state import MatchState
from clock.match.types import Pair
from clock.runtime.loop import Runtime, UiOptions
from clock.runtime.ports import Ports
from clock.virtual import VirtualButtons, VirtualTime
from hardware.face import Face


class Disk:
    """A disk that writes at once and survives power cuts."""

    def __init__(self, write: Callable[[bytes], None]) -> None:
        self._write = write
        self._matches = 0
        self.lines: list[bytes] = []
        self.checkpointed: Checkpoint | None = None

    def begin(self, match: str) -> str:  # noqa: ARG002 (a real log's name is a date)
        """Number the matches of a script, so that their names do not depend on the date."""
        self.lines.clear()
        self._matches += 1
        self.match = f"play-{self._matches}"
        return self.match

    def append(self, line: bytes) -> None:
        """Write the line at once."""
        self.lines.append(line)
        self._write(line)

    def checkpoint(self, seq: int, at_ns: int, boot: str, state: MatchState) -> None:
        """Keep the latest; its repetitions are computed when it is read."""
        self.checkpointed = Checkpoint(self.match, seq, at_ns, boot, state)

    def late_ns(self) -> int | None:
        """Return None: nothing waits to be written."""
        return None


class NullPanels:
    """Panels without a display; also parts that never fail, and the same settings always."""

    def __init__(self, settings: MatchSettings, presets: tuple[Preset, ...] = ()) -> None:
        self._settings = settings
        self.choices = (Preset("", settings), *presets) if presets else ()
        self.board = ""
        self.faces: Pair[Face] | None = None

    def show(self, faces: Pair[Face]) -> None:
        """Keep the faces."""
        self.faces = faces

    def drain(self) -> Sequence[Fault]:
        """Return no faults."""
        return ()

    def settings(self) -> MatchSettings:
        """Return the same settings every time."""
        return self._settings


def matches_of(lines: Sequence[bytes]) -> list[bytes]:
    """Return the log of each match of a script."""
    begins = [at for at, line in enumerate(lines) if is_first(line)]
    return [b"".join(lines[begin:end]) for begin, end in pairwise([*begins, len(lines)])]


def play(
    segments: Sequence[Segment],
    settings: MatchSettings,
    options: UiOptions,
    write: Callable[[bytes], None],
    presets: tuple[Preset, ...] = (),
) -> MatchState:
    """Play a script, pass each line of the log to `write`, and return the match at the end."""
    time, null, disk = VirtualTime(), NullPanels(settings, presets), Disk(write)

    def play_segment(segment: Segment, recovery: Recovery | None) -> MatchState:
        buttons = VirtualButtons(time, segment.moves, segment.end_ns)
        runtime = Runtime(Ports(time, buttons, null, disk, null, null), options, recovery)
        while not buttons.done:
            runtime.turn()
        return runtime.state

    state = play_segment(segments[0], None)
    for segment in segments[1:]:  # each begins after a power cut
        checkpoint = disk.checkpointed and disk.checkpointed.last_by(time.now_ns())
        time.reboot()
        lines = (line.rstrip(b"\n") for line in disk.lines)
        state = play_segment(segment, recover(lines, checkpoint, time.boot, time.now_ns()))
    return state
