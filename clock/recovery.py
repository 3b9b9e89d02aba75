"""Going on after the program ended: what the log and the last sign of life say together.

The same boot and a gap of at most 30 s: the clocks never stopped, so the match goes on exactly, as
if nothing had happened. A longer gap (nobody plays on at a dead clock) or another boot: it is
restored, stopped, with the time used up to the last sign of life.

The one rule: a difference of wall clocks is never taken for playing time.
"""

from collections.abc import Iterable
from typing import NamedTuple

import msgspec

from clock.inputs import Restored
from clock.match import MatchState
from clock.replay import Match, replay
from clock.rules import SECOND_NS

CHECKPOINT_NS = SECOND_NS  # a sign of life this often while a clock runs (R67)
EXACT_GAP_NS = 30 * SECOND_NS


class Checkpoint(msgspec.Struct, frozen=True):
    """A sign of life: the match as it was an instant after its latest record."""

    match: str
    seq: int  # of the latest record
    at_ns: int
    boot: str
    state: MatchState


class Recovered(NamedTuple):
    """A match to go on with."""

    match: Match
    happened: Restored | None  # what the runtime tells the machine first; None: go on exactly


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
    match = replay(lines).match
    state, chain = match
    seen_ns = state.at_ns
    if latest and (latest.match, latest.seq, latest.boot) == (chain.match, chain.seq, chain.boot):
        seen_ns = max(seen_ns, latest.at_ns)
    if chain.boot == boot and 0 <= now_ns - seen_ns <= EXACT_GAP_NS:
        return Recovered(match, None)
    used_ns = None if state.turn is None else state.turn.elapsed_ns(seen_ns)
    lost_ns = 0 if state.running is None else CHECKPOINT_NS
    return Recovered(
        Match(state, chain._replace(boot=boot)), Restored(now_ns, lost_ns=lost_ns, used_ns=used_ns)
    )
