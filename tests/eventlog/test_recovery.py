"""Recovery after the program has ended: exactly, or restored from the last checkpoint."""

import pytest

from clock.eventlog.recovery import (
    EXACT_GAP_NS,
    LOST_NS,
    Recovery,
    notice_after,
    recover,
)
from clock.eventlog.replay import Match
from clock.match import inputs
from clock.match.events import RestoredEvent, Writer
from clock.match.inputs import Restored
from clock.match.machine import advance, open_match
from clock.match.rules import Reason
from clock.match.types import Button, Phase
from clock.ui.descriptions import event_lines
from clock.ui.i18n import sayer
from lab.support.last_run import (
    BOOT,
    NEXT_BOOT,
    PHASES,
    RUNNING,
    START,
    S,
    Written,
    checkpoint_at,
    match_in,
)
from lab.support.logs import monkey_logs
from lab.support.rows import row
from lab.support.world import LEFT, RIGHT, match_settings


def resume(found: Recovery) -> Written:
    """Return the match as the runtime resumes it."""
    match = Written()
    match.state, match.chain = found.match
    match.lines = []
    return match.give(*([found.restored] if found.restored else []))


# --- the same boot, soon ----------------------------------------------------------------------


@pytest.mark.rule("R67")
@pytest.mark.parametrize("phase", PHASES)
@pytest.mark.parametrize("gap_ns", [0, 1, 30 * S])
def test_on_the_same_boot_within_half_a_minute_the_match_resumes_exactly(
    phase: str, gap_ns: int
) -> None:
    """R67: the raw clock ran on, so the match resumes exactly, in every phase."""
    match = match_in(phase)
    now_ns = match.state.at_ns + gap_ns
    assert recover(match.lines, None, BOOT, now_ns) == Recovery(
        Match(match.state, match.chain), None
    )


@pytest.mark.rule("R67")
def test_the_gap_counts_from_the_last_checkpoint() -> None:
    """R67: a long turn has no records, but checkpoints every half second."""
    match = match_in("RUNNING")
    now_ns = 600 * S
    latest = checkpoint_at(match, now_ns - EXACT_GAP_NS)
    assert recover(match.lines, latest, BOOT, now_ns).restored is None
    assert recover(match.lines, latest, BOOT, now_ns + 1).restored is not None
    assert recover(match.lines, None, BOOT, now_ns).restored is not None


@pytest.mark.rule("R67")
def test_a_flag_that_fell_meanwhile_has_fallen_at_its_instant() -> None:
    """R67: the match resumes exactly: no player gains time while the program is away."""
    match = Written(time_per_point_ns=2 * S, bank_step_ns=1).give(*RUNNING)
    flag_ns = (12 + 22) * S
    found = recover(match.lines, checkpoint_at(match, flag_ns - 1), BOOT, flag_ns + 29 * S)
    state, records = advance(found.match.state, inputs.TimePassed(flag_ns + 29 * S))
    assert [record.at_ns for record in records] == [flag_ns]
    assert state.flags_down == 1


# --- another boot, or too late ----------------------------------------------------------------

AWAY = [
    pytest.param(NEXT_BOOT, 5, id="another boot"),
    pytest.param(NEXT_BOOT, 10**15, id="another boot, late"),
    pytest.param(BOOT, 20 * S + 30 * S + 1, id="the same boot, too late"),
]


@pytest.mark.rule("R67")
@pytest.mark.parametrize("phase", PHASES)
@pytest.mark.parametrize(("boot", "now_ns"), AWAY)
def test_otherwise_it_is_restored_and_no_clock_runs(phase: str, boot: str, now_ns: int) -> None:
    """R67: no clock runs, the times are the last known, a turn is stopped for power loss."""
    match = match_in(phase)
    found = recover(match.lines, None, boot, now_ns)
    assert found.match.chain.boot == boot
    after = resume(found)
    stopped = {"RUNNING", "FREE_TURN"}
    assert after.state.phase == ("STOPPED" if phase in stopped else phase)
    assert after.state.running is None
    if phase in stopped:
        assert after.state.reason is Reason.POWER_LOSS
    for side in (LEFT, RIGHT):
        assert after.state.reserve_ns(side, now_ns) == match.state.reserve_ns(
            side, match.state.at_ns
        )
    assert after.state.delay_left_ns(now_ns) == match.state.delay_left_ns(match.state.at_ns)


