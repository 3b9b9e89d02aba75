"""Follow one log of a place: what is proven by its lines, and what they only state."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from msgspec import structs

from clock.eventlog.codec import missing_lines
from clock.match.state import AT_REST
from room.forecast.pace import MatchPace, follow_pace
from room.lines.inbox import LogHashes, Verdict, envelope_of, receive
from room.lines.track import Track, broken, follow

APART = 16  # lines between states that are kept


class StoredLog(NamedTuple):
    """What the database has of a log."""

    lines: Sequence[bytes] = ()
    forks: int = 0


@dataclass
class FollowedLog:
    """A log, line by line."""

    match: str
    is_file: bool  # each line has its place in it, also one that is damaged
    hashes: LogHashes = field(default_factory=LogHashes)
    lines: list[bytes] = field(default_factory=list)  # the undamaged ones, one for each hash
    proven: Track = field(default_factory=Track)  # after these lines
    shown: Track = field(default_factory=Track)  # after later ones too, which prove nothing
    pace: MatchPace = field(default_factory=MatchPace)  # of the proven lines
    forks: int = 0
    kept: list[tuple[Track, MatchPace]] = field(default_factory=list)
    """What the lines say before every `APART`-th of them, so that a fork replays only a few."""
    strays: dict[bytes, bool] = field(default_factory=dict)
    """Damaged lines of a file: whether they come after the undamaged ones, or stand for one."""

    @property
    def all_lines(self) -> tuple[bytes, ...]:
        """What is known of the log: its undamaged lines, and those that come after them."""
        return (*self.lines, *(line for line, is_after in self.strays.items() if is_after))

    @property
    def is_over(self) -> bool:
        """Whether its match is over, or was adjourned."""
        return self.shown.state is not None and self.shown.state.phase in AT_REST

    def add(self, line: bytes, before: int | None = None) -> Verdict:
        """Add a line, and return what it is; so many lines of the file stand `before` it."""
        hashes, verdict = receive(self.hashes, line)
        if verdict in (Verdict.KNOWN, Verdict.STORED, Verdict.FORK) and before is not None:
            envelope = envelope_of(line)
            if envelope is not None and envelope.seq != before + 1:  # twice, or after a spoilt one
                hashes, verdict = self.hashes, Verdict.DAMAGED
        self.hashes = hashes
        if self.is_file and verdict in (Verdict.MISSING, Verdict.DAMAGED):
            if line in self.strays:  # the file was read again
                return Verdict.KNOWN
            number = getattr(envelope_of(line), "seq", 0) if before is None else before + 1
            self.strays[line] = not 0 < number <= self.hashes.seq
            if self.strays[line]:
                self._follow(line, verdict)
            else:  # the file was spoilt: what stood there before still counts
                spoilt = follow(structs.replace(self.shown, lines=number - 1), line)
                self.shown = broken(self.shown, spoilt.damage or "")
            return Verdict.DAMAGED
        if verdict in (Verdict.STORED, Verdict.FORK):
            self.strays.clear()
        self._follow(line, verdict)
        return verdict

    def _follow(self, line: bytes, verdict: Verdict) -> None:
        """Bring the tracks up to a line."""
        match verdict:
            case Verdict.STORED:
                self.lines.append(line)
                self._prove(line)
            case Verdict.FORK:
                self.forks += 1
                self.lines[self.hashes.seq - 1 :] = [line]
                self._rewind()
                for each in self.lines[self.proven.lines :]:
                    self._prove(each)
            case Verdict.MISSING:
                first, last = self.hashes.seq + 1, (getattr(envelope_of(line), "seq", 2)) - 1
                self.shown = follow(broken(self.shown, missing_lines(first, last)), line)
            case Verdict.DAMAGED if self.is_file:
                self.shown = follow(self.shown, line)
            case Verdict.KNOWN | Verdict.DAMAGED:
                pass

    def _rewind(self) -> None:
        """Go back to what was kept before the latest line, or before one a little earlier."""
        del self.kept[(self.hashes.seq - 1) // APART + 1 :]
        self.proven, self.pace = self.kept[-1]

    def _prove(self, line: bytes) -> None:
        """Follow one more undamaged line."""
        if self.proven.lines == len(self.kept) * APART:
            self.kept.append((self.proven, self.pace))
        before, after = self.proven, follow(self.proven, line)
        if after.match and after.record and after.damage is None:
            state = before.match and before.match.state
            self.pace = follow_pace(self.pace, state, after.record, after.match.state)
        self.proven = self.shown = after
