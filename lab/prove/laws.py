"""The laws of the clock: what must hold whenever anybody presses anything, or nobody does.

Each law looks at a match before and after one act, and says what is wrong, or None. Its first
sentence stands in lab/proof.md.
"""

from functools import wraps

from msgspec.structs import replace

from clock.eventlog.replay import apply_record
from clock.match.breaks import breaks_left
from clock.match.events import (
    FlagClaimedEvent,
    FlagFellEvent,
    GameOverEvent,
    OvertimeEvent,
    PressedEvent,
    ResumedEvent,
)
from clock.match.inputs import TimePassed
from clock.match.invariants import check
from clock.match.machine import advance, next_deadline
from clock.match.rules import Reason
from clock.match.scoring import new_match
from clock.match.state import LateAccount, MatchState
from clock.match.types import Crawford, NextDelay, Pair, Phase, ResumeWith, Side
from clock.units import SECOND_NS as STEP_NS
from lab.prove.machine import CENTRE, LEFT, POWER_CUT, RIGHT, WAIT, Act, Moment
from lab.prove.search import Law

MatchLaw = Law[Moment, Act]
PRESSES = {LEFT: Side.LEFT, RIGHT: Side.RIGHT}


def _flags(state: MatchState) -> list[int]:
    """Return the order of both flags; 0: has not fallen."""
    return [player.flag.order if player.flag else 0 for player in state.players]


def _has_flags(state: MatchState) -> bool:
    return state.settings.rules.pace is None and not state.settings.practice


def _overtime_ns(after: Moment, side: Side) -> int:
    given = [record.event for record in after.records if isinstance(record.event, OvertimeEvent)]
    return sum(event.new_ns - event.old_ns for event in given if event.side is side)


def _unless(holds: object, what: str) -> str | None:
    return None if holds else what


def a_leg_begins(before: Moment, after: Moment) -> bool:
    """Return whether an act has decided a match of a best of three, and the next one begins."""
    return sum(after.state.legs) > sum(before.state.legs) and after.state.champion is None


def in_one_leg(law: MatchLaw) -> MatchLaw:
    """Return a law for all acts but those after which the next match of a best of three begins."""

    @wraps(law)
    def within(before: Moment, act: Act, after: Moment) -> str | None:
        return None if a_leg_begins(before, after) else law(before, act, after)

    return within


# --- at every act -------------------------------------------------------------------------------


def the_state_is_possible(before: Moment, act: Act, after: Moment) -> str | None:
    """The match can be saved at any moment, and loaded again after a power cut."""
    try:
        check(after.state)
    except ValueError as error:
        return str(error)
    return None


def a_clock_runs_while_a_turn_is_played(before: Moment, act: Act, after: Moment) -> str | None:
    """One clock runs while a turn is played on the clock, and at no other time."""
    state = after.state
    running = state.running is not None
    played = state.phase is Phase.RUNNING
    return _unless(running == played and not (running and state.turn and state.turn.free), "runs")


def nothing_is_overdue(before: Moment, act: Act, after: Moment) -> str | None:
    """What the clock has to do by itself (a flag, a point for lateness) is never overdue."""
    due_ns, now_ns = next_deadline(after.state), after.state.at_ns
    in_time = due_ns is None or due_ns > now_ns or (act is not WAIT and due_ns == now_ns)
    return _unless(in_time, "a deadline in the past")


def the_log_replays(before: Moment, act: Act, after: Moment) -> str | None:
    """The lines in the log are enough to get the very same match again."""
    state = before.state
    for record in after.records:
        state, made = apply_record(state, record)
        if made[:1] != (record,):
            return f"replaying {record.event} gives {made}"
    return _unless(state.replace(at_ns=after.state.at_ns) == after.state, "another state")


def an_act_later_is_the_same(before: Moment, act: Act, after: Moment) -> str | None:
    """It does not matter how often the clock looks at the time between two presses.

    A power cut is left out: what was due at that very instant has not been done.
    """
    if act is POWER_CUT:
        return None
    state = before.state
    at_ns = state.at_ns + (act.steps + 1) * STEP_NS
    waited, first = advance(state, TimePassed(state.at_ns + STEP_NS))
    stepwise, second = advance(waited, act.make(waited, at_ns))
    directly, records = advance(state, act.make(state, at_ns))
    return _unless((stepwise, first + second) == (directly, records), "it does")


