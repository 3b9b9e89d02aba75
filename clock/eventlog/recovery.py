"""Going on after the program ended: what the log and the last sign of life say together.

The same boot and a gap of at most 30 s: the clocks never stopped, so the match goes on exactly, as
if nothing had happened. A longer gap (nobody plays on at a dead clock) or another boot: it is
restored, stopped, with the time used up to the last sign of life. A log that cannot be gone on with
stays as it is, and the match goes on in a log of its own (`begun_anew`).

The one rule: a difference of wall clocks is never taken for playing time.
"""

from collections.abc import Iterable
from typing import NamedTuple, Self

import msgspec
from msgspec import structs

from clock.eventlog.codec import Chain, DamagedError
from clock.match.events import MatchOpenedEvent, Origin, Record, RestoredEvent
from clock.match.inputs import Act, BreakTaken, CentrePressed, Restored
from clock.match.state import MatchState
from clock.eventlog.event_inputs import input_of
from clock.eventlog.replay import Match, Replayed, replayed_lines
from clock.match.rules import SECOND_NS

LOST_NS = SECOND_NS  # of play, at most, when the power is cut (R67)
CHECKPOINT_NS = LOST_NS // 2  # a sign of life this often while a clock runs: the disk takes time
EXACT_GAP_NS = 30 * SECOND_NS


class Checkpoint(msgspec.Struct, frozen=True):
    """A sign of life: the match as it was an instant after its latest record."""

    match: str
    seq: int  # of the latest record
    at_ns: int
    boot: str
    state: MatchState

    @property
    def goes_on(self) -> bool:
        """A clock runs: as long as nothing is recorded, there will be others."""
        return self.state.running is not None

    def by(self, now_ns: int) -> Self:
        """The last one by an instant, if nothing has been recorded meanwhile."""
        signs = max(0, now_ns - self.at_ns) // CHECKPOINT_NS if self.goes_on else 0
        return structs.replace(self, at_ns=self.at_ns + signs * CHECKPOINT_NS)


class Recovered(NamedTuple):
    """A match to go on with."""

    match: Match
    happened: Restored | None  # what the runtime tells the machine first; None: go on exactly
    notice: RestoredEvent | None = None  # a restoration that nobody has acknowledged yet
    origin: Origin | None = None  # the match goes on in a log of its own, which is to begin


class Known(NamedTuple):
    """What is known of a match whose log is not gone on with."""

    state: MatchState
    seen_ns: int  # the last instant of which anything is known, on that boot's raw clock
    lost_ns: int | None  # at most this much was played after it; None: not known
    origin: Origin


def recovered(
    lines: Iterable[bytes], latest: Checkpoint | None, boot: str, now_ns: int
) -> Recovered:
    """The match that a log and a sign of life tell of.

    Args:
        lines: the log's lines, without their line feeds.
        latest: the newest checkpoint; None if there is none.
        boot: the kernel's present boot id.
        now_ns: on the present boot's raw clock.

    Raises:
        DamagedError: the log is not what the clock wrote.
    """
    match, notice = _replayed(lines)
    state, chain = match
    seen = seen_ns(match, latest)
    gone_ns = now_ns - seen
    same_boot = chain.boot == boot and gone_ns >= 0
    if same_boot and gone_ns <= EXACT_GAP_NS:
        return Recovered(match, None, notice)
    lost_ns = 0 if state.running is None else LOST_NS
    happened = Restored(now_ns, lost_ns, _used_ns(state, seen), same_boot=same_boot)
    return Recovered(Match(state, chain._replace(boot=boot)), happened, notice)


def seen_ns(match: Match, latest: Checkpoint | None) -> int:
    """The last instant of which anything is known: the latest record's, or the sign of life's."""
    state, chain = match
    if latest and (latest.match, latest.seq, latest.boot) == (chain.match, chain.seq, chain.boot):
        return max(state.at_ns, latest.at_ns)
    return state.at_ns


def is_newer(latest: Checkpoint | None, match: Match) -> bool:
    """A sign of life that knows of lines which the log of its match has not."""
    chain = match.chain
    return latest is not None and latest.match == chain.match and latest.seq > chain.seq


def begun_anew(known: Known, why: str, boot: str, now_ns: int) -> Recovered:
    """A match that goes on, stopped, in a log of its own; instants of the old one are void.

    Args:
        known: what is known of it.
        why: damaged, replacement or safe_mode, for the log.
        boot: the kernel's present boot id.
        now_ns: on the present boot's raw clock.
    """
    used_ns = _used_ns(known.state, known.seen_ns)
    happened = Restored(now_ns, known.lost_ns, used_ns, why)
    return Recovered(Match(known.state, Chain("", boot)), happened, None, known.origin)


def noticed(notice: RestoredEvent | None, record: Record) -> RestoredEvent | None:
    """The restoration that the panels speak of after a record, until somebody acknowledges it.

    It is acknowledged by going on: a clock that runs, the centre, an act of the director.
    """
    if isinstance(record.event, RestoredEvent):
        return record.event
    if notice is None or record.running is not None or isinstance(record.event, MatchOpenedEvent):
        return None
    acknowledges = isinstance(input_of(record), CentrePressed | BreakTaken | Act)
    return None if acknowledges else notice


def _replayed(lines: Iterable[bytes]) -> tuple[Match, RestoredEvent | None]:
    latest: Replayed | None = None
    notice: RestoredEvent | None = None
    for latest in replayed_lines(lines):
        notice = noticed(notice, latest.line.record)
    if latest is None:
        raise DamagedError(1, "the log is empty")
    return latest.match, notice


def _used_ns(state: MatchState, seen: int) -> int | None:
    return None if state.turn is None else state.turn.elapsed_ns(max(seen, state.at_ns))
