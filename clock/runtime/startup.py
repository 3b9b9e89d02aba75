"""Decide which match the clock resumes when it starts; there is an answer for every disk.

In this order: the last match by its log; what its damaged log and its checkpoint still prove; the
checkpoint alone, if there is no usable log or after three failures within a minute; after six
failures a new match, with a warning on the displays. No log is changed here. A checkpoint that the
log does not confirm is kept under another name before the next one is written.
"""

import sys
from collections.abc import Collection, Sequence
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from msgspec import structs

from clock.eventlog.codec import DamagedError
from clock.eventlog.recovery import Recovery, is_ahead, recover
from clock.eventlog.salvage import (
    Salvaged,
    continue_in_new_log,
    salvage,
    salvage_checkpoint,
    salvage_without_log,
)
from clock.match.events import Origin
from clock.match.faults import Fault
from clock.match.inputs import REPLACEMENT
from clock.match.rules import Offer
from clock.match.scoring import score_text
from clock.match.state import AT_REST, MatchState
from clock.match.types import Phase
from clock.runtime.ports import TimeSource
from clock.storage.checkpoint import CHECKPOINT, read_checkpoint
from clock.storage.journal import Journal, JournalError
from clock.storage.last_match import NOT_BEGUN_OR_OVER, find_last_match
from clock.storage.log_reader import SavedMatch

SAFE_AFTER = 3  # failures within a minute
NEW_AFTER = 2 * SAFE_AFTER


class ResumeError(Exception):
    """The match of another clock cannot be resumed; the message says why and what to do."""


class ForeignLog(NamedTuple):
    """The log of another clock, whose match is to be resumed here."""

    name: str  # for messages
    saved: SavedMatch
    resumed: Collection[Origin]  # logs that have been resumed on this clock before
    instead: bool  # abandon a match under way on this clock


class StartupMatch:
    """The match to resume (None: open the next one), and faults to report.

    `preset` and `offer` are what was chosen and offered for the next one before the restart, None
    if nothing.
    """

    def __init__(
        self,
        recovery: Recovery | None,
        *faults: Fault,
        preset: str | None = None,
        offer: Offer | None = None,
    ) -> None:
        self.recovery = recovery
        self.preset, self.offer = preset, offer
        self._faults = list(faults)

    @property
    def is_under_way(self) -> bool:
        """Whether a match is resumed that has begun and is not over."""
        recovery = self.recovery
        return recovery is not None and recovery.match.state.phase not in NOT_BEGUN_OR_OVER

    @property
    def waiting_faults(self) -> Sequence[Fault]:
        """The faults that `faults` returns next, for the first picture."""
        return tuple(self._faults)

    def faults(self) -> Sequence[Fault]:
        """Return the faults, at the first call only."""
        faults, self._faults = self._faults, []
        return faults


def find_match(
    journal: Journal, time: TimeSource, failures: int = 0, foreign: ForeignLog | None = None
) -> StartupMatch:
    """Return the match to resume.

    `failures` counts those of the last minute. The foreign log goes first, unless it has been
    resumed here before.

    Raises:
        ResumeError: the other clock's match cannot be resumed here.
        DamagedError: the other clock's log proves nothing.
        JournalError: the log directory cannot be used.
    """
    own = _find_own(journal, time, failures)
    if foreign is None:
        return own
    salvaged = salvage(foreign.saved.lines, foreign.saved.checkpoint)
    if salvaged.origin in foreign.resumed:
        return own
    _check_resumable(foreign, salvaged, own.recovery)
    if own.is_under_way:  # abandoned: a power cut before the next checkpoint must not bring it back
        journal.keep_checkpoint()
    return StartupMatch(continue_in_new_log(salvaged, REPLACEMENT, time.boot, time.now_ns()))


def find_new_match(journal: Journal) -> StartupMatch:
    """Abandon the last match, if there is one; its log and its checkpoint are kept.

    Raises:
        JournalError: the log directory cannot be used.
    """
    journal.reopen()
    journal.keep_checkpoint()
    return StartupMatch(None)


def match_under_way(directory: Path) -> MatchState | None:
    """Return the match that a clock with these logs would go on with; None if there is none.

    Nothing is changed, and the clock may be running meanwhile.

    Raises:
        JournalError: the log cannot be read.
    """
    last = find_last_match(directory, read_checkpoint(directory / CHECKPOINT))
    try:
        salvaged = last and _salvage(last.saved)
    except DamagedError:
        return None
    if salvaged is None or salvaged.state.phase in NOT_BEGUN_OR_OVER:
        return None
    return salvaged.state


