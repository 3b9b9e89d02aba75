"""A whole clock in virtual time: the promise of docs/library.md."""

import os
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from decimal import Decimal
from functools import partial
from pathlib import Path
from random import Random
from shutil import rmtree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clock.config.loader import load_settings
from clock.config.reader import ConfigError
from clock.eventlog.codec import decode
from clock.eventlog.recovery import EXACT_GAP_NS
from clock.eventlog.verification import description, shown_text, verify
from clock.match.events import ResumedEvent
from clock.match.profiles import PROFILES
from clock.match.rules import Lateness
from clock.match.state import MatchState
from clock.match.types import Button, Pair, Phase, Side
from clock.report.build import summary
from clock.storage.checkpoint import CHECKPOINT, read_checkpoint
from clock.storage.journal import JournalError
from clock.ui.menu import MENU
from clock.units import SECOND_NS
from clock.virtual import VirtualButtons, VirtualClock, VirtualTime
from hardware.display.layout import draw
from lab.support.paths import ROOT
from lab.support.rows import rest_slow
from lab.support.world import OFFERING

LEFT, RIGHT = Side.LEFT, Side.RIGHT
PRESETS = '[[preset]]\nname = "Final"\nlength = 1\n[[preset]]\nname = "Fast"\nlength = 3\n'


def settings(profile: str = "ebf", match: str = "", rest: str = "") -> str:
    """The text of a settings file."""
    return f'[match]\nlength = 5\n{match}\n[rules]\nprofile = "{profile}"\n{rest}'


# --- situations -------------------------------------------------------------------------------


def new(clock: VirtualClock) -> VirtualClock:
    return clock


def ready(clock: VirtualClock) -> VirtualClock:
    return clock.press("left").press("right").press("centre")


def running(clock: VirtualClock) -> VirtualClock:
    """The left clock runs, in the third turn."""
    return ready(clock).press("right").wait(20).press("left").wait(20).press("right").wait(15)


def stopped(clock: VirtualClock) -> VirtualClock:
    return running(clock).press("centre")


def warned(clock: VirtualClock) -> VirtualClock:
    return stopped(clock).choose("penalty", "right", "conduct")


def flagged(clock: VirtualClock) -> VirtualClock:
    return running(clock).wait(600).press("centre")


def scored(clock: VirtualClock) -> VirtualClock:
    return stopped(clock).choose("game_over", "left", 2)


def over(clock: VirtualClock) -> VirtualClock:
    return stopped(clock).choose("game_over", "right", 6)


def absent(clock: VirtualClock) -> VirtualClock:
    return clock.choose("absent", "left", 30)


def held(clock: VirtualClock) -> VirtualClock:
    return stopped(clock).choose("clock_faulty")


def free(clock: VirtualClock) -> VirtualClock:
    return stopped(clock).choose("dice_taken").press("centre")


def aside(clock: VirtualClock) -> VirtualClock:
    return stopped(clock).choose("put_aside")


def asked(clock: VirtualClock) -> VirtualClock:
    """The menu's item of a result that was entered wrongly asks for its first answer."""
    return stopped(clock).hold().press("right").press("centre")


def turned(clock: VirtualClock) -> VirtualClock:
    """Another reason than the first is shown."""
    return stopped(clock).press("right").press("right")


def cut_off(clock: VirtualClock) -> VirtualClock:
    """A reason is shown that nobody can choose."""
    return running(clock).cut()


# Each offers something that those before it do not.
SITUATIONS: tuple[Callable[[VirtualClock], VirtualClock], ...] = (
    *(new, ready, stopped, scored, over, absent, held, free),
)


def _crash(clock: VirtualClock) -> VirtualClock:
    return clock.press("left").press("right").restart().press("left")


def _look(clock: VirtualClock) -> VirtualClock:
    """Open the menu and what its second item asks for, and leave both."""
    return clock.hold().press("right").press("centre").hold().hold()


