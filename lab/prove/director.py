"""What the director can do beside the players: searches by groups of rulings, and their controls.

All rulings of the director together have no end of states: a reserve can be set to any time, a
length to any number. So each search has one group of rulings, with a few values each; reasons to
stop that do the same as another are left out.
"""

from collections.abc import Callable, Sequence
from functools import partial, wraps
from typing import Any, NamedTuple

from msgspec.structs import replace

from clock.match import corrections, director, events, inputs, lateness, scoring
from clock.match.corrections import BONUS, LATE
from clock.match.inputs import DIRECTOR, Input
from clock.match.machine import advance, next_deadline
from clock.match.profiles import PROFILES
from clock.match.rules import Lateness, Reason, Rules
from clock.match.state import (
    BETWEEN_GAMES,
    Absence,
    Decision,
    Flag,
    LateAccount,
    MatchState,
    Player,
    Step,
)
from clock.match.timecontrol import Turn
from clock.match.transitions import DIRECTOR_PHASES, DIRECTOR_RULINGS
from clock.match.types import Crawford, NextDelay, Pair, Phase, ResumeWith, Side
from clock.units import SECOND_NS as STEP_NS
from lab.prove import laws
from lab.prove.faults import carried
from lab.prove.laws import LAWS, MatchLaw
from lab.prove.machine import (
    CENTRE,
    WAIT,
    Act,
    Moment,
    beginning,
    players_acts,
    script,
    small,
    step,
)
from lab.prove.part import Part, Search
from lab.prove.search import END, Subject
from lab.support.faults import entry, replaced, seeded, wrapped

# --- acts ---------------------------------------------------------------------------------------


class RulingAct(Act):
    """A ruling of the director, as an act of the search."""

    @property
    def kind(self) -> type[Input]:
        """The input that it makes."""
        return KINDS[self.name]


KINDS: dict[str, type[Input]] = {}  # of each ruling, by its name


def _ruling(kind: type[Input], *fields: object) -> RulingAct:
    name = f"# director: {kind.__name__} {', '.join(map(str, fields))}"
    KINDS[name] = kind
    return RulingAct(name, lambda _, at_ns: kind(at_ns, *fields))


def _for_both(kind: type[Input], *fields: object) -> list[RulingAct]:
    return [_ruling(kind, side, *fields) for side in Side]


THIS_TURN, KEEP_BANKS = True, False
GO_ON = (*_for_both(inputs.TurnResumed, ResumeWith.REST), _ruling(inputs.HoldLifted))
FIRST = (Reason.UNSPECIFIED, Reason.GAME_OVER)
PUT_ASIDE = _ruling(inputs.Adjourned)


def _resume_match(state: MatchState, at_ns: int) -> Input:
    """Return what the runtime makes of it: the match goes on in a log of its own."""
    used_ns = None if state.turn is None else state.turn.elapsed_ns(at_ns)
    return inputs.Restored(at_ns, 0, used_ns, inputs.TAKEN_UP)


TAKE_UP = RulingAct("# director: ResumeMatchWanted", _resume_match)
KINDS[TAKE_UP.name] = inputs.ResumeMatchWanted


class Group(NamedTuple):
    """Rulings that are searched together, and what players may do beside them."""

    rulings: tuple[RulingAct, ...]
    reasons: tuple[Reason, ...]  # to stop
    time_passes: bool = True


