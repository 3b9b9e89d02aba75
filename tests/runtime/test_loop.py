"""The loop, with ports made by hand: a time, fingers and panels that do what a test wants.

Edges reach the loop a while after they happened, as they do in a clock, and the loop may wake late.
"""

from collections.abc import Container
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from clock.config.offer import LatestLine, OfferError
from clock.eventlog.recovery import Recovery
from clock.match import inputs
from clock.match.faults import Fault
from clock.match.rules import FirstFlag
from clock.match.types import Phase, Side
from clock.runtime.alerts import Alert
from clock.runtime.loop import REREAD_NS, first_faces
from clock.ui.dialogue import HOLD_NS, ButtonMoved
from clock.ui.pages import faces
from clock.units import SECOND_NS
from clock.virtual import VirtualClock
from lab.support.loops import (
    CENTRE,
    DELAY_NS,
    FLAG_NS,
    KEYS,
    LEFT,
    MARGIN,
    MS,
    RIGHT,
    START_NS,
    LoopClock,
    Parts,
    make_loop,
)
from lab.support.rows import row
from lab.support.world import match_settings


class WorthlessOffers:
    """Offers without end, each refused for another reason, and no rulings."""

    def __init__(self) -> None:
        self.looks = 0

    def look(self, latest: LatestLine, known: Container[str]) -> OfferError:  # noqa: ARG002
        self.looks += 1
        return OfferError(f"refused {self.looks}")

    def proposed(self, latest: LatestLine) -> None:  # noqa: ARG002
        self.looks += 1


@pytest.mark.rule("R143")
def test_the_battery_is_shown_before_a_game_and_logged() -> None:
    """At REVIEW and READY only; the first line of the log has it, and replays."""
    clock = LoopClock(battery=lambda: 83).until(50 * MS)

    def shown() -> bool:
        """Whether both panels say how full the battery is."""
        return all(any("battery" in line for line in face.lines) for face in clock.faces)

    assert (shown(), clock.events("match_opened")[0].battery) == (True, 83)
    assert (clock.until(400 * MS).runtime.state.phase, shown()) == (Phase.READY, True)
    assert clock.until(START_NS + 100 * MS).runtime.state.phase is Phase.RUNNING
    assert not shown()


# --- the flag and the presses around it -------------------------------------------------------

AROUND = [-MS, *range(-5, 6), MS]


@pytest.mark.rule("R38", "R39", "T11")
@pytest.mark.parametrize("arriving_ns", [0, MS, MARGIN])
@pytest.mark.parametrize("offset_ns", AROUND)
def test_t11_the_stamp_decides_between_the_press_and_the_flag(
    offset_ns: int, arriving_ns: int
) -> None:
    """T11, R39: at every ns around the flag, however late the press arrives."""
    clock = LoopClock()
    clock.press(LEFT, FLAG_NS + offset_ns, arriving_ns=arriving_ns)
    clock.until(FLAG_NS + SECOND_NS)
    press = clock.events("pressed")[-1]
    assert (press.at_ns, press.accepted) == (FLAG_NS + offset_ns, True)
    assert press.running is Side.RIGHT
    if offset_ns < 0:
        assert clock.events("flag_fell") == []
        assert press.left_ns == -offset_ns
    else:
        [flag] = clock.events("flag_fell")
        assert (flag.at_ns, flag.left_ns, press.left_ns) == (FLAG_NS, 0, 0)
        assert clock.parts.lines.index(flag) < clock.parts.lines.index(press)


@pytest.mark.rule("R38", "T10")
@pytest.mark.parametrize("late_ns", [0, 1, 300 * MS, 5 * SECOND_NS])
def test_t10_a_flag_without_any_press_is_raised_at_its_instant(late_ns: int) -> None:
    """T10, R38: logged as of its instant, as soon as no press before it can still arrive."""
    clock = LoopClock().until(FLAG_NS)
    clock.time.ns += late_ns
    clock.until(FLAG_NS + 6 * SECOND_NS)
    [flag] = clock.events("flag_fell")
    assert (flag.at_ns, flag.left_ns) == (FLAG_NS, 0)
    written_ns = clock.parts.written_ns[clock.parts.lines.index(flag)]
    assert written_ns == FLAG_NS + max(MARGIN, late_ns)


