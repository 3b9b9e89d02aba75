"""A table with the box on it: buttons go in, what they mean happens, and both panels can be read.

The dialogue, the machine and the pages are the real ones; time is an integer.
"""

from collections.abc import Callable, Iterator
from copy import copy
from functools import cache
from typing import NamedTuple

import msgspec
from hypothesis import strategies as st

from clock.config.settings import Preset
from clock.eventlog.codec import Chain
from clock.eventlog.fingerprint import Shown
from clock.eventlog.recovery import Recovery
from clock.eventlog.replay import Match
from clock.eventlog.unfinished import Unfinished
from clock.match import inputs
from clock.match.events import Origin, Record, Writer
from clock.match.inputs import (
    TAKEN_UP,
    Input,
    LanguageWanted,
    MatchWanted,
    Restored,
    ResumeMatchWanted,
    Ruling,
    TimePassed,
)
from clock.match.machine import open_match
from clock.match.rules import MatchSettings, Method, Offer, Reason
from clock.match.state import MatchState
from clock.match.types import Button, Crawford, Pair, Phase, Side
from clock.session import ListMatches, MatchBegun, Session, SettingsFile, Step
from clock.ui.dialogue import (
    HOLD_NS,
    ButtonMoved,
    Dialogue,
    FormPage,
    MenuPage,
    PresetPage,
    handle_button,
    handle_hold,
    offered_items,
    proposed_ruling,
)
from clock.ui.face import View
from clock.ui.forms import CHANGE_PLACES, UNSET, Change, Choice, Entry, Time
from clock.ui.i18n import sayer
from clock.ui.menu import TAKE_UP, items
from clock.ui.pages import faces
from clock.units import MINUTE_NS, SECOND_NS
from hardware.face import Face
from lab.support.world import LEFT, RIGHT, World, match_settings

L, R, C = Button.LEFT, Button.RIGHT, Button.CENTRE
MOST_TAPS = 6  # of a plunger, before it is rather held
MOST_PRESSES = 100  # more than any list or number of a form is long
TAP_NS = 100_000_000  # ns; how long a finger stays on the centre
PEOPLE = Pair("Zaphod", "Trillian")
WIDEST_NAME = 12 * "W"  # as long as a settings file may give one
OFFER_ID = "offer-001"
HASH = "3ce2f4d3ba24f2aa0c1d5e77a9b80f64"  # of the latest line of the log