def a_refused_press_changes_nothing(before: Moment, act: Act, after: Moment) -> str | None:
    """A press that the log calls refused has changed nothing."""
    presses = [r.event for r in after.records if isinstance(r.event, PressedEvent)]
    if all(press.accepted for press in presses):
        return None
    without, _ = advance(before.state, TimePassed(after.state.at_ns))
    return _unless(Moment(without).form == after.form, "it has")


# --- time ---------------------------------------------------------------------------------------


def a_second_costs_a_second(before: Moment, act: Act, after: Moment) -> str | None:
    """A second on the clock costs a second of the delay, then of the reserve, of one player."""
    was, now = before.state, after.state
    side = was.running
    if act is not WAIT or side is None or now.running is not side:
        return None
    delay_ns = max(0, before.delay_ns - STEP_NS)
    cost_ns = STEP_NS - (before.delay_ns - delay_ns)
    balance_ns = was.balance_ns(side, was.at_ns) - cost_ns + _overtime_ns(after, side)
    other = side.other
    expected = (delay_ns, balance_ns, was.balance_ns(other, was.at_ns))
    found = (after.delay_ns, *(now.balance_ns(each, now.at_ns) for each in (side, other)))
    return _unless(found == expected, f"{found}, not {expected}")


def nothing_is_charged_off_the_clock(before: Moment, act: Act, after: Moment) -> str | None:
    """While no clock runs it does not matter how much time passes before the next act."""
    state = before.state
    if state.running is not None or _due_within_a_step(state):
        return None
    later, _ = advance(state, act.make(state, state.at_ns + (act.steps + 1) * STEP_NS))
    same = Moment(later).form == after.form
    return _unless(same and (act is not WAIT or before.form == after.form), "it does")


def _due_within_a_step(state: MatchState) -> bool:
    """Return whether something is due so soon, or a break goes on, which has its own time."""
    due_ns = next_deadline(state)
    return state.phase is Phase.BREAK or (
        due_ns is not None and due_ns <= state.at_ns + 2 * STEP_NS
    )


@in_one_leg
def a_press_takes_no_time(before: Moment, act: Act, after: Moment) -> str | None:
    """A press, a stop or a power cut by itself changes no reserve."""
    found = before.reserves, after.reserves
    return _unless(act.steps or found[0] == found[1], f"{found}")


@in_one_leg
def nobody_makes_time(before: Moment, act: Act, after: Moment) -> str | None:
    """Nobody's reserve ever grows, but for the overtime that the rules give once."""
    for side, was, now in zip(Side, before.reserves, after.reserves, strict=True):
        if now > was + _overtime_ns(after, side):
            return f"{side}: {was} to {now}"
    return None


def a_stop_keeps_the_delay(before: Moment, act: Act, after: Moment) -> str | None:
    """Stopping and going on gives no new delay, unless the reason for the stop gives one."""
    was, now = before.state.turn, after.state.turn
    if was is None or now is None or was.side is not now.side or act.steps or now.free:
        return None
    fresh = (ResumeWith.FULL, ResumeWith.WAIT)
    if any(isinstance(e := r.event, ResumedEvent) and e.delay in fresh for r in after.records):
        return None
    found = before.delay_ns, after.delay_ns
    return _unless(found[0] == found[1] and was.must_wait == now.must_wait, f"{found}")


def a_turn_begins_with_the_delay_due(before: Moment, act: Act, after: Moment) -> str | None:
    """A press that ends a turn gives the opponent the full delay, or what the rules left of it."""
    side = PRESSES.get(act)
    turn = after.state.turn
    if side is None or turn is None or turn == before.state.turn:
        return None
    due = before.state.players[turn.side].next_delay
    delay_ns = 0 if due is NextDelay.SKIP else after.state.settings.rules.delay_ns
    expected = (delay_ns, due is NextDelay.WAIT, due is NextDelay.FREE)
    found = (after.delay_ns, turn.must_wait, turn.free)
    once = after.state.players[turn.side].next_delay is NextDelay.FULL
    return _unless(found == expected and once, f"{found}, not {expected}")


def a_forfeit_ends_with_its_game(before: Moment, act: Act, after: Moment) -> str | None:
    """A delay that is forfeited in a game is not forfeited in the next one."""
    is_closed = before.state.phase is Phase.GAME_OVER is not after.state.phase
    due = [player.next_delay for player in after.state.players]
    return _unless(not is_closed or due == [NextDelay.FULL] * 2, f"{due}")


