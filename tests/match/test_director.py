"""The director's rulings: each does one thing, leaves one record, none while a clock runs."""

from collections.abc import Callable
from copy import deepcopy
from typing import Any

import pytest
from msgspec.structs import replace

from clock.eventlog.replay import replay_lines
from clock.match.events import (
    ConfirmedEvent,
    CorrectedEvent,
    FlagFellEvent,
    GameOverEvent,
    LateEvent,
    MatchOverEvent,
    PressedEvent,
    ReopenedEvent,
    RestoredEvent,
    ResumedEvent,
    StoppedEvent,
    UndoneEvent,
)
from clock.match.inputs import (
    TAKEN_UP,
    AbsenceNoted,
    AbsentClockStarted,
    Adjourned,
    Approved,
    BanksReset,
    BreakGranted,
    BreaksSet,
    BreakTaken,
    ClockRemoved,
    CrawfordSet,
    DelayRuled,
    FlagSet,
    GameScored,
    HoldLifted,
    LanguageWanted,
    LatenessWaived,
    LengthSet,
    MatchEnded,
    MatchShortened,
    MatchWanted,
    NamesSet,
    OfferMade,
    OfferRefused,
    OvertimeGranted,
    PointsAwarded,
    Reopened,
    Restored,
    ResumeMatchWanted,
    Ruling,
    RulingProposed,
    ScoreSet,
    SidesSwapped,
    TimesBegun,
    TimeSet,
    TurnResumed,
    Undone,
)
from clock.match.invariants import check
from clock.match.profiles import PROFILES
from clock.match.rules import Reason, RulingReason
from clock.match.state import Absence, Flag, MatchState, as_json
from clock.match.transitions import DIRECTOR_RULINGS
from clock.match.turns import turn_on_clock
from clock.match.types import Button, Crawford, NextDelay, Pair, Phase, ResumeWith, Side
from clock.units import MINUTE_NS
from lab.support.paths import DATA
from lab.support.phases import OFFER, PHASES, PROPOSAL
from lab.support.rows import row
from lab.support.world import BANK_NS, DELAY_NS, LEFT, RIGHT, SECOND_NS, World, refused

BEFORE, NOW, DONE = Crawford.BEFORE, Crawford.NOW, Crawford.DONE
REST, FULL, WAIT = ResumeWith.REST, ResumeWith.FULL, ResumeWith.WAIT

SAMPLES: list[Ruling] = [  # one of each; every one of them changes something where it is possible
    Approved(0),
    TimeSet(0, LEFT, 5, "director"),
    FlagSet(0, LEFT, 1),
    OvertimeGranted(0, LEFT, 5),
    DelayRuled(0, LEFT, NextDelay.SKIP),
    PointsAwarded(0, LEFT, 1, "late"),
    ScoreSet(0, LEFT, 3),
    LengthSet(0, 9, adjust_banks=True),
    MatchShortened(0),
    CrawfordSet(0, DONE),
    SidesSwapped(0),
    NamesSet(0, Pair("Bodil", "Ada")),
    BreaksSet(0, LEFT, 1),
    AbsenceNoted(0, LEFT),
    LatenessWaived(0, LEFT),
    BreakGranted(0, LEFT),
    AbsentClockStarted(0, LEFT),
    BanksReset(0),
    ClockRemoved(0),
    TimesBegun(0),
    TurnResumed(0, LEFT, FULL),
    MatchEnded(0, LEFT, "director"),
    Reopened(0),
    Undone(0),
    HoldLifted(0),
    Adjourned(0),
    MatchWanted(0),
    ResumeMatchWanted(0, "match.jsonl"),
    LanguageWanted(0, "de"),
]


# --- undo -------------------------------------------------------------------------------------


def without_undo(world: World) -> MatchState:
    return world.state.replace(done=None, at_ns=0)


@pytest.mark.rule("R212")
@pytest.mark.parametrize("phase", PHASES)
@pytest.mark.parametrize(
    "sample", [s for s in SAMPLES if s != Undone(0)], ids=lambda ruling: type(ruling).__name__
)
def test_a_ruling_is_taken_back_whole(phase: Phase, sample: Ruling) -> None:
    """Each ruling that starts no clock; both stay in the log, which is replayed."""
    world = deepcopy(PHASES[phase])
    before, lines = without_undo(world), len(world.records)
    world.give(replace(sample, at_ns=world.now_ns))
    done = world.state.done
    if done is None or world.records[-1].event != done.event or len(world.records) == lines:
        starts = world.state.phase in (Phase.RUNNING, Phase.FREE_TURN, Phase.PUT_ASIDE)
        refused = without_undo(world) == before
        assert starts or refused
        return
    world.wait("0:05").input(Undone)
    assert without_undo(world) == before
    assert world.last() == UndoneEvent(as_json(done.event))
    count = len(world.records)
    assert len(world.input(Undone).records) == count