class Desk(World):
    """A match with its box; `given` and `own` tell of the latest press."""

    session: Session

    def __init__(self, settings: MatchSettings | None = None) -> None:
        super().__init__(settings)
        self.language = "en"
        self.scoreboard = True
        self.given: list[Input] = []  # every input that a button made
        self.own: tuple[Record, ...] = ()  # what the latest of them left in the log
        self.resumable: dict[str, MatchState] = {}  # matches that were adjourned, by their logs

    @property
    def state(self) -> MatchState:
        """The match."""
        return self.session.state

    @state.setter
    def state(self, state: MatchState) -> None:
        before: Session | None = getattr(self, "session", None)
        self.session = Session(state) if before is None else before.replace(state=state)

    @property
    def dialogue(self) -> Dialogue:
        """What the buttons have been used for."""
        return self.session.dialogue

    @dialogue.setter
    def dialogue(self, dialogue: Dialogue) -> None:
        self.session = self.session.replace(dialogue=dialogue)

    def twin(self) -> "Desk":
        """Another table in the same situation."""
        twin = copy(self)
        twin.records, twin.given = [*self.records], [*self.given]
        return twin

    def with_code(self, code: str) -> "Desk":
        """The same table with a director's code."""
        self.dialogue = self.dialogue.replace(code=code)
        return self

    def with_presets(self, *presets: Preset) -> "Desk":
        """The same table with presets in the file, and their page open, as after a start."""
        choices = (Preset("", self.state.settings), *presets)
        self.dialogue = self.dialogue.replace(choices=choices, page=PresetPage(first=True))
        return self

    @property
    def view(self) -> View:
        """What the panels are drawn from."""
        latest = Shown(HASH, 137, self.state.score)
        return View(self.state, self.dialogue, sayer(self.language), self.scoreboard, latest=latest)

    def faces(self) -> Pair[Face]:
        """Both panels now."""
        return faces(self.view, self.now_ns)

    # --- buttons ------------------------------------------------------------------------------

    def down(self, button: Button) -> "Desk":
        """A button goes down."""
        return self._move(button, down=True)

    def up(self, button: Button) -> "Desk":
        """A button comes up."""
        return self._move(button, down=False)

    def tap(self, *buttons: Button) -> "Desk":
        """Short presses, one after another; a plunger takes no time."""
        for button in buttons:
            self.down(button).pass_time(TAP_NS if button is C else 0).up(button)
        return self

    def hold_down(self, button: Button, duration_ns: int) -> "Desk":
        """A button is down for so long."""
        return self.down(button).pass_time(duration_ns).up(button)

    def hold(self) -> "Desk":
        """The centre is held until that means something, then let go."""
        return self.down(C).pass_time(HOLD_NS).up(C)

    def pass_time(self, duration_ns: int) -> "Desk":
        """Time passes, and a button that is down may come to have been held."""
        until_ns = self.now_ns + duration_ns
        while (due_ns := self.session.deadline()) is not None and due_ns <= until_ns:
            self.now_ns = max(self.now_ns, due_ns)
            meant = None
            if due_ns == self.dialogue.hold_at_ns():
                _, meant = handle_hold(self.dialogue, self.state, due_ns)
            self._answer(meant, self.session.pass_time(until_ns))
        self.now_ns = until_ns
        self.give(TimePassed(until_ns))
        return self

    def _move(self, button: Button, *, down: bool) -> "Desk":
        self.give(TimePassed(self.now_ns))
        moved = ButtonMoved(button, down, self.now_ns)
        _, meant = handle_button(self.dialogue, self.state, moved)
        return self._answer(meant, self.session.press(moved))

    def _answer(self, meant: Input | None, step: Step) -> "Desk":
        """Answer what the session wants of the world, and keep what it says."""
        done = self._carried_out(step)
        if meant is not None:
            self.given.append(meant)
            self.own = done
        self.records.extend(done)
        return self

    def _carried_out(self, step: Step) -> tuple[Record, ...]:
        self.session, done = step
        told: tuple[Record, ...] = ()
        for each in done:
            match each:
                case Record():
                    told += (each,)
                case MatchBegun(record):
                    told += (record,)
                case MatchWanted():
                    file = SettingsFile(self.state.settings, self.dialogue.choices)
                    told += self._carried_out(self.session.open_match(each, file, Writer("test")))
                case ResumeMatchWanted(at_ns=at_ns, log=log):
                    found = self._shelved(log, at_ns)
                    told += self._carried_out(
                        self.session.resume_match(each, found, Writer("test"))
                    )
                case LanguageWanted(language=language):
                    self.language = language
                case ListMatches():  # `to_resume` has put them there
                    pass
        return told

    def _shelved(self, log: str, at_ns: int) -> Recovery:
        match = self.resumable[log]
        used_ns = None if match.turn is None else match.turn.used_ns
        restored = Restored(at_ns, 0, used_ns, TAKEN_UP)
        origin = Origin(log, 1, HASH, "log", 0, None)
        return Recovery(Match(match, Chain(log, "boot")), restored, None, origin)

    # --- the director -------------------------------------------------------------------------

    def open_item(self, name: str) -> "Desk":
        """Hold the centre, turn to an item, choose it."""
        if not isinstance(self.dialogue.page, MenuPage):
            self.hold()
        possible = offered_items(self.dialogue, self.state)
        offered = [item.name for item in possible]
        page = self.dialogue.page
        assert isinstance(page, MenuPage)
        steps = (offered.index(name) - page.index(possible)) % len(offered)
        back = len(offered) - steps
        return self.tap(*([R] * steps if steps <= back else [L] * back)).tap(C)

    @property
    def form(self) -> FormPage:
        """The form that is open."""
        assert isinstance(self.dialogue.page, FormPage)
        return self.dialogue.page

    def enter(self, *wanted: object) -> "Desk":
        """Turn the entries of a form, the shorter way, until they have these values."""
        for each in wanted:
            entry = self.form.entry
            if entry is None and each is None:  # no reason is asked for
                continue
            value = _offered(entry, each)
            if isinstance(entry, Time) and isinstance(value, int):
                for digit in Time.of("", value).digits:
                    self._turn(_digit, digit).tap(C)
            elif isinstance(entry, Change) and isinstance(value, int):
                for place in range(len(CHANGE_PLACES)):
                    wanted_digit = Change.of("", value)._replace(place=place).digit
                    self._turn(_change_digit, wanted_digit).tap(C)
            else:
                self._turn(_value, value).tap(C)
        return self

    def _turn(self, shown: Callable[[Entry], object], wanted: object) -> "Desk":
        entry = self.form.entry
        assert entry is not None
        up: Entry = entry
        down: Entry = entry
        steps = 0
        while shown(up) != wanted and shown(down) != wanted:
            up, down, steps = up.turned(1), down.turned(-1), steps + 1
            assert steps < MOST_PRESSES, "no such value can be entered"
        button = R if shown(up) == wanted else L
        if steps <= MOST_TAPS or isinstance(entry, Change):  # which counts on if it is held
            return self.tap(*[button] * steps)
        self.down(button)
        while (at_ns := self.dialogue.repeat_at_ns()) and shown(self.form.entry or entry) != wanted:
            self.pass_time(at_ns - self.now_ns)
        return self.up(button)

    def each_entry(self) -> Iterator["Desk"]:
        """The table at each entry of its form, and at the question whether to do it.

        Every entry is taken as it is proposed. Where nothing is proposed, the left plunger chooses.
        """
        for _ in range(MOST_PRESSES):
            yield self
            entry = self.form.entry
            if entry is None:
                return
            self.tap(L if _value(entry) is UNSET else C)
        raise AssertionError("the entries have no end")

    def through(self) -> "Desk":
        """Take every entry as it is proposed, up to the question whether to do it."""
        return list(self.each_entry())[-1]

    def proposed(self) -> Ruling:
        """What the centre would do now."""
        return proposed_ruling(self.form, self.state, self.now_ns)


