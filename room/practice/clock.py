"""One visitor's clock: the program of the box, with panels and buttons of its own on a page.

It has no thread: whoever has it calls `turn` when `due_ns` has come, and after each press. Times
are nanoseconds of the clock that it was given.
"""

from base64 import b64encode
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import suppress
from uuid import uuid4

import msgspec

from clock.apps.playback import NullPanels
from clock.eventlog.codec import decode
from clock.match.rules import MatchSettings
from clock.match.state import MatchState
from clock.match.types import Button, Pair, Side
from clock.runtime.alerts import Alert
from clock.runtime.loop import Runtime, UiOptions
from clock.runtime.ports import Drained, Ports
from clock.ui.descriptions import log_line
from clock.ui.dialogue import ButtonMoved
from clock.units import SECOND_NS
from hardware.display.framebuffer import frame
from hardware.display.layout import draw
from hardware.face import Face
from room.practice.lessons import Lesson, Progress

RELEASED_NS = 10 * SECOND_NS  # after so long a button is released, if nothing was heard of it
KEPT_LINES = 30  # of the log; a page shows the latest


class Panel(msgspec.Struct, frozen=True):
    """What one panel shows."""

    frame: str
    """Its pixels as the panel stores them (`hardware.display.framebuffer`), in base64."""
    inverted: bool
    """Whether this side's clock runs."""
    times: tuple[str, ...]
    """Reserve and delay in words, for whoever cannot see the pixels."""
    texts: tuple[str, ...]
    """Everything else in words."""


class PracticeClock:
    """A clock that nobody else sees, and that keeps nothing."""

    def __init__(
        self,
        settings: MatchSettings,
        options: UiOptions,
        now_ns: Callable[[], int],
        wall: Callable[[], str],
        lesson: Lesson | None = None,
    ) -> None:
        """Switch it on, and bring it to where a lesson begins.

        Args:
            settings: of the match.
            options: how it presents itself.
            now_ns: the present instant.
            wall: date and time, for its log.
            lesson: None: the match begins.
        """
        self.time, self.buttons = _Time(now_ns, wall), _Buttons()
        self._log = _Log(options)
        self._parts = NullPanels(settings)
        self.beeps = _Beeps()
        ports = Ports(
            self.time, self.buttons, self._parts, self._log, self._parts, self._parts, self.beeps
        )
        self._runtime = Runtime(ports, options._replace(wanted=frozenset(Alert)))
        self._drawn: Pair[tuple[Face, Panel] | None] = Pair(None, None)
        self._lesson, self._phases = lesson, [self.state.phase]
        if lesson is not None:
            self._play(lesson)
        self._begun = self.state
        self._phases.clear()
        self.beeps.count = 0
        self.time.go_on()
        self.turn()

    def _play(self, lesson: Lesson) -> None:
        for moved in lesson.moves:
            self.time.stand_at(moved.at_ns)
            self.buttons.move(moved)
            self.turn()
        self.time.stand_at(lesson.end_ns)
        self.turn()

    @property
    def state(self) -> MatchState:
        """The match."""
        return self._runtime.state

    @property
    def is_learned(self) -> bool:
        """Whether what the lesson asks for has been done."""
        progress = Progress(self._begun, self.state, tuple(self._phases))
        return self._lesson is not None and self._lesson.is_learned(progress)

    @property
    def log(self) -> Sequence[tuple[int, str]]:
        """The latest lines of the log, for people, each with its number."""
        return self._log.texts

    def press(self, button: Button, *, down: bool) -> None:
        """Note that a button goes down or comes up now; without a change nothing happens."""
        self.buttons.move(ButtonMoved(button, down, self.time.now_ns()))
        self.turn()

    def turn(self) -> None:
        """Do what has to be done by now."""
        self.buttons.release(self.time.now_ns())
        self._runtime.turn()
        if self._phases[-1:] != [self.state.phase]:
            self._phases = [*self._phases[-KEPT_LINES:], self.state.phase]

    def due_in_ns(self) -> int | None:
        """Return how long from now `turn` has something to do; None: not before a press."""
        due = (self._runtime.due_ns(), self.buttons.due_ns())
        due_ns = min((each for each in due if each is not None), default=None)
        return None if due_ns is None else max(0, due_ns - self.time.now_ns())

    def panels(self) -> Pair[Panel]:
        """Return what both panels show."""
        assert self._parts.faces is not None  # noqa: S101 (each turn shows something)
        for side, face in zip(Side, self._parts.faces, strict=True):
            before = self._drawn[side]
            if before is None or before[0] != face:
                self._drawn = self._drawn.put(side, (face, _panel(face, before)))
        return self._drawn.map(lambda drawn: drawn[1])  # type: ignore[index]


