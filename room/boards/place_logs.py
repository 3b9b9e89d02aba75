"""The logs of one place: that of the present match, and those of earlier ones."""

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from room.boards.effects import Effects, EndedLog, NewLine
from room.boards.followed_log import FollowedLog, StoredLog
from room.boards.offers import refusal
from room.lines.events import EarlierLinesRead, LinesRead, Place
from room.lines.inbox import Verdict, envelope_of

MOST_EARLIER = 4  # logs that come in parts

Recall = Callable[[str, str], StoredLog]  # by match, and by the key of its place


class UnfinishedError(Exception):
    """The turn of a place is over before its event is handled: the rest is for its next turn."""


class Recalled(NamedTuple):
    """A log that is being read again."""

    log: FollowedLog
    rest: Iterator[bytes]  # lines that it does not have yet
    forks: int


class PlaceLogs:
    """The logs of a place.

    Each call returns its effects. If it raises an error, because the database cannot be read or the
    turn is over, the same call has to be repeated: it goes on where it was, and returns the effects
    of all. So a log of any length is read again in parts, between the events of other places.
    """

    def __init__(
        self, place: Place, recall: Recall, is_turn_over: Callable[[], bool] = lambda: False
    ) -> None:
        """Begin without a log.

        Args:
            place: of the board.
            recall: returns what the database has of a log; it may raise an error.
            is_turn_over: whether the rest of an event is for the next turn.
        """
        self.match = ""  # the present one
        self.present: FollowedLog | None = None
        self.earlier: dict[str, FollowedLog] = {}  # logs that come in parts, by match
        self._place, self._recall, self._is_turn_over = place, recall, is_turn_over
        self._added = 0  # lines of the event that is being handled
        self._recalled: Recalled | None = None
        self._ended: dict[str, tuple[object, ...]] = {}  # with what logs ended last, by match
        self._effects = Effects()

    @property
    def is_over(self) -> bool:
        """Whether the present match is over, or was adjourned."""
        return self.present is not None and self.present.is_over

    def add(self, event: LinesRead) -> Effects:
        """Add lines of the present match, or of the next one."""
        for at, line in self._left(event.lines):
            envelope = envelope_of(line)
            match = event.match or (envelope.match if envelope else "")
            if not match or (envelope is None and not self._place.is_file):
                continue  # noise on a serial line
            log = self.present
            if log is None or match != self.match:
                log = self._begin(match)
            self._add(log, line, None if event.first is None else event.first + at)
        return self._drain()

    def begin(self, match: str) -> Effects:
        """Make a match the present one, of which the database may have lines."""
        if match != self.match:
            self._begin(match)
        return self._drain()

    def add_earlier(self, event: EarlierLinesRead) -> Effects:
        """Add lines of an earlier match, which ends when it is whole.

        A late message may make the source take the present match for an earlier one.
        """
        if (present := self.present) is not None and event.match == present.match:
            self._add_all(present, event)
            return self._drain()
        log = self.earlier.pop(event.match, None) or self._read_again(event.match)
        self.earlier[event.match] = log
        self._add_all(log, event)
        if event.is_whole:
            del self.earlier[event.match]
            self._end(log)
        elif len(self.earlier) > MOST_EARLIER:  # the oldest can be recalled from the database
            del self.earlier[next(iter(self.earlier))]
        return self._drain()

    def _left(self, lines: Sequence[bytes]) -> Iterator[tuple[int, bytes]]:
        """Yield the lines of an event that were not added yet, with their places in it.

        Raises:
            UnfinishedError: the turn is over before the last one.
        """
        while self._added < len(lines):
            yield self._added, lines[self._added]
            self._added += 1
            if self._is_turn_over() and self._added < len(lines):
                raise UnfinishedError

    def _begin(self, match: str) -> FollowedLog:
        """Make another match the present one; the one before has ended, however that was."""
        self._end_present()
        log = self.earlier.pop(match, None) or self._read_again(match)
        self.match, self.present = match, log
        if log.is_over:  # the board shows its result
            self._ended.pop(match, None)
        return log

    def _read_again(self, match: str) -> FollowedLog:
        """Return what is known of a log: from the database, and from this very event.

        Raises:
            UnfinishedError: the turn is over before its last line.
        """
        if self._recalled is None:
            self._recalled = self._recall_log(match)
        log, rest, forks = self._recalled
        for line in rest:
            log.add(line)
            if self._is_turn_over():
                raise UnfinishedError
        log.forks, self._recalled = forks, None
        return log

    def _recall_log(self, match: str) -> Recalled:
        stored = self._recall(match, self._place.key)
        new = [each for each in self._effects.lines if each.match == match]
        forks = stored.forks + sum(each.verdict is Verdict.FORK for each in new)
        lines = iter((*stored.lines, *(each.line for each in new)))
        return Recalled(FollowedLog(match, self._place.is_file), lines, forks)

    def _add_all(self, log: FollowedLog, event: EarlierLinesRead) -> None:
        for at, line in self._left(event.lines):
            self._add(log, line, at if log.is_file else None)

    def _add(self, log: FollowedLog, line: bytes, before: int | None) -> None:
        """Add a line to a log, and have it stored if it is new; see `FollowedLog.add`."""
        verdict = log.add(line, before)
        if verdict is Verdict.KNOWN or (verdict is Verdict.DAMAGED and not log.is_file):
            return
        envelope = envelope_of(line)
        seq = None if verdict is Verdict.DAMAGED or envelope is None else envelope.seq
        if verdict is Verdict.STORED and (refused := refusal(log.proven)) is not None:
            self._effects.refusals.append(refused)
        if verdict is Verdict.STORED and (record := log.proven.record) and record.carries_out:
            self._effects.carried_out.append(record.carries_out)
        self._effects.lines.append(NewLine(self._place.key, log.match, seq, verdict, line))

    def _drain(self) -> Effects:
        """Return the effects of a call; a match that is over has ended, too."""
        if self.is_over:
            self._end_present()
        effects, self._effects, self._added = self._effects, Effects(), 0
        return effects

    def _end_present(self) -> None:
        """End the present log, unless it was ended with the same lines before."""
        log = self.present
        if log is None:
            return
        end = log.hashes.latest.hash, log.forks, log.shown.damage
        if self._ended.get(log.match) != end:
            self._ended[log.match] = end
            if len(self._ended) > MOST_EARLIER:
                del self._ended[next(iter(self._ended))]
            self._end(log)

    def _end(self, log: FollowedLog) -> None:
        ended = EndedLog(self._place, log.match, log.all_lines, log.forks, log.shown.damage)
        self._effects.ended.append(ended)
