"""The board behaves as a real box when it is pressed, unplugged or loses power."""

import signal
from pathlib import Path

import pytest

from clock.units import SECOND_NS
from tests.bench.board import CENTRE, LEFT, RIGHT, Board
from tests.bench.plunger import MS_NS, Bounce, pressed, together
from tests.bench.press_check import check_bursts, press_in_bursts
from tests.bench.serial_line import DEVICE

CONFIG: dict[str, dict[str, object]] = {"match": {"length": 7}}
SEEN_S = HEARD_S = 120.0  # timeouts for what is shown or sent, in real time


def test_a_match_begins(tmp_path: Path) -> None:
    """Both players and the centre confirm; the low roller's press starts the other clock."""
    with Board(CONFIG, tmp_path) as board:
        board.confirm()
        pressed_at = board.press(RIGHT)
        log = board.wait_for("pressed")
        board.wait("0:01")
        assert [each["side"] for each in log.of("confirmed")] == ["left", "right", "centre"]
        assert log.last["event"] == "pressed"
        assert log.last["running"] == "left"
        assert pressed_at.is_near(log.last["at_ns"])
        assert log.verified().match.state.at_ns == log.last["at_ns"]
        assert board.panels.wait(lambda: board.panel(RIGHT).reserve == "14:00", SEEN_S)
        assert board.panels.wait(lambda: board.panel(LEFT).inverted, SEEN_S)


@pytest.mark.parametrize(
    ("display", "bright", "dimmed"),
    [
        ({}, 207, 8),
        ({"driver": "sh1106"}, 127, 8),
        ({"contrast": 90}, 90, 8),
        ({"contrast": 3}, 3, 3),
    ],
)
def test_panels_have_the_contrast_of_the_file(
    tmp_path: Path, display: dict[str, object], bright: int, dimmed: int
) -> None:
    """Read back from both chips: at the review, while a clock runs, dimmed, and after a press."""
    with Board({**CONFIG, "display": display}, tmp_path, time_travel=True) as board:

        def contrasts() -> set[int]:
            return {board.panel(side).contrast for side in (LEFT, RIGHT)}

        assert contrasts() == {bright}
        board.confirm()
        board.press(RIGHT)
        board.wait("0:20")
        assert contrasts() == {bright}
        board.press(CENTRE)
        board.wait("5:01")
        assert contrasts() == {dimmed}
        board.press(CENTRE)
        board.wait("0:01")
        assert contrasts() == {bright}
        board.panel(LEFT).drop_supply()
        board.wait("0:03")
        assert contrasts() == {bright}


def test_stamps_come_from_the_kernel(tmp_path: Path) -> None:
    """Each of 20 presses under load is stamped while its line moves, not when it is read."""
    with Board(CONFIG, tmp_path) as board:
        board.confirm()
        board.load(2)
        made = [board.press((LEFT, RIGHT)[number % 2]) for number in range(20)]
        board.load(0)
        stamps = [each["at_ns"] for each in board.wait_for("pressed", len(made)).of("pressed")]
        assert all(each.is_near(at_ns) for each, at_ns in zip(made, stamps, strict=True))


@pytest.mark.parametrize("bounce_ms", [1, 5])
def test_a_bouncing_press_counts_once(tmp_path: Path, bounce_ms: int) -> None:
    """A press that bounces is logged once, with the stamp of its first edge."""
    with Board(CONFIG, tmp_path, time_travel=True) as board:
        board.confirm()
        bounce = Bounce(bounce_ms * MS_NS, 4)
        made = [board.press(button, bounce=bounce) for button in (LEFT, RIGHT) * 3]
        stamps = [each["at_ns"] for each in board.log().of("pressed")]
        assert len(stamps) == len(made)
        assert all(each.holds(at_ns) for each, at_ns in zip(made, stamps, strict=True))
        assert max(each.late_ns for each in made) < MS_NS // 100


def test_a_bouncing_press_in_real_time(tmp_path: Path) -> None:
    """In real time a bouncing press counts as often as its actual edges allow."""
    with Board(CONFIG, tmp_path) as board:
        board.confirm()
        presses = [
            pressed((LEFT, RIGHT)[number % 2], bounce=Bounce(4 * MS_NS, 4), seed=number)
            for number in range(10)
        ]
        check_bursts(*press_in_bursts(board, presses))


def test_presses_a_millisecond_apart(tmp_path: Path) -> None:
    """The mover's press ends their turn, and the opponent's a millisecond later the next one."""
    with Board(CONFIG, tmp_path) as board:
        board.confirm()
        board.press(LEFT)  # the right clock runs
        made = board.play(together((MS_NS, pressed(RIGHT)), (2 * MS_NS, pressed(LEFT))))
        latest = board.wait_for("pressed", 3).of("pressed")[1:]
        assert [(each["side"], each["running"]) for each in latest] == [
            ("right", "left"),
            ("left", "right"),
        ]
        assert made[0].is_near(latest[0]["at_ns"])
        assert made[1].is_near(latest[1]["at_ns"])


