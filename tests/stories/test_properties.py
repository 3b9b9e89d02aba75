"""Anything, in any order: what must hold after every step of every match.

A hypothesis machine plays matches in which the players, the director and the power do what they
like, and checks after each input where the time went, to the nanosecond.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import pytest
from hypothesis import HealthCheck, seed, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)
from msgspec.structs import replace

from clock.match.events import (
    FlagFellEvent,
    LateEvent,
    OvertimeEvent,
    PressedEvent,
    Record,
    ResumedEvent,
    Writer,
)
from clock.match.inputs import CentrePressed, Input, Pressed, Restored, TimePassed
from clock.match.machine import advance, next_deadline, open_match
from clock.match.rules import FirstFlag, Lateness, Method, Reason
from clock.match.state import MatchState
from clock.match.transitions import DIRECTOR_PHASES, TABLE
from clock.match.types import Button, Crawford, NextDelay, Pair, Phase, ResumeWith, Side
from clock.units import SECOND_NS
from lab.support.examples import examples
from lab.support.world import LEFT, RIGHT, inputs, match_settings

WHY = "test"

sides = st.sampled_from(Side)
instants_apart = st.one_of(
    st.sampled_from([0, 1, 5 * SECOND_NS, 12 * SECOND_NS - 1, 12 * SECOND_NS, 12 * SECOND_NS + 1]),
    st.integers(0, 40 * SECOND_NS),
)
times = st.one_of(st.sampled_from([0, 1]), st.integers(0, 60 * SECOND_NS))


def inputs_of(
    kind: Callable[..., Input], **fields: st.SearchStrategy[Any]
) -> st.SearchStrategy[Input]:
    """Inputs of one kind; their instant is put in when they are given."""
    return st.builds(partial(kind, 0), **fields)


TIME_INPUTS = st.one_of(
    inputs_of(partial(inputs.TimeSet, why=WHY), side=sides, new_ns=times),
    inputs_of(inputs.OvertimeGranted, side=sides, granted_ns=times),
    inputs_of(inputs.FlagSet, side=sides, order=st.integers(0, 2)),
    inputs_of(inputs.DelayRuled, side=sides, delay=st.sampled_from(NextDelay)),
    inputs_of(inputs.BanksReset),
    inputs_of(inputs.TurnResumed, side=sides, delay=st.sampled_from(ResumeWith)),
    inputs_of(inputs.AbsenceNoted, side=sides, late_ns=times),
    inputs_of(inputs.LatenessWaived, side=sides),
    inputs_of(inputs.BreakGranted, side=sides),
    inputs_of(inputs.AbsentClockStarted, side=sides),
    inputs_of(inputs.SidesSwapped),
)
MATCH_INPUTS = st.one_of(
    inputs_of(inputs.Approved),
    inputs_of(
        inputs.PointsAwarded,
        side=sides,
        points=st.integers(1, 3),
        why=st.sampled_from(["test", "late"]),
    ),
    inputs_of(
        inputs.ScoreSet,
        side=sides,
        points=st.integers(0, 5),
        crawford=st.none() | st.sampled_from(Crawford),
        adjust_banks=st.booleans(),
    ),
    inputs_of(inputs.LengthSet, length=st.integers(1, 7), adjust_banks=st.booleans()),
    inputs_of(inputs.MatchShortened),
    inputs_of(inputs.CrawfordSet, crawford=st.sampled_from(Crawford)),
    inputs_of(
        inputs.NamesSet, names=st.permutations(("Ada", "Bo")).map(lambda names: Pair(*names))
    ),
    inputs_of(inputs.BreaksSet, side=sides, taken=st.integers(0, 2)),
    inputs_of(inputs.ClockRemoved),
    inputs_of(partial(inputs.MatchEnded, why=WHY), winner=st.none() | sides),
    inputs_of(inputs.Reopened),
    inputs_of(inputs.MatchWanted),
    inputs_of(partial(inputs.LanguageWanted, language="da")),
    inputs_of(partial(inputs.FaultSeen, part="test", what=WHY)),
    inputs_of(partial(inputs.FaultCleared, part="test")),
    inputs_of(inputs.Noted, button=st.sampled_from(Button)),
)

SHARES = 2  # of all examples, so that processes can share them

GRANTING = (inputs.TimeSet, inputs.OvertimeGranted, inputs.BanksReset, inputs.LengthSet)


@dataclass
class Books:
    """Where all time went since the last reset of the account."""

    since_ns: int
    stopped_ns: int = 0
    delay_ns: int = 0
    reserve_ns: int = 0
    overrun_ns: int = 0  # played after the flag

    @property
    def total_ns(self) -> int:
        return self.stopped_ns + self.delay_ns + self.reserve_ns + self.overrun_ns


def overrun_ns(state: MatchState, side: Side) -> int:
    """What a side has played after its time was used up."""
    return max(0, -state.balance_ns(side, state.at_ns))


def reserves(state: MatchState) -> Pair[int]:
    """Both reserves at the state's own instant."""
    return Pair(state.reserve_ns(LEFT, state.at_ns), state.reserve_ns(RIGHT, state.at_ns))


