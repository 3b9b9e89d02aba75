"""The hub's side of the delivery: what the hub has of one clock's logs, and what it lacks."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from typing import NamedTuple

from clock.match.state import AT_REST
from room.broker.topics import MAX_PAYLOAD, Ack, Inventory, LinkHeartbeat, LoggedLines
from room.lines.inbox import (
    LogHashes,
    Point,
    UnreadableError,
    Verdict,
    envelope_of,
    hashes_of,
    receive,
)
from room.lines.quota import Allowance

MAX_LINES = 100  # of a message that are looked at; links send at most 40
MAX_HELD = 4  # logs of a clock whose hashes the hub holds in memory
MAX_PARTS = 4  # earlier logs of a clock that its board keeps, at least
FRESH = (Verdict.STORED, Verdict.FORK)


class Incoming(NamedTuple):
    """New lines of one log in their order, each after the one before or instead of it."""

    match: str
    lines: tuple[bytes, ...]
    is_present: bool  # of the present match
    is_live: bool  # the clock wrote them just now
    is_whole: bool  # the hub has all that the clock's inventory listed of the log
    forks: bool  # one of them contradicts a line that came before


class Receiver:
    """What the hub knows of one clock's logs."""

    def __init__(
        self,
        store: str,
        saved: Callable[[str], Point],
        recall: Callable[[str], Iterable[bytes]],
        allowance: Allowance,
    ) -> None:
        """Begin with what is in the database.

        Args:
            store: the name of the database.
            saved: returns the latest line of a match that is on the disk.
            recall: returns the lines of a match that the database has.
            allowance: what the clock may still send.
        """
        self._store, self._saved, self._recall = store, saved, recall
        self._allowance = allowance
        self._hashes: dict[str, LogHashes] = {}  # those used last come last
        self._listed: dict[str, LoggedLines] = {}  # the clock's latest inventory, by match
        self._present = ""
        self._shown = ""  # the match that the board follows: each other one is read again for it
        self._is_over = False  # that match: its result is computed again for each new line
        self._parts: dict[str, None] = {}  # earlier logs that the board keeps, the latest last
        self._asked: dict[str, int] = {}  # from which line, by match; until that line comes
        self._behind: tuple[str, int] | None = None  # the log at the heartbeat before

    def lines(self, payload: bytes) -> tuple[list[Incoming], list[Ack]]:
        """Return which lines of a message are new, and what to answer."""
        incoming: list[Incoming] = []
        acks: list[Ack] = []
        if len(payload) > MAX_PAYLOAD or not self._allowance.take(len(payload)):
            return incoming, acks
        for match, lines in _by_match(payload.split(b"\n", MAX_LINES)[:MAX_LINES]):
            with suppress(UnreadableError):  # the clock sends these again
                fresh, forks = self._add(match, lines, acks)
                if fresh:
                    incoming.append(self._incoming(match, fresh, forks=forks))
        return incoming, acks

    def inventory(self, inventory: Inventory) -> list[Ack]:
        """Return what the hub has of the logs in the clock's directory, and what it lacks."""
        self._listed = {log.match: log for log in inventory.logs}
        if inventory.logs:
            self._present = inventory.logs[0].match
        lacking, have = [], {}
        for log in inventory.logs:
            if self._saved(log.match) == log.latest:
                have[log.match] = log.latest
                continue
            with suppress(UnreadableError):  # the clock sends its inventory again
                known = self._known(log.match)
                has = known >= log.lines and self._has(log)
                point = self._on_disk(log.match, log.lines)
                if has:
                    have[log.match] = point
                elif self._allowance.has(1, begins=not known):
                    lacking.append(self._ask(log.match, point, min(known + 1, log.lines)))
        return [Ack(self._store, have), *lacking] if have else lacking

    def heartbeat(self, heartbeat: LinkHeartbeat) -> list[Ack]:
        """Ask for lines before the clock's latest one if they are missing the second time in a row.

        The first time they may still be on their way.
        """
        match, self._present = heartbeat.match, heartbeat.match
        known = self._known(match)
        before, self._behind = self._behind, None
        if heartbeat.seq <= known:
            return []
        self._behind = (match, known)
        if before != self._behind or not self._allowance.has(1, begins=not known):
            return []
        return [self._ask(match, self._on_disk(match, known), known + 1)]

    def show(self, match: str) -> bool:
        """Have the board follow a match, if the database has lines of it; return whether it has.

        Raises:
            UnreadableError: too many lines were read again for this account.
        """
        known = self._saved(match).seq
        is_other = match not in (self._shown, *self._parts)
        if not self._allowance.reread(known * is_other):
            raise UnreadableError
        self._show(match)
        return bool(known)

    def committed(self, match: str, latest: Point) -> Ack:
        """Return the acknowledgement of lines that are on the disk now."""
        return Ack(self._store, {match: latest})

    def _has(self, log: LoggedLines) -> bool:
        """Return whether the hub has exactly these lines; if need be it reads the log again."""
        hashes = self._hashes_of(log.match)
        return hashes.seq >= log.lines and hashes.point(log.lines) == log.latest

    def _known(self, match: str) -> int:
        """Return how many lines of a log are known, at least, without reading them again."""
        hashes = self._hashes.get(match)
        return self._saved(match).seq if hashes is None else hashes.seq

    def _add(self, match: str, lines: Sequence[bytes], acks: list[Ack]) -> tuple[list[bytes], bool]:
        """Return the new lines and whether one is a fork; add to `acks` what to answer."""
        fresh, forks, known, allowance = list[bytes](), False, b"", self._allowance
        is_new = not (self._hashes.get(match) or self._saved(match)).seq
        if is_new and not allowance.has(0, begins=True):  # asks the database for nothing
            return fresh, forks
        hashes = self._hashes_of(match)
        for line in lines:
            before, (hashes, verdict) = hashes, receive(hashes, line)
            is_fresh, is_fork = verdict in FRESH, verdict is Verdict.FORK
            is_again = is_fork > forks or (is_fresh > bool(fresh) and self._is_read_again(match))
            begins = is_fresh and not before.seq
            if not (allowance.reread(before.seq * is_again) and allowance.take(0, begins=begins)):
                hashes = before
                break
            match verdict:
                case Verdict.STORED | Verdict.FORK:
                    fresh.append(line)
                    forks = forks or is_fork
                case Verdict.MISSING:
                    acks += self._ask_once(match, hashes.seq + 1)
                case Verdict.DAMAGED:  # it may follow a line of another branch: ask for all of it
                    acks += self._ask_once(match, 1)
                case Verdict.KNOWN:
                    known = line
        self._hold(match, hashes)
        if fresh:
            self._asked.pop(match, None)
        elif known:
            acks += self._repeated(match, known)
        return fresh, forks

    def _is_read_again(self, match: str) -> bool:
        """Return whether the hub reads a log again for a new line: for its board or its result."""
        if match == self._present == self._shown:
            return self._is_over
        return match not in self._parts

    def _repeated(self, match: str, known: bytes) -> list[Ack]:
        """Return the acknowledgement of a line that came again.

        The clock sends lines again that both branches of a log begin with, and stops after `WINDOW`
        of them if it does not learn that they are on the disk.
        """
        envelope = envelope_of(known)
        have = self._on_disk(match, envelope.seq) if envelope else Point()
        return [Ack(self._store, {match: have})] if have.seq else []

    def _incoming(self, match: str, fresh: Sequence[bytes], *, forks: bool) -> Incoming:
        hashes, listed = self._hashes[match], self._listed.get(match)
        is_whole = listed is not None and hashes.latest == listed.latest
        if match == self._present:
            self._show(match)
            latest = envelope_of(fresh[-1])
            self._is_over = latest is not None and latest.phase in AT_REST
        else:
            self._note_part(match, is_whole=is_whole)
        return Incoming(
            match,
            tuple(fresh),
            is_present=match == self._present,
            is_live=listed is not None and hashes.seq > listed.lines,
            is_whole=is_whole,
            forks=forks,
        )

    def _show(self, match: str) -> None:
        """Note which match the board follows now."""
        self._parts.pop(match, None)
        if match != self._shown:
            self._shown, self._is_over = match, False

    def _note_part(self, match: str, *, is_whole: bool) -> None:
        """Note which earlier logs the board keeps: see `room.boards.place_logs`."""
        self._parts.pop(match, None)
        if not is_whole:
            self._parts[match] = None
        if len(self._parts) > MAX_PARTS:
            del self._parts[next(iter(self._parts))]

    def _ask_once(self, match: str, seq: int) -> list[Ack]:
        """Return a question for lines, unless it was asked already.

        After a gap forty lines may come in a message: each would be a question.
        """
        if self._asked.get(match) == seq or not self._allowance.has(1, begins=False):
            return []
        return [self._ask(match, self._on_disk(match, seq), seq)]

    def _ask(self, match: str, have: Point, seq: int) -> Ack:
        self._asked[match] = seq
        return Ack(self._store, {match: have}, seq)

    def _on_disk(self, match: str, seq: int) -> Point:
        """Return what is on the disk of a log up to a line, if it is of the branch that counts.

        A log of which the disk has a later line was read again before.
        """
        saved = self._saved(match)
        if match not in self._hashes:
            return saved
        hashes = self._hashes_of(match)
        if saved.seq > hashes.seq or hashes.point(saved.seq) != saved:
            return Point()
        return hashes.point(min(saved.seq, seq))

    def _hashes_of(self, match: str) -> LogHashes:
        """Return the lines of a log that are known, by their hashes.

        Raises:
            UnreadableError: it has to be read again, which takes too long or is too much now.
        """
        hashes = self._hashes.get(match)
        if hashes is None:
            lines = self._saved(match).seq
            if not self._allowance.may_reread(lines):
                raise UnreadableError
            hashes = hashes_of(match, self._recall(match)) if lines else LogHashes()
            self._allowance.reread(lines)
        self._hold(match, hashes)
        return hashes

    def _hold(self, match: str, hashes: LogHashes) -> None:
        self._hashes.pop(match, None)
        self._hashes[match] = hashes
        while len(self._hashes) > MAX_HELD:
            del self._hashes[next(iter(self._hashes))]


def _by_match(lines: Sequence[bytes]) -> Iterator[tuple[str, list[bytes]]]:
    """Yield the lines of each log; what is no line of a log is dropped."""
    by_match: dict[str, list[bytes]] = {}
    for line in lines:
        envelope = envelope_of(line)
        if envelope is not None:
            by_match.setdefault(envelope.match, []).append(line)
    yield from by_match.items()