@pytest.mark.rule("R212")
@pytest.mark.parametrize("phase", [Phase.READY, Phase.STOPPED, Phase.NO_CLOCK])
@pytest.mark.parametrize(
    "deciding", [ScoreSet(0, LEFT, 11), PointsAwarded(0, LEFT, 11, "conduct")], ids=repr
)
def test_what_decided_the_match_is_taken_back_with_its_end(phase: Phase, deciding: Ruling) -> None:
    world = deepcopy(PHASES[phase])
    before = without_undo(world)
    world.give(replace(deciding, at_ns=world.now_ns)).wait("0:05")
    assert world.state.phase is Phase.FINISHED
    assert without_undo(world.input(Undone)) == before


@pytest.mark.rule("R212")
def test_a_game_is_taken_back_until_a_clock_runs() -> None:
    world = World.running(LEFT).stop_for(Reason.GAME_OVER).press(LEFT).press(LEFT)
    before = without_undo(world)
    assert world.centre().state.score == Pair(2, 0)
    assert without_undo(deepcopy(world).input(Undone)) == before
    assert world.press(LEFT).centre().state.done is None


@pytest.mark.rule("R212")
def test_an_approval_that_changes_nothing_leaves_the_game_before_it_to_be_taken_back() -> None:
    world = World.running(LEFT).stop_for(Reason.GAME_OVER).press(LEFT)
    before = without_undo(world)
    assert without_undo(world.centre().input(Approved).input(Undone)) == before


@pytest.mark.rule("R212")
@pytest.mark.parametrize("reason", [Reason.GAME_OVER, Reason.CLOCK_FAULTY])
def test_a_reason_carried_out_since_a_ruling_is_taken_back_with_it(reason: Reason) -> None:
    """So no match is on hold that is not stopped."""
    world = World.running(LEFT, "nbgf").stop_for(Reason.GAME_OVER)
    before = without_undo(world)
    world.input(Reopened).choose(reason).centre()
    assert without_undo(world.input(Undone)) == before


@pytest.mark.rule("R212")
def test_what_players_have_pressed_since_a_ruling_goes_with_it() -> None:
    """Points that are being entered belong to no game that is played on."""
    world = World.stopped()
    before = without_undo(world)
    world.input(ClockRemoved).centre().press(LEFT).press(LEFT)
    assert world.state.game_points == Pair(2, 0)
    assert without_undo(world.input(Undone)) == before


@pytest.mark.rule("R134", "R212")
def test_where_a_match_is_played_again_no_other_one_is_on_offer() -> None:
    world = (
        World.stopped().input(MatchEnded, winner=LEFT, why="director").input(OfferMade, offer=OFFER)
    )
    assert world.state.standing_offer == OFFER
    assert world.input(Undone).state.standing_offer is None
    rest = World.stopped().input(MatchEnded, winner=LEFT, why="director")
    rest.input(ScoreSet, side=LEFT, points=3).input(OfferMade, offer=OFFER).input(Undone)
    assert rest.state.standing_offer == OFFER


# --- no ruling while a clock runs ----------------------------------------------------------------


@pytest.mark.rule("R66")
def test_every_ruling_is_tested() -> None:
    assert (
        {type(ruling) for ruling in SAMPLES}
        == set(DIRECTOR_RULINGS)
        == set(Ruling.__subclasses__()) - {GameScored}
    )


def _forfeits(world: World) -> World:
    return world.stop_for(Reason.EARLY_PICKUP)


@pytest.mark.rule("R66")
@pytest.mark.parametrize(
    "running",
    [
        lambda: World.running(LEFT).wait("0:05"),
        lambda: World.running(LEFT).wait("0:30"),
        lambda: World.running(LEFT).wait("1:00:00"),
        lambda: World.running(RIGHT).stop_for(Reason.ILLEGAL_MOVE),
        lambda: _forfeits(World.running(LEFT)).press(LEFT).wait("0:05"),
        lambda: World.ready("nbgf").input(AbsentClockStarted, side=RIGHT).wait("7:00"),
        lambda: _forfeits(World.running(LEFT)),
    ],
    ids=["delay", "reserve", "flagged", "must wait", "no delay", "absent", "free turn"],
)
def test_no_ruling_has_any_effect_while_a_turn_is_played(running: Callable[[], World]) -> None:
    """EBF 5.1: only when stopped; neither the match nor the log is changed."""
    for ruling in SAMPLES:
        world = running()
        before, written = world.state, len(world.records)
        world.now_ns += 1
        with row(type(ruling)):
            world.give(replace(ruling, at_ns=world.now_ns))
            assert replace(world.state, at_ns=before.at_ns) == before
            assert len(world.records) == written