@pytest.mark.rule("R105")
@pytest.mark.parametrize(
    ("situation", "act"), [(over, _crash), (aside, _crash), (scored, _look), (held, _look)]
)
def test_a_result_keeps_its_fingerprint_until_it_changes(
    situation: Callable[[VirtualClock], VirtualClock], act: Callable[[VirtualClock], VirtualClock]
) -> None:
    """Presses, a crash of the program and the menu leave it as the players wrote it down."""
    clock = situation(VirtualClock(settings()))
    fingerprint, seq = clock.faces.left.fingerprint, len(clock.lines)
    assert len(act(clock).lines) > seq + 2
    log = verify(clock.lines)
    assert {*clock.faces.map(lambda face: face.fingerprint), summary(clock.lines).fingerprint} == {
        fingerprint
    }
    end = f"log code {fingerprint} at line {seq}, the end"
    assert description(log, "")[-1].startswith(f"{end}; the {len(clock.lines) - seq} after it")
    assert (shown_text(log, fingerprint) or "").endswith("after it change nothing of the result")


@pytest.mark.rule("R105")
def test_a_result_that_is_corrected_has_another_fingerprint() -> None:
    clock = over(VirtualClock(settings()))
    fingerprint = clock.faces.left.fingerprint
    clock.choose("score", "left", 1).press("left")
    later = clock.faces.left.fingerprint
    assert fingerprint != later == summary(clock.lines).fingerprint
    assert "are not covered" in (shown_text(verify(clock.lines), fingerprint) or "")


# --- choose -----------------------------------------------------------------------------------


@pytest.mark.parametrize("profile", rest_slow(OFFERING))
def test_whatever_is_offered_can_be_chosen(profile: str) -> None:
    """Each reason of the profile and each item of the menu, as proposed; all verify."""
    chosen = set[str]()
    others = ('time_per_point = "none"\n', PRESETS)
    for situation, rest in (
        *((each, "") for each in SITUATIONS),
        *((new, each) for each in others),
    ):
        clock = _at(situation, profile, rest)
        for name in [each for each in clock.items if each not in chosen]:
            if name not in clock.items:
                clock = _at(situation, profile, rest)
            before = len(clock.lines), clock.log
            clock.choose(name)
            assert (len(clock.lines), clock.log) != before, name
            assert clock._dialogue.page is None, name
            verify(clock.lines)
            chosen.add(name)
    assert chosen >= {reason.value for reason in PROFILES[profile].reasons}
    rules = PROFILES[profile]
    never = {"off_clock" if rules.delay_ns else "next_delay"}
    if rules.lateness is Lateness.START_CLOCK:
        never.add("waive_late")
    assert {item.name for item in MENU} - chosen == never


def _at(situation: Callable[[VirtualClock], VirtualClock], profile: str, rest: str) -> VirtualClock:
    """A clock in a situation, with little time; of presets the file's own settings are chosen."""
    times = "" if "none" in rest else 'time_per_point = "0:06"\n'
    clock = VirtualClock(settings(profile, rest=times + rest))
    return situation(clock.press("centre") if rest is PRESETS else clock)


def reserve_s(side: Side) -> Callable[[MatchState], object]:
    """What a side has left, while no clock runs."""
    return lambda state: state.reserve_ns(side, state.at_ns) / SECOND_NS


def granted_s(state: MatchState) -> object:
    """What the left player has been given in all."""
    return state.players.left.account.granted_ns / SECOND_NS


def running_side(state: MatchState) -> object:
    return state.running


def score(state: MatchState) -> object:
    return state.score