def _find_own(journal: Journal, time: TimeSource, failures: int) -> StartupMatch:
    try:
        saved = journal.reopen()
        if saved is None:
            return StartupMatch(None)
        if failures < NEW_AFTER:
            safe_mode = failures >= SAFE_AFTER
            recovery = _recover_safely(saved, time) if safe_mode else _recover(saved, time)
            if recovery is not None and not safe_mode and _makes_way(recovery, saved):
                state = recovery.match.state
                preset, offer = _preset_of_next(state), state.standing_offer
                return StartupMatch(None, *_other_match(saved), preset=preset, offer=offer)
            if recovery is not None and recovery.origin is not None:
                journal.keep_checkpoint()
            return StartupMatch(recovery, *_other_match(saved, recovery))
        why = f"the clock has failed {failures} times over it"
    except JournalError:
        raise  # a person has to act on it
    except DamagedError as damage:
        why = str(damage)
    except Exception as bug:
        if failures < SAFE_AFTER:
            raise  # the service restarts the program, and the crash guard counts
        sys.excepthook(type(bug), bug, bug.__traceback__)
        why = repr(bug)
    journal.keep_checkpoint()
    return StartupMatch(
        None, _new_match(f"the last match cannot be resumed ({why}); its log is kept")
    )


def _other_match(saved: SavedMatch, recovery: Recovery | None = None) -> tuple[Fault, ...]:
    """Return the fault to show if the directory has another match, which is not resumed."""
    if not saved.other:
        return ()
    return (_new_match(saved.other) if recovery is None else Fault("recovery", saved.other),)


def _new_match(why: str) -> Fault:
    return Fault("recovery", f"{why}. This is a new match: enter score, length and times")


def _recover(saved: SavedMatch, time: TimeSource) -> Recovery | None:
    recovery = None
    with suppress(DamagedError):
        recovery = recover(saved.lines, saved.checkpoint, time.boot, time.now_ns())
    if recovery is None or is_ahead(saved.checkpoint, recovery.match):  # a full disk loses lines
        salvaged = _salvage(saved)
        if salvaged is None:
            return None
        recovery = continue_in_new_log(salvaged, "damaged", time.boot, time.now_ns())
    elif saved.is_torn and recovery.restored is not None:
        restored = structs.replace(recovery.restored, lost_ns=None)
        recovery = recovery._replace(restored=restored)
    return recovery


def _makes_way(recovery: Recovery, saved: SavedMatch) -> bool:
    """Return whether the next match is opened at once after a power cut.

    One that had not begun is opened anew, because the director may have changed the settings. The
    result of one that was over, and what was adjourned, stay on the panels for the players to write
    down, unless that log is damaged or the directory shows another match.
    """
    if recovery.restored is None:
        return False
    if recovery.match.state.phase in AT_REST:
        return recovery.origin is not None or bool(saved.other)
    return recovery.match.state.phase is Phase.REVIEW


def _preset_of_next(state: MatchState) -> str | None:
    """Return what was chosen for a match that has not begun; for the one after it nothing is."""
    return state.preset if state.phase is Phase.REVIEW else None


def _recover_safely(saved: SavedMatch, time: TimeSource) -> Recovery:
    """Return the match in the checkpoint, without replaying any line."""
    try:
        salvaged = salvage_checkpoint(saved.checkpoint, saved.lines)
    except DamagedError as damage:
        salvaged = salvage_without_log(saved.checkpoint, saved.lines, damage)
    return continue_in_new_log(salvaged, "safe_mode", time.boot, time.now_ns())


def _salvage(saved: SavedMatch) -> Salvaged | None:
    """Return what log and checkpoint prove; None: there is no log, and no match was under way."""
    try:
        return salvage(saved.lines, saved.checkpoint, saved.match)
    except DamagedError as damage:
        if saved.lines:
            return salvage_without_log(saved.checkpoint, saved.lines, damage)
    with suppress(DamagedError):
        missing = DamagedError(1, saved.why_no_lines)
        return salvage_without_log(saved.checkpoint, saved.lines, missing)
    return None


def _check_resumable(foreign: ForeignLog, salvaged: Salvaged, own: Recovery | None) -> None:
    """Refuse to resume a match if that is probably a mistake.

    Raises:
        ResumeError: it is over, it has not begun, or another match is under way on this clock.
    """
    score = score_text(salvaged.state.score)
    if salvaged.state.phase is Phase.FINISHED:
        raise ResumeError(
            f"{foreign.name}: that match is over ({score}); start the clock without --resume"
        )
    if salvaged.state.phase is Phase.REVIEW:
        raise ResumeError(
            f"{foreign.name}: that match has not begun; start the clock without --resume"
        )
    if own is None or own.match.state.phase in NOT_BEGUN_OR_OVER or foreign.instead:
        return
    score = score_text(own.match.state.score)
    name = own.origin.match if own.origin else own.match.chain.match
    raise ResumeError(
        f"a match is under way on this clock (log {name}, score {score}); end it first, or add"
        " --instead to --resume to abandon it (its log is kept)"
    )