@pytest.mark.rule("R85")
def test_a_press_that_may_have_begun_is_shown_before_anything_else_is_done() -> None:
    """A player waits for the light: not even the time is read before it."""
    clock = LoopClock().until(START_NS + SECOND_NS)
    woken_ns, shown = clock.time.ns, len(clock.parts.shown)
    clock.buttons.touched = [ButtonMoved(LEFT, down=True, at_ns=woken_ns)]
    clock.time.reading_ns = MS
    clock.runtime.turn()
    at_ns, faces = clock.parts.shown[shown]
    assert (at_ns, faces.left.running, faces.right.running) == (woken_ns, False, True)


# --- whatever the rest of the box does --------------------------------------------------------

TURNS = [START_NS + number * 13_700 * MS for number in range(1, 8)]


def played(clock: LoopClock) -> LoopClock:
    """A few turns, beyond the first flag, with a stop and a held centre."""
    for number, at_ns in enumerate(TURNS):
        clock.press(LEFT if number % 2 == 0 else RIGHT, at_ns, arriving_ns=MARGIN)
    clock.press(CENTRE, TURNS[-1] + SECOND_NS)
    clock.press(CENTRE, TURNS[-1] + 2 * SECOND_NS, held_ns=HOLD_NS + SECOND_NS)
    return clock.until(TURNS[-1] + 9 * SECOND_NS)


@pytest.fixture(scope="module")
def usual_log() -> list[bytes]:
    """The log of these turns when nothing is slow."""
    return played(LoopClock()).parts.raw


@pytest.mark.rule("T13")
@pytest.mark.parametrize("showing_ns", [1, MS, SECOND_NS, 3 * SECOND_NS])
def test_t13_a_slow_display_changes_no_line_of_the_log(
    showing_ns: int, usual_log: list[bytes]
) -> None:
    """T13: even if showing blocked the loop for seconds: no press delayed, lost or mis-timed."""
    slow = LoopClock()
    slow.parts.showing_ns = showing_ns
    assert played(slow).parts.raw == usual_log
    assert len(slow.parts.shown) > 10


@pytest.mark.slow
@pytest.mark.rule("T10", "T11", "T13")
@given(late_ns=st.lists(st.integers(0, 4 * SECOND_NS), max_size=60))
def test_the_log_does_not_depend_on_when_the_loop_wakes(
    usual_log: list[bytes], late_ns: list[int]
) -> None:
    """T11: the machine is busy, the loop sleeps too long: the same bytes in the log."""
    assert played(LoopClock(late_ns=late_ns)).parts.raw == usual_log


# --- time and sleep ---------------------------------------------------------------------------


def test_the_time_is_read_once_after_waiting() -> None:
    """What is decided, saved and shown in a turn is as of one instant."""
    clock = LoopClock().until(START_NS + SECOND_NS)
    wait, after_waiting = clock.buttons.wait, []

    def counted(until_ns: int | None) -> None:
        wait(until_ns)
        after_waiting.append(clock.time.reads)

    clock.buttons.wait = counted  # type: ignore[method-assign]
    for _ in range(20):
        clock.runtime.turn()
        assert clock.time.reads - after_waiting[-1] == 1


def faces_of_turns(clock: LoopClock, duration_ns: int) -> list[int]:
    """For each turn of the loop in a while: how many faces it showed."""
    outside, end_ns, done = clock.parts, clock.time.ns + duration_ns, []
    clock.buttons.woken_ns = end_ns
    while clock.time.ns < end_ns:
        shown = len(outside.shown)
        clock.runtime.turn()
        done.append(len(outside.shown) - shown)
    return done


@pytest.mark.parametrize(
    ("per_point_s", "delay_ns", "seconds", "digits"),
    [(600, DELAY_NS, 3600, 3600), (600, 0, 60, 60), (1, 0, 10, 50)],
)
def test_a_running_clock_wakes_for_its_digits_alone(
    per_point_s: int, delay_ns: int, seconds: int, digits: int
) -> None:
    """No tick: an hour has 3,600 digits; each of the last 20 s has five."""
    clock = LoopClock(time_per_point_ns=per_point_s * SECOND_NS, delay_ns=delay_ns)
    clock.until(START_NS + 100 * MS)
    turns = faces_of_turns(clock, seconds * SECOND_NS)
    assert all(turns[:-1])  # the last turn only ends the test
    assert sum(turns) == digits


