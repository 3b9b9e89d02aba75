"""The board does what a box on a table does when it is pressed, unplugged or cut off."""

import signal
from pathlib import Path

import pytest
from bench.board import CENTRE, LEFT, RIGHT, Board
from bench.plunger import HELD_NS, MS_NS, Bounce, pressed, together
from bench.serial_line import DEVICE

from clock.match.rules import SECOND_NS

CONFIG: dict[str, dict[str, object]] = {"match": {"length": 7}}
HEARD_S = 10.0  # within which what was sent is heard, in real time


def test_a_match_begins(tmp_path: Path) -> None:
    """Both players and the centre confirm; the low roller's press starts the other's clock."""
    with Board(CONFIG, tmp_path) as board:
        board.confirm()
        pressed_at = board.press(RIGHT)
        board.wait("0:01")
        log = board.log()
        assert [each["side"] for each in log.of("confirmed")] == ["left", "right", "centre"]
        assert log.last["event"] == "pressed"
        assert log.last["running"] == "left"
        assert pressed_at.holds(log.last["at_ns"])
        assert log.verified().match.state.at_ns == log.last["at_ns"]
        assert board.panel(RIGHT).reserve == "14:00"
        assert board.panel(LEFT).inverted
        assert not log.of("fault")


def test_stamps_are_the_kernels(tmp_path: Path) -> None:
    """Each of 20 presses under load is stamped while its line moves, not when it is read."""
    with Board(CONFIG, tmp_path) as board:
        board.confirm()
        board.load(2)
        made = [board.press((LEFT, RIGHT)[number % 2]) for number in range(20)]
        board.load(0)
        stamps = [each["at_ns"] for each in board.log().of("pressed")]
        assert len(stamps) == len(made)
        assert all(each.holds(at_ns) for each, at_ns in zip(made, stamps, strict=True))


@pytest.mark.parametrize("bounce_ms", [1, 5])
def test_a_bouncing_press_is_one(tmp_path: Path, bounce_ms: int) -> None:
    """It is stamped at the first edge of the bounce."""
    with Board(CONFIG, tmp_path, time_travel=True) as board:
        board.confirm()
        bounce = Bounce(bounce_ms * MS_NS, 4)
        made = [board.press(button, bounce=bounce) for button in (LEFT, RIGHT) * 3]
        stamps = [each["at_ns"] for each in board.log().of("pressed")]
        assert len(stamps) == len(made)
        assert all(each.holds(at_ns) for each, at_ns in zip(made, stamps, strict=True))
        assert max(each.late_ns for each in made) < MS_NS // 100


def test_a_bouncing_press_in_real_time(tmp_path: Path) -> None:
    """The same where threads take their time; a bounce that the bench spoilt does not count."""
    with Board(CONFIG, tmp_path) as board:
        board.confirm()
        made = [board.press(button, bounce=Bounce(4 * MS_NS, 4)) for button in (LEFT, RIGHT) * 5]
        stamps = [each["at_ns"] for each in board.log().of("pressed")]
        good = [each for each in made if each.late_ns < MS_NS]
        assert good
        for each in good:
            own = [at_ns for at_ns in stamps if 0 <= at_ns - each.before_ns < HELD_NS]
            assert len(own) == 1
            assert each.holds(own[0])


def test_presses_a_millisecond_apart(tmp_path: Path) -> None:
    """The mover's press ends his turn, the other's a millisecond later ends the next one."""
    with Board(CONFIG, tmp_path) as board:
        board.confirm()
        board.press(LEFT)  # the right clock runs
        made = board.play(together((MS_NS, pressed(RIGHT)), (2 * MS_NS, pressed(LEFT))))
        board.wait(100 * MS_NS)
        latest = board.log().of("pressed")[-2:]
        assert [(each["side"], each["running"]) for each in latest] == [
            ("right", "left"),
            ("left", "right"),
        ]
        assert made[0].holds(latest[0]["at_ns"])
        assert made[1].holds(latest[1]["at_ns"])


def test_a_power_cut_in_a_turn(tmp_path: Path) -> None:
    """The match is restored, stopped, from the card; at most one second of play is lost."""
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
        assert began.holds(before.last["at_ns"])
        log.verified()
        board.switch_off()
        assert board.card is not None
        assert board.card.read("current.jsonl") == log.text
        board.switch_on()


def test_two_hours_in_a_moment(tmp_path: Path) -> None:
    """Turns of 20 s for two hours: 8 s of each are the reserve's, and the log says so exactly."""
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
    """Whoever listens hears the log; the clock says that nobody does, and goes on when one does."""
    config = CONFIG | {"log": {"serial": DEVICE}}
    with Board(config, tmp_path) as board:
        board.confirm()
        assert board.serial.wait_for('"phase":"READY"', HEARD_S)
        board.serial.unplug()
        board.press(LEFT)
        board.wait("0:03")
        assert {each["part"] for each in board.log().of("fault")} == {"serial"}
        board.serial.plug()
        assert board.serial.wait_for('"event":"fault_cleared"', HEARD_S)
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
    """On a computer that ran on, the match goes on exactly; a press meanwhile is not known of."""
    with Board(CONFIG, tmp_path) as board:
        board.confirm()
        board.press(LEFT)
        assert board.stop(signal.SIGKILL) == -signal.SIGKILL
        board.start()
        pressed_at = board.press(RIGHT)
        log = board.log()
        assert not log.of("restored")
        assert (log.last["event"], log.last["running"]) == ("pressed", "left")
        assert pressed_at.holds(log.last["at_ns"])
        log.verified()


def test_figures(tmp_path: Path) -> None:
    """A clock that nobody presses uses next to nothing; one that is stopped uses nothing."""
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