@pytest.mark.rule("R67")
@pytest.mark.parametrize("played_ns", [0, 1, 5 * S, 12 * S, 12 * S + 1, 100 * S])
def test_a_running_turn_has_used_what_the_checkpoint_knows(played_ns: int) -> None:
    """R67: at most a second of play is lost, and the log says so."""
    match = match_in("RUNNING")
    found = recover(match.lines, checkpoint_at(match, played_ns), NEXT_BOOT, 5)
    assert found.restored == Restored(5, LOST_NS, played_ns)
    after = resume(found)
    assert after.state.delay_left_ns(5) == max(0, 12 * S - played_ns)
    assert after.state.reserve_ns(LEFT, 5) == 1320 * S - max(0, played_ns - 12 * S)


@pytest.mark.rule("R67")
@pytest.mark.parametrize("phase", [phase for phase in PHASES if phase != "RUNNING"])
def test_while_no_clock_ran_nothing_is_lost(phase: str) -> None:
    """R67: the restoration says so."""
    match = match_in(phase)
    happened = recover(match.lines, checkpoint_at(match, match.state.at_ns), NEXT_BOOT, 5).restored
    assert happened is not None
    assert happened.lost_ns == 0


@pytest.mark.rule("R67")
@pytest.mark.parametrize("phase", PHASES)
def test_without_a_checkpoint_what_is_lost_is_not_known(phase: str) -> None:
    """R67: one is written at once at every start; lines after the last one may be gone, too."""
    happened = recover(match_in(phase).lines, None, NEXT_BOOT, 5).restored
    assert happened is not None
    assert happened.lost_ns is None