@pytest.mark.parametrize(
    ("situation", "name", "answers", "seen", "value"),
    [
        (stopped, "give_back", ("left", 1, "clock"), reserve_s(LEFT), 591),
        (stopped, "give_back", ("left", 3), reserve_s(LEFT), 600),
        (stopped, "give_back", ("left",), reserve_s(LEFT), 591),
        (stopped, "give_back", (RIGHT, 2), reserve_s(RIGHT), 600),
        (stopped, "set_time", ("right", 90), reserve_s(RIGHT), 90),
        (stopped, "set_time", ("right", "1:01:30"), reserve_s(RIGHT), 3690),
        (stopped, "set_time", ("right", 0), reserve_s(RIGHT), 0),
        (stopped, "set_time", ("right", 35999), reserve_s(RIGHT), 35999),
        (stopped, "add_time", ("left", 3599), granted_s, 4199),
        (stopped, "add_time", ("left", -3599), reserve_s(LEFT), 0),
        (scored, "add_time", ("left", -59), reserve_s(LEFT), 528),
        (scored, "add_time", ("left", "+10:05", "slow_play"), granted_s, 1205),
        (stopped, "add_time", ("left", "-0:30", "time_penalty", "conduct"), granted_s, 570),
        (ready, "score", ("right", 4, "now"), lambda s: (*s.score, s.crawford), (0, 4, "now")),
        (scored, "score", ("left", 0), score, Pair(0, 0)),
        (ready, "score", ("left", 5), score, Pair(5, 0)),
        (ready, "score", ("left", 1, None), score, Pair(1, 0)),
        (ready, "length", (13, False), granted_s, 600),
        (ready, "length", (13, "adjust"), granted_s, 1560),
        (stopped, "resume", ("right", "full"), running_side, RIGHT),
        (stopped, "resume", (), running_side, LEFT),
        (stopped, "next_delay", ("left", "this_skip", "dice"), lambda s: s.turn.delay_ns, 0),
        (stopped, "next_delay", (None, "skip"), lambda s: s.players.left.next_delay, "skip"),
        (stopped, "penalty", ("right", "conduct", 2), score, Pair(2, 0)),
        (stopped, "penalty", ("right", "conduct"), lambda s: s.players.right.warnings, 1),
        (warned, "penalty", ("right", "conduct", "0"), lambda s: s.players.right.warnings, 2),
        (stopped, "end_match", ("right", "director", "agreed"), lambda s: s.winner, RIGHT),
        (flagged, "end_match", (), lambda s: (s.winner, s.ended), (RIGHT, "time")),
        (stopped, "game_over", ("right", 3), score, Pair(0, 3)),
        (stopped, "game_decided", ("left",), score, Pair(1, 0)),
        (stopped, "game_over", (), lambda s: s.phase, Phase.GAME_OVER),
        (stopped, "dice_taken", (), running_side, LEFT),
        (asked, "dice_taken", (), running_side, LEFT),
        (turned, "dice_taken", (), running_side, LEFT),
        (turned, "game_over", ("right", 3), score, Pair(0, 3)),
        (cut_off, "clock_faulty", (), lambda s: s.reason, "clock_faulty"),
        (aside, "take_up", (None,), lambda s: s.phase, Phase.STOPPED),
        (stopped, "codes", (), lambda s: s.phase, Phase.STOPPED),
        (lambda clock: clock, "swap", (), lambda s: [*s.names], ["Right", "Left"]),
        (absent, "waive_late", ("left",), lambda s: s.players.left.late.open, 0),
    ],
)
def test_questions_are_answered_in_their_order(
    situation: Callable[[VirtualClock], VirtualClock],
    name: str,
    answers: tuple[object, ...],
    seen: Callable[[MatchState], object],
    value: object,
) -> None:
    clock = situation(VirtualClock(settings())).choose(name, *answers)
    assert seen(clock.state) == value
    assert verify(clock.lines).match.state == clock.state