@pytest.mark.rule("R66")
@pytest.mark.parametrize("ruling", SAMPLES, ids=lambda ruling: type(ruling).__name__)
def test_a_ruling_is_at_most_one_record(ruling: Ruling) -> None:
    """One ruling, one line, with the director's reason; without a line nothing changes."""
    if "reason" in ruling.__struct_fields__:
        ruling = replace(ruling, reason=RulingReason.AGREED)
    for world in (
        World(),
        World.ready(),
        World.stopped(),
        World.stopped().choose(Reason.GAME_OVER).centre(),
        World.ready().play_game(LEFT).give(BreakTaken(0, Pair(1, 0))),
        World.stopped().input(ClockRemoved),
        World.stopped().input(MatchEnded, winner=LEFT, why="director"),
        World.stopped().choose(Reason.CLOCK_FAULTY).centre(),
        World.ready().input(AbsenceNoted, side=LEFT).wait("15:00"),
    ):
        before, written = world.state, len(world.records)
        world.give(replace(ruling, at_ns=world.now_ns))
        if len(world.records) == written:
            assert world.state == before
        else:
            assert len(world.records) == written + 1
            if "reason" in ruling.__struct_fields__ and not isinstance(world.last(), PressedEvent):
                assert getattr(world.last(), "reason", None) is RulingReason.AGREED


# --- approval ---------------------------------------------------------------------------------


@pytest.mark.rule("R79")
def test_the_director_approves_the_settings() -> None:
    """EBF 3.5(iii): the TD's approval stands for both players; then the match can begin."""
    world = World().input_once(Approved)
    assert world.last() == ConfirmedEvent("director")
    assert world.phase is Phase.REVIEW
    assert world.centre().phase is Phase.READY


@pytest.mark.rule("R79")
@pytest.mark.parametrize("make", [World.ready, World.stopped], ids=["READY", "STOPPED"])
def test_the_director_approves_before_a_match_is_resumed(make: Callable[[], World]) -> None:
    """EBF 3.5(iii), A18: a check may be asked for before a match begins or continues."""
    world = make().input_once(Approved)
    assert world.last() == ConfirmedEvent("director")


# --- absence ----------------------------------------------------------------------------------


@pytest.mark.rule("R62")
@pytest.mark.parametrize("make", [World, World.ready], ids=["REVIEW", "READY"])
def test_an_absent_players_clock_runs(make: Callable[..., World]) -> None:
    """NBgF 2-2-4: 7 minutes late: 12 s of delay, the rest of reserve; then the opening roll."""
    world = make(World.ready("nbgf").state.settings) if make is World else make("nbgf")
    world.input(AbsenceNoted, side=RIGHT).wait("5:00")
    world.input_once(AbsentClockStarted, side=RIGHT)
    assert world.last() == LateEvent(RIGHT, 0, "clock-started", "director", forfeits=False)
    assert (world.phase, world.state.running, world.delay_ns) == (Phase.RUNNING, RIGHT, DELAY_NS)
    world.wait("7:00")
    assert world.reserves() == (BANK_NS, BANK_NS - 408 * SECOND_NS)
    world.press(RIGHT)
    assert world.last() == PressedEvent(Button.RIGHT, accepted=False, why="absent")
    world.press(LEFT)
    assert world.last() == PressedEvent(Button.LEFT, accepted=False, why="not_on_move")
    world.centre()
    assert world.last() == StoppedEvent(Reason.UNSPECIFIED, RIGHT)
    assert (world.phase, world.state.running) == (Phase.READY, None)
    world.wait("1:00").press(LEFT)
    assert (world.state.running, world.delay_ns) == (RIGHT, DELAY_NS)
    assert world.reserves() == (BANK_NS, BANK_NS - 408 * SECOND_NS)


@pytest.mark.rule("R62", "R38", "R40")
def test_an_absent_players_flag_can_fall() -> None:
    """NBgF 2-2-4: an absent player's flag falls as any other and ends nothing."""
    world = World.ready("nbgf").input(AbsentClockStarted, side=LEFT).wait("22:12")
    assert world.last() == FlagFellEvent(LEFT, 1, None)
    assert world.records[-1].at_ns == DELAY_NS + BANK_NS
    assert world.centre("0:10").phase is Phase.READY
    assert world.state.players[LEFT].flag == Flag(1, DELAY_NS + BANK_NS)


# --- without a clock, and going on ------------------------------------------------------------


