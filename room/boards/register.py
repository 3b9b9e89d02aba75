"""All boards: events of the sources go in, boards that have changed come out.

Only one thread uses a register. `room.boards` says how it works.
"""

from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

from msgspec import structs

from clock.eventlog.replay import Match
from room.boards.board import Board, Conflict, Result
from room.boards.conflicts import ConflictsOf, Contender, Continuations, conflicts_on
from room.boards.effects import Effects
from room.boards.fields import make_board
from room.boards.followed_log import FollowedLog, StoredLog
from room.boards.hall import board_of_hall
from room.boards.liveness import HubClock, Liveness
from room.boards.names import Names
from room.boards.offers import ClockLog, clock_log
from room.boards.place_logs import PlaceLogs, Recall
from room.boards.sanitized import clean
from room.boards.signs import Signs, changes_at_ns
from room.boards.watched_place import WatchedPlace
from room.lines.events import (
    ClockHeard,
    EarlierLinesRead,
    HallBoard,
    LinesRead,
    MatchBegan,
    OfferDelivered,
    Place,
    RoomTaken,
    SourceEvent,
    TroubleChanged,
)
from room.lines.inbox import envelope_of


class Refreshed(NamedTuple):
    """Boards that have changed."""

    boards: list[Board]
    gone: list[str]  # ids that no board has any more