@pytest.mark.parametrize(
    ("situation", "name", "answers", "named"),
    [
        (running, "give_back", (), "nothing while a turn is played"),
        (stopped, "reopen", (), "unspecified, game_over, .* resume, .* penalty"),
        (stopped, "jump", (), "'jump' is not offered now; offered: unspecified, "),
        (held, "game_over", (), "offered: set_time, resume"),
        (ready, "score", ("middle",), "score_of: 'middle' .* left, right"),
        (ready, "score", ("left", 6), "points: 6 .* 0 to 5"),
        (ready, "score", ("left", "2"), "points: '2' .* 0 to 5"),
        (ready, "score", ("left", True), "points: True .* 0 to 5"),
        (stopped, "give_back", ("left", 9), "since_press: 9 .* 1, 3"),
        (stopped, "set_time", ("left", 1.5), "time: 1.5 .* 0 to 35999 whole seconds"),
        (stopped, "add_time", ("left", "1:00:00"), "time: '1:00:00' .* -3599 to 3599"),
        (stopped, "add_time", ("left", "a minute"), "time: 'a minute'"),
        (stopped, "end_match", ("left", "gin"), "why: 'gin' .* director, forfeit, late"),
        (stopped, "penalty", ("left", "conduct", 65), "points: 65 .* 0, 1, 2"),
        (stopped, "put_aside", ("left",), "put_aside asks for 0 answers, not for 'left'"),
        (stopped, "early_pickup", (1,), "early_pickup asks for nothing, not for 1"),
        (stopped, "game_over", ("nobody",), "winner 'nobody' .* left, right"),
        (stopped, "game_over", ("left", 0), "0 is no number of points"),
        (stopped, "give_back", ("left", True), "since_press: True .* 1, 3$"),
        (stopped, "give_back", ("left", 1, "gin"), "why: 'gin' .* None, slow_play, .* other$"),
        (stopped, "next_delay", ("left", "gin"), "offered: full, .* free, this_full, this_skip$"),
        (stopped, "add_time", ("left", 60, "gin"), "offered: director, .*, time_penalty, .*late, "),
        (stopped, "end_match", ("left", ["late"]), r"why: \['late'\] .* director, forfeit, late$"),
        (ready, "length", (13, "gin"), "banks: 'gin' .* True, False$"),
        (stopped, "score", ("left", 1, None, "gin"), "why: 'gin' .* offered: "),
        (ready, "new_match", ("Fast",), "new_match asks for 0 answers, not for 'Fast'"),
        (stopped, "game_over", ("left", 1, 1), "game_over asks for nothing, not for 1"),
        (stopped, "game_over", ("left", True), "True is no number of points"),
        (stopped, "game_over", ("left", "1"), "'1' is no number of points"),
        (aside, "take_up", ("Ada", 2), "asks for one answer"),
        (aside, "take_up", ("elsewhere",), "'elsewhere' .* 2000-01-01T12-00-00-00000000"),
    ],
)  # fmt: skip
def test_what_is_not_offered_is_an_error_that_names_what_is(
    situation: Callable[[VirtualClock], VirtualClock],
    name: str,
    answers: tuple[object, ...],
    named: str,
) -> None:
    """And nothing has been pressed."""
    clock = situation(VirtualClock(settings()))
    before = clock.lines, clock.now_ns, clock.faces
    with pytest.raises(LookupError, match=named):
        clock.choose(name, *answers)
    assert (clock.lines, clock.now_ns, clock.faces) == before


@pytest.mark.parametrize(
    ("situation", "name", "held_s"),
    [(stopped, "dice_taken", 0), (asked, "dice_taken", 3), (stopped, "no_clock", 1.5)],
)
def test_choosing_takes_the_time_before_it_and_that_of_its_holds(
    situation: Callable[[VirtualClock], VirtualClock], name: str, held_s: float
) -> None:
    """The centre is held to open the menu, and to leave each page; presses take no time."""
    clock = situation(VirtualClock(settings()))
    begun_ns = clock.now_ns
    clock.choose(name, after=2.25)
    assert (clock.now_ns - begun_ns) / SECOND_NS == 2.25 + held_s


def test_a_reason_is_chosen_after_a_power_cut_though_it_is_the_first() -> None:
    """What the panels show then is none of those that can be chosen."""
    clock = cut_off(VirtualClock(settings()))
    first = clock.items[0]
    resumed = decode(clock.choose(first).lines[-1], 0).record.event
    assert isinstance(resumed, ResumedEvent)
    assert resumed.reason == first


def test_the_menu_opens_from_any_page_and_with_its_code() -> None:
    clock = stopped(VirtualClock(settings(rest='[director]\ncode = "LRRL"\n')))
    for _ in range(3):  # wrong codes, after which none counts for a while
        clock.hold("centre").press("right").press("right").press("right").press("right")
        clock.hold("centre")
    clock.hold("centre").press("left")
    wrong = [line for line in clock.lines if b'"wrong_code"' in line]
    assert clock.choose("give_back", "left").choose("no_clock").state.phase is Phase.NO_CLOCK
    assert [line for line in clock.lines if b'"wrong_code"' in line] == wrong
    clock = stopped(VirtualClock(settings(rest='[director]\ncode = "LRRL"\n')))
    clock.hold("centre").press("left").choose("no_clock")
    assert not [line for line in clock.lines if b'"wrong_code"' in line]
    clock = ready(VirtualClock()).hold("centre").press("right").press("centre")
    assert clock.choose("put_aside").state.phase is Phase.PUT_ASIDE


