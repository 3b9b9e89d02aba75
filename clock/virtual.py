"""A whole clock in virtual time: settings, buttons, panels and a log on the disk.

Loop, machine, dialogue, faces and storage are those of the box; only the time stands still until an
act moves it, and the contacts settle at once. So the same acts write the same log, byte for byte.
There is no thread. Nothing that the box runs imports this module.
"""

import shutil
import weakref
from collections.abc import Callable, Sequence
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from functools import partial
from itertools import takewhile
from pathlib import Path
from tempfile import mkdtemp
from typing import TYPE_CHECKING, Any, Self

from clock.config.loader import load_settings, parse_settings
from clock.config.settings import Settings
from clock.eventlog.codec import DamagedError, decode
from clock.eventlog.recovery import Checkpoint
from clock.match.durations import parse_duration
from clock.match.inputs import MatchWanted, ResumeMatchWanted
from clock.match.rules import SCORED, Reason
from clock.match.state import MatchState
from clock.match.stops import offered_reasons
from clock.match.types import Button, Pair, Phase, Side
from clock.runtime.adapters import ConfiguredMatch, HealthAggregator
from clock.runtime.handover import MatchFinder
from clock.runtime.loop import Runtime, UiOptions
from clock.runtime.ports import Drained, Ports
from clock.runtime.resume_match import ResumableLogs
from clock.runtime.startup import find_match
from clock.storage.disk import Disk
from clock.storage.journal import Journal
from clock.storage.language_file import keep_language, kept_language
from clock.storage.log_reader import CURRENT, log_path, read_log
from clock.ui.dialogue import (
    HOLD_NS,
    TURN_PHASES,
    ButtonMoved,
    CodePage,
    Dialogue,
    FormPage,
    MenuPage,
    PresetPage,
    ResumeMatchPage,
    offered_items,
)
from clock.ui.forms import UNSET, Change, Choice, Entry, Number, Option, Time
from clock.ui.i18n import sayer
from clock.ui.menu import Item
from clock.ui.menu_fields import Values
from clock.units import SECOND_NS
from hardware.face import Face

if TYPE_CHECKING:
    from PIL.Image import Image

BEGINNING = datetime(2000, 1, 1, 12, tzinfo=UTC)  # the wall clock when a virtual clock begins
SOURCE = "settings"  # the name of a text in errors
PLENTY = 1 << 40  # bytes that are free on a virtual clock's disk
_BOOT = "00000000-0000-4000-8000-"


