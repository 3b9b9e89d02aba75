"""The logs of one place: that of the present match, and those of earlier ones."""

from collections.abc import Callable, Sequence

from room.boards.effects import Effects, EndedLog, NewLine
from room.boards.followed_log import FollowedLog, StoredLog
from room.lines.inbox import Verdict, envelope_of
from room.offers.offers import refusal
from room.sources.events import EarlierLinesRead, LinesRead, Place

MOST_EARLIER = 4  # logs that come in parts

Recall = Callable[[str, str], StoredLog]  # by match, and by the key of its place


class PlaceLogs:
    """The logs of a place.

    Each call returns its effects. If it raises an error, because the database cannot be read, the
    call has to be repeated: what had happened until then is returned by the repetition.
    """

    def __init__(self, place: Place, recall: Recall) -> None:
        """Begin without a log.

        Args:
            place: of the board.
            recall: returns what the database has of a log; it may raise an error.
        """
        self.match = ""  # the present one
        self.present: FollowedLog | None = None
        self.earlier: dict[str, FollowedLog] = {}  # logs that come in parts, by match
        self._place, self._recall = place, recall
        self._ended: Sequence[str] = ()  # the hashes of the present log when it was ended last
        self._effects = Effects()

    @property
    def is_over(self) -> bool:
        """Whether the present match is over, or was put aside."""
        return self.present is not None and self.present.is_over

    def add(self, event: LinesRead) -> Effects:
        """Add lines of the present match, or of the next one."""
        for at, line in enumerate(event.lines):
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
        log = self.earlier.pop(event.match, None) or self._recalled(event.match)
        self._add_all(log, event)
        if event.is_whole:  # a file comes in one part, and may have damaged lines
            self._end(log, event.lines if log.is_file else log.lines)
        else:
            self.earlier[event.match] = log
            if len(self.earlier) > MOST_EARLIER:  # the oldest can be recalled from the database
                del self.earlier[next(iter(self.earlier))]
        return self._drain()

    def _begin(self, match: str) -> FollowedLog:
        """Make another match the present one; the one before has ended, however that was."""
        self._end_present()
        log = self.earlier.pop(match, None) or self._recalled(match)
        self.match, self.present, self._ended = match, log, ()
        return log

    def _recalled(self, match: str) -> FollowedLog:
        """Return what is known of a log: from the database, and from this very event."""
        stored = self._recall(match, self._place.key)
        new = [each for each in self._effects.lines if each.match == match]
        log = FollowedLog(match, self._place.is_file)
        for line in (*stored.lines, *(each.line for each in new)):
            log.add(line)
        log.forks = stored.forks + sum(each.verdict is Verdict.FORK for each in new)
        return log

    def _add_all(self, log: FollowedLog, event: EarlierLinesRead) -> None:
        for at, line in enumerate(event.lines):
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
        effects, self._effects = self._effects, Effects()
        return effects

    def _end_present(self) -> None:
        """End the present log, unless it was ended with the same lines before."""
        log = self.present
        if log is not None and self._ended != log.head.hashes:
            self._ended = log.head.hashes
            self._end(log, log.lines)

    def _end(self, log: FollowedLog, lines: Sequence[bytes]) -> None:
        ended = EndedLog(self._place, log.match, tuple(lines), log.forks, log.shown.damage)
        self._effects.ended.append(ended)