def test_presets_matches_and_languages_are_chosen_by_name(tmp_path: Path) -> None:
    clock = VirtualClock(settings(rest=PRESETS), tmp_path)
    with pytest.raises(
        LookupError, match=r"'Slow' is not offered now; offered: \"\", Final, Fast$"
    ):
        clock.choose("new_match", "Slow")
    assert clock.choose("other_preset", "Fast").state.length == 3
    aside(clock)
    clock.choose("new_match", "").choose("language", "de")
    assert clock.state.length == 5
    [first, second] = sorted(path.stem for path in tmp_path.glob("2*.jsonl"))[-2:]
    assert clock.log.stem == second
    assert clock.cut().choose("take_up", first).state.length == 3
    assert clock.state.phase is Phase.STOPPED
    assert clock.faces.left.status == "Angehalten"


# --- times ------------------------------------------------------------------------------------


def test_seconds_are_exact_to_the_nanosecond() -> None:
    clock = ready(VirtualClock()).press("right", after=0)
    assert clock.now_ns == 3 * SECOND_NS
    bank_ns = clock.state.bank_ns()
    clock.press("left", after=12.000000001).press("right", after=0.999999999)
    assert clock.state.reserve_ns(LEFT, clock.now_ns) == bank_ns - 1
    assert clock.now_ns == 16 * SECOND_NS
    clock.press("left", after=Decimal("1234.000000007"))
    assert clock.state.reserve_ns(LEFT, clock.now_ns) == bank_ns - 1222 * SECOND_NS - 8


@given(st.lists(st.integers(0, 10**12), max_size=5))
def test_times_add_up(waits: list[int]) -> None:
    clock = VirtualClock()
    for ns in waits:
        clock.wait(ns / 1e9)  # such a float has the same digits
    assert clock.now_ns == sum(waits)


@pytest.mark.parametrize("after", [-1, -1e-9, float("nan"), float("inf"), "1", None, 1j])
def test_what_is_no_time_is_refused(after: float) -> None:
    clock = VirtualClock()
    with pytest.raises(ValueError, match="is no time to wait: give seconds, 0 or more"):
        clock.wait(after)
    with pytest.raises(ValueError, match="is no time to wait"):
        clock.press("left", after=after)
    assert clock.now_ns == 0


@pytest.mark.parametrize("side", ["middle", "", "LEFT", None])
def test_there_are_three_buttons(side: str) -> None:
    for act in (VirtualClock().press, VirtualClock().hold):
        with pytest.raises(ValueError, match="there are left, right, centre"):
            act(side)
    assert (
        VirtualClock().press(Side.LEFT).press(Button.RIGHT).press("centre").state.phase == "READY"
    )


@pytest.mark.rule("R38")
def test_a_flag_falls_while_time_passes_and_a_press_a_nanosecond_earlier_is_in_time() -> None:
    bank_s = 600 + 12
    in_time = ready(VirtualClock(settings())).press("right")
    in_time.press("left", after=Decimal(bank_s) - Decimal("1e-9"))
    assert (in_time.state.flags_down, in_time.state.running) == (0, RIGHT)
    assert ready(VirtualClock(settings())).press("right").wait(bank_s).state.first_flagged is LEFT


def test_holding_the_centre_calls_the_director_and_a_plunger_turns_on() -> None:
    clock = ready(VirtualClock())
    begun_ns = clock.now_ns
    page = clock.hold("centre", after=0.25).faces.left
    assert clock.now_ns == begun_ns + 1_750_000_000
    assert page.selected == 0
    assert (clock.hold("right").faces.left.selected or 0) > 1
    clock.hold("centre").move("centre", down=True, after=0.5).wait(1.499999999)
    assert clock.faces.left.selected is None
    assert clock.wait(1e-9).faces.left.selected == 0
    assert clock.move("centre", down=False, after=2).press("right").faces.left.selected == 1
    assert clock.now_ns == begun_ns + round((1.75 + 2.5 + 2.5 + 2 + 2 + 1) * SECOND_NS)


def test_panels_show_what_the_state_says_at_this_instant() -> None:
    clock = running(VirtualClock(settings()))
    left, right = clock.faces
    assert (left.running, right.running) == (True, False)
    assert left.reserve == "9:48"
    assert clock.wait(1).faces[0].reserve == "9:47"
    assert [*clock.pictures] == [draw(face) for face in clock.faces]
    assert {picture.size for picture in clock.pictures} == {(128, 64)}
    assert (len(clock.faces), len(clock.pictures)) == (2, 2)