GROUPS: dict[str, Group] = {
    "times and flags": Group(
        (
            *GO_ON,
            *_for_both(inputs.TimeSet, STEP_NS, "estimate"),
            *_for_both(inputs.TimeSet, 0, "estimate"),
            *_for_both(inputs.FlagSet, 0),
            *_for_both(inputs.FlagSet, 1),
            *_for_both(inputs.FlagSet, 2),
            *_for_both(inputs.OvertimeGranted, STEP_NS),
            _ruling(inputs.BanksReset),
        ),
        (*FIRST, Reason.TIME_EXPIRED),
    ),
    "no limit": Group(  # in pace mode and in practice
        (
            *GO_ON,
            *_for_both(inputs.FlagSet, 0),
            *_for_both(inputs.FlagSet, 1),
            *_for_both(inputs.OvertimeGranted, STEP_NS),
            *_for_both(inputs.TimeSet, STEP_NS, "estimate"),
            _ruling(inputs.BanksReset),
            _ruling(inputs.TimesBegun),
        ),
        (*FIRST, Reason.TIME_EXPIRED),
    ),
    "delays": Group(
        (
            *(_ruling(inputs.TurnResumed, side, how) for side in Side for how in ResumeWith),
            *(_ruling(inputs.DelayRuled, side, delay) for side in Side for delay in NextDelay),
            *_for_both(inputs.DelayRuled, NextDelay.FULL, THIS_TURN),
            *_for_both(inputs.DelayRuled, NextDelay.SKIP, THIS_TURN),
        ),
        (*FIRST, Reason.EARLY_PICKUP, Reason.ILLEGAL_MOVE, Reason.INVALID_ROLL),
    ),
    "points": Group(
        (
            *GO_ON,
            *_for_both(inputs.PointsAwarded, 1, "conduct"),
            *_for_both(inputs.PointsAwarded, 1, BONUS),
            *(_ruling(inputs.ScoreSet, side, points) for side in Side for points in range(3)),
            *(_ruling(inputs.LengthSet, length, KEEP_BANKS) for length in (1, 2)),
            _ruling(inputs.MatchShortened),
            PUT_ASIDE,
            *(_ruling(inputs.CrawfordSet, status) for status in (Crawford.NOW, Crawford.DONE)),
            _ruling(inputs.SidesSwapped),
            _ruling(inputs.ClockRemoved),
            *_for_both(inputs.MatchEnded, DIRECTOR),
            _ruling(inputs.MatchEnded, None, DIRECTOR),
            _ruling(inputs.Reopened),
        ),
        FIRST,
        time_passes=False,
    ),
    "undo": Group(
        (
            *GO_ON,
            *_for_both(inputs.ScoreSet, 1),
            _ruling(inputs.ClockRemoved),
            _ruling(inputs.Undone),
        ),
        FIRST,
        time_passes=False,
    ),
    "lateness and breaks": Group(
        (
            *GO_ON,
            *_for_both(inputs.AbsenceNoted, 0),
            *_for_both(inputs.AbsenceNoted, STEP_NS),
            *_for_both(inputs.LatenessWaived),
            *_for_both(inputs.PointsAwarded, 1, LATE),
            *_for_both(inputs.BreakGranted),
            *_for_both(inputs.AbsentClockStarted),
            *_for_both(inputs.BreaksSet, 0),
            PUT_ASIDE,
            *_for_both(inputs.MatchEnded, LATE),
            _ruling(inputs.Approved),
        ),
        FIRST,
    ),
}
MOST_LATE = 2  # points: then no more are counted
MOST_TIME_NS = 2 * STEP_NS  # then no more overtime is granted


def acts_of(group: Group) -> Callable[[Moment], Sequence[Act]]:
    """Return what can happen when the director has one group of rulings."""
    by_phase = {
        phase: [each for each in group.rulings if phase in DIRECTOR_RULINGS[each.kind].phases]
        for phase in DIRECTOR_PHASES
    }

    def acts(moment: Moment) -> Sequence[Act]:
        state, others = moment.state, players_acts(moment)
        late = any(p.late.due - p.late.settled >= MOST_LATE for p in state.players)
        if late or (not group.time_passes and next_deadline(state) != state.at_ns):
            others = others[1:]
        if state.phase is Phase.PUT_ASIDE:
            return (*others, TAKE_UP)
        if state.phase not in by_phase:
            return (*others, group.rulings[-1])  # which must change nothing
        return (*others, *(r for r in by_phase[state.phase] if _bounded(moment, r, late=late)))

    return acts


def _bounded(moment: Moment, ruling: RulingAct, *, late: bool) -> bool:
    """Return whether a ruling leads to no more time and lateness than are searched."""
    if ruling.kind is inputs.OvertimeGranted:
        return max(moment.reserves) < MOST_TIME_NS
    return not (late and ruling.kind in (inputs.AbsenceNoted, inputs.BreakGranted))


# --- what the future depends on -----------------------------------------------------------------

MOST = 3  # points and lengths: more makes no difference to a match to 2


