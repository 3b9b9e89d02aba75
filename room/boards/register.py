"""All boards: events of the sources go in, boards that have changed come out.

Only one thread uses a register. `room.boards` says how it works.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

from msgspec import structs

from room.boards.board import Board, Result
from room.boards.effects import Effects
from room.boards.fields import make_board
from room.boards.followed_log import StoredLog
from room.boards.ids import free_id
from room.boards.place_logs import PlaceLogs, Recall
from room.boards.presence import HubClock, Presence
from room.boards.sanitized import clean
from room.boards.signs import Signs, attention_of
from room.lines.inbox import envelope_of
from room.lines.track import Track
from room.offers.offers import ClockLog, clock_log
from room.sources.events import (
    ClockHeard,
    EarlierLinesRead,
    LinesRead,
    MatchBegan,
    OfferDelivered,
    Place,
    SourceEvent,
    TroubleChanged,
)


@dataclass
class WatchedPlace:
    """A place with its board."""

    place: Place
    logs: PlaceLogs
    presence: Presence
    id: str = ""
    name: str = ""  # from which the id was made
    trouble: str = ""
    result: Result | None = None  # of the present match, if it is over
    attention: tuple[str, int] | None = None  # the most important one, and since when

    @property
    def track(self) -> Track:
        """What the present log says."""
        return self.logs.present.shown if self.logs.present else Track()


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
    ) -> None:
        """Begin without a board.

        Args:
            began_ns: on the raw clock of this computer; the hub's instants count from it.
            boot: of this computer: a clock with the same boot id has the same raw clock.
            expected_code: the settings code that every board should have; None: any.
            recall: returns what the database has of a log.
        """
        self._clock, self._recall = HubClock(began_ns, boot), recall
        self._expected_code = expected_code
        self._places: dict[str, WatchedPlace] = {}
        self._touched: dict[str, None] = {}  # keys of places with news, in order
        self._gone: list[str] = []  # ids of boards since the last refresh
        self.boards: dict[str, Board] = {}  # by id, as last refreshed

    # --- what comes in ------------------------------------------------------------------------

    def handle(self, event: SourceEvent) -> Effects:
        """Handle what a source reports, and return what follows from it.

        An error of `recall` is raised. Handle the event again then: nothing of it is lost.
        """
        found = self._place(event.place)
        if not isinstance(event, ClockHeard) or event.sent_ns is not None:
            self._touched[event.place.key] = None
        match event:
            case LinesRead():
                return self._handle_lines(found, event)
            case MatchBegan(match=match):
                return self._without_old_result(found, found.logs.begin(match))
            case EarlierLinesRead():
                return found.logs.add_earlier(event)
            case ClockHeard():
                state = found.track.state
                found.presence.note(event, runs=state is not None and state.running is not None)
            case TroubleChanged(what=what):
                found.trouble = clean(what)
            case OfferDelivered():
                pass
        return Effects()

    def set_result(self, key: str, result: Result) -> None:
        """Show the result of a place's match, if that is still its match."""
        found = self._places.get(key)
        if found is not None and found.logs.match == result.match:
            found.result = result
            self._touched[key] = None

    def _place(self, place: Place) -> WatchedPlace:
        if place.key not in self._places:
            logs = PlaceLogs(place, self._recall)
            self._places[place.key] = WatchedPlace(place, logs, Presence(self._clock))
        return self._places[place.key]

    def _handle_lines(self, found: WatchedPlace, event: LinesRead) -> Effects:
        effects = found.logs.add(event)
        latest = next(filter(None, map(envelope_of, reversed(event.lines))), None)
        if event.live and latest is not None:  # it was written last, and arrived with the others
            found.presence.hear(latest.boot, latest.at_ns, event.arrived_ns)
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
        touched, self._touched = self._touched, {}
        hub_ns = self.hub_ns(now_ns)
        stale = [
            found
            for key, found in self._places.items()
            if key in touched or not self._is_current(found, hub_ns)
        ]
        return self._refreshed(stale, hub_ns)

    def refresh_touched(self, now_ns: int) -> Refreshed:
        """Return the boards that have changed because of events since the last call.

        This costs as much as a few boards do, however many there are.
        """
        touched, self._touched = self._touched, {}
        return self._refreshed((self._places[key] for key in touched), self.hub_ns(now_ns))

    def hub_ns(self, raw_ns: int) -> int:
        """Return an instant of the raw clock of this computer as one of the hub."""
        return self._clock.at(raw_ns)

    def _refreshed(self, places: Iterable[WatchedPlace], hub_ns: int) -> Refreshed:
        changed = []
        for found in places:
            board = self._board(found, hub_ns)
            if board is None:
                self._remove(found)
            elif _differs(board, self.boards.get(board.id)):
                self.boards[board.id] = board
                changed.append(board)
        gone, self._gone = self._gone, []
        return Refreshed(changed, gone)

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
        log = self._places[key].logs.present
        return None if log is None else clock_log(log.proven)

    # --- how a board is made ------------------------------------------------------------------

    def _is_current(self, found: WatchedPlace, now_ns: int) -> bool:
        """Return whether time alone has not changed a board.

        It changes who is asked for, and nothing else unless the clock's time is not known.
        """
        board, signs = self.boards.get(found.id), self._signs(found, now_ns)
        if board is None or signs.offset_ns is None:
            return False
        return board.attention == attention_of(found.track, signs)

    def _board(self, found: WatchedPlace, now_ns: int) -> Board | None:
        track, log = found.track, found.logs.present
        if log is None and not found.trouble and found.presence.heard_ns is None:
            return None
        self._name(found, track)
        match, signs = found.logs.match or None, self._signs(found, now_ns)
        board = make_board(found.id, found.place.source, match, track, signs)
        first = board.attention[0] if board.attention else None
        if first is None:
            found.attention = None
        elif found.attention is None or found.attention[0] != first:
            found.attention = (first, now_ns)
        return structs.replace(board, attention_ns=found.attention and found.attention[1])

    def _name(self, found: WatchedPlace, track: Track) -> None:
        """Give a board its id; another clock on the same line has another one."""
        name = track.board or found.place.hint or track.clock or found.place.source
        if name != found.name:
            self._remove(found)
            found.name, found.id = name, free_id(name, self.boards)

    def _remove(self, found: WatchedPlace) -> None:
        if self.boards.pop(found.id, None) is not None:
            self._gone.append(found.id)

    def _signs(self, found: WatchedPlace, now_ns: int) -> Signs:
        track, presence, log = found.track, found.presence, found.logs.present
        is_behind = presence.names_more(found.logs.match, track.seq)
        return Signs(
            now_ns=now_ns,
            offset_ns=presence.offset_ns(track.boot),
            heard_ns=presence.heard_ns,
            complete=log is not None and log.is_proven and not is_behind,
            expected_code=self._expected_code,
            trouble=found.trouble,
            warnings=presence.warnings,
            result=found.result,
        )


def _differs(board: Board, before: Board | None) -> bool:
    """Return whether a board says anything new; that it was heard again is nothing new."""
    return before is None or structs.replace(board, heard_ns=before.heard_ns) != before
