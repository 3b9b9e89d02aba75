"""All boards: what the sources tell goes in, boards that have changed come out.

Only one thread uses a register. It reads no clock: every message has the instant at which it
arrived, and `refresh` is given the present one.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from msgspec import structs

from clock.match.types import Phase
from room.boards.board import SILENCE_NS, Board, Result, Signs, clean, is_current, make_board
from room.lines.inbox import Head, Verdict, envelope_of, receive
from room.lines.timing import Timing, hear
from room.lines.track import Track, broken, follow
from room.offers.offers import ClockLog, Refusal, clock_log, refusal
from room.sources.events import (
    ClockHeard,
    EarlierLinesRead,
    EarlierLogRead,
    LinesRead,
    MatchBegan,
    OfferDelivered,
    Place,
    SourceEvent,
    TroubleChanged,
)

LONGEST_ID = 40  # characters
MOST_EARLIER = 4  # logs of a place that come in parts


class Kept(NamedTuple):
    """A line to be kept in the database."""

    source: str  # the place's key
    match: str
    seq: int | None  # None: a line that states none
    verdict: Verdict
    line: bytes


class Known(NamedTuple):
    """What was kept of a log before."""

    lines: Sequence[bytes] = ()
    forks: int = 0


class Finished(NamedTuple):
    """A log of which the result is to be computed."""

    place: Place
    match: str
    lines: tuple[bytes, ...]
    forks: int
    damage: str | None = None


@dataclass
class Log:
    """A log that a place has told of."""

    name: str
    head: Head = field(default_factory=Head)
    lines: list[bytes] = field(default_factory=list)  # the undamaged ones, as many as the head has
    proven: Track = field(default_factory=Track)  # after these lines
    shown: Track = field(default_factory=Track)  # after later ones too, which prove nothing
    forks: int = 0
    strays: set[bytes] = field(default_factory=set)  # lines of a file after its undamaged ones


@dataclass
class Watched:
    """A place with its board."""

    place: Place
    id: str = ""
    name: str = ""  # from which the id was made
    match: str = ""
    log: Log | None = None  # of the present match
    earlier: dict[str, Log] = field(default_factory=dict)  # logs that come in parts, by match
    timing: Timing = field(default_factory=Timing)
    heard_ns: int | None = None
    told_seq: int = 0  # the latest line that a heartbeat named
    told_match: str = ""
    warnings: tuple[str, ...] = ()
    trouble: str = ""
    result: Result | None = None
    attention: tuple[str, int] | None = None  # the most important one, and since when
    asked: tuple[str, ...] = ()  # the lines of which the result was asked for


class Register:
    """The boards of all places."""

    def __init__(
        self,
        began_ns: int,
        boot: str = "",
        expected_code: str | None = None,
        recall: Callable[[str, str], Known] = lambda match, source: Known(),
    ) -> None:
        """Begin without a board.

        Args:
            began_ns: on the raw clock of this computer; the hub's instants count from it.
            boot: of this computer: a clock with the same boot id has the same raw clock.
            expected_code: the settings code that every board should have; None: any.
            recall: returns what was kept of a match before, by match and place.
        """
        self._recall = recall
        self._began_ns, self._boot = began_ns, boot
        self._expected_code = expected_code
        self._places: dict[str, Watched] = {}
        self._told: dict[str, None] = {}  # keys of places that told something new, in order
        self.boards: dict[str, Board] = {}  # by id, as last returned
        self.gone: list[str] = []  # ids of boards since the last `take_gone`
        self.kept: list[Kept] = []  # lines since the last `take_kept`
        self.finished: list[Finished] = []  # since the last `take_finished`
        self._refusals: list[tuple[str, Refusal]] = []  # since the last `take_refusals`

    # --- what comes in ------------------------------------------------------------------------

    def take(self, message: SourceEvent) -> None:
        """Take what a source tells."""
        watched = self._places.setdefault(message.place.key, Watched(message.place))
        if not isinstance(message, ClockHeard) or message.sent_ns is not None:
            self._told[message.place.key] = None
        match message:
            case LinesRead():
                self._take_lines(watched, message)
            case ClockHeard():
                self._take_heard(watched, message)
            case EarlierLogRead():
                self._take_archived(message)
            case MatchBegan(match=match):
                if watched.match != match:
                    self._begin(watched, match)
                    self._settle(watched)
            case EarlierLinesRead():
                self._take_earlier(watched, message)
            case OfferDelivered():
                pass
            case TroubleChanged(what=what):
                watched.trouble = clean(what)

    def set_result(self, key: str, result: Result) -> None:
        """Show the result of a place's match, if that is still its match."""
        watched = self._places.get(key)
        if watched is not None and watched.match == result.match:
            watched.result = result
            self._told[key] = None

    def _take_lines(self, watched: Watched, told: LinesRead) -> None:
        for line in told.lines:
            envelope = envelope_of(line)
            match = told.match or (envelope.match if envelope else "")
            if not match or (envelope is None and not told.place.is_file):
                continue  # noise on a serial line
            log = watched.log
            if log is None or watched.match != match:
                log = self._begin(watched, match)
            self._keep(watched.place, log, line)
            if told.live and envelope is not None:
                self._hear(watched, envelope.boot, envelope.at_ns, told.arrived_ns)
        self._settle(watched)

    def _begin(self, watched: Watched, match: str) -> Log:
        """Begin with another log; the one before is finished, whatever its end."""
        self._finish(watched)
        log = watched.earlier.pop(match, None) or self._known_log(watched.place, match)
        watched.match, watched.log, watched.result, watched.asked = match, log, None, ()
        return log

    def _known_log(self, place: Place, match: str) -> Log:
        """Return what was kept of a log, by an earlier run of the hub or just now."""
        known = self._recall(match, place.key)
        just = [kept for kept in self.kept if (kept.source, kept.match) == (place.key, match)]
        log = Log(match)
        for line in (*known.lines, *(kept.line for kept in just)):
            _take(log, line, is_file=place.is_file)
        log.forks = known.forks + sum(kept.verdict is Verdict.FORK for kept in just)
        return log

    def _keep(self, place: Place, log: Log, line: bytes) -> None:
        """Bring a log up to a line, and have the line kept if it is new."""
        verdict = _take(log, line, is_file=place.is_file)
        if verdict is Verdict.KNOWN or (verdict is Verdict.DAMAGED and not place.is_file):
            return
        envelope = envelope_of(line)
        seq = None if verdict is Verdict.DAMAGED or envelope is None else envelope.seq
        if verdict is Verdict.STORED and (refused := refusal(log.proven)) is not None:
            self._refusals.append((place.key, refused))
        self.kept.append(Kept(place.key, log.name, seq, verdict, line))

    def _settle(self, watched: Watched) -> None:
        """Ask for the result of a match that is over."""
        state = watched.log.shown.state if watched.log else None
        if state is not None and state.phase is Phase.FINISHED:
            self._finish(watched)
        else:
            watched.result = None

    def _finish(self, watched: Watched) -> None:
        log = watched.log
        if log is not None and log.lines and watched.asked != log.head.hashes:
            watched.asked = log.head.hashes
            done = (tuple(log.lines), log.forks, log.shown.damage)
            self.finished.append(Finished(watched.place, watched.match, *done))

    def _take_heard(self, watched: Watched, heard: ClockHeard) -> None:
        state = watched.log.shown.state if watched.log else None
        if heard.sent_ns is None:  # only the place was reached: nothing is known of a running clock
            if heard.alive or state is None or state.running is None:
                watched.heard_ns = self.hub_ns(heard.arrived_ns)
            return
        watched.told_match, watched.told_seq = heard.match, heard.seq
        watched.warnings = tuple(clean(part) for part in heard.warnings)
        self._hear(watched, heard.boot, heard.sent_ns, heard.arrived_ns)

    def _hear(self, watched: Watched, boot: str, sent_ns: int, arrived_ns: int) -> None:
        """Note that the clock was heard, and what that says of its time."""
        if boot and boot == self._boot:
            watched.timing = Timing(boot, exact_ns=-self._began_ns)
            if arrived_ns - sent_ns >= SILENCE_NS:
                return  # it was written by a clock that has ended since
        else:
            watched.timing = hear(watched.timing, boot, sent_ns, self.hub_ns(arrived_ns))
        watched.heard_ns = max(watched.heard_ns or 0, self.hub_ns(arrived_ns))

    def hub_ns(self, raw_ns: int) -> int:
        """Return an instant of the raw clock of this computer as one of the hub."""
        return raw_ns - self._began_ns

    def _take_archived(self, told: EarlierLogRead) -> None:
        """Keep the whole log of an earlier match, and ask for its result."""
        log = self._known_log(told.place, told.match)
        for line in told.lines:
            self._keep(told.place, log, line)
        done = (told.lines, log.forks, log.shown.damage)
        self.finished.append(Finished(told.place, told.match, *done))

    def _take_earlier(self, watched: Watched, told: EarlierLinesRead) -> None:
        """Keep lines of an earlier match, and ask for its result when it is whole."""
        log = watched.earlier.pop(told.match, None) or self._known_log(told.place, told.match)
        for line in told.lines:
            self._keep(told.place, log, line)
        if not told.is_whole:
            watched.earlier[told.match] = log
            if len(watched.earlier) > MOST_EARLIER:
                del watched.earlier[next(iter(watched.earlier))]  # the database has its lines
            return
        done = (tuple(log.lines), log.forks, log.shown.damage)
        self.finished.append(Finished(told.place, told.match, *done))

    # --- what comes out -----------------------------------------------------------------------

    def refresh(self, now_ns: int) -> list[Board]:
        """Return the boards that have changed, also because time has passed.

        Args:
            now_ns: on the raw clock of this computer.
        """
        told, self._told = self._told, {}
        hub_ns = self.hub_ns(now_ns)
        stale = [
            watched
            for key, watched in self._places.items()
            if key in told or not self._is_current(watched, hub_ns)
        ]
        return self._refreshed(stale, now_ns)

    def refresh_told(self, now_ns: int) -> list[Board]:
        """Return the boards that have changed because of what was told since the last call.

        This costs as much as a few boards do, however many there are.
        """
        told, self._told = self._told, {}
        return self._refreshed((self._places[key] for key in told), now_ns)

    def _refreshed(self, places: Iterable[Watched], now_ns: int) -> list[Board]:
        changed = []
        for watched in places:
            board = self._board(watched, self.hub_ns(now_ns))
            if board is None:
                self._remove(watched)
            elif _differs(board, self.boards.get(board.id)):
                self.boards[board.id] = board
                changed.append(board)
        return changed

    def take_kept(self) -> list[Kept]:
        """Return the lines to be kept since the last call."""
        kept, self.kept = self.kept, []
        return kept

    def take_gone(self) -> list[str]:
        """Return the ids that no board has any more since the last call."""
        gone, self.gone = self.gone, []
        return gone

    def take_finished(self) -> list[Finished]:
        """Return the logs that want a result since the last call."""
        finished, self.finished = self.finished, []
        return finished

    # --- offers -------------------------------------------------------------------------------

    def places(self) -> Iterator[tuple[str, Place]]:
        """Yield the id of each board with its place."""
        for watched in self._places.values():
            if watched.id in self.boards:
                yield watched.id, watched.place

    def place(self, key: str) -> Place:
        """Return the place of a key.

        Raises:
            KeyError: there is none.
        """
        return self._places[key].place

    def clock_log(self, key: str) -> ClockLog | None:
        """Return what the present log of a place says about offers; None: nothing."""
        log = self._places[key].log
        return None if log is None else clock_log(log.proven)

    def take_refusals(self) -> list[tuple[str, Refusal]]:
        """Return the refusals of offers since the last call, with the keys of their places."""
        refusals, self._refusals = self._refusals, []
        return refusals

    # --- how a board is made ------------------------------------------------------------------

    def _is_current(self, watched: Watched, now_ns: int) -> bool:
        """Return whether time alone has not changed a board; to make it takes ten times as long."""
        board, track = self.boards.get(watched.id), _shown(watched)
        return board is not None and is_current(board, track, self._signs(watched, track, now_ns))

    def _board(self, watched: Watched, now_ns: int) -> Board | None:
        track = _shown(watched)
        if watched.log is None and not watched.trouble and watched.heard_ns is None:
            return None
        self._name(watched, track)
        signs = self._signs(watched, track, now_ns)
        board = make_board(watched.id, watched.place.source, watched.match or None, track, signs)
        first = board.attention[0] if board.attention else None
        if first is None:
            watched.attention = None
        elif watched.attention is None or watched.attention[0] != first:
            watched.attention = (first, now_ns)
        return structs.replace(board, attention_ns=watched.attention and watched.attention[1])

    def _name(self, watched: Watched, track: Track) -> None:
        """Give a board its id; another clock on the same line has another one."""
        name = track.board or watched.place.hint or track.clock or watched.place.source
        if name != watched.name:
            self._remove(watched)
            watched.name, watched.id = name, _free_id(name, self.boards)

    def _remove(self, watched: Watched) -> None:
        if self.boards.pop(watched.id, None) is not None:
            self.gone.append(watched.id)

    def _signs(self, watched: Watched, track: Track, now_ns: int) -> Signs:
        same_boot = track.boot == watched.timing.boot
        offset_ns = watched.timing.offset_ns if same_boot else None
        if offset_ns is None and track.boot and track.boot == self._boot:
            offset_ns = -self._began_ns
        proven = watched.log is not None and watched.log.shown is watched.log.proven
        behind = watched.told_match == watched.match and watched.told_seq > track.seq
        return Signs(
            now_ns=now_ns,
            offset_ns=offset_ns,
            heard_ns=watched.heard_ns,
            complete=proven and not behind,
            expected_code=self._expected_code,
            trouble=watched.trouble,
            warnings=watched.warnings,
            result=watched.result,
        )