def test_a_power_cut_in_a_turn(tmp_path: Path) -> None:
    """The match is restored from the card and stopped; at most one second of play is lost."""
    with Board(CONFIG, tmp_path) as board:
        board.confirm()
        began = board.press(LEFT)
        board.wait("0:05")
        before = board.log()
        played_ns = board.guest.ask("now") - began.before_ns
        board.power_cut()
        board.switch_on()
        log = board.log()
        assert log.text.startswith(before.text)
        restored = log.last
        assert (restored["event"], restored["phase"]) == ("restored", "STOPPED")
        assert played_ns - SECOND_NS < restored["used_ns"] <= played_ns + SECOND_NS
        assert began.is_near(before.last["at_ns"])
        log.verified()
        board.switch_off()
        assert board.card is not None
        assert board.card.read("current.jsonl") == log.text
        board.switch_on()


def test_two_hours_in_a_moment(tmp_path: Path) -> None:
    """In two hours of turns of 20 s, exactly 8 s of each turn are taken from the reserve."""
    turns, turn_ns = 360, 20 * SECOND_NS
    config = {"match": {"length": 25}}
    with Board(config, tmp_path, time_travel=True) as board:
        board.confirm()
        sides = [(LEFT, RIGHT)[number % 2] for number in range(turns + 1)]
        presses = [(number * turn_ns, pressed(side)) for number, side in enumerate(sides)]
        made = board.play(together(*presses))
        downs = made[::2]
        log = board.log()
        log.verified()
        records = log.of("pressed")
        assert len(records) == turns + 1
        assert max(each.late_ns for each in made) < 10 * MS_NS // 1000
        assert all(down.holds(each["at_ns"]) for down, each in zip(downs, records, strict=True))
        assert records[-1]["at_ns"] - records[0]["at_ns"] == pytest.approx(turns * turn_ns, abs=1e4)
        played_ns = records[-1]["at_ns"] - records[0]["at_ns"]
        used_ns = played_ns - turns * 12 * SECOND_NS
        left_ns, right_ns = records[-1]["left_ns"], records[-1]["right_ns"]
        assert left_ns + right_ns == 2 * 25 * 120 * SECOND_NS - used_ns


def test_serial_line_pulled_and_put_back(tmp_path: Path) -> None:
    """Unplugging the serial line is logged as a fault, and the log is sent again afterwards."""
    config = CONFIG | {"log": {"serial": DEVICE}}
    with Board(config, tmp_path) as board:
        board.confirm()
        assert board.serial.wait_for('"phase":"READY"', HEARD_S)
        board.serial.unplug()
        board.press(LEFT)
        assert board.wait_until(lambda: board.log().of("fault"))
        assert {each["part"] for each in board.log().of("fault")} == {"serial"}
        board.serial.plug()
        assert board.serial.wait_for('"event":"fault_cleared"', HEARD_S)
        assert board.wait_until(lambda: board.log().of("fault_cleared"))
        log = board.log()
        assert log.of("pressed")[0]["running"] == "right"
        assert log.verified()


def test_the_director_holds_the_centre(tmp_path: Path) -> None:
    """In READY, a held centre button opens the director's menu; a short press does not."""
    with Board(CONFIG, tmp_path, time_travel=True) as board:
        board.confirm()
        ready = board.panel(LEFT).picture
        board.hold(CENTRE)
        board.wait("0:01")
        assert board.panel(LEFT).picture != ready


def test_the_program_is_killed_and_started_again(tmp_path: Path) -> None:
    """After SIGKILL of the clock alone, the match continues exactly where it was."""
    with Board(CONFIG, tmp_path) as board:
        board.confirm()
        board.press(LEFT)
        assert board.stop(signal.SIGKILL) == -signal.SIGKILL
        board.start()
        pressed_at = board.press(RIGHT)
        log = board.wait_for("pressed", 2)
        assert not log.of("restored")
        assert (log.last["event"], log.last["running"]) == ("pressed", "left")
        assert pressed_at.is_near(log.last["at_ns"])
        log.verified()


def test_figures(tmp_path: Path) -> None:
    """The figures have memory and descriptors; a clock stopped by SIGSTOP uses no CPU time."""
    with Board(CONFIG, tmp_path) as board:
        before = board.figures()
        assert before["memory_bytes"] > 0
        assert before["descriptors"] > 0
        board.signal(signal.SIGSTOP)
        board.wait("0:01")
        stopped = board.figures()
        board.wait("0:01")
        assert board.figures()["cpu_ns"] == stopped["cpu_ns"]
        board.signal(signal.SIGCONT)
