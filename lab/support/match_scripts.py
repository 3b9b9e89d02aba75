"""Scripts of whole matches, as people play them: random, but the same for the same seed.

An `Author` presses the buttons of a match that it follows, so it knows what the menu offers. The
presses are the script.
"""

from collections.abc import Callable
from functools import cache
from random import Random
from unittest import mock

import msgspec

from clock.apps.playback import play
from clock.apps.script import parse
from clock.match.breaks import breaks_left, players_may_break
from clock.match.events import Writer
from clock.match.inputs import Input, MatchWanted, Restored, TimePassed
from clock.match.machine import advance, open_match
from clock.match.rules import MatchSettings, Reason
from clock.match.state import MatchState
from clock.match.types import Phase, Side
from clock.runtime import loop
from clock.runtime.loop import UiOptions
from clock.ui.dialogue import Dialogue, FormPage, MenuPage, handle_button, handle_hold
from clock.ui.forms import Change, Choice, Entry, Time
from clock.ui.i18n import sayer
from clock.ui.menu import items
from clock.units import SECOND_NS

VERSION = "1.2.3"
MOST_PRESSES = 100  # more than any list or number that a script enters is long
SHORT_STOPS = (Reason.UNSPECIFIED, Reason.INVALID_ROLL, Reason.DIRECTOR_CALLED, Reason.EARLY_PICKUP)


def log_of(script: str, settings: MatchSettings) -> list[bytes]:
    """The log that playing a script gives: its lines, without their line feeds.

    The log does not depend on pictures, so none is drawn.
    """
    return list(_played(script, settings))


@cache
def _played(script: str, settings: MatchSettings) -> tuple[bytes, ...]:
    lines: list[bytes] = []
    with mock.patch.multiple(loop, faces=lambda *_: None, next_face_ns=lambda *_: None):
        play(parse(script, "script"), settings, UiOptions(sayer("en"), VERSION), lines.append)
    return tuple(line.rstrip(b"\n") for line in lines)