def full_form(moment: Moment) -> object:
    """Return what the players' and the director's acts can tell two matches apart by.

    Beside what `form` has: the reserve before the turn and what the turn has used, the turn that
    a reason interrupted, lateness, and what decided the match. Left out are counters and evidence,
    and whether a flag was announced: only the log and the panels say them.
    """
    state = moment.state
    away, pause, decision = state.away, state.pause, state.decision
    return (
        moment.form,
        [_player(state, player, side) for side, player in zip(Side, state.players, strict=True)],
        state.turn and _turn(state, state.turn),
        state.interrupted and _turn(state, state.interrupted),
        [min(points, MOST) for points in (*state.score, *state.game_points)],
        away,
        min(state.games, 2),
        state.legs,
        decision and _decision(decision),
        pause and (pause.points, pause.taker, pause.late),
        next_late_left_ns(state),
    )


def _undo_form(moment: Moment) -> object:
    """Return the same, the form of the match that *Undo* would give back, and what it takes back.

    Of that the kind matters, not how many points a game had: more than `MOST` count as one here.
    """
    state = moment.state
    if state.done is None:
        return full_form(moment), None
    undone, _ = director.undo(state, inputs.Undone(state.at_ns))
    return full_form(moment), full_form(Moment(undone)), type(state.done.event).__name__


def _player(state: MatchState, player: Player, side: Side) -> object:
    left_ns, interrupted = player.account.left_ns, state.interrupted
    given_back_ns = interrupted.reserve_used_ns(state.at_ns) if interrupted else 0
    return (
        max(0, left_ns),
        max(0, left_ns + given_back_ns) if interrupted and interrupted.side is side else 0,
        (min(MOST_LATE + 1, player.late.due - player.late.settled), player.late.shared),
        player.absence and _absence(player.absence, state.at_ns),
    )


def _decision(decision: Decision) -> object:
    points = [min(points, MOST) for points in decision.game_points]
    return decision.score, decision.length, decision.crawford, points


def _absence(absence: Absence, now_ns: int) -> object:
    most_ns = (absence.points + 1) * STEP_NS  # then another point is due
    return absence.points, min(now_ns - absence.since_ns, most_ns)


def _turn(state: MatchState, turn: Turn) -> object:
    most_ns = state.settings.rules.delay_ns + max(0, state.players[turn.side].account.left_ns)
    used_ns = min(turn.elapsed_ns(state.at_ns), most_ns)
    return turn.side, turn.delay_ns, used_ns, turn.must_wait, turn.free, turn.absent


def next_late_left_ns(state: MatchState) -> int | None:
    """Return the time until the next step of lateness; None if none is counted."""
    due_ns = None if state.running else next_deadline(state)
    return None if due_ns is None else due_ns - state.at_ns


# --- laws ---------------------------------------------------------------------------------------


def the_director_waits_for_the_clock(before: Moment, act: Act, after: Moment) -> str | None:
    """The director changes nothing while a clock runs or a turn is played off the clock."""
    if not isinstance(act, RulingAct) or before.state.phase in (*DIRECTOR_PHASES, Phase.PUT_ASIDE):
        return None
    return None if full_form(_idle(before, after)) == full_form(after) else act.name


def _idle(before: Moment, after: Moment) -> Moment:
    """Return the match at the same instant without the act: something may have been due."""
    return Moment(*advance(before.state, inputs.TimePassed(after.state.at_ns)))


@laws.in_one_leg
def a_ruling_changes_what_it_says(before: Moment, act: Act, after: Moment) -> str | None:
    """A ruling changes what its name says, and nothing else of what the players have."""
    if not isinstance(act, RulingAct) or act.kind is inputs.SidesSwapped:
        return None
    was, now = _holdings(_idle(before, after)), _holdings(after)
    changed = {name for name, value in was.items() if now[name] != value}
    beyond = changed - CHANGES.get(act.kind, set())
    if act.kind is inputs.Reopened and before.state.phase is Phase.NO_CLOCK:
        beyond -= {"no clock"}  # which comes back
    return f"{sorted(beyond)} by {act.name}" if beyond else None