def _value(entry: Entry) -> object:
    """What is entered; `UNSET` if nothing is."""
    return UNSET if isinstance(entry, Choice) and not entry.complete else entry.value


def _offered(entry: Entry | None, value: object) -> object:
    """The value as the entry has it: why a time is changed is a pair."""
    pairs = [option.value for option in entry.options] if isinstance(entry, Choice) else []
    return (value, None) if (value, None) in pairs else value


def _change_digit(entry: Entry) -> int:
    assert isinstance(entry, Change)
    return entry.digit


def _digit(entry: Entry) -> int:
    assert isinstance(entry, Time)
    return entry.digits[entry.cursor]


# --- situations -------------------------------------------------------------------------------


def desk(profile: str = "ebf", **changes: object) -> Desk:
    """A table at which two people are about to confirm the settings."""
    settings = match_settings(profile, **changes)  # type: ignore[arg-type]
    return Desk(msgspec.structs.replace(settings, names=PEOPLE))


def ready(profile: str = "ebf", **changes: object) -> Desk:
    """The opening roll; of the Crawford game if a player is one point away."""
    table = desk(profile, **changes).tap(L, R, C)
    if isinstance(table.dialogue.page, FormPage):  # the players are asked (R91)
        table.enter(Crawford.NOW).tap(C, C)
    return table