@pytest.mark.rule("R67")
def test_each_change_is_checkpointed() -> None:
    """R67: the checkpoint follows the lines; its repetition is up to the log."""
    clock = LoopClock()
    clock.press(LEFT, START_NS + 2 * SECOND_NS)
    clock.press(CENTRE, START_NS + 5 * SECOND_NS)
    clock.until(START_NS + 60 * SECOND_NS)
    checkpoints = clock.parts.checkpoints
    assert [seq for seq, *_ in checkpoints] == list(range(2, 1 + len(clock.parts.lines)))
    assert [state.running for *_, state in checkpoints[-3:]] == [Side.LEFT, Side.RIGHT, None]
    assert checkpoints[-1][-1] == clock.runtime.state


@pytest.mark.rule("R67")
def test_a_match_that_is_resumed_is_checkpointed_at_once() -> None:
    """R67: the newest checkpoint may be of another match or boot."""
    before = LoopClock().until(START_NS + SECOND_NS)
    after, recovery = Parts(before.time, match_settings()), Recovery(before.runtime.match, None)
    make_loop(before.time, before.buttons, after, after, begin=(recovery,)).turn()
    assert [seq for seq, *_ in after.checkpoints] == [len(before.parts.lines)]


def test_what_is_shown_first_is_what_the_loop_shows_but_for_its_code() -> None:
    """A match after a power cut, and a new one."""
    before = LoopClock().until(START_NS + SECOND_NS)
    time, parts = before.time, before.parts
    restored = inputs.Restored(time.now_ns(), 0, None, same_boot=True)
    for recovery in (Recovery(before.runtime.match, restored), None):
        told = len(parts.lines)
        faults = [Fault("recovery", "gone")]
        first = first_faces(time, parts, KEYS, recovery, faults=faults)
        assert len(parts.lines) == told
        parts.faults = faults
        runtime = make_loop(time, before.buttons, parts, parts, begin=(recovery,))
        assert first.left.warnings
        assert first == faces(runtime.view()._replace(latest=None), time.now_ns())


def test_while_nothing_runs_it_sleeps_until_a_button_moves() -> None:
    """Stopped: nothing changes, so there is no instant to wake at."""
    clock = LoopClock()
    clock.press(CENTRE, START_NS + SECOND_NS)
    clock.press(LEFT, START_NS + 3600 * SECOND_NS)
    clock.until(START_NS + 3600 * SECOND_NS)
    stopped = [until_ns for at_ns, until_ns in clock.buttons.waits if at_ns > START_NS + SECOND_NS]
    assert stopped == [None, None]  # until the centre is let go, and until the hour is over


def test_a_press_is_shown_before_it_is_written() -> None:
    """The panels' thread has a start on the disk's; a player waits for the one only."""
    clock = LoopClock()
    clock.parts.showing_ns = 1
    clock.press(LEFT, START_NS + 500 * MS)
    clock.until(START_NS + 900 * MS)
    shown_ns, _ = clock.parts.shown[-1]
    assert clock.parts.written_ns[-1] == shown_ns + 1