class VirtualTime:
    """A time that stands still until it is set; each boot begins at 0."""

    def __init__(self, boots: int = 1, begin: datetime = BEGINNING) -> None:
        """Begin with the boot of this number, when a wall clock shows this time."""
        self._boots, self._begin = boots, begin
        self._before_ns = 0
        self.ns = 0

    @property
    def boot(self) -> str:
        """A boot id that contains the number of the boot."""
        return f"{_BOOT}{self._boots:012}"

    def now_ns(self) -> int:
        """Return the nanoseconds since this boot."""
        return self.ns

    def wall(self) -> str:
        """Return the beginning plus the time that has passed, over all boots."""
        passed = timedelta(microseconds=(self._before_ns + self.ns) // 1000)
        return (self._begin + passed).isoformat(timespec="milliseconds")

    def reboot(self) -> None:
        """Begin the next boot, after a power cut."""
        self._boots += 1
        self._before_ns += self.ns
        self.ns = 0


class VirtualButtons:
    """Buttons whose moves are known beforehand; waiting for them moves the time."""

    def __init__(
        self, time: VirtualTime, moves: Sequence[ButtonMoved] = (), end_ns: int = 0
    ) -> None:
        """The moves have the order of their instants; the time goes on to the end at most."""
        self._time = time
        self._moves = [*moves]
        self._end_ns = end_ns

    def move(self, *moves: ButtonMoved, end_ns: int) -> None:
        """Add moves, and let the time go on to this end."""
        self._moves += moves
        self._end_ns = end_ns

    def wait(self, until_ns: int | None) -> None:
        """Move the time to the next move or the end, at most to `until_ns`."""
        next_ns = self._moves[0].at_ns if self._moves else self._end_ns
        until_ns = next_ns if until_ns is None else min(until_ns, next_ns)
        self._time.ns = max(self._time.ns, until_ns)

    def drain(self, now_ns: int) -> Drained:
        """Return the moves by now; simulated edges arrive at once."""
        moved = [*takewhile(lambda each: each.at_ns <= now_ns, self._moves)]
        del self._moves[: len(moved)]
        return Drained(moved, now_ns)

    def begun(self) -> Sequence[ButtonMoved]:
        """Return nothing: simulated contacts settle at once."""
        return ()

    @property
    def done(self) -> bool:
        """Whether all moves are made, and the end is reached."""
        return not self._moves and self._time.ns >= self._end_ns


class VirtualClock:
    """A clock that is switched on; each act returns it, so that acts can be chained.

    Attributes:
        folder: where the logs are.
    """

    _disk: Disk | None = None  # that a subclass has in place of this computer's
    _handed: Path | None = None  # where a subclass has logs of other clocks
    _find: MatchFinder = staticmethod(find_match)  # of which a subclass has another one

    def __init__(self, settings: str | Path = "", folder: str | Path | None = None) -> None:
        """Switch a clock on.

        Args:
            settings: the text of a settings file, or the path of one; "" for the defaults.
            folder: where the logs go. A match that another clock has left unfinished there goes on,
                as after a power cut. None: a folder that is deleted with this object.

        Raises:
            ConfigError: the settings cannot be used; the message says what to change.
            JournalError: the folder cannot be used.
        """
        self._load = _loader(settings)
        if folder is None:
            self.folder = Path(mkdtemp(prefix="gammonclock-"))
            weakref.finalize(self, shutil.rmtree, self.folder, ignore_errors=True)
        else:
            self.folder = Path(folder)
        self._time = _time_after(self.folder)
        self._switch_on()

    def __enter__(self) -> Self:
        """Return the clock, to be closed at the end of the block."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close the clock."""
        self.close()

    # --- acts ---------------------------------------------------------------------------------

    def press(self, side: str, after: float | Decimal = 1.0) -> Self:
        """Press a button for a moment: "left", "right" or "centre".

        Args:
            side: of a plunger, or the centre button.
            after: seconds after the act before; exact to the nanosecond.

        Raises:
            ValueError: there is no such button, or `after` is negative or no number.
        """
        return self._press(_button(side), _ns(after), 0)

    def hold(self, side: str = "centre", after: float | Decimal = 1.0) -> Self:
        """Hold a button as long as the centre must be held to call the director, 1.5 s.

        The seconds of the next act count from the end of the hold. Arguments and errors are those
        of `press`.
        """
        return self._press(_button(side), _ns(after), HOLD_NS)

    def move(self, side: str, *, down: bool, after: float | Decimal = 0.0) -> Self:
        """Press a button down, or let it go: for one that somebody really holds.

        Arguments and errors are those of `press`.
        """
        at_ns = self._time.ns + _ns(after)
        return self._pass(at_ns, ButtonMoved(_button(side), down=down, at_ns=at_ns))

    def wait(self, seconds: float | Decimal) -> Self:
        """Let time pass; flags fall when they are due.

        Raises:
            ValueError: the number is negative, or none.
        """
        return self._pass(self._time.ns + _ns(seconds))

    def choose(self, name: str, *answers: Any, after: float | Decimal = 1.0) -> Self:
        """Choose a reason of the stop, or an item of the director's menu, and carry it out.

        The menu is opened if need be, with the code if the settings have one, and its questions are
        answered in their order.

        Args:
            name: one of `items`.
            answers: to the questions. A side is "left" or "right"; a time is a number of seconds,
                or "M:SS"; other numbers are as the panels show them; everything else has the name
                that logs use. None, or an answer that is not given, takes what is proposed; where
                nothing is, the first that is offered. After *game_over* and *game_decided* the
                winner and the points are entered, if they are given.
            after: seconds after the act before.

        Raises:
            LookupError: that is not offered now; the message names what is. Nothing was pressed.
        """
        self._plan(name, answers)
        self.wait(after)
        wanted = self._plan(name, answers)  # the time may have changed what is offered
        if name in self._reasons:
            self._choose_reason(Reason(name), wanted)
        else:
            self._choose_item(name, wanted)
        return self

    def cut(self) -> Self:
        """Cut the power, and switch the clock on again: it starts as on another day."""
        self._switch_off()
        self._time.reboot()
        return self._switch_on()

    def restart(self) -> Self:
        """End the program and start it again at once, as after a crash: the clocks go on."""
        self._switch_off()
        return self._switch_on()

    def close(self) -> None:
        """Switch the clock off; what it has shown and written can still be read."""
        if self._is_on:
            self._switch_off()

    # --- what can be seen ---------------------------------------------------------------------

    @property
    def state(self) -> MatchState:
        """The match."""
        return self._runtime.state

    @property
    def now_ns(self) -> int:
        """The present instant, for questions such as `state.reserve_ns`."""
        return self._time.ns

    @property
    def faces(self) -> Pair[Face]:
        """What the two panels show, left first."""
        return self._panels.faces

    @property
    def pictures(self) -> "Pair[Image]":
        """The pixels of the two panels, left first: images of mode "1", 128x64."""
        from hardware.display.layout import draw  # noqa: PLC0415 (Pillow, for pictures alone)

        return self.faces.map(draw)

    @property
    def items(self) -> tuple[str, ...]:
        """The names that `choose` takes now: reasons of a stop, then items of the menu."""
        return (*self._reasons, *(item.name for item in self._offered))

    @property
    def lines(self) -> list[bytes]:
        """The lines of the present match's log, without line feeds, as `verify` takes them."""
        log = read_log(self.folder / CURRENT)
        return [*log.lines] if log else []

    @property
    def log(self) -> Path:
        """The file of that log; another one once the next match begins."""
        return log_path(self.folder / CURRENT)

    # --- time and buttons ---------------------------------------------------------------------

    def _press(self, button: Button, after_ns: int, held_ns: int) -> Self:
        down_ns = self._time.ns + after_ns
        up_ns = down_ns + held_ns
        down = ButtonMoved(button, down=True, at_ns=down_ns)
        return self._pass(up_ns, down, ButtonMoved(button, down=False, at_ns=up_ns))

    def _pass(self, until_ns: int, *moves: ButtonMoved) -> Self:
        """Let the loop turn until an instant; it has turned at that instant, too."""
        if not self._is_on:
            raise RuntimeError("this clock is closed; make another one on its folder")
        self._buttons.move(*moves, end_ns=until_ns)
        self._runtime.turn()
        while not self._buttons.done:
            self._runtime.turn()
        return self

    def _tap(self, button: Button, count: int = 1) -> None:
        for _ in range(count):
            self._press(button, 0, 0)

    # --- choosing -----------------------------------------------------------------------------

    @property
    def _dialogue(self) -> Dialogue:
        return self._runtime.session.dialogue

    @property
    def _reasons(self) -> tuple[str, ...]:
        state = self.state
        if state.phase is not Phase.STOPPED or state.held:
            return ()
        return tuple(reason.value for reason in offered_reasons(state))

    @property
    def _offered(self) -> tuple[Item, ...]:
        return () if self.state.phase in TURN_PHASES else offered_items(self._dialogue, self.state)

    def _item(self, name: str) -> Item:
        for item in self._offered:
            if item.name == name:
                return item
        raise _not_offered(f"{name!r}", self.items or ("nothing while a turn is played",))

    def _choose_reason(self, reason: Reason, points: Values) -> None:
        if self._dialogue.page is not None:
            self._leave_pages()
        reasons = offered_reasons(self.state)
        here = reasons.index(self.state.reason) if self.state.reason in reasons else 0
        steps = (reasons.index(reason) - here) % len(reasons)
        if not steps and self.state.reason is not reason:  # what a power cut shows is none of them
            steps = len(reasons)
        self._tap(Button.RIGHT, steps)
        self._tap(Button.CENTRE)
        if points:
            winner, count = points
            self._tap(Button(winner), count)
            self._tap(Button.CENTRE)

    def _choose_item(self, name: str, wanted: Values) -> None:
        self._open_menu()
        offered = self._offered
        page = self._dialogue.page
        assert isinstance(page, MenuPage)  # noqa: S101 (`_open_menu` has opened it)
        steps = [item.name for item in offered].index(name) - page.index(offered)
        self._tap(Button.RIGHT, steps % len(offered))
        self._tap(Button.CENTRE)
        match self._dialogue.page:
            case FormPage():
                for value in wanted:
                    self._enter(value)
            case PresetPage() | ResumeMatchPage():
                self._turn_page(*wanted)
            case _:  # it was a page to read, and is closed
                return
        self._tap(Button.CENTRE)

    def _open_menu(self) -> None:
        while not isinstance(page := self._dialogue.page, MenuPage):
            if isinstance(page, CodePage) and not page.entered:
                self._pass(self._dialogue.code_paused_until_ns)
                for letter in self._dialogue.code:
                    self._tap(Button.LEFT if letter == "L" else Button.RIGHT)
            else:
                self._press(Button.CENTRE, 0, HOLD_NS)

    def _leave_pages(self) -> None:
        while self._dialogue.page is not None:
            self._press(Button.CENTRE, 0, HOLD_NS)

    def _plan(self, name: str, answers: Sequence[Any]) -> Values:
        """Return what is to be entered, one value for each question."""
        if name in self._reasons:
            return _points(name, answers)
        item = self._item(name)
        if item.kind is ResumeMatchWanted:
            found = self._runtime.unfinished()
            return _of_list([(each.log, each.match) for each in found], answers, name)
        if item.kind is MatchWanted and self._dialogue.choices:
            chosen = [(each.name, each.name) for each in self._dialogue.choices]
            return _of_list(chosen, answers, name)
        given, wanted = [*answers], list[object]()
        values: Values = ()
        for make in item.asked(self.state):
            entry = make(self.state, values)
            if entry is not None:
                wanted.append(_wanted(entry, given.pop(0) if given else None))
            elif given[:1] == [None]:
                del given[0]
            values = (*values, None if entry is None else wanted[-1])
        if given:
            raise LookupError(f"{name} asks for {len(wanted)} answers, not for {given[0]!r}")
        return tuple(wanted)

    def _enter(self, value: object) -> None:
        """Turn an entry to a value, place by place, and complete it."""
        page = self._dialogue.page
        assert isinstance(page, FormPage)  # noqa: S101 (the plan has an entry for this value)
        entered = len(page.values)
        while isinstance(page, FormPage) and len(page.values) == entered and page.entry:
            self._tap(*_presses(page.entry, value))
            self._tap(Button.CENTRE)
            page = self._dialogue.page

    def _turn_page(self, wanted: object = None) -> None:
        """Turn the list of presets or of unfinished matches to one of them."""
        while wanted is not None:
            match self._dialogue.page:
                case PresetPage() as page if page.selected(self._dialogue.choices).name != wanted:
                    self._tap(Button.RIGHT)
                case ResumeMatchPage() as page if (
                    found := page.selected(self._dialogue.unfinished)
                ) is not None and found.log != wanted:
                    self._tap(Button.RIGHT)
                case _:
                    return

    # --- on and off ---------------------------------------------------------------------------

    def _switch_on(self) -> Self:
        settings = self._load()
        time, folder = self._time, self.folder
        journal = Journal(folder, time.now_ns, disk=self._disk or _VirtualDisk(), threaded=False)
        try:
            startup = self._find(journal, time)
            self._log, self._panels = _RememberedLog(journal), _Panels()
            self._buttons = VirtualButtons(time)
            next_match = ConfiguredMatch(settings, self._load)
            resumable = ResumableLogs(folder, self._handed, time)
            faults = (startup.faults, journal.drain, next_match.faults, resumable.faults)
            health, language = HealthAggregator(*faults), settings.display.language
            ports = Ports(time, self._buttons, self._panels, self._log, health, next_match)
            keep = partial(keep_language, folder, language)
            ports = ports._replace(resumable=resumable, keep_language=keep)
            options = UiOptions.of(settings)._replace(
                say=sayer(kept_language(folder, language)), stamps="software"
            )
            begin = (startup.recovery, startup.preset, startup.offer)
            self._runtime = Runtime(self._joined(ports, next_match), options, *begin)
        except BaseException:
            journal.close()
            raise
        self._is_on = True
        return self._pass(time.ns)

    def _joined(self, ports: Ports, next_match: ConfiguredMatch) -> Ports:  # noqa: ARG002
        """Return the ports with what a subclass joins to them."""
        return ports

    def _switch_off(self) -> None:
        if not self._is_on:
            raise RuntimeError("this clock is closed; make another one on its folder")
        self._log.close(self._time.ns)
        self._is_on = False


def _time_after(folder: Path) -> VirtualTime:
    """Return a time on another boot than that of a folder's last line, when it had been written."""
    with suppress(OSError, DamagedError, ValueError):
        if log := read_log(folder / CURRENT):
            last = decode(log.lines[-1], len(log.lines)).envelope
            number = last.boot.removeprefix(_BOOT)
            boots = int(number) + 1 if number.isdecimal() else 1
            return VirtualTime(boots, datetime.fromisoformat(last.wall))
    return VirtualTime()


def _loader(text_or_path: str | Path) -> Callable[[], Settings]:
    """Return the function that reads the settings; one line without "=", "[" and "#" is a path.

    Raises:
        ConfigError: it is a text that cannot be used.
    """
    if isinstance(text_or_path, str):
        line = text_or_path.strip()
        is_path = line and "\n" not in line and set("=[#").isdisjoint(line)
        if not is_path and not ("\n" not in line and line.endswith(".toml")):
            settings = parse_settings(text_or_path, SOURCE)
            return lambda: settings
    return partial(load_settings, Path(text_or_path))


def _button(name: str) -> Button:
    try:
        return Button(name)
    except ValueError:
        names = ", ".join(Button)
        raise ValueError(f"there is no button {name!r}; there are {names}") from None


def _ns(seconds: object) -> int:
    """Return seconds as nanoseconds, exactly as they are written."""
    try:
        exact = Decimal(str(seconds)) if not isinstance(seconds, str) else None
    except ArithmeticError:
        exact = None
    if exact is None or not exact.is_finite() or exact < 0:
        raise ValueError(f"{seconds!r} is no time to wait: give seconds, 0 or more")
    return round(exact * SECOND_NS)


# --- answers ----------------------------------------------------------------------------------


def _not_offered(what: str, offered: Sequence[object]) -> LookupError:
    return LookupError(f"{what} is not offered now; offered: {', '.join(map(str, offered))}")


def _points(name: str, answers: Sequence[Any]) -> Values:
    """Return the winner of a game and the points, if they are given."""
    if not answers:
        return ()
    if name not in SCORED or len(answers) > len(("winner", "points")):
        raise LookupError(f"{name} asks for nothing, not for {answers[-1]!r}")
    winner, points = (*answers, 1)[:2]
    if winner not in [*Side]:
        raise _not_offered(f"{name}: winner {winner!r}", [*Side])
    if isinstance(points, bool) or not isinstance(points, int) or points < 1:
        raise LookupError(f"{name}: {points!r} is no number of points; offered: 1 and more")
    return winner, points


def _of_list(offered: Sequence[tuple[str, str]], answers: Sequence[Any], name: str) -> Values:
    """Return the value that was chosen of a list of values and names; () for what is proposed."""
    if len(answers) > 1:
        raise LookupError(f"{name} asks for one answer, not for {answers[1]!r}")
    if not answers or answers[0] is None:
        return ()
    for value, named in offered:
        if str(answers[0]) in {value, named}:
            return (value,)
    raise _not_offered(f"{name}: {answers[0]!r}", [named or '""' for _, named in offered])


def _wanted(entry: Entry, answer: Any) -> object:
    """Return the value that an entry has to have for an answer.

    Raises:
        LookupError: it cannot be entered.
    """
    if answer is None:
        if isinstance(entry, Choice) and not entry.complete:
            return next(option.value for option in entry.options if option is not UNSET)
        return entry.value
    match entry:
        case Choice():
            return _option(entry, answer)
        case Number():
            is_number = isinstance(answer, int) and not isinstance(answer, bool)
            if is_number and entry.lowest <= answer <= entry.highest:
                return answer
            raise _not_offered(f"{entry.name}: {answer!r}", [f"{entry.lowest} to {entry.highest}"])
        case Time() | Change():
            return _duration(entry, answer)


def _option(choice: Choice, answer: Any) -> object:
    offered = [option for option in choice.options if option is not UNSET]
    for is_it in (_has_value, _has_name, _has_number):
        for option in offered:
            if is_it(option, answer):
                return option.value
    raise _not_offered(f"{choice.name}: {answer!r}", [_name(option) for option in offered])


def _has_value(option: Option, answer: Any) -> bool:
    return bool(option.value == answer) and isinstance(answer, bool) is isinstance(
        option.value, bool
    )


def _has_name(option: Option, answer: Any) -> bool:
    label = option.label.removeprefix("=")
    return isinstance(answer, str) and answer in {
        _name(option), label, label.partition("_")[2]
    }  # fmt: skip


def _has_number(option: Option, answer: Any) -> bool:
    return _has_value(Option(option.number, ""), answer)


def _name(option: Option) -> str:
    """Return the name of an option in answers: that of logs, or its number or text."""
    match option.value:
        case (str() as how, True):
            return f"this_{how}"
        case (why, None):
            return str(why)
        case (_, reason):
            return str(reason)
        case _ if option.number is not None and option.label.startswith("="):
            return str(option.number)
        case value:
            return str(value)


def _duration(entry: Time | Change, answer: Any) -> int:
    """Return a time that is given in seconds or as "M:SS", with "-" before what is taken."""
    value = None
    with suppress(ValueError):
        if isinstance(answer, str):
            value = parse_duration(answer.lstrip("+-"))
            value = -value if answer.startswith("-") else value
        elif not isinstance(answer, bool):
            value = -_ns(-answer) if answer < 0 else _ns(answer)
    lowest, highest = entry.lowest, entry.highest
    if value is None or value % SECOND_NS or not lowest <= value <= highest:
        seconds = f"{lowest // SECOND_NS} to {highest // SECOND_NS} whole seconds"
        raise _not_offered(f"{entry.name}: {answer!r}", [seconds])
    return value


def _shown(entry: Entry) -> object:
    """Return what the plungers turn."""
    match entry:
        case Time(digits=digits, cursor=cursor):
            return digits[cursor]
        case Change():
            return entry.digit
        case Choice() if not entry.complete:
            return UNSET
        case _:
            return entry.value


def _presses(entry: Entry, value: Any) -> tuple[Button, int]:
    """Return which plunger turns an entry to a value, at this place of it, and how often."""
    goal: object = value
    if isinstance(entry, Time):
        goal = Time.of("", value).digits[entry.cursor]
    elif isinstance(entry, Change):
        goal = Change.of("", value)._replace(place=entry.place).digit
    up: Entry = entry
    down: Entry = entry
    steps = 0
    while goal not in (_shown(up), _shown(down)):
        up, down, steps = up.turned(1), down.turned(-1), steps + 1
        if (up, down) == (entry, entry):
            raise _not_offered(f"{entry.name}: {value!r}", [_shown(entry)])
    return (Button.RIGHT if _shown(up) == goal else Button.LEFT), steps


# --- parts ------------------------------------------------------------------------------------


class _VirtualDisk(Disk):
    """This computer's disk, on which virtual power cuts lose nothing, so nothing is synced."""

    def sync(self, file: int) -> None:
        pass

    def sync_data(self, file: int) -> None:
        pass

    def allocate(self, file: int, at: int, size: int) -> None:
        pass

    def reserve(self, file: int, size: int) -> bool:  # noqa: ARG002
        return False

    def drop_cache(self, file: int) -> None:
        pass

    def free_bytes(self, directory: Path) -> int:  # noqa: ARG002
        return PLENTY


class _RememberedLog:
    """The journal, and the latest checkpoint, which the box repeats while a clock runs."""

    def __init__(self, journal: Journal) -> None:
        self.begin, self.append, self.late_ns = journal.begin, journal.append, journal.late_ns
        self._journal = journal
        self._latest: Checkpoint | None = None

    def checkpoint(self, seq: int, at_ns: int, boot: str, state: MatchState) -> None:
        self._latest = Checkpoint("", seq, at_ns, boot, state)
        self._journal.checkpoint(seq, at_ns, boot, state)

    def close(self, now_ns: int) -> None:
        """End the log at an instant, as a power cut or a crash does."""
        if self._latest is not None:
            _, seq, at_ns, boot, state = (
                getattr(self._latest.last_by(now_ns), name) for name in Checkpoint.__struct_fields__
            )
            self._journal.checkpoint(seq, at_ns, boot, state)
        self._journal.close()


class _Panels:
    """Panels that keep what they show."""

    faces: Pair[Face]

    def show(self, faces: Pair[Face]) -> None:
        self.faces = faces