@pytest.mark.rule("R45", "R75")
def test_a_match_without_a_clock_can_be_reopened_with_it() -> None:
    """EBF 4.3(iii): the TD can take it back, with the times at that moment."""
    world = World.stopped().choose(Reason.GAME_OVER).centre().press(LEFT).input_once(ClockRemoved)
    assert world.last() == CorrectedEvent("clock", None, old=True, new=False)
    assert world.state.game_points == Pair(0, 0)
    world.wait("20:00").input_once(Reopened)
    assert world.last() == ReopenedEvent("NO_CLOCK")
    assert world.phase is Phase.READY
    assert world.reserves() == (BANK_NS - 8 * SECOND_NS, BANK_NS)
    assert not world.state.clock_removed


@pytest.mark.rule("R30", "R78", "R43")
@pytest.mark.parametrize("reason", [Reason.CLOCK_FAULTY, Reason.TIME_EXPIRED])
@pytest.mark.parametrize(
    ("side", "delay", "delay_ns", "waits"),
    [
        (LEFT, REST, 7 * SECOND_NS, False),
        (LEFT, FULL, DELAY_NS, False),
        (LEFT, WAIT, DELAY_NS, True),
        (RIGHT, FULL, DELAY_NS, False),
        (RIGHT, WAIT, DELAY_NS, True),
    ],
)
def test_the_director_starts_a_clock_again(
    side: Side, delay: ResumeWith, delay_ns: int, waits: bool, reason: Reason
) -> None:
    """EBF 4.2(iii)(c), 5.1: the claimant's turn as it was, or either side with a fresh delay."""
    world = World.running(LEFT).wait("0:05").stop_for(reason).wait("5:00")
    world.input_once(TurnResumed, side=side, delay=delay)
    turn = world.state.turn
    assert turn is not None
    assert (turn.side, world.delay_ns, turn.must_wait) == (side, delay_ns, waits)
    assert (world.phase, world.state.running, world.state.held) == (Phase.RUNNING, side, False)
    assert world.last() == ResumedEvent(reason, side, delay, "director")
    assert world.reserves() == (BANK_NS, BANK_NS)
    world.centre().centre()  # the director is no longer needed
    assert world.state.running is side


# --- a clock that replaces another ------------------------------------------------------------


@pytest.mark.rule("R68")
def test_a_replacement_clock_takes_over_a_match_of_three() -> None:
    """EBF 3.7(ii): a match already won is entered as its last point."""
    world = World.ready(length=5, best_of_three=True).input(ScoreSet, side=RIGHT, points=5)
    assert (world.state.legs, world.state.score) == (Pair(0, 1), Pair(0, 0))
    assert world.phase is Phase.READY


# --- the end, and after it --------------------------------------------------------------------


@pytest.mark.rule("R75")
@pytest.mark.parametrize("winner", [LEFT, RIGHT, None])
@pytest.mark.parametrize("why", ["time", "gin", "late", "forfeit", "director"])
@pytest.mark.parametrize(
    "make",
    [World, World.ready, World.stopped, lambda: World.stopped().input(ClockRemoved)],
    ids=["REVIEW", "READY", "STOPPED", "NO_CLOCK"],
)
def test_the_director_ends_the_match(
    make: Callable[[], World], why: str, winner: Side | None
) -> None:
    """EBF 4.5: the TD decides winner and reason; score and times stay."""
    world = make()
    before = world.reserves()
    world.input_once(MatchEnded, winner=winner, why=why)
    assert world.last() == MatchOverEvent(winner, why, Pair(0, 0), [])
    assert (world.phase, world.state.winner) == (Phase.FINISHED, winner)
    assert world.wait("1:00:00").reserves() == before


@pytest.mark.rule("R75")
def test_a_finished_match_is_reopened_with_its_times() -> None:
    """EBF 4.4(iv)(c): a doubled Crawford game undone: score corrected, and the match continues."""
    world = World.ready(length=7, score=(6, 3)).press(RIGHT).press(LEFT, "0:30")
    world.press(RIGHT, "0:40").score_game(RIGHT, 4)
    assert world.last() == MatchOverEvent(RIGHT, "score", Pair(6, 7), [])
    ended = world.reserves()
    world.wait("10:00").input_once(Reopened)
    assert world.last() == ReopenedEvent("FINISHED")
    assert (world.phase, world.state.score) == (Phase.GAME_OVER, Pair(6, 3))
    world.press(LEFT).press(RIGHT).press(RIGHT).centre()
    assert (world.phase, world.state.score) == (Phase.READY, Pair(6, 5))
    assert world.state.winner is None
    assert (
        world.reserves()
        == ended
        == (5 * MINUTE_NS - 18 * SECOND_NS, 5 * MINUTE_NS - 28 * SECOND_NS)
    )
    world.wait("1:00").press(RIGHT)
    assert (world.phase, world.state.running) == (Phase.RUNNING, LEFT)
    world.score_game(LEFT)
    assert world.last() == MatchOverEvent(LEFT, "score", Pair(7, 5), [])