def _holdings(moment: Moment) -> dict[str, object]:
    """Return what the players have, by names."""
    state = moment.state
    return {
        "time": moment.reserves,
        "flags": [player.flag and player.flag.order for player in state.players],
        "score": (state.score, state.legs),
        "length": state.length,
        "Crawford": state.crawford,
        "breaks": [player.breaks_taken for player in state.players],
        "lateness": [(player.late, player.absence) for player in state.players],
        "delays": [player.next_delay for player in state.players],
        "clock": (state.running, state.phase, moment.delay_ns, state.held),
        "no clock": state.clock_removed,
    }


_POINTS = {"score", "Crawford"}
CHANGES: dict[type[Input], set[str]] = {
    inputs.TimeSet: {"time", "flags"},
    inputs.FlagSet: {"flags"},
    inputs.OvertimeGranted: {"time", "flags"},
    inputs.BanksReset: {"time", "flags"},
    inputs.TimesBegun: {"time"},
    inputs.DelayRuled: {"delays", "clock", "time", "flags"},
    inputs.PointsAwarded: {*_POINTS, "lateness"},
    inputs.ScoreSet: _POINTS,
    inputs.LengthSet: {"length", "Crawford"},
    inputs.MatchShortened: {*_POINTS, "length"},
    inputs.CrawfordSet: {"Crawford"},
    inputs.BreaksSet: {"breaks"},
    inputs.AbsenceNoted: {"lateness"},
    inputs.LatenessWaived: {"lateness"},
    inputs.BreakGranted: {"breaks", "lateness", "clock"},
    inputs.AbsentClockStarted: {"lateness", "delays", "clock"},
    inputs.TurnResumed: {"lateness", "delays", "clock", "time"},  # time: of a turn resumed
    inputs.HoldLifted: {"clock"},
    inputs.ClockRemoved: {"clock", "no clock"},
    inputs.MatchEnded: {"clock", "score"},
    inputs.Adjourned: {"clock", "lateness"},  # nobody is late for it any more
    inputs.ResumeMatchWanted: {"clock"},
    inputs.Reopened: {"clock", "length", *_POINTS},
    inputs.Undone: {"clock", "no clock", *_POINTS, "time", "flags", "delays", "lateness"},
}


def one_reserve_at_a_time(before: Moment, act: Act, after: Moment) -> str | None:
    """A time that is set, and overtime that is granted, is one player's."""
    if not isinstance(act, RulingAct) or act.kind not in (inputs.TimeSet, inputs.OvertimeGranted):
        return None
    changed = [old != new for old, new in zip(before.reserves, after.reserves, strict=True)]
    return "both" if all(changed) else None


@laws.in_one_leg
def a_cleared_flag_is_in_the_log(before: Moment, act: Act, after: Moment) -> str | None:
    """A ruling that clears a flag says so in the log."""
    pairs = zip(before.state.players, after.state.players, strict=True)
    cleared = any(old.flag and not new.flag for old, new in pairs)
    if not isinstance(act, RulingAct) or not cleared or act.kind is inputs.SidesSwapped:
        return None
    said = any(getattr(record.event, "flag_cleared", False) for record in after.records)
    return None if said else f"{after.records}"


def the_flag_that_is_left_is_the_first(before: Moment, act: Act, after: Moment) -> str | None:
    """A ruling that clears one of two flags makes the other one the first."""
    pairs = [
        (p.flag, q.flag) for p, q in zip(before.state.players, after.state.players, strict=True)
    ]
    if not isinstance(act, RulingAct) or not any(was and not now for was, now in pairs):
        return None
    left = [now.order for _, now in pairs if now]
    return None if left in ([], [1]) or act.kind is inputs.SidesSwapped else f"{left}"


def crawford_follows_a_correction(before: Moment, act: Act, after: Moment) -> str | None:
    """A corrected score has a Crawford game ahead until somebody has needed one point.

    A game that is being played stays what it is.
    """
    was, now = before.state, after.state
    if not isinstance(act, RulingAct) or (was.score, was.length) == (now.score, now.length):
        return None
    if now.champion is not None or act.kind in NOT_A_SCORE or laws.a_leg_begins(before, after):
        return None
    match [*now.away].count(1):
        case _ if was.turn is not None:
            expected = was.crawford
        case _ if now.phase not in BETWEEN_GAMES:
            return None
        case 2:
            expected = Crawford.DONE
        case 1 if was.crawford is Crawford.BEFORE:
            expected = Crawford.NOW
        case 1:
            expected = was.crawford
        case _:
            expected = Crawford.BEFORE
    return None if now.crawford is expected else f"{now.crawford}, not {expected}"