@pytest.mark.rule("R84")
@pytest.mark.parametrize("fails", ["show", "drain"])  # the pictures; the faults, looked at before
def test_a_press_is_logged_even_if_the_turn_fails(
    fails: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """R84: a fault of the program costs no press; it is started again, and goes on."""
    clock = LoopClock().until(START_NS + 100 * MS)
    clock.press(LEFT, START_NS + 500 * MS)
    clock.time.ns = START_NS + 600 * MS
    monkeypatch.setattr(clock.parts, fails, lambda *_: 1 // 0)
    with pytest.raises(ZeroDivisionError):
        clock.until(START_NS + 900 * MS)
    assert clock.events("pressed")[-1].at_ns == START_NS + 500 * MS


@pytest.mark.rule("R84")
def test_the_loop_wakes_when_an_unwritten_line_is_late() -> None:
    """R84: a disk that hangs is reported even if nothing else happens."""
    clock = LoopClock()
    clock.press(CENTRE, START_NS + SECOND_NS)
    clock.until(START_NS + 3 * SECOND_NS)
    clock.parts.late_at_ns = START_NS + 4 * SECOND_NS
    clock.until(START_NS + 9 * SECOND_NS)
    assert (START_NS + 3 * SECOND_NS, START_NS + 4 * SECOND_NS) in clock.buttons.waits


def test_a_digit_that_changes_during_a_turn_is_shown() -> None:
    """The loop wakes for the change after what it has shown, though that has passed by then."""
    clock = LoopClock().until(START_NS + 3 * SECOND_NS - 1)
    clock.time.ns += 2  # what the turn took
    clock.runtime.turn()
    _, until_ns = clock.buttons.waits[-1]
    assert until_ns == START_NS + 3 * SECOND_NS


@pytest.mark.rule("R48")
@pytest.mark.parametrize("after_ns", [0, 1, MS, SECOND_NS])
@pytest.mark.parametrize("late_ns", [0, 3 * SECOND_NS])
def test_a_centre_press_after_a_freezing_flag_finds_the_clock_stopped(
    after_ns: int, late_ns: int
) -> None:
    """R48: it is no stop then, but the beginning of a short or long press, as in every stop."""
    clock = LoopClock(on_first_flag=FirstFlag.FREEZE)
    clock.press(CENTRE, FLAG_NS + after_ns, held_ns=2 * SECOND_NS)
    clock.until(FLAG_NS - 1)
    clock.time.ns += late_ns
    clock.until(FLAG_NS + 8 * SECOND_NS)
    [press] = [line for line in clock.events("pressed") if line.at_ns > FLAG_NS]
    assert (press.at_ns, press.side) == (FLAG_NS + after_ns + HOLD_NS, "centre")
    assert clock.events("flag_claimed") == []


# --- settings that change ---------------------------------------------------------------------


def test_a_changed_configuration_waits_for_a_press_that_has_begun() -> None:
    """The player who presses has not seen it, and does not confirm it."""
    clock = LoopClock().untouched()
    clock.parts.follow(match_settings(length=5))
    clock.buttons.touched.append(ButtonMoved(LEFT, down=True, at_ns=3 * SECOND_NS))
    clock.until(3 * SECOND_NS)
    assert clock.runtime.state.length == 11
    clock.buttons.touched.clear()
    clock.press(LEFT, 3 * SECOND_NS)
    clock.until(4 * SECOND_NS)
    assert [(line.event, line.at_ns) for line in clock.parts.lines] == [
        ("match_opened", 0),
        ("confirmed", 3 * SECOND_NS),
    ]


# --- offers -----------------------------------------------------------------------------------


@pytest.mark.rule("R134")
def test_an_offer_moves_no_stamp() -> None:
    """The loop looks for one before an edge arrives that was made a moment ago."""
    clock = LoopClock(offers=WorthlessOffers()).untouched()
    clock.press(LEFT, SECOND_NS, arriving_ns=MS)
    clock.until(SECOND_NS + MS)
    assert len(clock.events("offer_refused")) == 1
    clock.until(SECOND_NS + 100 * MS)
    assert [line.at_ns for line in clock.events("confirmed")] == [SECOND_NS]


@pytest.mark.rule("R134")
def test_an_offer_waits_for_a_press_that_has_begun() -> None:
    """The player who presses has not seen it: their press is for what is shown."""
    offers = WorthlessOffers()
    clock = LoopClock(offers=offers).untouched()
    clock.buttons.touched.append(ButtonMoved(LEFT, down=True, at_ns=SECOND_NS))
    clock.until(SECOND_NS)
    assert offers.looks == 0
    clock.buttons.touched.clear()
    clock.until(2 * SECOND_NS)
    assert offers.looks == 1


def test_it_wakes_for_what_the_room_may_send_and_for_nothing_else() -> None:
    at_ns, room = START_NS + SECOND_NS, WorthlessOffers()
    ended, adjourned = inputs.MatchEnded(at_ns, Side.LEFT, "director"), inputs.Adjourned(at_ns)
    inputs_before = {
        "STOPPED": (),
        "FINISHED": (ended,),
        "PUT_ASIDE": (adjourned,),
        "RUNNING": None,
    }
    looked: dict[str, tuple[str, ...]] = {"": (), "offers": ("FINISHED", "PUT_ASIDE")}
    for port, wakes in (looked | {"rulings": ("STOPPED", "FINISHED")}).items():
        for phase, then in inputs_before.items():
            with row(port, phase):
                ports: dict[str, Any] = {port: room} if port else {}
                clock = LoopClock(**ports).until(at_ns)
                for happened in () if then is None else (inputs.CentrePressed(at_ns), *then):
                    clock.runtime.apply_input(happened)
                before = room.looks
                clock.until(at_ns + 10 * SECOND_NS)
                assert clock.runtime.state.phase == phase
                assert (room.looks - before >= 5, room.looks > before) == (phase in wakes,) * 2
                assert (clock.runtime.due_ns() is not None) == (phase in (*wakes, "RUNNING"))


def test_the_settings_say_how_the_clock_presents_itself() -> None:
    """To the players; to the service manager the score is always told as it stands."""
    shown = {"": "0-0/11", 'scores = "away"': "11a-11a/11", "scoreboard = false": ""}
    for text, score in shown.items():
        clock = VirtualClock(f"[match]\nlength = 11\n[display]\n{text}\n")
        assert {face.score for face in clock.faces} == {score}
        assert clock._runtime._status().startswith("REVIEW, 0-0/11, match ")
    for text, code, players_start in (
        ("", "", True),
        ('code = "LRRL"\nplayers_start = false', "LRRL", False),
    ):
        dialogue = VirtualClock(f"[director]\n{text}\n")._dialogue
        assert (dialogue.code, dialogue.players_start) == (code, players_start)


# --- the name of a log ------------------------------------------------------------------------


def test_a_board_names_the_log_and_a_changed_one_opens_another() -> None:
    """As long as nobody has confirmed; the settings code stays."""
    clock = LoopClock().untouched()
    clock.parts.board = "A-12"
    clock.until(3 * SECOND_NS)
    first, second = (msgspec.json.decode(raw) for raw in clock.parts.raw)
    assert clock.parts.begun[1].endswith("-A-12")
    assert (second["match"], second["board"]) == (clock.parts.begun[1], "A-12")
    assert (first["clock"], first["code"]) == (second["clock"], second["code"])


# --- the heartbeat ----------------------------------------------------------------------------


def test_a_heartbeat_tells_the_time_the_latest_line_and_the_faults() -> None:
    clock = LoopClock().until(SECOND_NS)
    latest = msgspec.json.decode(clock.parts.raw[-1])
    clock.time.ns += 7
    expected = {
        "v": 2,
        "heartbeat": 3,
        "boot": latest["boot"],
        "now_ns": clock.time.ns,
        "match": latest["match"],
        "seq": latest["seq"],
        "log_saved": True,
        "warnings": [],
    }
    line = clock.runtime.heartbeat(3)
    assert line.endswith(b"}\n")
    assert list(msgspec.json.decode(line).items()) == list(expected.items())
    clock.parts.faults = [Fault("serial", "unplugged"), Fault("log", "full")]
    clock.until(2 * SECOND_NS)
    found = msgspec.json.decode(clock.runtime.heartbeat(4))
    assert (found["log_saved"], found["warnings"]) == (False, ["serial", "log"])
    assert found["seq"] == len(clock.parts.raw)


# --- what is heard and seen from afar ---------------------------------------------------------


@pytest.mark.rule("R82")
def test_an_alert_sounds_once_at_its_instant() -> None:
    """R82: low time a minute before the reserve is used up, the flag when it falls."""
    clock = LoopClock(time_per_point_ns=10 * SECOND_NS, options={"wanted": frozenset(Alert)})
    low_ns = START_NS + DELAY_NS + 50 * SECOND_NS
    clock.until(low_ns + 70 * SECOND_NS)
    assert clock.parts.heard == [
        (low_ns + MARGIN, Alert.LOW_TIME),
        (low_ns + 60 * SECOND_NS + MARGIN, Alert.FLAG),
    ]


def test_the_lamp_of_the_running_side_is_lit() -> None:
    """From afar: left, right after a press, none when stopped."""
    clock = LoopClock().until(START_NS + SECOND_NS)
    lit = [clock.parts.lamp]
    for button in (LEFT, CENTRE):
        clock.press(button, clock.time.ns + SECOND_NS)
        lit.append(clock.until(clock.time.ns + 2 * SECOND_NS).parts.lamp)
    assert lit == [Side.LEFT, Side.RIGHT, None]


# --- the dialogue -----------------------------------------------------------------------------


def test_another_language_is_kept_shown_and_logged_as_a_press() -> None:
    kept: list[str] = []
    clock = LoopClock(keep_language=kept.append).untouched()
    before = len(clock.parts.lines)
    clock.runtime.apply_input(inputs.LanguageWanted(5, "de"))
    assert kept == ["de"]
    assert [line.event for line in clock.parts.lines[before:]] == ["pressed"]
    clock.until(SECOND_NS)
    assert any("Bestätig" in line for face in clock.faces for line in (*face.lines, face.status))
    silent = LoopClock().untouched()
    silent.runtime.apply_input(inputs.LanguageWanted(5, "de"))  # there is nowhere to keep it


def test_before_a_match_is_confirmed_the_file_is_read_again() -> None:
    """The loop wakes for it, though no button moves and no offer can come."""
    clock = LoopClock().untouched().until(SECOND_NS)
    assert clock.runtime.due_ns() == clock.runtime._shown_ns + REREAD_NS