@pytest.mark.rule("R75", "R72")
@pytest.mark.parametrize("first", ["reopened", "corrected"])
def test_there_is_no_second_crawford_game_after_a_match_was_reopened(first: str) -> None:
    """EBF 4.4(iv): the game that ended the match was the Crawford game; the next is not."""
    world = World.ready(length=7, score=(6, 3)).input(CrawfordSet, crawford=NOW).play_game(RIGHT, 4)
    if first == "reopened":
        world.input(Reopened).press(LEFT).press(RIGHT).press(RIGHT).centre()
    else:
        world.input(ScoreSet, side=RIGHT, points=5).input(Reopened)
    assert (world.phase, world.state.score) == (Phase.READY, Pair(6, 5))
    assert world.state.crawford is DONE


@pytest.mark.rule("R75")
def test_a_game_closed_by_mistake_is_reopened() -> None:
    """GAME_OVER: the turn is on the clock still, with the delay and reserve that it had."""
    world = World.running(LEFT).wait("0:05").stop_for(Reason.GAME_OVER).press(LEFT)
    world.input_once(Reopened)
    assert world.last() == ReopenedEvent("GAME_OVER")
    assert (world.phase, world.delay_ns) == (Phase.STOPPED, 7 * SECOND_NS)
    assert world.state.game_points == Pair(0, 0)
    world.centre("1:00")
    assert (world.state.running, world.delay_ns) == (LEFT, 7 * SECOND_NS)
    assert world.events(GameOverEvent) == []


@pytest.mark.rule("R75")
@pytest.mark.parametrize("decided", ["director", "points"])
def test_a_match_ended_in_mid_game_is_reopened_where_it_was(decided: str) -> None:
    """EBF 5.2: overturned on appeal, the turn goes on with exactly the delay that it had."""
    world = World.running(LEFT, score=(10, 10)).centre("0:05")
    if decided == "director":
        world.input(MatchEnded, winner=RIGHT, why="time")
    else:
        world.input(PointsAwarded, side=LEFT, points=1, why="conduct").wait(0)
    assert (world.phase, world.state.winner) == (Phase.FINISHED, RIGHT)
    world.wait("20:00").input(Reopened).input(ScoreSet, side=RIGHT, points=10)
    assert (world.phase, world.delay_ns) == (Phase.STOPPED, 7 * SECOND_NS)
    world.centre()
    assert (world.state.running, world.delay_ns) == (LEFT, 7 * SECOND_NS)


@pytest.mark.rule("R75", "R77")
def test_a_match_of_three_is_reopened_in_its_last_match() -> None:
    """EBF 4.4(iv)(c): only the match that ended is taken back."""
    world = World.ready(length=3, best_of_three=True).play_game(LEFT, 3).play_game(RIGHT, 3)
    world.play_game(LEFT, 4)
    assert (world.phase, world.state.legs) == (Phase.FINISHED, Pair(2, 1))
    world.input(Reopened)
    assert (world.phase, world.state.game_points) == (Phase.GAME_OVER, Pair(4, 0))
    assert (world.state.legs, world.state.score) == (Pair(1, 1), Pair(0, 0))


@pytest.mark.rule("R24", "R66")
def test_a_clock_that_the_director_starts_pays_no_forfeit() -> None:
    """With the delay that they say; the forfeit is not due again in the turn after that."""
    world = World.running(LEFT).centre().input(DelayRuled, side=RIGHT, delay=NextDelay.SKIP)
    world.input(TurnResumed, side=RIGHT, delay=ResumeWith.FULL)
    assert (world.state.running, world.delay_ns) == (RIGHT, PROFILES["ebf"].delay_ns)
    world.press(RIGHT).press(LEFT)
    assert world.delay_ns == PROFILES["ebf"].delay_ns


# --- what decided a match, taken back ------------------------------------------------------------


@pytest.mark.rule("R110")
@pytest.mark.parametrize(
    ("ruling", "why"),
    [
        ({"kind": PointsAwarded, "side": RIGHT, "points": 1, "why": "bonus"}, "penalty"),
        ({"kind": ScoreSet, "side": LEFT, "points": 11}, "corrected"),
        ({"kind": MatchShortened}, "shortened"),
    ],
)
def test_a_ruling_that_decides_the_match_is_named_and_taken_back(
    ruling: dict[str, Any], why: str
) -> None:
    """The log does not say that a game was won; reopened, the score is that before the ruling."""
    world = World.stopped("nbgf", score=(10, 4)).input(**ruling).wait(0)
    event = world.last()
    assert isinstance(event, MatchOverEvent)
    assert (event.winner, event.why) == (LEFT, why)
    world.input(Reopened)
    assert (world.phase, world.state.score) == (Phase.STOPPED, Pair(10, 4))
    assert world.state.length == 11