NOT_A_SCORE = (inputs.SidesSwapped, inputs.Reopened, inputs.Undone)


def a_reopened_game_counts_once(before: Moment, act: Act, after: Moment) -> str | None:
    """A game that is reopened and closed again with the same points ends the match as before."""
    ended = _idle(before, after)
    was, decision = ended.state, ended.state.decision
    if not isinstance(act, RulingAct) or act.kind is not inputs.Reopened or decision is None:
        return None
    scored = decision.why == "score" and was.phase is Phase.FINISHED
    champion = was.champion
    if not scored or champion is None:
        return None
    if was.score[champion] != decision.score[champion] + decision.game_points[champion]:
        return None  # it was corrected
    again = step(step(after, CENTRE), WAIT)
    found, expected = (
        (m.state.phase, m.state.score, m.state.games, m.state.winner, m.reserves)
        for m in (again, ended)
    )
    return None if found == expected else f"{found}, not {expected}"


def late_points_are_due_from_who_is_late(before: Moment, act: Act, after: Moment) -> str | None:
    """A late return costs who took the break, or was late; both players until it is known."""
    was = _late(before if act is WAIT else _idle(before, after))
    now = _late(after)
    pause = before.state.pause
    if act is WAIT and pause is not None:
        known = pause.late or pause.taker
        more = [side for side in Side if now[side].due > was[side].due]
        return None if more in ([], [known] if known else [*Side]) else f"{more}, not {known}"
    if not isinstance(act, RulingAct) or act.kind not in (
        inputs.PointsAwarded,
        inputs.LatenessWaived,
    ):
        return None
    if was == now or laws.a_leg_begins(before, after):
        return None
    late = [side for side in Side if now[side].settled > was[side].settled]
    others = [side for side in Side if side not in late]
    right = all(now[side].due == was[side].due - was[side].shared for side in others)
    return None if right and not any(each.shared for each in now) else f"{[*now]}"


def lateness_noted_anew_counts_anew(before: Moment, act: Act, after: Moment) -> str | None:
    """Lateness that is noted again takes the place of what was counted of it before."""
    was, now = _idle(before, after).state, after.state
    noted = isinstance(act, RulingAct) and act.kind is inputs.AbsenceNoted
    if not noted or was.settings.rules.lateness is not Lateness.POINTS or was == now:
        return None
    for old, new in zip(was.players, now.players, strict=True):
        earlier = old.late.due - old.absence.points if old.absence else old.late.open
        counted = new.absence.points if new.absence else 0
        if old != new and new.late.due != earlier + counted:
            return f"{old.late}, then {new.late}"
    return None


def _late(moment: Moment) -> Pair[LateAccount]:
    return moment.state.players.map(lambda player: player.late)


def nothing_is_played_at_a_decided_score(before: Moment, act: Act, after: Moment) -> str | None:
    """No game begins or goes on when the points have decided the match."""
    state = after.state
    decided = max(state.score) >= state.length
    ends = state.phase is Phase.FINISHED or next_deadline(state) == state.at_ns
    return f"{state.phase} at {[*state.score]}" if decided and not ends else None


def what_is_put_aside_comes_back(before: Moment, act: Act, after: Moment) -> str | None:
    """A match that is adjourned and resumed stands as it did; a break and an absence are over."""
    if after.state.phase is not Phase.PUT_ASIDE or not isinstance(act, RulingAct):
        return None
    was, back = _idle(before, after).state, step(after, TAKE_UP)
    was = was.with_both_players(absence=None).replace(pause=None)
    was = was.replace(phase=Phase.READY) if was.phase is Phase.BREAK else was
    return None if full_form(Moment(was)) == full_form(back) else f"{was.phase} is changed"


def of_players(law: MatchLaw) -> MatchLaw:
    """Return a law for the acts of players alone."""

    @wraps(law)
    def for_players(before: Moment, act: Act, after: Moment) -> str | None:
        return None if isinstance(act, RulingAct) else law(before, act, after)

    return for_players