# --- who is on the clock ------------------------------------------------------------------------


def the_clock_stays_with_its_player(before: Moment, act: Act, after: Moment) -> str | None:
    """Only the player on the clock can hand it over, and time alone starts no clock."""
    was, now = before.state.running, after.state.running
    if now in (None, was):
        return None
    if act in (WAIT, POWER_CUT):
        return f"{now} is started by {act.name}"
    return _unless(was is None or PRESSES.get(act) is was, f"{was} to {now} by {act.name}")


def a_power_cut_stops_the_clock(before: Moment, act: Act, after: Moment) -> str | None:
    """After a power cut no clock runs until somebody starts it."""
    return _unless(act is not POWER_CUT or after.state.running is None, "it runs on")


def a_stop_is_never_refused(before: Moment, act: Act, after: Moment) -> str | None:
    """The centre stops the clock whenever one runs, and whenever a turn is played off the clock."""
    stops = act is CENTRE and before.state.phase in (Phase.RUNNING, Phase.FREE_TURN)
    stopped = after.state.phase in (Phase.STOPPED, Phase.READY)
    return _unless(not stops or stopped, f"{after.state.phase} goes on")


def the_mover_can_press(before: Moment, act: Act, after: Moment) -> str | None:
    """The player on the clock ends the turn by a press, but not while they must wait."""
    state = before.state
    if state.running is None or PRESSES.get(act) is not state.running or state.turn is None:
        return None
    waits = state.turn.must_wait and before.delay_ns > 0
    stays = waits or state.turn.absent
    return _unless((after.state.running is state.running) == stays, "press while waiting")


def a_turn_off_the_clock_stays_so(before: Moment, act: Act, after: Moment) -> str | None:
    """A turn that is played off the clock stays so until its player ends it."""
    was, now = before.state.turn, after.state.turn
    goes_on = was is not None and was.free and now is not None and now.side is was.side
    return _unless(not goes_on or (now and now.free), "its clock starts")


# --- flags --------------------------------------------------------------------------------------


def a_flag_falls_when_time_is_used_up(before: Moment, act: Act, after: Moment) -> str | None:
    """A flag falls when delay and reserve are used up, not earlier and not later."""
    state = after.state
    if not _has_flags(state):
        return None
    for side, was, now in zip(Side, _flags(before.state), _flags(state), strict=True):
        used_up = after.reserves[side is Side.RIGHT] == 0
        if now and not was and not used_up:
            return f"{side}: too early"
        overdue = state.running is side and used_up and after.delay_ns == 0
        if act is WAIT and overdue and not now:
            return f"{side}: has not fallen"
    return None


def no_flag_falls_without_a_limit(before: Moment, act: Act, after: Moment) -> str | None:
    """In pace mode and in practice there is no flag, none is due, and none can be claimed."""
    state = after.state
    if _has_flags(state):
        return None
    if any(_flags(state)) or state.reason is Reason.TIME_EXPIRED:
        return "a flag"
    events = (FlagFellEvent, FlagClaimedEvent, OvertimeEvent)
    if any(isinstance(record.event, events) for record in after.records):
        return f"{after.records}"
    return _unless(state.running is None or next_deadline(state) is None, "a flag is due")


@in_one_leg
def nobody_clears_a_flag(before: Moment, act: Act, after: Moment) -> str | None:
    """A flag that is down stays down."""
    was, now = _flags(before.state), _flags(after.state)
    kept = all(old in (0, new) for old, new in zip(was, now, strict=True))
    return _unless(kept, f"{was} to {now}")


def it_is_known_which_flag_fell_first(before: Moment, act: Act, after: Moment) -> str | None:
    """The first flag to fall is marked as the first, the other one as the second."""
    orders = sorted(filter(None, _flags(after.state)))
    return _unless(orders == [1, 2][: len(orders)], f"{orders}")


# --- points -------------------------------------------------------------------------------------


@in_one_leg
def points_are_those_entered(before: Moment, act: Act, after: Moment) -> str | None:
    """Points are scored when a game is closed: those that were entered, and for one player."""
    was, now = before.state, after.state
    closes = act is CENTRE and was.phase is Phase.GAME_OVER and was.champion is None
    entered = was.game_points if closes else Pair(0, 0)
    expected = [old + new for old, new in zip(was.score, entered, strict=True)]
    one = min(now.game_points) == 0
    return _unless([*now.score] == expected and one, f"{[*now.score]}, not {expected}")