@pytest.mark.rule("R75")
def test_a_reopened_match_takes_back_the_points_of_its_last_game() -> None:
    """EBF 4.4(iv)(c): 2-0 of 3 was 2-0 again, and no game can be started at a decided score."""
    world = World.ready(length=3).play_game(LEFT, 2).play_game(LEFT).input(Reopened)
    assert (world.phase, world.state.score) == (Phase.GAME_OVER, Pair(2, 0))
    assert world.state.game_points == Pair(1, 0)
    world.input(Reopened)
    assert (world.phase, world.state.score, world.state.games) == (Phase.READY, Pair(2, 0), 1)


@pytest.mark.rule("R75")
def test_a_reopened_match_keeps_a_correction_of_the_opponents_points() -> None:
    """The winner's last game is taken back, and nothing that was put right since."""
    world = World.ready(length=3).play_game(RIGHT).play_game(LEFT, 3)
    world.input(ScoreSet, side=RIGHT, points=2).input(Reopened)
    assert (world.state.score, world.state.game_points) == (Pair(0, 2), Pair(3, 0))
    assert world.last() == ReopenedEvent("FINISHED", kept=True)


@pytest.mark.rule("R83")
def test_version_1_0_0_took_it_back() -> None:
    """Its line does not say that it was kept."""
    old = (DATA / "cases" / "reopened-1.0.0.jsonl").read_bytes().splitlines()
    assert [step.match.state.score for step in replay_lines(old)][-3:] == [
        Pair(3, 2),
        Pair(0, 1),
        Pair(3, 1),
    ]


@pytest.mark.rule("R75")
def test_points_decide_a_match_while_others_are_entered() -> None:
    """`make prove`: no game was scored, but one was taken back: -1."""
    world = World.ready(length=1).press(LEFT).centre().choose(Reason.GAME_OVER).centre().press(LEFT)
    world.input(PointsAwarded, side=LEFT, points=1, why="conduct").wait(0).input(Reopened)
    assert (world.phase, world.state.game_points) == (Phase.GAME_OVER, Pair(1, 0))
    assert (world.state.score, world.state.games) == (Pair(0, 0), 0)
    check(world.state)


@pytest.mark.rule("R75")
def test_a_match_is_not_reopened_at_a_score_that_decides_it() -> None:
    """`make prove`: ended by the director, then the final score entered: READY at 1-0 of 1."""
    world = World.ready(length=1).input(MatchEnded, winner=LEFT, why="time")
    world.input(ScoreSet, side=LEFT, points=1).input_once(Reopened)
    assert (world.last(), world.phase) == (refused("length_ends_match"), Phase.FINISHED)
    world.input(ScoreSet, side=LEFT, points=0).input(Reopened)
    assert world.phase is Phase.READY


# --- a reason undone ------------------------------------------------------------------------------


@pytest.mark.rule("R111")
def test_an_interrupted_turn_is_resumed_exactly() -> None:
    """EBF 4.2(iii)(c) by mistake: LEFT had 20 s: 8 s of reserve; RIGHT's 15 s are not charged."""
    world = World.stopped().choose(Reason.ILLEGAL_MOVE).centre().centre("0:15")
    assert world.reserves() == (BANK_NS - 8 * SECOND_NS, BANK_NS - 3 * SECOND_NS)
    world.input_once(TurnResumed, side=LEFT, delay=REST)
    assert world.last() == ResumedEvent(Reason.UNSPECIFIED, LEFT, REST, "director")
    assert (world.reserves(), world.delay_ns) == ((BANK_NS - 8 * SECOND_NS, BANK_NS), 0)
    world.press(LEFT, "0:02")
    assert world.reserves() == (BANK_NS - 10 * SECOND_NS, BANK_NS)


def test_an_interrupted_player_gets_a_new_turn_if_the_director_says_so() -> None:
    """With a full delay; what the interrupted turn has used stays used."""
    world = World.stopped().choose(Reason.ILLEGAL_MOVE).centre().centre("0:15")
    world.input_once(TurnResumed, side=LEFT, delay=ResumeWith.FULL)
    assert world.last() == ResumedEvent(Reason.UNSPECIFIED, LEFT, ResumeWith.FULL, "director")
    assert world.times() == (BANK_NS - 8 * SECOND_NS, BANK_NS - 3 * SECOND_NS, 12 * SECOND_NS)


def test_a_turn_that_others_have_followed_is_not_resumed() -> None:
    """RIGHT has pressed since: LEFT's turn of before is over, and RIGHT begins anew."""
    world = World.stopped().choose(Reason.ILLEGAL_MOVE).centre().press(RIGHT, "0:15").centre("0:05")
    world.input(TurnResumed, side=RIGHT, delay=REST)
    assert (world.state.running, world.delay_ns) == (RIGHT, 12 * SECOND_NS)