ANYBODY = (  # laws that hold for rulings, too
    laws.a_clock_runs_while_a_turn_is_played,
    laws.the_state_is_possible,
    laws.nothing_is_overdue,
    laws.a_refused_press_changes_nothing,
    laws.an_act_later_is_the_same,
    laws.the_log_replays,
)
BY_PLAYERS_ALONE = (  # where a director rules, a match may end otherwise, and flags be entered
    laws.a_match_ends_when_it_is_decided,
    laws.it_is_known_which_flag_fell_first,
)
DIRECTORS_LAWS: tuple[MatchLaw, ...] = (
    the_director_waits_for_the_clock,
    nothing_is_played_at_a_decided_score,
    one_reserve_at_a_time,
    a_ruling_changes_what_it_says,
    a_cleared_flag_is_in_the_log,
    the_flag_that_is_left_is_the_first,
    crawford_follows_a_correction,
    a_reopened_game_counts_once,
    late_points_are_due_from_who_is_late,
    lateness_noted_anew_counts_anew,
    what_is_put_aside_comes_back,
    laws.no_flag_falls_without_a_limit,
    laws.the_next_match_begins_as_the_first,
)


def _laws() -> tuple[MatchLaw, ...]:
    others = [law for law in LAWS if law not in (*DIRECTORS_LAWS, *ANYBODY, *BY_PLAYERS_ALONE)]
    return (*DIRECTORS_LAWS, *ANYBODY, *map(of_players, others))


# --- searches -----------------------------------------------------------------------------------


def _fate(moment: Moment) -> str:
    return END if moment.state.phase is Phase.FINISHED else ""


def _script(first: Moment, acts: Sequence[Act]) -> str:
    return script(first, acts).replace("# director", "wait  # director")


def subject(
    group: str,
    name: str,
    rules: Rules,
    length: int,
    deepest: int | None = None,
    *,
    practice: bool = False,
    best_of_three: bool = False,
) -> Subject[Moment, Act]:
    """Return a match in which the director has a group of rulings."""
    rules = replace(small(rules, 1, 1), reasons=GROUPS[group].reasons)
    first = beginning(rules, length, practice=practice, best_of_three=best_of_three)
    if group != "lateness and breaks":
        first = first.replace(phase=Phase.READY).with_both_players(confirmed=True)
    return Subject(
        name=f"director, {group}: {name}, to {length}",
        beginnings=[Moment(first)],
        acts=acts_of(GROUPS[group]),
        step=step,
        canonical=_undo_form if group == "undo" else full_form,
        laws=_laws(),
        fate=_fate,
        script=_script,
        deepest=deepest,
        twin_every=1 if group == "undo" else 32,
    )


# --- faults -------------------------------------------------------------------------------------


def _sets_both(state: MatchState, ruling: inputs.TimeSet) -> Step:
    state, _ = corrections.set_time(state, replace(ruling, side=ruling.side.other))
    return corrections.set_time(state, ruling)


def _flag_entered(state: MatchState, ruling: inputs.FlagSet) -> Step:
    event = events.CorrectedEvent("flag", ruling.side, 0, ruling.order)
    return state.with_player(ruling.side, flag=Flag(1, None)), event


def _costs_time(state: MatchState, ruling: inputs.CrawfordSet) -> Step:
    return corrections.set_crawford(corrections.set_reserve(state, Side.LEFT, 0), ruling)


def _reopened_as_it_is(state: MatchState, _: inputs.Reopened) -> Step:
    event = events.ReopenedEvent(state.phase.value)
    return state.replace(phase=Phase.READY, winner=None, ended=""), event


def _forgets_the_turn(state: MatchState, ruling: inputs.Adjourned) -> Step:
    state, event = director.adjourn(state, ruling)
    return state.replace(turn=state.turn and replace(state.turn, used_ns=0)), event


def _crawford_stays(derive: Any, state: MatchState) -> MatchState:
    found: MatchState = state if 1 in state.away else derive(state)
    return found


def _counted_twice(undecided: Any, state: MatchState, *, keeps: bool) -> MatchState:
    undone: MatchState = undecided(state, keeps=keeps)
    return undone.replace(games=state.games)