@pytest.mark.rule("R67")
@pytest.mark.parametrize("count", range(5, 9))
def test_a_checkpoint_that_has_not_kept_up_with_the_log_says_nothing_of_its_end(count: int) -> None:
    """R67: a clock ran for 20 s after line 6, so that checkpoints followed it and are gone."""
    early = match_in("RUNNING")
    match = match_in("RUNNING").give(inputs.Pressed(S // 2, LEFT))
    middle = checkpoint_at(match, S)
    match.give(inputs.Pressed(21 * S, RIGHT), inputs.Pressed(21 * S + S // 2, LEFT))
    for latest in (checkpoint_at(early, 1), checkpoint_at(early, 1, match="yesterday")):
        known = recover(match.lines[:count], latest, NEXT_BOOT, 5).restored
        assert known is not None
        assert (known.lost_ns is None) == (count > 6)
    kept = recover(match.lines[:count], middle, NEXT_BOOT, 5).restored
    assert kept is not None
    assert kept.lost_ns == LOST_NS


@pytest.mark.rule("R67")
def test_a_line_of_the_last_second_needs_no_checkpoint_of_its_own() -> None:
    """R67: the one before it is still there, and would have been overwritten within a second."""
    match = match_in("RUNNING")
    for latest in (checkpoint_at(match_in("READY"), 0), checkpoint_at(match, 0, match="yesterday")):
        happened = recover(match.lines, latest, NEXT_BOOT, 5).restored
        assert happened is not None
        assert happened.lost_ns == LOST_NS
    yesterday = checkpoint_at(match, 0, match="yesterday", boot="old")
    happened = recover(match_in("READY").lines, yesterday, NEXT_BOOT, 5).restored
    assert happened is not None
    assert happened.lost_ns == 0  # no clock has run
    happened = recover(match.lines, yesterday, NEXT_BOOT, 5).restored
    assert happened is not None
    assert happened.lost_ns is None  # one follows at once when a clock starts on another boot


@pytest.mark.parametrize("changes", [{"match": "other"}, {"seq": 3}, {"seq": 6}, {"boot": "old"}])
def test_a_checkpoint_of_another_match_boot_or_record_is_ignored(
    changes: dict[str, object],
) -> None:
    """A checkpoint of another match or boot, or from before the latest record, is ignored."""
    match = match_in("RUNNING")
    found = recover(match.lines, checkpoint_at(match, 9 * S, **changes), NEXT_BOOT, 5)
    lost_ns = None if "boot" in changes else LOST_NS
    assert found.restored == Restored(5, lost_ns, 0)


def test_a_checkpoint_older_than_the_latest_record_takes_nothing_back() -> None:
    """The latest record gives the time if it is newer than the checkpoint."""
    match = match_in("RUNNING").give(inputs.FaultSeen(15 * S, "log", "full"))
    happened = recover(match.lines, checkpoint_at(match, 14 * S), NEXT_BOOT, 5).restored
    assert happened is not None
    assert happened.used_ns == 15 * S


def test_a_raw_clock_that_went_back_is_another_boot() -> None:
    match = match_in("RUNNING")
    assert recover(match.lines, checkpoint_at(match, 9 * S), BOOT, 9 * S - 1).restored is not None


@pytest.mark.rule("R67")
def test_a_checkpoint_is_repeated_every_half_second_while_a_clock_runs() -> None:
    """R67: at the latest one nothing newer is known."""
    running = checkpoint_at(match_in("RUNNING"), 10 * S)
    half = S // 2
    instants = [running.last_by(10 * S + after).at_ns for after in (-1, half - 1, half, 5 * half)]
    assert instants == [10 * S, 10 * S, 10 * S + half, 10 * S + 5 * half]
    stopped = checkpoint_at(match_in("STOPPED"), 10 * S)
    assert stopped.last_by(99 * S) == stopped


@pytest.mark.rule("R67")
def test_no_clock_ran_between_two_boots() -> None:
    """R67: the instants of two boots cannot be compared, so no checkpoint is missing between."""
    match = match_in("RUNNING").rebooted().give(Restored(50 * S, 0, 0))
    latest = checkpoint_at(match, 9 * S, seq=match.chain.seq - 2)
    restored = recover(match.lines, latest, "boot-3", 5).restored
    assert restored is not None
    assert restored.lost_ns == 0


@pytest.mark.rule("R67")
def test_a_checkpoint_follows_after_a_second_of_play_and_no_sooner() -> None:
    """R67: what is gone can only have been written while a clock ran."""
    for phase, after_ns, is_known in (
        ("RUNNING", LOST_NS - 1, True),
        ("RUNNING", LOST_NS, False),
        ("STOPPED", 100 * S, True),
    ):
        match = match_in(phase)
        latest = checkpoint_at(match, match.state.at_ns, seq=match.chain.seq - 1)
        match.give(inputs.FaultSeen(match.state.at_ns + after_ns, "log", "full"))
        with row(phase, after_ns):
            restored = recover(match.lines, latest, NEXT_BOOT, 5).restored
            assert restored is not None
            assert (restored.lost_ns is not None) is is_known


# --- what is restored -------------------------------------------------------------------------


def across(match: Written) -> Written:
    """Return the match after a power cut, on the next boot at instant 5."""
    return resume(recover(match.lines, None, NEXT_BOOT, 5))


@pytest.mark.rule("R57", "R67")
def test_on_the_same_boot_a_break_and_lateness_count_on() -> None:
    """R57: the raw clock went on, so what it counted did; what fell due has its own instant."""
    after = resume(recover(match_in("BREAK").lines, None, BOOT, 500 * S))
    assert after.state.pause is not None
    assert after.state.pause.since_ns == 0
    assert b'"event":"restored"' in after.lines[0]
    assert b'"same_boot":true' in after.lines[0]
    later = resume(recover(match_in("BREAK").lines, None, BOOT, 1000 * S))
    steps = [b'"at_ns":%d00000000000,' % step for step in (6, 9, 10)]
    assert [step in line for step, line in zip(steps, later.lines, strict=True)] == [True] * 3
    assert [b'"event":"late"' in line for line in later.lines] == [True, True, False]
    whole = [*match_in("BREAK").lines, *later.lines]
    assert recover(whole, None, BOOT, 1000 * S).match == (later.state, later.chain)


@pytest.mark.rule("R42", "R67")
def test_on_the_same_boot_the_margin_of_flags_is_known() -> None:
    """R42: no flag falls while the program is away, for the match is restored stopped."""
    match = Written(time_per_point_ns=2 * S, bank_step_ns=1)
    match.give(*RUNNING, inputs.Pressed(40 * S, LEFT))
    found = recover(match.lines, checkpoint_at(match, 41 * S), BOOT, 1000 * S)
    assert found.restored == Restored(1000 * S, LOST_NS, 1 * S, same_boot=True)
    after = resume(found)
    assert len(after.lines) == 1
    after.give(inputs.CentrePressed(1001 * S), inputs.TimePassed(2000 * S))
    margin_ns = 1001 * S + 33 * S - 34 * S
    assert b'"order":2,"margin_ns":%d' % margin_ns in after.lines[-1]
    again = recover([*match.lines, *after.lines], None, BOOT, 2000 * S)
    assert again.match.chain == after.chain


@pytest.mark.rule("R67")
@pytest.mark.parametrize("phase", PHASES)
def test_a_restoration_is_shown_until_the_match_resumes(phase: str) -> None:
    """R67: through further crashes; a fault or the menu does not acknowledge it."""
    match = match_in(phase)
    after = resume(recover(match.lines, None, NEXT_BOOT, 5))
    after.give(inputs.FaultSeen(6, "log", "full"), inputs.Noted(7, Button.LEFT))
    lines = [*match.lines, *after.lines]
    notice = recover(lines, None, NEXT_BOOT, 8).notice
    assert notice is not None
    assert notice.why == "power_loss"
    after.give(inputs.Pressed(9, LEFT) if phase == "READY" else inputs.CentrePressed(9))
    assert recover([*match.lines, *after.lines], None, NEXT_BOOT, 10).notice is None


@pytest.mark.rule("R59", "R67")
def test_lateness_that_the_clock_counts_acknowledges_nothing() -> None:
    match = Written().give(*START, inputs.AbsenceNoted(0, RIGHT), inputs.TimePassed(10 * S))
    after = across(match).give(inputs.TimePassed(301 * S))
    assert b'"event":"late"' in after.lines[-1]
    assert recover([*match.lines, *after.lines], None, NEXT_BOOT, 302 * S).notice is not None


@pytest.mark.rule("R67")
def test_another_match_has_nothing_to_do_with_a_restoration() -> None:
    notice = RestoredEvent("power_loss", 0, 0, same_boot=False)
    _, opened = open_match(match_settings(), 5, Writer("test"))
    assert notice_after(notice, opened) is None


@pytest.mark.rule("R62", "R67")
def test_an_absent_players_turn_stays_theirs() -> None:
    """R62: resumed after the cut, their clock runs on, and only the centre stops it."""
    match = Written("nbgf").give(*START, inputs.AbsentClockStarted(0, RIGHT))
    latest = checkpoint_at(match, 20 * S)
    after = resume(recover(match.lines, latest, NEXT_BOOT, 5))
    after.give(inputs.CentrePressed(6))
    assert (after.state.running, after.state.reserve_ns(RIGHT, 6)) == (RIGHT, 1312 * S)
    after.give(inputs.Pressed(7, RIGHT))
    assert b'"accepted":false,"why":"absent"' in after.lines[-1]
    after.give(inputs.CentrePressed(8))
    assert after.state.phase is Phase.READY


@pytest.mark.rule("R23", "R67")
def test_a_free_turn_is_still_free() -> None:
    """R23: resumed after the cut, it is played off the clock."""
    after = across(match_in("FREE_TURN")).give(inputs.CentrePressed(6))
    assert after.state.phase is Phase.FREE_TURN
    after.give(inputs.Pressed(60 * S, LEFT))
    assert (after.state.running, after.state.delay_left_ns(60 * S)) == (RIGHT, 0)
    assert after.state.reserve_ns(LEFT, 60 * S) == 1312 * S


def test_a_clock_held_for_the_director_stays_held() -> None:
    match = match_in("STOPPED")
    for _ in range(2):  # back to the last of the reasons but one
        match.give(inputs.Pressed(20 * S, LEFT))
    match.give(inputs.CentrePressed(20 * S))
    assert match.state.held
    after = across(match).give(inputs.CentrePressed(6))
    assert b'"why":"director_needed"' in after.lines[-1]


# --- again and again --------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.rule("R67", "R83")
@pytest.mark.parametrize("seed", range(4))
def test_a_match_can_be_recovered_after_each_of_its_lines(seed: int) -> None:
    """R67: wherever the power goes: no time is made, no clock runs, and the log goes on."""
    for lines in monkey_logs(seed, 50):
        for count in range(1, len(lines) + 1):
            found = recover(lines[:count], None, "next", 5)
            before = found.match.state
            after = resume(found)
            assert after.state.running is None
            for side in (LEFT, RIGHT):
                assert after.state.reserve_ns(side, 5) <= before.reserve_ns(side, before.at_ns)
            longer = [*lines[:count], *after.lines]
            assert recover(longer, None, "next", 5).match.state == after.state


def test_a_power_cut_within_the_menu_is_said_to_have_changed_nothing() -> None:
    """The pages are lost with the program; so whoever was in them knows."""
    for press, in_menu in ((inputs.Noted(21 * S, Button.LEFT), True), (None, False)):
        match = match_in("STOPPED").give(*filter(None, [press]))
        recovery = recover(match.lines, None, "boot-9", 5)
        assert recovery.restored is not None
        assert recovery.restored.in_menu == in_menu
        _, (record,) = advance(recovery.match.state, recovery.restored)
        assert isinstance(record.event, RestoredEvent)
        assert ("Menu: nothing done" in event_lines(record.event, sayer("en"))) == in_menu