def running(profile: str = "ebf", **changes: object) -> Desk:
    """The left clock has run for three seconds of its delay, in the fifth turn."""
    played = ready(profile, **changes).tap(R)
    for side in (L, R, L, R):
        played.pass_time(20 * SECOND_NS).tap(side)
    return played.pass_time(3 * SECOND_NS)


def stopped(profile: str = "ebf", reason: Reason = Reason.UNSPECIFIED, **changes: object) -> Desk:
    """Stopped in the middle of a turn."""
    return chosen(running(profile, **changes).tap(C), reason)


def chosen(table: Desk, reason: Reason) -> Desk:
    """The same table with a reason chosen."""
    table.choose(reason)
    return table


def carried_out(reason: Reason, profile: str = "ebf", **changes: object) -> Desk:
    """Stopped for a reason, and the centre pressed."""
    return stopped(profile, reason, **changes).tap(C)


def in_break(profile: str = "ebf", **changes: object) -> Desk:
    """A break that the director granted to the left player has just begun."""
    table = ready(profile, **changes)
    table.input(inputs.BreakGranted, side=LEFT)
    return table


def offered(profile: str = "ebf", **changes: object) -> Desk:
    """A match that the director offers, before anybody has confirmed it."""
    table = desk(profile, **changes)
    settings = table.state.settings
    table.state, _ = open_match(settings, table.now_ns, Writer("test"), offer=OFFER_ID)
    return table


def offered_next(**changes: object) -> Desk:
    """A match is over, and the director offers the next one."""
    table = finished(**changes)  # type: ignore[arg-type]
    settings = msgspec.structs.replace(match_settings(length=7), names=PEOPLE.swapped())
    table.input(inputs.OfferMade, offer=Offer(OFFER_ID, settings))
    return table


def without_clock(profile: str = "ebf", **changes: object) -> Desk:
    """The director has taken the clock away in the middle of a game."""
    table = running(profile, **changes).tap(C)
    table.input(inputs.ClockRemoved)
    return table


def finished(profile: str = "ebf", **changes: object) -> Desk:
    """The left player has won a game and with it the match."""
    table = running(profile, **{"length": 1, **changes}).tap(C, R, C)
    return table.tap(L, C).pass_time(0)


def scored(profile: str = "ebf", **changes: object) -> Desk:
    """The left player has won a point, and it has been confirmed."""
    return at_points(profile, **changes).tap(L, C).pass_time(0)


def flagged(profile: str = "ebf", *, both: bool = False) -> Desk:
    """The left flag is down, perhaps the right one too."""
    table = running(profile).pass_time(60 * MINUTE_NS)
    return table.tap(L).pass_time(60 * MINUTE_NS) if both else table


def after_game(profile: str = "ebf", **changes: object) -> Desk:
    """The opening roll of the second game; neither player has used any reserve."""
    table = ready(profile, **changes)
    table.play_game(LEFT)
    return table


def absent(profile: str = "ebf", **changes: object) -> Desk:
    """The left player is missing, and the director has noted it."""
    table = desk(profile, **changes)
    table.input(inputs.AbsenceNoted, side=LEFT)
    return table


def aside() -> Desk:
    """The match was adjourned in the left player's turn."""
    return stopped().open_item("put_aside").tap(C)


UNFINISHED = Unfinished(
    log="match.jsonl",
    match="match",
    names=PEOPLE,
    score=Pair(3, 5),
    length=11,
    reserves=Pair(9 * MINUTE_NS, 17 * MINUTE_NS + 1),
    mover=LEFT,
    wall="2026-05-01T21:34:56.789+02:00",
    fingerprint="7KQ2-M9XT-4WDA",
    is_adjourned=True,
    is_own=False,
    is_damaged=False,
)