class Register:
    """The boards of all places."""

    def __init__(
        self,
        began_ns: int,
        boot: str = "",
        expected_code: str | None = None,
        recall: Recall = lambda match, source: StoredLog(),
        conflicts_of: ConflictsOf = lambda match, source: (),
    ) -> None:
        """Begin without a board.

        Args:
            began_ns: on the raw clock of this computer; the hub's instants count from it.
            boot: of this computer: a clock with the same boot id has the same raw clock.
            expected_code: the settings code that every board should have; None: any.
            recall: returns what the database has of a log.
            conflicts_of: returns who sent a match, that source first.
        """
        self._clock = HubClock(began_ns, boot)
        self._recall, self._conflicts_of = recall, conflicts_of
        self._expected_code = expected_code
        self._places: dict[str, WatchedPlace] = {}
        self._touched: dict[str, None] = {}  # keys of places with news, in order
        self.taken_out = set[str]()  # keys of places that the director counts no more
        self.boards: dict[str, Board] = {}  # by id, as last refreshed
        self._names = Names(self.boards)
        self._continuations = Continuations()
        self.is_turn_over: Callable[[], bool] = lambda: False  # set before the first event

    # --- what comes in ------------------------------------------------------------------------

    def handle(self, event: SourceEvent) -> Effects:
        """Handle what a source reports, and return what follows from it.

        An error of `recall` is raised, or `UnfinishedError`: handle the same event again then.
        """
        found = self._place(event.place)
        if isinstance(event, ClockHeard):
            state = found.track.state
            found.liveness.note(event, runs=state is not None and state.running is not None)
            if not found.is_outdated:
                return Effects()
        self._touched[event.place.key] = None
        match event:
            case LinesRead():
                return self._handle_lines(found, event)
            case MatchBegan(match=match):
                effects = found.logs.begin(match)
                found.liveness.name(match, found.track.seq)
                return self._without_old_result(found, effects)
            case EarlierLinesRead():
                return found.logs.add_earlier(event)
            case HallBoard():
                found.of_hall = board_of_hall(event, self._clock)
            case TroubleChanged(what=what):
                found.trouble = clean(what)
            case ClockHeard() | OfferDelivered() | RoomTaken():
                pass
        return Effects()

    def set_result(self, key: str, result: Result) -> None:
        """Show the result of a place's match, if that is still its match, and over."""
        self.note_continuation(result.match, result.continues)
        found = self._places.get(key)
        if found is not None and found.logs.is_over and found.logs.match == result.match:
            found.result = result
            self._touched[key] = None

    def note_continuation(self, match: str, earlier: str) -> None:
        """Note that the log of a match continues an earlier one; "": it continues none."""
        if self._continuations.note(match, earlier):
            self.touch(key for key, found in self._places.items() if found.track.continues)

    def touch(self, keys: Iterable[str]) -> None:
        """Look at some places again: others have sent or contradicted their matches."""
        self._touched |= dict.fromkeys(key for key in keys if key in self._places)

    def _place(self, place: Place) -> WatchedPlace:
        if place.key not in self._places:
            logs = PlaceLogs(place, self._recall, self.is_turn_over)
            self._places[place.key] = WatchedPlace(place, logs, Liveness(self._clock))
        return self._places[place.key]

    def _handle_lines(self, found: WatchedPlace, event: LinesRead) -> Effects:
        effects = found.logs.add(event)
        latest = next(filter(None, map(envelope_of, reversed(event.lines))), None)
        if latest is not None:
            found.liveness.name(latest.match, latest.seq)
            if event.live:  # it was written last, and arrived with the others
                found.liveness.hear(latest.boot, latest.at_ns, event.arrived_ns)
        record, key = found.track.record, event.place.key
        if event.live and effects.lines and key in self.taken_out and record and record.running:
            effects.put_back.append(key)
            self.taken_out.discard(key)
        return self._without_old_result(found, effects)

    @staticmethod
    def _without_old_result(found: WatchedPlace, effects: Effects) -> Effects:
        """Show no result any more that is of another match, or of one that goes on."""
        if found.result and (not found.logs.is_over or found.result.match != found.logs.match):
            found.result = None
        return effects

    # --- what comes out -----------------------------------------------------------------------

    def refresh(self, now_ns: int) -> Refreshed:
        """Return the boards that have changed, also because time has passed.

        Args:
            now_ns: on the raw clock of this computer.
        """
        hub_ns = self.hub_ns(now_ns)
        for key, found in self._places.items():
            if found.changes_at_ns is not None and found.changes_at_ns <= hub_ns:
                self._touched[key] = None
        return self.refresh_touched(now_ns)

    def refresh_touched(self, now_ns: int) -> Refreshed:
        """Return the boards that have changed because of events since the last call.

        This costs as much as a few boards do, however many there are.
        """
        hub_ns, changed = self.hub_ns(now_ns), list[Board]()
        for found in [self._places[key] for key in self._touched]:
            self.note_continuation(clean(found.logs.match), clean(found.track.continues))
            self._touched |= self._names.give(found)
            self._touched |= dict.fromkeys(self._names.alike(found))
        touched, self._touched = self._touched, {}
        for found in [self._places[key] for key in touched]:
            signs = self._signs(found, hub_ns)
            if not found.is_current(self.boards.get(found.id), signs):
                changed += self._renewed(found, signs)
            found.changes_at_ns = changes_at_ns(found.track, signs)
        return Refreshed(changed, self._names.drain_gone())

    def hub_ns(self, raw_ns: int) -> int:
        """Return an instant of the raw clock of this computer as one of the hub."""
        return self._clock.at(raw_ns)

    def _renewed(self, found: WatchedPlace, signs: Signs) -> list[Board]:
        """Make a board anew; return it if it differs."""
        board = self._board(found, signs)
        if board is None:
            self._names.withdraw(found.id)
            found.attention = None
        elif _differs(board, self.boards.get(board.id)):
            self.boards[board.id] = board
            return [board]
        return []

    def followed(self) -> Iterator[tuple[Board, FollowedLog | None]]:
        """Yield each board, as last refreshed, with its present log."""
        for found in self._places.values():
            if found.id in self.boards:
                yield self.boards[found.id], found.logs.present

    # --- offers -------------------------------------------------------------------------------

    def places(self) -> Iterator[tuple[str, Place]]:
        """Yield the id of each board with its place."""
        for found in self._places.values():
            if found.id in self.boards:
                yield found.id, found.place

    def place(self, key: str) -> Place:
        """Return the place of a key.

        Raises:
            KeyError: there is none.
        """
        return self._places[key].place

    def clock_log(self, key: str) -> ClockLog | None:
        """Return what the present log of a place says about offers; None: nothing."""
        found = self._places.get(key)  # one to which an earlier run sent an offer may not be heard
        return clock_log(found.logs.present.proven) if found and found.logs.present else None

    def match(self, key: str) -> Match | None:
        """Return the present match of a place, as its undamaged log proves it; None: there is none.

        Raises:
            KeyError: there is no such place.
        """
        log = self._places[key].logs.present
        return None if log is None or log.proven.damage else log.proven.match

    # --- how a board is made ------------------------------------------------------------------

    def _board(self, found: WatchedPlace, signs: Signs) -> Board | None:
        track, match = found.track, found.logs.match or None
        if not found.is_there:
            return None
        if found.of_hall is not None:
            return structs.replace(found.of_hall, id=found.id)
        found.made_of = track, signs
        board = make_board(found.id, found.place.source, match, track, signs, found.place.key)
        first = board.attention[0] if board.attention else None
        if first is None:
            found.attention = None
        elif found.attention is None or found.attention[0] != first:
            found.attention = (first, signs.now_ns)
        return structs.replace(board, attention_ns=found.attention and found.attention[1])

    def _signs(self, found: WatchedPlace, now_ns: int) -> Signs:
        return found.signs(now_ns)._replace(
            expected_code=self._expected_code,
            conflicts=tuple(self._conflicts(found, now_ns)),
            rivals=self._continuations.rivals(clean(found.logs.match)),
            taken_out=found.place.key in self.taken_out,
        )

    def _conflicts(self, found: WatchedPlace, now_ns: int) -> list[Conflict]:
        """Return who says to have a board or its match, if several clocks do at this instant."""
        named = self._names.alike(found).values()
        heard = [
            each
            for each in named
            if each.liveness.is_heard(now_ns) and each.place.key not in self.taken_out
        ]
        others = [each for each in heard if each is not found] if found in heard else []
        return conflicts_on(self._contender(found), map(self._contender, others))

    def _contender(self, found: WatchedPlace) -> Contender:
        conflicts = self._conflicts_of(found.logs.match, found.place.key)
        return Contender(found.place, conflicts, found.track.clock)


def _differs(board: Board, before: Board | None) -> bool:
    """Return whether a board says anything new; that it was heard again is nothing new."""
    return before is None or structs.replace(board, heard_ns=before.heard_ns) != before
