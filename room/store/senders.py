"""Who sent each match, what came first, and whose logs contradict each other."""

from collections.abc import Iterable, Mapping

from room.boards.board import Claim, Result
from room.boards.effects import NewLine
from room.lines.first_heard import FirstHeard
from room.lines.inbox import LogHeads, LogKey, Point
from room.store.items import heard_after

LogPair = tuple[str, str, str]  # a match and two of its sources, in the order of their names


class Senders:
    """Which sources have sent lines of which match. Not safe for two threads at a time."""

    def __init__(self, heard: Mapping[LogKey, FirstHeard], heads: LogHeads) -> None:
        """Begin with what a database has: what was heard first, and the latest lines."""
        self._first_heard = dict(heard)
        self._sources: dict[str, set[str]] = {}  # by match
        self._contradictions: set[LogPair] = set()
        self._newly_claimed: set[str] = set()
        self._note((*heads, *heard))

    def keys(self) -> list[LogKey]:
        """Return the sources and matches of all logs."""
        return [(source, match) for match, found in self._sources.items() for source in found]

    def hear(self, lines: Iterable[NewLine], wall: str) -> None:
        """Note lines that came at an instant of the wall clock."""
        heard = heard_after(self._first_heard, lines, wall)
        self._first_heard |= heard
        self._note(heard)

    def _note(self, keys: Iterable[LogKey]) -> None:
        for source, match in keys:
            known = self._sources.setdefault(match, set())
            if known - {source} and source not in known:
                self._newly_claimed.add(match)
            known.add(source)

    def drain_claimed(self) -> list[LogKey]:
        """Return the logs of matches that another source has sent or contradicted since."""
        claimed, self._newly_claimed = self._newly_claimed, set()
        return [(source, match) for match in claimed for source in self._sources[match]]

    def of(self, match: str) -> list[str]:
        """Return the keys of the sources that sent a match, that which was first comes first."""
        found = [(self._since(source, match), source) for source in self._sources.get(match, ())]
        return [source for _, source in sorted(found)]

    def claims(self, match: str, source: str, heads: LogHeads) -> list[Claim]:
        """Return who sent a match, this source first; `heads` tells how many lines each sent."""
        others = [each for each in self.of(match) if each != source]
        return [
            Claim(
                "match",
                each,
                self._since(each, match),
                heads.get((each, match), Point()).seq,
                _pair(match, each, source) not in self._contradictions,
            )
            for each in (source, *others)
        ]

    def first_heard(self, match: str) -> dict[str, FirstHeard]:
        """Return what was seen first of a match, by source."""
        found = self._first_heard.items()
        return {source: each for (source, name), each in found if name == match}

    def followed_since(self, result: Result) -> str:
        """Return when a match was heard to begin; "" if it was not followed."""
        first = self._first_heard.get(result.key)
        return first.followed_since(result.duration_ns) if first else ""

    def first_of(self, keys: Iterable[LogKey]) -> dict[LogKey, FirstHeard]:
        """Return what was seen first of some logs."""
        return {key: self._first_heard[key] for key in keys}

    def uncompared(self, keys: Iterable[LogKey]) -> set[LogPair]:
        """Return the pairs of these logs with others of their match that may contradict them."""
        pairs = {
            _pair(match, source, other)
            for source, match in keys
            for other in self._sources[match] - {source}
        }
        return pairs - self._contradictions

    def contradict(self, pair: LogPair) -> None:
        """Note that two logs of a match contradict each other."""
        self._contradictions.add(pair)
        self._newly_claimed.add(pair[0])

    def _since(self, source: str, match: str) -> str:
        first = self._first_heard.get((source, match))
        return first.since if first else ""


def _pair(match: str, source: str, other: str) -> LogPair:
    """Return the key of two logs of a match, in whatever order they are named."""
    return (match, source, other) if source < other else (match, other, source)