def to_resume(*changes: dict[str, object]) -> Desk:
    """A match waits for confirmation; the runtime finds three others, or these."""
    table = desk()
    names = Pair("Left", "Right"), Pair("Ford Prefect", "Marvin"), PEOPLE
    each = changes or [{"names": pair, "log": str(at)} for at, pair in enumerate(names)]
    found = tuple(msgspec.structs.replace(UNFINISHED, **change) for change in each)
    table.dialogue = table.dialogue.replace(unfinished=found)
    return table


def form_items(table: Desk) -> list[str]:
    """The items of the menu that open a form: a match to resume has a page of its own."""
    return [item.name for item in items(table.state) if item.kind and item.name != TAKE_UP]


STILL: dict[Phase, Callable[[], Desk]] = {
    Phase.REVIEW: desk,
    Phase.READY: ready,
    Phase.STOPPED: stopped,
    Phase.GAME_OVER: lambda: carried_out(Reason.GAME_OVER),
    Phase.BREAK: in_break,
    Phase.NO_CLOCK: without_clock,
    Phase.FINISHED: finished,
    Phase.PUT_ASIDE: aside,
}
ANY: dict[Phase, Callable[[], Desk]] = {
    **STILL,
    Phase.RUNNING: running,
    Phase.FREE_TURN: lambda: carried_out(Reason.EARLY_PICKUP),
}


class Move(NamedTuple):
    """What somebody does at the table: a tap, or a hold, after a while."""

    button: Button | None  # None: holds the centre
    after_ns: int

    def at(self, table: Desk) -> Desk:
        """Do it."""
        table.pass_time(self.after_ns)
        return table.hold() if self.button is None else table.tap(self.button)


_WHILES = st.one_of(
    st.integers(0, 3 * SECOND_NS),
    st.integers(0, 20 * SECOND_NS).map(lambda tenths: tenths // 10**8 * 10**8),
    st.sampled_from([0, 12 * SECOND_NS, 5 * MINUTE_NS, 40 * MINUTE_NS]),
)
MOVES = st.lists(
    st.builds(Move, st.sampled_from([L, R, L, R, C, C, C, None]), _WHILES), min_size=4, max_size=30
)


def in_free_turn(profile: str = "ebf", **changes: object) -> Desk:
    """The left player finishes their turn off the clock (where the rules have that)."""
    return chosen(running(profile, **changes).tap(C), Reason.EARLY_PICKUP).tap(C)


def low(profile: str = "ebf", **changes: object) -> Desk:
    """The left clock is near its flag."""
    table = running(profile, **changes)
    return table.pass_time(table.reserve_ns(LEFT) + table.delay_ns - 30 * SECOND_NS)


def at_points(profile: str = "ebf", **changes: object) -> Desk:
    """The points of a game are being entered."""
    return running(profile, **changes).tap(C, R, C)


def at_menu(profile: str = "ebf", **changes: object) -> Desk:
    """Stopped, with the director's menu open."""
    return running(profile, **changes).tap(C).hold()


def at_form(profile: str = "ebf", **changes: object) -> Desk:
    """A flag is down, and the director is about to end the match."""
    return low(profile, **changes).pass_time(MINUTE_NS).tap(C).open_item("end_match")


BEGINNINGS = (desk, absent, ready, in_break, running, low, in_free_turn, at_points, at_menu)


@cache
def _begun(make: Callable[..., Desk], profile: str, best_of_three: bool, method: Method) -> Desk:
    return make(profile, best_of_three=best_of_three, length=3, method=method)


TABLES = st.builds(
    lambda *how: _begun(*how).twin(),
    st.sampled_from((*BEGINNINGS, at_form, without_clock, finished)),
    st.sampled_from(["ebf", "dbgf", "nbgf", "nbgf-analog", "us"]),
    st.booleans(),
    st.sampled_from(Method),
)

__all__ = ["LEFT", "RIGHT", "Side"]