def _counted_again(state: MatchState, ruling: inputs.AbsenceNoted) -> Step:
    return lateness.note_absence(state.with_player(ruling.side, absence=None), ruling)


TIMES = {"group": "times and flags"}
POINTS = {"group": "points"}
LATENESS = {"group": "lateness and breaks"}

FAULTS = seeded(
    {
        what_is_put_aside_comes_back: {
            "a match that is adjourned forgets what the turn has used": entry(
                Phase.STOPPED, inputs.Adjourned, _forgets_the_turn, **LATENESS
            )
        },
        the_director_waits_for_the_clock: {
            "the director can set the banks while a clock runs": entry(
                Phase.RUNNING, inputs.BanksReset, corrections.reset_banks, **TIMES
            )
        },
        one_reserve_at_a_time: {
            "setting one time sets the other too": entry(
                Phase.STOPPED, inputs.TimeSet, _sets_both, **TIMES
            )
        },
        a_cleared_flag_is_in_the_log: {
            "a flag is cleared and the log does not say so": replaced(
                corrections, "_flag_cleared", lambda _before, _after: False, **TIMES
            )
        },
        the_flag_that_is_left_is_the_first: {
            "when the first flag is cleared, the other one stays the second": replaced(
                corrections,
                "clear_flag",
                lambda state, side: state.with_player(side, flag=None),
                **TIMES,
            )
        },
        crawford_follows_a_correction: {
            "a Crawford game that a corrected score makes due is forgotten": wrapped(
                corrections, "derive_crawford", _crawford_stays, **POINTS
            )
        },
        a_reopened_game_counts_once: {
            "a game that is reopened counts twice": wrapped(
                director, "_undecided", _counted_twice, **POINTS
            )
        },
        late_points_are_due_from_who_is_late: {
            "points for a late return are due from both players": wrapped(
                lateness,
                "_count_break_step",
                lambda count, state, pause, at_ns: count(state, replace(pause, taker=None), at_ns),
                **LATENESS,
            )
        },
        lateness_noted_anew_counts_anew: {
            "lateness that is noted again counts twice": entry(
                Phase.REVIEW, inputs.AbsenceNoted, _counted_again, **LATENESS
            )
        },
        a_ruling_changes_what_it_says: {
            "a correction of the Crawford game costs time": entry(
                Phase.READY, inputs.CrawfordSet, _costs_time, **POINTS
            )
        },
        nothing_is_played_at_a_decided_score: {
            "a match is reopened at a score that has decided it": entry(
                Phase.FINISHED, inputs.Reopened, _reopened_as_it_is, **POINTS
            )
        },
        laws.no_flag_falls_without_a_limit: {
            "the director enters a flag in practice": entry(
                Phase.STOPPED, inputs.FlagSet, _flag_entered, group="no limit", practice=True
            )
        },
        laws.the_next_match_begins_as_the_first: {
            "what was settled for lateness is carried into the next match": wrapped(
                scoring, "next_leg", carried("late"), best_of_three=True, **LATENESS
            )
        },
    }
)
EBF, NBGF = PROFILES["ebf"], PROFILES["nbgf"]
RULINGS = Part(
    [
        Search(
            partial(subject, group, name, rules, length, deepest),
            quick=group == "points" or name == "nbgf",
        )
        for group, name, rules, length, deepest in (
            ("times and flags", "ebf", EBF, 1, 7),
            ("points", "ebf", EBF, 2, 6),
            ("delays", "ebf", EBF, 1, 7),
            ("delays", "nbgf", NBGF, 1, 7),
            ("lateness and breaks", "ebf", EBF, 1, 6),
            ("lateness and breaks", "nbgf", NBGF, 1, 6),
        )
    ]
    + [
        Search(partial(subject, "undo", "ebf", EBF, 1, 6)),
        Search(partial(subject, "no limit", "pace mode", EBF.at_pace(), 1, 10)),
        Search(partial(subject, "no limit", "practice", EBF, 1, 10, practice=True)),
        *(
            Search(partial(subject, group, "ebf, best of three", EBF, 1, 4, best_of_three=True))
            for group in ("points", "lateness and breaks")
        ),
    ],
    FAULTS,
    lambda fault: subject(name="control", rules=EBF, length=1, deepest=8, **fault.needs),
)