@pytest.mark.rule("R75")
def test_a_match_that_is_over_holds_nothing_and_reopened_has_no_offer() -> None:
    """Whatever stood when it ended; a match that goes on takes no offer of the next."""
    world = (
        World.running(LEFT).stop_for(Reason.CLOCK_FAULTY).input(MatchEnded, winner=LEFT, why="late")
    )
    assert (world.state.held, world.state.pause) == (False, None)
    world.input(OfferMade, offer=OFFER)
    assert world.state.next_offer == OFFER
    assert world.input(Reopened).state.next_offer is None
    held = World.running(LEFT).stop_for(Reason.CLOCK_FAULTY).input(ClockRemoved)
    assert (held.state.held, held.phase) == (False, Phase.NO_CLOCK)


@pytest.mark.rule("R44", "R47")
@pytest.mark.parametrize(("why", "unclaimed"), [("time", []), ("gin", []), ("director", [LEFT])])
def test_a_match_ended_for_a_flag_leaves_none_unannounced(why: str, unclaimed: list[Side]) -> None:
    """EBF 4.3(iii): the director's word announces it; any other end notes it."""
    world = (
        World.stopped().input(FlagSet, side=LEFT, order=1).input(MatchEnded, winner=RIGHT, why=why)
    )
    assert world.events(MatchOverEvent) == [MatchOverEvent(RIGHT, why, Pair(0, 0), unclaimed)]


@pytest.mark.rule("R67", "R59")
def test_after_a_boot_lateness_goes_on() -> None:
    """The points proposed stay; the next one is a whole step away."""
    world = World().input(AbsenceNoted, side=LEFT).wait("12:00")
    world.give(Restored(7, 0, None, same_boot=False))
    absence = world.state.players[LEFT].absence
    assert absence == Absence(7 - 10 * MINUTE_NS, 2)


def test_a_boot_does_not_take_up_what_was_put_aside_and_knows_no_earlier_warning() -> None:
    """R131: that is done in the menu; the instant of a ruling for slow play was of another boot."""
    aside = World.stopped().input(Adjourned).give(Restored(7, 0, 20 * SECOND_NS))
    assert aside.phase is Phase.PUT_ASIDE
    assert World.ready().give(Restored(7, 0, None, TAKEN_UP)).phase is Phase.READY  # in play
    slow = World.ready("nbgf").input(PointsAwarded, side=LEFT, points=0, why="slow_play")
    assert None not in (slow.state.slow_play_ns, slow.state.done)
    after = slow.give(Restored(7, 0, None)).state
    assert (after.slow_play_ns, after.done) == (None, None)


def test_an_offer_and_a_proposal_stand_until_they_are_refused_themselves() -> None:
    world = World.stopped().input(MatchEnded, winner=LEFT, why="time").input(OfferMade, offer=OFFER)
    world.input(RulingProposed, proposal=PROPOSAL)
    world.give(OfferRefused(world.now_ns, "another", "clock", "late"))
    assert (world.state.next_offer, world.state.proposal) == (OFFER, PROPOSAL)
    world.give(OfferRefused(world.now_ns, OFFER.id, "players", ""))
    assert (world.state.next_offer, world.state.proposal) == (None, PROPOSAL)


def test_a_player_whose_clock_is_started_is_absent_no_more() -> None:
    """NBgF 2-2-4: their clock counts instead of their lateness."""
    world = World.ready("nbgf").input(AbsenceNoted, side=LEFT).input(AbsentClockStarted, side=LEFT)
    assert (world.state.running, world.state.players.left.absence) == (LEFT, None)


def test_a_turn_off_the_clock_that_is_due_does_not_keep_an_absent_players_clock_from_running() -> (
    None
):
    """NBgF 2-2-4: the clock is started for the lateness, not for a turn."""
    world = World.ready("nbgf").input(DelayRuled, side=LEFT, delay=NextDelay.FREE)
    world.input(AbsentClockStarted, side=LEFT)
    check(world.state)
    assert (world.state.running, turn_on_clock(world.state).free) == (LEFT, False)


@pytest.mark.rule("R58", "R131")
@pytest.mark.parametrize(
    "ruling",
    [
        {"kind": AbsentClockStarted, "side": LEFT},
        {"kind": ClockRemoved},
        {"kind": MatchEnded, "winner": LEFT, "why": "late"},
        {"kind": Adjourned},
    ],
    ids=lambda ruling: ruling["kind"].__name__,
)
def test_a_ruling_that_ends_a_break_leaves_nothing_of_it(ruling: dict[str, Any]) -> None:
    world = World.between_games().take_breaks(1, 1).wait("7:00").input(**ruling)
    check(world.state)
    assert world.state.pause is None