def test_time_does_not_go_back_and_a_wall_clock_shows_whole_milliseconds() -> None:
    time = VirtualTime()
    buttons = VirtualButtons(time, end_ns=999_999)
    for until_ns in (None, 5):
        buttons.wait(until_ns)
        assert (time.ns, time.wall()) == (999_999, "2000-01-01T12:00:00.000+00:00")


# --- on and off -------------------------------------------------------------------------------

MATCH = (
    *(("press", side) for side in ("left", "right", "centre", "right")),
    *(("wait", 30), ("press", "left"), ("wait", 20.3), ("press", "right"), ("press", "centre")),
    *(("press", "right"), ("press", "left"), ("press", "centre"), ("wait", 7.25)),
    *(("press", "centre"), ("choose", "add_time", "left", 90), ("choose", "game_over", "left", 4)),
    *(("press", "left"), ("press", "centre"), ("choose", "game_over")),
    *(("press", "right"), ("press", "centre")),
    *(("choose", "undo"), ("press", "right"), ("press", "centre"), ("wait", 20)),
)  # fmt: skip


def play(clock: VirtualClock, acts: tuple[tuple[object, ...], ...]) -> VirtualClock:
    for act, *given_to in acts:
        getattr(clock, str(act))(*given_to)
    return clock


@pytest.mark.rule("R67")
@pytest.mark.parametrize("until", range(len(MATCH) + 1))
def test_a_restart_loses_nothing_and_a_power_cut_stops_the_clock(until: int) -> None:
    """After each act: the program goes on exactly; a cut costs at most a second of play."""
    clock = play(VirtualClock(settings()), MATCH[:until])
    before, at_ns, lines = clock.state, clock.now_ns, clock.lines
    assert clock.restart().restart().state == before
    assert (clock.lines, clock.now_ns) == (lines, at_ns)
    left_ns = [before.reserve_ns(side, at_ns) for side in Side]
    clock = play(VirtualClock(settings()), MATCH[:until]).cut()  # one that has not just started
    after = clock.state
    assert clock.now_ns == 0
    assert after.running is None
    assert (after.score, after.length, after.names) == (before.score, before.length, before.names)
    if before.phase in {Phase.RUNNING, Phase.FREE_TURN}:
        assert (after.phase, after.reason) == (Phase.STOPPED, "power_loss")
        for side, was_ns in zip(Side, left_ns, strict=True):
            assert 0 <= after.reserve_ns(side, 0) - was_ns <= SECOND_NS
    else:
        assert after.phase is before.phase
        assert [after.reserve_ns(side, 0) for side in Side] == left_ns
    assert clock.restart().state == after
    verify(clock.lines)


@pytest.mark.parametrize("seed", rest_slow(range(5)))
def test_whatever_is_done_verifies_and_a_restart_changes_nothing(seed: int) -> None:
    """Presses, holds, power cuts and all that is offered, in any order, under any profile."""
    random = Random(seed)
    code = random.choice(["", '[director]\ncode = "LRRL"\n'])
    clock = VirtualClock(settings(random.choice([*PROFILES]), rest=code + PRESETS * (seed % 2)))
    for _ in range(40):
        button, after = random.choice([*Button]), random.choice([0, 0.01, 1, 3.3, 17])
        acts: list[Callable[[], object]] = [clock.cut, partial(clock.wait, 25)]
        acts.extend([partial(clock.press, button, after)] * 8)
        acts.append(partial(clock.hold, button))
        acts.extend(
            partial(clock.choose, name) for name in random.choices(clock.items or [""], k=3)
        )
        with suppress(LookupError):  # while a turn is played nothing is offered
            random.choice(acts)()
        before = clock.state
        if before.running is not None or clock.now_ns - before.at_ns < EXACT_GAP_NS:
            assert clock.restart().state == before
    verify(clock.lines)


def test_the_same_acts_write_the_same_log_in_any_folder(tmp_path: Path) -> None:
    logs = [play(VirtualClock(settings(), folder), MATCH).lines for folder in (None, tmp_path)]
    assert logs[0] == logs[1]
    assert len(logs[0]) > len(MATCH)