def _panel(face: Face, before: tuple[Face, Panel] | None) -> Panel:
    """Return what a panel shows; if only its light is new, nothing is drawn, as on the box."""
    plain = msgspec.structs.replace(face, running=False)
    if before is not None and msgspec.structs.replace(before[0], running=False) == plain:
        return msgspec.structs.replace(before[1], inverted=face.running)
    return Panel(b64encode(frame(draw(plain))).decode(), face.running, _times(face), _texts(face))


def _times(face: Face) -> tuple[str, ...]:
    return tuple(filter(None, (face.reserve, face.delay)))


def _texts(face: Face) -> tuple[str, ...]:
    lines = [
        f"▸ {line}" if number == face.selected else line for number, line in enumerate(face.lines)
    ]
    keys = " | ".join(face.keys) if any(face.keys) else ""
    texts = (
        face.name, face.status, face.delay_note, face.score, face.flag,
        *face.warnings, *lines, *face.result, keys, face.head,
    )  # fmt: skip
    return tuple(filter(None, texts))


class _Time:
    """A time that a lesson sets, and that then goes on with the clock of this computer."""

    def __init__(self, now_ns: Callable[[], int], wall: Callable[[], str]) -> None:
        self.boot = str(uuid4())
        self.wall = wall
        self._now_ns, self._ns = now_ns, 0
        self._since_ns: int | None = None  # since when it goes on; None: it stands

    def stand_at(self, ns: int) -> None:
        self._ns = ns

    def go_on(self) -> None:
        self._since_ns = self._now_ns()

    def now_ns(self) -> int:
        passed_ns = 0 if self._since_ns is None else self._now_ns() - self._since_ns
        return self._ns + passed_ns


class _Buttons:
    """Three buttons whose edges have already happened."""

    def __init__(self) -> None:
        self._moved: list[ButtonMoved] = []
        self._down: dict[Button, int] = {}  # since when

    def move(self, moved: ButtonMoved) -> None:
        if moved.down == (moved.button in self._down):
            return
        if moved.down:
            self._down[moved.button] = moved.at_ns
        else:
            del self._down[moved.button]
        self._moved.append(moved)

    def release(self, now_ns: int) -> None:
        """Release what has been down for too long: the page that pressed it may be gone."""
        for button, since_ns in [*self._down.items()]:
            if since_ns + RELEASED_NS <= now_ns:
                self.move(ButtonMoved(button, down=False, at_ns=since_ns + RELEASED_NS))

    def due_ns(self) -> int | None:
        return min((since + RELEASED_NS for since in self._down.values()), default=None)

    def wait(self, until_ns: int | None) -> None:
        """Return: whoever has the clock waits."""

    def drain(self, now_ns: int) -> Drained:
        moved, self._moved = self._moved, []
        return Drained(moved, now_ns)

    def begun(self) -> Sequence[ButtonMoved]:
        return ()


class _Log:
    """A log that is said, not kept."""

    def __init__(self, options: UiOptions) -> None:
        self._say, self._number = options.say, 0
        self.texts = deque[tuple[int, str]](maxlen=KEPT_LINES)

    def begin(self, match: str) -> str:
        return match

    def append(self, line: bytes) -> None:
        self._number += 1
        with suppress(ValueError):
            self.texts.append((self._number, log_line(decode(line[:-1], 0), self._say)))

    def checkpoint(self, seq: int, at_ns: int, boot: str, state: MatchState) -> None:
        pass

    def late_ns(self) -> int | None:
        return None


class _Beeps:
    """A buzzer that counts."""

    def __init__(self) -> None:
        self.count = 0

    def announce(self, _alert: Alert) -> None:
        self.count += 1

    def light(self, _running: Side | None) -> None:
        """The panels show it."""