def _shown(watched: Watched) -> Track:
    return watched.log.shown if watched.log else Track()


def _take(log: Log, line: bytes, *, is_file: bool) -> Verdict:
    """Bring a log up to a line, and return what that is; in a file each line has its place."""
    log.head, verdict = receive(log.head, line)
    if is_file and verdict in (Verdict.MISSING, Verdict.DAMAGED):
        if line in log.strays:
            return Verdict.KNOWN
        log.strays.add(line)
        _follow(log, line, verdict, is_file=True)
        return Verdict.DAMAGED
    if verdict in (Verdict.STORED, Verdict.FORK):
        log.strays.clear()
    _follow(log, line, verdict, is_file=is_file)
    return verdict


def _follow(log: Log, line: bytes, verdict: Verdict, *, is_file: bool) -> None:
    """Bring the tracks of a log up to a line."""
    match verdict:
        case Verdict.STORED:
            log.lines.append(line)
            log.proven = log.shown = follow(log.proven, line)
        case Verdict.FORK:
            log.forks += 1
            log.lines[log.head.seq - 1 :] = [line]
            log.proven = log.shown = _replayed(log.lines)
        case Verdict.MISSING:
            first, last = log.head.seq + 1, (getattr(envelope_of(line), "seq", 2)) - 1
            text = f"line {first}: lines {first} to {last} are missing"
            log.shown = follow(broken(log.shown, text), line)
        case Verdict.DAMAGED if is_file:
            log.shown = follow(log.shown, line)
        case Verdict.KNOWN | Verdict.DAMAGED:
            pass


def _replayed(lines: Iterable[bytes]) -> Track:
    track = Track()
    for line in lines:
        track = follow(track, line)
    return track


def _differs(board: Board, before: Board | None) -> bool:
    """Return whether a board says anything new; that it was heard again is nothing new."""
    return before is None or structs.replace(board, heard_ns=before.heard_ns) != before


def _free_id(wanted: str, taken: Iterable[str]) -> str:
    """Return an address-safe name that no other board has."""
    name = "".join(each if each.isascii() and each.isalnum() else "-" for each in wanted)
    name = "-".join(filter(None, name.split("-")))[-LONGEST_ID:] or "board"
    return next(each for each in _numbered(name) if each not in taken)


def _numbered(name: str) -> Iterator[str]:
    yield name
    number = 2
    while True:
        yield f"{name}-{number}"
        number += 1
