"""Which match the clock goes on with when it starts; whatever lies on its disk, there is an answer.

In this order: the last match as its log tells it; what its damaged log and its sign of life still
prove; if the program has failed over it three times, its sign of life alone; and if that fails too,
a new match. The one rule: a log is never changed here, and a match that could not be gone on with
is told of on the displays.
"""

import traceback
from collections.abc import Collection, Sequence
from typing import NamedTuple

from clock.eventlog.codec import DamagedError
from clock.match.events import Origin
from clock.storage.journal import Found, Journal, JournalError
from clock.match.phases import Phase
from clock.runtime.ports import Fault, TimeSource
from clock.eventlog.recovery import Known, Recovered, begun_anew, is_newer, recovered
from clock.eventlog.salvage import known, safe

SAFE_AFTER = 3  # failures within a minute
NEW_AFTER = 2 * SAFE_AFTER
NOT_BEGUN_OR_OVER = (Phase.REVIEW, Phase.FINISHED)


class ResumeError(Exception):
    """The match of another clock cannot be gone on with; the message says why and what to do."""


class Brought(NamedTuple):
    """The log of another clock, to go on with here."""

    name: str  # for messages
    found: Found
    taken: Collection[Origin] = ()  # what has been gone on with here before
    instead: bool = False  # of a match that is under way here


class Opened:
    """The match to go on with, and what is to be told of it."""

    def __init__(self, last: Recovered | None, *told: Fault) -> None:
        """A match, or None: the next one begins."""
        self.last = last
        self._told = list(told)

    def faults(self) -> Sequence[Fault]:
        """What is to be told, once."""
        told, self._told = self._told, []
        return told


def opened(
    journal: Journal, time: TimeSource, failures: int = 0, brought: Brought | None = None
) -> Opened:
    """The match to go on with.

    Args:
        journal: knows what the last run left behind.
        time: now, and the boot.
        failures: how often the program has failed within the last minute.
        brought: the log of another clock.

    Raises:
        ResumeError: the other clock's match cannot be gone on with here.
        DamagedError: nothing can be made of the other clock's log.
        JournalError: the log directory cannot be used.
    """
    own = _own(journal, time, failures)
    if brought is None:
        return own
    there = known(*brought.found)
    if there.origin in brought.taken:
        return own
    _refuse(brought, there, own.last)
    return Opened(begun_anew(there, "replacement", time.boot, time.now_ns()))


# --- this clock's own -------------------------------------------------------------------------


def _own(journal: Journal, time: TimeSource, failures: int) -> Opened:
    try:
        found = journal.found()
        if found is None:
            return Opened(None)
        if failures < SAFE_AFTER:
            return Opened(_gone_on(found, time))
        if failures < NEW_AFTER:
            sign = safe(found.latest, found.lines)
            return Opened(begun_anew(sign, "safe_mode", time.boot, time.now_ns()))
        why = f"the clock has failed {failures} times over it"
    except JournalError:
        raise  # a person has to see to it
    except DamagedError as damage:
        why = str(damage)
    except Exception as bug:
        if failures < SAFE_AFTER:
            raise  # the service starts the program again, and counts
        traceback.print_exc()  # the evidence
        why = repr(bug)
    what = f"the last match cannot be gone on with ({why}); its log stays. This is a new match"
    return Opened(None, Fault("recovery", f"{what}: enter score, length and times"))


def _gone_on(found: Found, time: TimeSource) -> Recovered | None:
    """The last match; None if the next one is to begin.

    A match that was over, or that nobody had begun to play, ends with the power: the director may
    have changed the settings since.
    """
    try:
        last = recovered(found.lines, found.latest, time.boot, time.now_ns())
        if is_newer(found.latest, last.match):  # lines are missing: their disk was full
            last = begun_anew(known(*found), "damaged", time.boot, time.now_ns())
    except DamagedError:
        last = begun_anew(known(*found), "damaged", time.boot, time.now_ns())
    over = last.match.state.phase in NOT_BEGUN_OR_OVER
    return None if over and last.happened is not None else last


# --- another clock's --------------------------------------------------------------------------


def _refuse(brought: Brought, there: Known, own: Recovered | None) -> None:
    """Say no rather than begin a match that nobody wants.

    Raises:
        ResumeError: it is over, nobody has begun it, or a match is under way here.
    """
    score = f"{there.state.score.left}-{there.state.score.right}"
    if there.state.phase is Phase.FINISHED:
        raise ResumeError(
            f"{brought.name}: that match is over ({score}); start the clock without --resume"
        )
    if there.state.phase is Phase.REVIEW:
        raise ResumeError(
            f"{brought.name}: nobody had begun that match; start the clock without --resume"
        )
    if own is None or own.match.state.phase in NOT_BEGUN_OR_OVER or brought.instead:
        return
    mine = f"{own.match.state.score.left}-{own.match.state.score.right}"
    name = own.origin.match if own.origin else own.match.chain.match
    raise ResumeError(
        f"a match is under way on this clock (log {name}, score {mine}); end it, or put --instead"
        " beside --resume to leave it for the other one (its log stays)"
    )