@pytest.mark.rule("R131")
def test_nobody_is_late_for_a_match_that_is_put_aside_and_taken_up() -> None:
    world = World.ready().input(AbsenceNoted, side=LEFT).wait("6:00").input(Adjourned)
    assert world.state.players.left.absence is None
    world.give(Restored(world.now_ns, 0, None, TAKEN_UP))
    assert (world.phase, world.state.put_aside_in) == (Phase.READY, None)
    check(world.state)


@pytest.mark.rule("R100")
def test_a_turn_off_the_clock_is_resumed_as_one() -> None:
    """NBgF 4-1-6: as it was; the director's word says the same as `rest`."""
    world = World.running(LEFT, "nbgf").wait("0:05").stop_for(Reason.DICE_TAKEN).centre()
    world.input_once(TurnResumed, side=LEFT, delay=ResumeWith.FREE)
    assert world.last() == ResumedEvent(Reason.UNSPECIFIED, LEFT, ResumeWith.FREE, "director")
    assert (world.phase, world.delay_ns) == (Phase.FREE_TURN, 7 * SECOND_NS)


@pytest.mark.rule("R100", "R111")
def test_a_turn_that_is_taken_up_again_owes_nothing() -> None:
    """A turn off the clock was interrupted: it goes on now, and is not due once more."""
    world = World.running(LEFT, "nbgf").stop_for(Reason.DICE_TAKEN)
    world.stop_for(Reason.ILLEGAL_MOVE).centre()
    assert world.state.players.left.next_delay is NextDelay.FREE
    world.input(TurnResumed, side=LEFT, delay=REST)
    assert (world.phase, turn_on_clock(world.state).side) == (Phase.FREE_TURN, LEFT)
    assert world.state.players[LEFT].next_delay is NextDelay.FULL
    assert world.state.interrupted is None


@pytest.mark.rule("R78")
def test_a_hold_that_is_lifted_is_recorded() -> None:
    """NBgF 4-3-2: the players go on by themselves."""
    world = World.running(LEFT).stop_for(Reason.CLOCK_FAULTY).input_once(HoldLifted)
    assert world.last() == CorrectedEvent("held", None, old=True, new=False)
    assert not world.state.held


@pytest.mark.rule("R75", "R77")
def test_a_best_of_three_without_a_winner_ends_as_a_whole() -> None:
    """EBF 4.5: the TD's decision; no leg follows."""
    world = World.ready(length=3, best_of_three=True).input(MatchEnded, winner=None, why="director")
    assert (world.phase, world.state.winner, world.state.legs) == (Phase.FINISHED, None, Pair(0, 0))


@pytest.mark.rule("R75")
def test_nothing_of_its_end_is_left_in_a_match_that_is_reopened() -> None:
    """EBF 4.4(iv)(c): the Crawford game that ended it is the Crawford game again."""
    world = World.ready(length=7, score=(6, 3)).input(CrawfordSet, crawford=NOW).play_game(LEFT)
    assert (world.state.ended, world.state.crawford) == ("score", DONE)
    world.input(Reopened)
    state = world.state
    assert (state.ended, state.decision, state.crawford) == ("", None, NOW)


@pytest.mark.rule("R75", "R67")
def test_a_match_that_was_decided_in_lines_that_are_lost_is_not_reopened() -> None:
    world = World.ready(length=3).play_game(LEFT, 3)
    world.state = world.state.replace(decision=None)
    world.input_once(Reopened)
    assert (world.last(), world.phase) == (refused("length_ends_match"), Phase.FINISHED)


@pytest.mark.rule("R67")
@pytest.mark.parametrize("same_boot", [True, False])
def test_a_break_and_a_flag_have_no_instant_after_a_boot(same_boot: bool) -> None:
    """The break is counted from the start; on the same boot both stay what they were."""
    paused = World.between_games().take_breaks(1, 1).wait("15:00")
    pause = paused.state.pause
    assert pause is not None
    assert pause.points == 1
    paused.give(Restored(paused.now_ns, 0, None, same_boot=same_boot))
    begun_anew = replace(pause, since_ns=paused.now_ns, points=0)
    assert paused.state.pause == (pause if same_boot else begun_anew)
    fallen = World.running(LEFT).wait("1:00:00").centre()
    fallen.give(Restored(fallen.now_ns, 0, None, same_boot=same_boot))
    at_ns = DELAY_NS + BANK_NS
    assert fallen.state.players.left.flag == Flag(1, at_ns if same_boot else None)
    event = fallen.last()
    assert isinstance(event, RestoredEvent)
    assert (event.same_boot, event.in_menu) == (same_boot, False)