def left_to_play_ns(state: MatchState, side: Side) -> int:
    """Delay and reserve of the side on the clock, at the state's own instant."""
    return state.delay_left_ns(state.at_ns) + state.reserve_ns(side, state.at_ns)


class AnyMatch(RuleBasedStateMachine):
    """A match in which everything happens that can happen."""

    @initialize(
        profile=st.sampled_from(["ebf", "nbgf", "us", "nbgf-analog"]),
        length=st.integers(1, 5),
        best_of_three=st.booleans(),
        changes=st.fixed_dictionaries(
            {
                "time_per_point_ns": st.sampled_from([SECOND_NS, 15 * SECOND_NS]),
                "time_per_match_ns": st.just(0),
                "overtime_ns": st.sampled_from([0, 10 * SECOND_NS]),
                "on_first_flag": st.sampled_from(FirstFlag),
                "lateness": st.sampled_from(Lateness),
                "late_step_ns": st.just(30 * SECOND_NS),
                "break_ns": st.just(30 * SECOND_NS),
                "method": st.sampled_from(Method),
            }
        ),
        start_ns=st.integers(0, 10**15),
        begun=st.booleans(),
    )
    def open(
        self,
        profile: str,
        length: int,
        best_of_three: bool,
        changes: dict[str, Any],
        start_ns: int,
        begun: bool,
    ) -> None:
        """A match with little time; half of them already being played."""
        settings_ = match_settings(profile, length=length, best_of_three=best_of_three, **changes)
        self.state, _ = open_match(settings_, start_ns, Writer("test"))
        self.books = Books(start_ns)
        if begun:
            for side in Side:
                self.give(Pressed(start_ns, side))
            self.give(CentrePressed(start_ns))
            self.give(Pressed(start_ns, LEFT))

    # --- one input, looked at from all sides --------------------------------------------------

    def give(self, happened: Input) -> None:
        """Give the machine an input; check the timed transitions before it and its effect."""
        before = self.state
        at_ns = max(before.at_ns, happened.at_ns)
        due = self.let_time_act(at_ns)
        waited = self.state
        self.state, own = advance(waited, happened)
        assert advance(before, happened) == (self.state, (*due, *own))
        assert self.state.at_ns == at_ns
        assert len(own) <= 1
        for record in own:
            self.check_snapshot(record)
        self.check_effect(waited, happened, own)

    def let_time_act(self, at_ns: int) -> list[Record]:
        """Go to an instant from one timed transition to the next."""
        due: list[Record] = []
        while (due_ns := next_deadline(self.state)) is not None and due_ns <= at_ns:
            assert due_ns >= self.state.at_ns, "time went backwards"
            before = self.state
            self.keep_books(before, due_ns)
            self.state, records = advance(before, TimePassed(due_ns))
            assert records, "a deadline, and nothing happened"
            assert {record.at_ns for record in records} == {due_ns}
            self.check_snapshot(records[-1])
            self.check_timed(before, records)
            due += records
        self.keep_books(self.state, at_ns)
        self.state, records = advance(self.state, TimePassed(at_ns))
        assert records == ()
        return due

    def keep_books(self, before: MatchState, now_ns: int) -> None:
        """Where the time from a state to an instant went, with no transition in between."""
        after = before.replace(at_ns=now_ns)
        elapsed_ns = now_ns - before.at_ns
        side = before.running
        if side is None:
            assert reserves(after) == reserves(before)
            assert after.delay_left_ns(now_ns) == before.delay_left_ns(before.at_ns)
            self.books.stopped_ns += elapsed_ns
            return
        assert reserves(after)[side.other] == reserves(before)[side.other]
        delay_ns = before.delay_left_ns(before.at_ns) - after.delay_left_ns(now_ns)
        reserve_ns = reserves(before)[side] - reserves(after)[side]
        after_flag_ns = overrun_ns(after, side) - overrun_ns(before, side)
        assert min(delay_ns, reserve_ns, after_flag_ns) >= 0
        assert delay_ns + reserve_ns + after_flag_ns == elapsed_ns
        assert reserve_ns == 0 or after.delay_left_ns(now_ns) == 0
        self.books.delay_ns += delay_ns
        self.books.reserve_ns += reserve_ns
        self.books.overrun_ns += after_flag_ns

    def check_timed(self, before: MatchState, records: tuple[Record, ...]) -> None:
        """What happened by itself: flags only where nothing is left; where it may lead."""
        for record in records:
            if not isinstance(record.event, FlagFellEvent | OvertimeEvent):
                continue
            side = record.event.side
            assert before.running is side
            assert before.players[side].flag is None
            assert left_to_play_ns(before.replace(at_ns=record.at_ns), side) == 0
            if isinstance(record.event, OvertimeEvent):
                assert not before.players[side].overtime_used
                assert self.state.players[side].overtime_used
                assert reserves(self.state)[side] == record.event.new_ns
        if self.state.phase is not before.phase:
            assert self.state.phase is Phase.FINISHED or (
                (before.phase, self.state.phase) == (Phase.RUNNING, Phase.STOPPED)
                and before.settings.rules.on_first_flag is FirstFlag.FREEZE
            )

    def check_snapshot(self, record: Record) -> None:
        """A record says where it left the match."""
        state = self.state
        assert (record.at_ns, record.phase, record.running) == (
            state.at_ns,
            state.phase,
            state.running,
        )
        assert Pair(record.left_ns, record.right_ns) == reserves(state)
        assert record.delay_ns == state.delay_left_ns(state.at_ns)

    def check_effect(self, before: MatchState, happened: Input, own: tuple[Record, ...]) -> None:
        """What an input may do to a match at its instant: no time passes in it."""
        state = self.state
        assert state.phase in TABLE[before.phase, type(happened)].reachable
        if isinstance(happened, inputs.Ruling) and before.phase not in DIRECTOR_PHASES:
            assert (state, own) == (before, ())
        if isinstance(happened, Pressed) and before.running is happened.side.other:
            assert state == before  # R16: only the mover's plunger ends a turn
        entered = isinstance(happened, inputs.ScoreSet) and happened.adjust_banks
        next_leg = sum(state.legs) > sum(before.legs) and state.turn is None
        if isinstance(happened, inputs.SidesSwapped) and own:
            assert reserves(state) == reserves(before).swapped()
        elif not isinstance(happened, GRANTING) and not next_leg and not entered:
            assert reserves(state) == reserves(before)
            assert before.flags_down == state.flags_down or isinstance(happened, inputs.FlagSet)
        self.check_grant(before, happened, own)
        if state.delay_left_ns(state.at_ns) > before.delay_left_ns(before.at_ns):
            self.check_fresh_delay(own)

    def check_grant(self, before: MatchState, happened: Input, own: tuple[Record, ...]) -> None:
        """The director's times are exact to the nanosecond, also during a turn."""
        if not own:
            return
        expected = reserves(before)
        if isinstance(happened, inputs.TimeSet):
            expected = expected.put(happened.side, happened.new_ns)
        elif isinstance(happened, inputs.OvertimeGranted):
            expected = expected.update(happened.side, lambda left: left + happened.granted_ns)
        elif isinstance(happened, inputs.BanksReset):
            expected = Pair(before.bank_ns(), before.bank_ns())
        else:
            return
        assert reserves(self.state) == expected

    @staticmethod
    def check_fresh_delay(own: tuple[Record, ...]) -> None:
        """A delay restarts with a turn or by an explicit ruling, never by resuming (T4)."""
        match [record.event for record in own]:
            case [PressedEvent(accepted=True)]:
                assert own[0].phase in (Phase.RUNNING, Phase.FREE_TURN)
            case [ResumedEvent(delay=delay)]:
                assert delay is not ResumeWith.REST
            case [LateEvent(award="clock-started")]:
                pass
            case events:
                raise AssertionError(f"a fresh delay by {events}")

    # --- inputs -------------------------------------------------------------------------------

    @rule(after_ns=instants_apart)
    def time_passes(self, after_ns: int) -> None:
        self.give(TimePassed(self.state.at_ns + after_ns))

    @rule(after_ns=instants_apart, side=sides)
    def press(self, after_ns: int, side: Side) -> None:
        self.give(Pressed(self.state.at_ns + after_ns, side))

    @precondition(lambda self: self.state.running is not None)
    @rule(after_ns=instants_apart)
    def end_turn(self, after_ns: int) -> None:
        assert self.state.running is not None
        self.give(Pressed(self.state.at_ns + after_ns, self.state.running))

    @precondition(lambda self: next_deadline(self.state) is not None)
    @rule(off_ns=st.sampled_from([-1, 0, 1]))
    def press_about_the_flag(self, off_ns: int) -> None:
        """The mover's plunger in the last nanosecond, or just too late."""
        deadline_ns, mover = next_deadline(self.state), self.state.running
        assert deadline_ns is not None
        if mover is None:
            self.give(TimePassed(deadline_ns + off_ns))
            return
        had_flag = self.state.players[mover].flag is not None
        in_time = self.state.at_ns <= deadline_ns + off_ns < deadline_ns
        had_overtime = self.state.players[mover].overtime_used
        self.give(Pressed(deadline_ns + off_ns, mover))
        if in_time:
            assert (self.state.players[mover].flag is not None) is had_flag
            assert self.state.players[mover].overtime_used is had_overtime

    @rule(after_ns=instants_apart)
    def centre(self, after_ns: int) -> None:
        self.give(CentrePressed(self.state.at_ns + after_ns))

    @precondition(lambda self: self.state.phase in (Phase.RUNNING, Phase.FREE_TURN, Phase.STOPPED))
    @rule(reason=st.sampled_from(Reason), after_ns=instants_apart)
    def stop_for(self, reason: Reason, after_ns: int) -> None:
        """Stop, choose a reason and carry it out."""
        if self.state.phase is not Phase.STOPPED:
            self.give(CentrePressed(self.state.at_ns + after_ns))
        for _ in range(20):
            if self.state.reason is reason or self.state.phase is not Phase.STOPPED:
                break
            self.give(Pressed(self.state.at_ns, RIGHT))
        self.give(CentrePressed(self.state.at_ns + after_ns))

    @precondition(lambda self: self.state.phase is Phase.READY)
    @rule(left=st.integers(0, 2), right=st.integers(0, 2))
    def take_break(self, left: int, right: int) -> None:
        self.give(inputs.BreakTaken(self.state.at_ns, Pair(left, right)))

    @precondition(lambda self: self.state.phase in DIRECTOR_PHASES)
    @rule(happened=TIME_INPUTS, after_ns=instants_apart)
    def director_sees_to_the_time(self, happened: Input, after_ns: int) -> None:
        """The director's rulings about times and turns."""
        self.give(replace(happened, at_ns=self.state.at_ns + after_ns))

    @rule(happened=TIME_INPUTS | MATCH_INPUTS, after_ns=instants_apart)
    def director_does_anything(self, happened: Input, after_ns: int) -> None:
        """Any ruling of the director in any phase, and faults."""
        self.give(replace(happened, at_ns=self.state.at_ns + after_ns))

    @rule(late_ns=st.integers(1, 20 * SECOND_NS), side=sides)
    def press_out_of_order(self, late_ns: int, side: Side) -> None:
        """A press that is older than the latest input."""
        self.give(Pressed(self.state.at_ns - late_ns, side))

    @rule(at_ns=st.integers(0, 10**12), lost_ns=st.integers(0, SECOND_NS), known=st.booleans())
    def power_fails(self, at_ns: int, lost_ns: int, known: bool) -> None:
        """The program restarts on another boot, with the last known time of the turn."""
        before, turn = self.state, self.state.turn
        used_ns = None
        if known and turn is not None:
            used_ns = max(turn.used_ns, turn.elapsed_ns(before.at_ns) - lost_ns)
        self.state, records = advance(before, Restored(at_ns, lost_ns=lost_ns, used_ns=used_ns))
        assert len(records) == 1
        self.check_snapshot(records[0])
        assert self.state.phase in TABLE[before.phase, Restored].reachable
        assert self.state.running is None
        for side in Side:
            assert 0 <= reserves(self.state)[side] - reserves(before)[side] <= lost_ns
        self.books = Books(at_ns)

    # --- invariants ---------------------------------------------------------------------------

    @invariant()
    def one_clock_at_most(self) -> None:
        """R18: a clock runs in RUNNING and nowhere else, and then it is one side's."""
        assert (self.state.running is not None) is (self.state.phase is Phase.RUNNING)
        decided = self.state.champion is not None  # FINISHED is due
        has_turn = self.state.phase in (Phase.STOPPED, Phase.FREE_TURN)  # not a game entered anew
        if has_turn and not decided and not self.state.clock_removed:
            assert self.state.turn is not None
        assert self.state.held <= (self.state.phase is Phase.STOPPED)
        assert (self.state.pause is not None) is (self.state.phase is Phase.BREAK)

    @invariant()
    def no_more_delay_than_granted(self) -> None:
        """R10: the delay left is at most that of the turn, which is at most the rules'."""
        state = self.state
        if state.turn is not None:
            assert 0 <= state.delay_left_ns(state.at_ns) <= state.turn.delay_ns
            assert state.turn.delay_ns <= state.settings.rules.delay_ns

    @invariant()
    def reserves_are_never_negative(self) -> None:
        """A reserve is shown as 0 from the flag on."""
        assert min(reserves(self.state)) >= 0

    @invariant()
    def who_runs_without_a_flag_has_time(self) -> None:
        """R38: a mover without a flag either has time left or is flagged at this very instant."""
        side = self.state.running
        if side is not None and self.state.players[side].flag is None:
            deadline_ns = next_deadline(self.state)
            assert deadline_ns is not None
            assert deadline_ns == self.state.at_ns + left_to_play_ns(self.state, side)

    @invariant()
    def all_time_is_accounted_for(self) -> None:
        """Delay used, reserve used, time after flags and time stopped: together all that passed."""
        assert self.books.total_ns == self.state.at_ns - self.books.since_ns


@pytest.mark.slow
@pytest.mark.parametrize("share", range(SHARES))
def test_any_match(share: int) -> None:
    run_state_machine_as_test(
        seed(share)(AnyMatch),
        settings=settings(
            database=None,
            max_examples=examples(120) // SHARES,
            stateful_step_count=50,
            suppress_health_check=[HealthCheck.filter_too_much, HealthCheck.too_slow],
        ),
    )
