"""Recover a match after the program has ended, from its log and the last checkpoint.

On the same boot, at most 30 s after the last checkpoint, the clocks never stopped and the match
resumes exactly as it was. After a longer gap (players do not play on at a dead clock) or on another
boot the match is restored: stopped, with the time used up to the last checkpoint. The difference
between two wall clocks is never counted as playing time.

How much play is lost at most is known only if the latest checkpoint has kept up with the log;
otherwise checkpoints, and perhaps lines, are missing.
"""

from collections.abc import Iterable
from typing import NamedTuple, Self

import msgspec
from msgspec import structs

from clock.eventlog.codec import DamagedError
from clock.eventlog.event_inputs import MENU, input_of
from clock.eventlog.replay import Match, ReplayStep, replay_lines
from clock.match.events import MatchOpenedEvent, Origin, PressedEvent, Record, RestoredEvent
from clock.match.inputs import BreakTaken, CentrePressed, Restored, Ruling
from clock.match.state import MatchState
from clock.units import SECOND_NS

LOST_NS = SECOND_NS  # of play, at most, when the power is cut (R67)
CHECKPOINT_NS = LOST_NS // 2  # between checkpoints while a clock runs: the card takes time too
EXACT_GAP_NS = 30 * SECOND_NS


class Checkpoint(msgspec.Struct, frozen=True):
    """The full state of a match at an instant after its latest record."""

    match: str
    seq: int  # of the latest record
    at_ns: int
    boot: str
    state: MatchState

    @property
    def clock_runs(self) -> bool:
        """Whether more checkpoints follow even if nothing is recorded."""
        return self.state.running is not None

    def last_by(self, now_ns: int) -> Self:
        """Return the last checkpoint written by `now_ns` if nothing was recorded since this one."""
        count = max(0, (now_ns - self.at_ns) // CHECKPOINT_NS) if self.clock_runs else 0
        return structs.replace(self, at_ns=self.at_ns + count * CHECKPOINT_NS)


class Recovery(NamedTuple):
    """A match to resume."""

    match: Match
    restored: Restored | None  # the machine's first input; None: the match resumes exactly
    notice: RestoredEvent | None = None  # an earlier restoration, not acknowledged yet
    origin: Origin | None = None  # not None: the match continues in a new log


def recover(
    lines: Iterable[bytes], checkpoint: Checkpoint | None, boot: str, now_ns: int
) -> Recovery:
    """Return the match that a log and a checkpoint describe.

    `lines` have no line feeds; `checkpoint` is the newest, of any match; `boot` and `now_ns` are
    those of the present boot.

    Raises:
        DamagedError: the log is not what the clock wrote.
    """
    match, notice, followed_seq, in_menu = _replay(lines)
    state, chain = match
    known_ns = last_known_ns(match, checkpoint)
    gap_ns = now_ns - known_ns
    same_boot = chain.boot == boot and gap_ns >= 0
    if same_boot and gap_ns <= EXACT_GAP_NS:
        return Recovery(match, None, notice)
    lost_ns = None
    if checkpoint is not None and _keeps_up(checkpoint, match, followed_seq):
        lost_ns = 0 if state.running is None else LOST_NS
    restored = Restored(
        now_ns, lost_ns, turn_used_ns(state, known_ns), same_boot=same_boot, in_menu=in_menu
    )
    return Recovery(Match(state, chain._replace(boot=boot)), restored, notice)


def _keeps_up(checkpoint: Checkpoint, match: Match, followed_seq: int) -> bool:
    """Whether no later checkpoint can have been written a second or more before the end.

    Line `followed_seq` is the latest after which a clock ran so long that checkpoints followed.
    """
    chain = match.chain
    if checkpoint.match != chain.match:
        return not followed_seq and (match.state.running is None or checkpoint.boot == chain.boot)
    if match.state.running is not None and checkpoint.boot != chain.boot:
        return False  # the first is written at once when the program starts
    return checkpoint.seq >= followed_seq


def last_known_ns(match: Match, checkpoint: Checkpoint | None) -> int:
    """Return the instant of the latest record, or of the checkpoint if it was written after it."""
    state, chain = match
    end = (chain.match, chain.seq, chain.boot)
    if checkpoint and (checkpoint.match, checkpoint.seq, checkpoint.boot) == end:
        return max(state.at_ns, checkpoint.at_ns)
    return state.at_ns


def is_ahead(checkpoint: Checkpoint | None, match: Match) -> bool:
    """Whether a checkpoint of this match was written after lines that its log does not have."""
    chain = match.chain
    return checkpoint is not None and checkpoint.match == chain.match and checkpoint.seq > chain.seq


def turn_used_ns(state: MatchState, at_ns: int) -> int | None:
    """Return how long the turn on the clock has taken by `at_ns`; None without a turn."""
    return None if state.turn is None else state.turn.elapsed_ns(max(at_ns, state.at_ns))


def notice_after(notice: RestoredEvent | None, record: Record) -> RestoredEvent | None:
    """Return the restoration that the panels still mention after a record.

    It is acknowledged by whatever resumes the match: a running clock, the centre button, a ruling
    of the director.
    """
    if isinstance(record.event, RestoredEvent):
        return record.event
    if notice is None or record.running is not None or isinstance(record.event, MatchOpenedEvent):
        return None
    acknowledged = isinstance(input_of(record), CentrePressed | BreakTaken | Ruling)
    return None if acknowledged else notice


def _replay(lines: Iterable[bytes]) -> tuple[Match, RestoredEvent | None, int, bool]:
    """Return the match after all lines, the restoration to mention, and see `_keeps_up`.

    The last is whether the latest press was for a page of the dialogue, which is lost.
    """
    latest: ReplayStep | None = None
    notice: RestoredEvent | None = None
    followed_seq = 0
    for step in replay_lines(lines):
        if latest is not None and _ran_on(latest, step):
            followed_seq = latest.match.chain.seq
        notice, latest = notice_after(notice, step.line.record), step
    if latest is None:
        raise DamagedError(1, "the log is empty")
    event = latest.line.record.event
    in_menu = isinstance(event, PressedEvent) and event.why == MENU
    return latest.match, notice, followed_seq, in_menu


def _ran_on(before: ReplayStep, after: ReplayStep) -> bool:
    """Whether a clock ran for a second or more between two lines."""
    boots = before.match.chain.boot, after.match.chain.boot
    ran_ns = after.line.record.at_ns - before.line.record.at_ns
    return before.match.state.running is not None and boots[0] == boots[1] and ran_ns >= LOST_NS