@in_one_leg
def a_match_ends_when_it_is_decided(before: Moment, act: Act, after: Moment) -> str | None:
    """A match ends when the points of a player reach its length, for that player and at once."""
    was, now = before.state, after.state
    decided = [side for side in Side if now.score[side] >= now.length]
    if now.phase is Phase.FINISHED:
        return _unless(decided == [now.winner], f"{now.winner} wins at {[*now.score]}")
    at_once = next_deadline(now) == now.at_ns and was.phase is Phase.GAME_OVER
    known = decided == ([now.champion] if now.champion else [])
    return _unless(known and (not decided or at_once), "it goes on")


def a_finished_match_stays_so(before: Moment, act: Act, after: Moment) -> str | None:
    """No player changes anything in a match that is over."""
    over = before.state.phase is Phase.FINISHED
    return _unless(not over or before.form == after.form, "it changes")


@in_one_leg
def the_crawford_game_comes_once(before: Moment, act: Act, after: Moment) -> str | None:
    """The game in which a player is first one point away is the Crawford game, and no other is."""
    closed = [r.event for r in after.records if isinstance(r.event, GameOverEvent)]
    was, now, away = before.state.crawford, after.state.crawford, after.state.away
    if not closed or closed[0].winner is None:
        return _unless(was is now, f"{was} to {now}")
    expected = was
    if 0 in away:
        expected = Crawford.DONE if was is Crawford.NOW else was
    elif was is not Crawford.BEFORE or away == Pair(1, 1):
        expected = Crawford.DONE
    elif 1 in away:
        expected = Crawford.NOW
    return _unless(now is expected, f"{was} to {now}, not to {expected}")


def the_next_match_begins_as_the_first(before: Moment, act: Act, after: Moment) -> str | None:
    """The next match of a best of three begins as the first did; only open lateness is carried."""
    if not a_leg_begins(before, after):
        return None
    now = after.state
    first = new_match(replace(now.settings, length=now.length, score=Pair(0, 0)), now.at_ns)
    first = first.replace(phase=Phase.READY, legs=now.legs).with_both_players(confirmed=True)
    late = [player.late for player in now.players]
    is_open = late == [LateAccount(account.due) for account in late]
    return _unless(is_open and after.form == Moment(first).form, f"{now.players}")


# --- breaks -------------------------------------------------------------------------------------


@in_one_leg
def breaks_are_as_many_as_allowed(before: Moment, act: Act, after: Moment) -> str | None:
    """The players take no more breaks than the rules give them, and only between games.

    In a best of three they take them between two matches.
    """
    was, now = before.state, after.state
    pairs = zip(was.players, now.players, strict=True)
    taken = [new.breaks_taken - old.breaks_taken for old, new in pairs]
    if taken == [0, 0]:
        return _unless((now.phase is Phase.BREAK) <= (was.phase is Phase.BREAK), "for nothing")
    allowed = all(new <= left for new, left in zip(taken, breaks_left(was), strict=True))
    between = (was.phase, now.phase) == (Phase.READY, Phase.BREAK)
    between &= not (was.settings.best_of_three and was.games)
    return _unless(allowed and between and min(taken) >= 0, f"{taken}")


LAWS: tuple[MatchLaw, ...] = (
    a_clock_runs_while_a_turn_is_played,
    the_state_is_possible,
    nothing_is_overdue,
    a_second_costs_a_second,
    nobody_makes_time,
    a_press_takes_no_time,
    nothing_is_charged_off_the_clock,
    a_stop_keeps_the_delay,
    a_turn_begins_with_the_delay_due,
    a_forfeit_ends_with_its_game,
    the_clock_stays_with_its_player,
    a_power_cut_stops_the_clock,
    a_stop_is_never_refused,
    the_mover_can_press,
    a_turn_off_the_clock_stays_so,
    a_flag_falls_when_time_is_used_up,
    no_flag_falls_without_a_limit,
    nobody_clears_a_flag,
    it_is_known_which_flag_fell_first,
    a_finished_match_stays_so,
    points_are_those_entered,
    a_match_ends_when_it_is_decided,
    the_crawford_game_comes_once,
    the_next_match_begins_as_the_first,
    breaks_are_as_many_as_allowed,
    a_refused_press_changes_nothing,
    an_act_later_is_the_same,
    the_log_replays,
)