def test_a_second_clock_in_a_folder_goes_on_with_the_match(tmp_path: Path) -> None:
    """On another boot and at a later time of day; a third one too, and from a path as text."""
    folder = tmp_path / "deep" / "logs"
    file = tmp_path / "match.toml"
    file.write_text(settings(), "utf-8")
    with running(VirtualClock(file, str(folder))) as first:
        log, lines = first.log, first.lines
    assert log.parent == folder
    VirtualClock(str(file), folder).close()
    again = VirtualClock(str(file), folder)
    assert (again.log, again.state.phase) == (log, Phase.STOPPED)
    assert again.lines[: len(lines)] == lines
    assert len(again.lines) == len(lines) + 2
    envelopes = [decode(line, 0).envelope for line in again.lines]
    boots = [int(each.boot.rpartition("-")[2]) for each in envelopes]
    assert [*dict.fromkeys(boots)] == [1, 2, 3]
    assert b'"stamps":"software"' in lines[0]  # no kernel has stamped its presses
    assert [each.wall for each in envelopes] == sorted(each.wall for each in envelopes)
    verify(again.lines)


def test_a_closed_clock_can_be_read_but_does_nothing_any_more(tmp_path: Path) -> None:
    clock = stopped(VirtualClock(settings(), tmp_path))
    with pytest.raises(JournalError, match="another clock writes its logs there"):
        VirtualClock(settings(), tmp_path)
    latest = read_checkpoint(tmp_path / CHECKPOINT)
    assert latest is not None
    assert (latest.seq, latest.state) == (len(clock.lines), clock.state)
    seen = clock.state, clock.faces, clock.lines, clock.log, clock.items
    clock.close()
    clock.close()
    assert (clock.state, clock.faces, clock.lines, clock.log, clock.items) == seen
    for act in (clock.cut, clock.restart, partial(clock.wait, 0), partial(clock.press, "left")):
        with pytest.raises(RuntimeError, match="closed"):
            act()
    assert clock.lines == seen[2]


def test_a_folder_of_its_own_goes_with_the_clock(capsys: pytest.CaptureFixture[str]) -> None:
    clock = VirtualClock()
    folder = clock.folder
    clock.close()
    assert clock.log.exists()
    del clock
    assert not folder.exists()
    clock = VirtualClock()
    clock.close()
    rmtree(clock.folder)  # by somebody else
    del clock
    assert capsys.readouterr() == ("", "")


# --- settings ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("given_to", "said"),
    [
        ("[match]\nlength = 0", "settings: match.length is 0, but must be"),
        ("length = 7", "settings: length"),
        ("[match", "settings: line 1"),
        ("length\nbest", "settings: line 1"),
        ("of=Ada.toml", "of=Ada.toml: file is not readable"),
        ("nowhere.toml", "nowhere.toml: file is not readable"),
        ("nowhere", "nowhere: file is not readable"),
        (Path("nowhere"), "nowhere: file is not readable"),
    ],
)
def test_settings_that_cannot_be_used_have_the_sentence_of_the_product(
    given_to: str | Path, said: str, tmp_path: Path
) -> None:
    with pytest.raises(ConfigError, match=said):
        VirtualClock(given_to, tmp_path / "logs")
    assert not (tmp_path / "logs").exists()


def test_settings_are_a_text_or_a_file() -> None:
    example = ROOT / "config" / "nbgf.toml"
    match = load_settings(example).match
    for given_to in (example, str(example), example.read_text("utf-8")):
        assert VirtualClock(given_to).state.settings == match
    assert VirtualClock("[match]\nlength = 3\n# as in match.toml").state.length == 3
    for empty in ("", "  \n", "# none"):
        assert VirtualClock(empty).state.settings == load_settings(None).match


def test_a_folder_that_cannot_be_used_has_the_sentence_of_the_product(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(JournalError, match="cannot be written to"):
        VirtualClock("", tmp_path / "file")


def test_it_needs_no_thread_and_pillow_for_pictures_alone() -> None:
    """So it works in a browser's Python; and the box does not load it."""
    program = """
import sys, threading
sys.modules["fcntl"] = None  # a browser's Python has none
threading.Thread.start = None
from clock.virtual import VirtualClock
clock = VirtualClock().press("left").press("right").press("centre").cut()
assert clock.faces and "PIL" not in sys.modules, "Pillow"
assert clock.pictures and "PIL" in sys.modules
"""
    subprocess.run([sys.executable, "-c", program], check=True, env={**os.environ})
    box = "import sys; import clock.apps.appliance_start; assert 'clock.virtual' not in sys.modules"
    subprocess.run([sys.executable, "-c", box], check=True, env={**os.environ})