class Author:
    """Presses the buttons of a match and writes the script of the presses."""

    def __init__(self, settings: MatchSettings, seed: int = 0) -> None:
        self.random, self.settings = Random(seed), settings
        self.state: MatchState = open_match(settings, 0, Writer(VERSION))[0]
        self.dialogue = Dialogue()
        self.at_ns = 0
        self.lines: list[str] = []

    @property
    def script(self) -> str:
        """What was pressed so far."""
        return "\n".join(self.lines)

    def do(self, act: str, after: float = 0.7) -> None:
        """An act of the script, so many seconds after the one before."""
        tenths = round(after * 10)
        self.lines.append(f"{tenths // 10}.{tenths % 10} {act}")
        if act == "power cut":
            return self._cut(tenths)
        segment = parse(self.lines[-1], "author")[0]
        begun_ns = self.at_ns
        for move in segment.moves:
            event = move._replace(at_ns=begun_ns + move.at_ns)
            self._hold(event.at_ns)
            self.dialogue, happened = handle_button(self.dialogue, self.state, event)
            self._give(happened)
            self.at_ns = event.at_ns
        self.at_ns = max(self.at_ns, begun_ns + segment.end_ns)
        return self._give(TimePassed(self.at_ns))

    def _hold(self, now_ns: int) -> None:
        hold_at_ns = self.dialogue.hold_at_ns()
        if hold_at_ns is not None and hold_at_ns <= now_ns:
            self.dialogue, happened = handle_hold(self.dialogue, self.state, hold_at_ns)
            self._give(happened)

    def _give(self, happened: Input | None) -> None:
        if happened is not None and not isinstance(happened, MatchWanted):
            self.state, _ = advance(self.state, happened)

    def _cut(self, tenths: int) -> None:
        """The power goes and comes back: the clock knows the time to a second."""
        self._give(TimePassed(self.at_ns + tenths * SECOND_NS // 10))
        turn = self.state.turn
        used_ns = turn.elapsed_ns(self.at_ns + tenths * SECOND_NS // 10) if turn else None
        self.at_ns, self.dialogue = 0, Dialogue()
        self._give(Restored(0, SECOND_NS, used_ns))

    # --- players and TD -----------------------------------------------------------------------

    def confirm(self) -> None:
        """Both players confirm the settings."""
        for act, after in (("press left", 20), ("press right", 5), ("press centre", 3)):
            self.do(act, after)

    def stop_for(self, reason: Reason, talk: float = 8) -> None:
        """Stop, choose a reason, and carry it out after a while."""
        self.do("press centre", 2)
        self.press_until(lambda: self.state.reason is reason, reason, "press right", 0.4)
        self.do("press centre", talk)

    def end_game(self, winner: Side, points: int) -> None:
        """The game on the clock is over."""
        self.stop_for(Reason.GAME_OVER, 3)
        for _ in range(points):
            self.do(f"press {winner.value}", 0.5)
        self.do("press centre", 2)
        self.do("wait", 0.1)

    def turns(self, count: int, pace: float = 9) -> None:
        """So many turns, most of them short."""
        for _ in range(count):
            if self.state.running is None:
                return
            seconds = self.random.lognormvariate(0, 0.6) * pace
            if self.random.random() < 0.02:
                self.do(f"press {self.state.running.other.value}", 1)
            self.do(f"press {self.state.running.value}", max(1.5, seconds))

    def take_break(self, side: Side, seconds: float) -> None:
        """Between games a player takes a break."""
        for act in ("press centre", f"press {side.value}", "press centre"):
            self.do(act, 1)
        self.do("press centre", seconds)

    def direct(self, item: str, *values: object) -> None:
        """The director holds the centre, chooses an item, makes its entries and carries it out."""
        self.do("hold centre", 5)
        self.press_until(lambda: self._selected() == item, item, "press right", 0.4)
        self.do("press centre", 0.5)
        for value in values:
            self._enter(value)
        while isinstance(self.dialogue.page, FormPage) and self.dialogue.page.entry is not None:
            self.do("press centre", 0.4)  # as it is proposed
        self.do("press centre", 1)

    def _selected(self) -> str:
        page, offered = self.dialogue.page, items(self.state)
        if not isinstance(page, MenuPage):
            raise TypeError(f"the menu is not open but {page}")
        return offered[page.index(offered)].name

    def _enter(self, value: object) -> None:
        """Turn an entry until it has a value, digit by digit if it is a time, and go on."""
        entering: Entry | None = self._entry()
        while entering is not None:
            is_taken = isinstance(value, int) and value < 0 and not getattr(entering, "place", 0)
            act = "press left" if is_taken or value == Side.LEFT else "press right"
            self.press_until(lambda: _shows(self._entry(), value), value, act, 0.3)
            entering = self._entry().next_place()
            self.do("press centre", 0.4)

    def press_until(
        self, shown: Callable[[], bool], wanted: object, act: str, after: float
    ) -> None:
        """Press a plunger until what is wanted is shown; fail if it never is."""
        for _ in range(MOST_PRESSES):
            if shown():
                return
            self.do(act, after)
        raise ValueError(f"{wanted} is not offered")

    def _entry(self) -> Entry:
        page = self.dialogue.page
        if not isinstance(page, FormPage) or page.entry is None:
            raise TypeError(f"there is nothing to enter on {page}")
        return page.entry


def _shows(entry: Entry, value: object) -> bool:
    """Whether an entry, or the digit under its cursor, is as wanted."""
    if isinstance(entry, Change) and isinstance(value, int):
        return entry.digit == Change.of("", value)._replace(place=entry.place).digit
    if isinstance(entry.value, tuple) and entry.name == "why":  # a time is changed
        return entry.value == (value, None)
    if isinstance(entry, Time) and isinstance(value, int):
        return entry.digits[entry.cursor] == Time.of("", value).digits[entry.cursor]
    chosen = not isinstance(entry, Choice) or entry.complete
    return chosen and entry.value == value


@cache
def random_match(settings: MatchSettings, seed: int, pace: float = 9) -> Author:
    """A whole match with stops, breaks, a power cut, director's rulings, and flags."""
    author = Author(settings, seed)
    author.confirm()
    while author.state.phase is not Phase.FINISHED:
        _random_game(author, pace)
        side = author.random.choice(list(Side))
        possible = author.state.phase is Phase.READY and players_may_break(author.state)
        if possible and breaks_left(author.state)[side] and author.random.random() < 0.3:
            author.take_break(side, author.random.uniform(200, 330))
    return author


def _random_game(author: Author, pace: float) -> None:
    chance = author.random
    author.do(f"press {chance.choice(list(Side)).value}", chance.uniform(10, 25))
    for _ in range(chance.randint(2, 6)):
        author.turns(chance.randint(5, 14), pace)
        _random_incident(author)
        if author.state.phase is not Phase.RUNNING:
            break
    if author.state.phase is Phase.RUNNING:
        author.end_game(chance.choice(list(Side)), chance.choice((1, 1, 1, 2, 2, 4)))


def _random_incident(author: Author) -> None:
    chance = author.random.random()
    if author.state.flags_down and chance < 0.7:
        author.stop_for(Reason.TIME_EXPIRED)
        flagged = next(side for side in Side if author.state.players[side].flag)
        author.direct("end_match", flagged.other, "time")
    elif chance < 0.25:
        known = [each for each in SHORT_STOPS if each in author.state.settings.rules.reasons]
        author.stop_for(author.random.choice(known), author.random.uniform(5, 60))
        if author.state.phase is Phase.FREE_TURN and author.state.turn:
            author.do(f"press {author.state.turn.side.value}", 12)
    elif chance < 0.32:
        author.do("press centre", 3)
        author.do("wait", 40)
        author.direct("add_time", author.random.choice(list(Side)), 120 * SECOND_NS, "restored")
        author.do("press centre", 5)
    elif chance < 0.36:
        author.do("power cut", 3.5)
        author.do("press centre", 30)


def named(settings: MatchSettings, left: str, right: str) -> MatchSettings:
    """The same settings for two people."""
    return msgspec.structs.replace(settings, names=type(settings.names)(left, right))
