"""The clock as a systemd service, with the project's own unit, on one boot of the guest.

Every test leaves a running clock. systemd counts restarts and never resets the count.
"""

from collections.abc import Iterator
from signal import SIGKILL, SIGSTOP, Signals

import pytest

from clock.match.types import Button
from lab.bench.board import CENTRE, LEFT, RIGHT
from lab.bench.logbook import Logbook
from lab.bench.sandbox import HARMLESS, probed
from lab.bench.serial_line import DEVICE
from lab.bench.service import CONFIG_PATH, HANG, LOGS, UNIT, ServiceBoard

CONFIG: dict[str, dict[str, object]] = {
    "match": {"length": 7},
    "log": {"serial": DEVICE},
}
SEEN_S = 120.0  # timeout for what is shown, in real time
CLOCKS = {"/dev/gpiochip0", "/dev/i2c-0", DEVICE}


@pytest.fixture(scope="module")
def board(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServiceBoard]:
    with ServiceBoard(CONFIG, tmp_path_factory.mktemp("service")) as board:
        yield board


def log_of(board: ServiceBoard, records: int) -> Logbook:
    """Wait until the log has so many records; return it."""
    board.wait_until(lambda: len(board.log()) >= records)
    return board.log()


def pressed_and_logged(board: ServiceBoard, button: Button) -> bool:
    """Press a plunger; return whether the log then has a press with its stamp."""
    made = board.press(button)
    return board.wait_until(
        lambda: any(made.is_near(each["at_ns"]) for each in board.log().of("pressed"))
    )


def running(board: ServiceBoard) -> str:
    """Make a clock run, from whatever phase; return whose it is."""
    phases = {"REVIEW": (LEFT, RIGHT, CENTRE, LEFT), "READY": (LEFT,), "STOPPED": (CENTRE,)}
    for button in phases.get(board.log().last["phase"], ()):
        board.press(button)
    assert board.wait_until(lambda: board.log().last["running"])
    return str(board.log().last["running"])


def mover(board: ServiceBoard) -> Button:
    """Make a clock run; return the plunger of its player."""
    return Button(running(board))


def restarts(board: ServiceBoard) -> int:
    """Return how often systemd has restarted the service so far."""
    return int(board.systemd_property("NRestarts"))


def test_it_is_active_when_it_has_recovered(board: ServiceBoard) -> None:
    """Type=notify: systemd waits for READY, and the match is open by then."""
    assert board.systemd_property("ActiveState") == "active"
    assert board.log().last["event"] == "match_opened"
    assert board.systemd_property("NRestarts") == "0"
    assert board.systemd_property("StatusText").startswith("REVIEW, 0-0/7, match ")
    running(board)
    assert board.systemd_property("StatusText").startswith("RUNNING, 0-0/7, match ")


def test_after_sigkill_no_press_is_lost(board: ServiceBoard) -> None:
    """The match continues exactly; presses made meanwhile have the kernel's stamps."""
    first, count = mover(board), restarts(board)
    second = RIGHT if first is LEFT else LEFT
    before = len(board.log())
    board.kill(SIGKILL)
    made = [board.press(button) for button in (first, second, first)]
    board.wait_until_restarted(count + 1)
    log = log_of(board, before + len(made))
    log.verified()
    new = log.records[before:]
    assert [(each["event"], each["side"], each["accepted"]) for each in new] == [
        ("pressed", button.value, True) for button in (first, second, first)
    ]
    assert all(press.is_near(each["at_ns"]) for press, each in zip(made, new, strict=True))


@pytest.mark.parametrize("hang", [SIGSTOP, HANG], ids=["process", "main thread"])
def test_a_loop_that_hangs_is_killed(board: ServiceBoard, hang: Signals) -> None:
    """The watchdog ends it within 5 s; a press in that time counts from its stamp."""
    first, count = mover(board), restarts(board)
    before = len(board.log())
    board.kill(hang)
    made = board.press(first)
    board.wait_until_restarted(count + 1)
    log = log_of(board, before + 1)
    log.verified()
    assert [each["event"] for each in log.records[before:]] == ["pressed"]
    assert made.is_near(log.last["at_ns"])
    assert "watchdog" in board.shell(f"journalctl --no-pager -u {UNIT} -n 20").lower()


def test_ten_kills_in_a_row_leave_it_running(board: ServiceBoard) -> None:
    """There is no start limit; each kill comes as soon as there is a process."""
    first, count = mover(board), restarts(board)
    for number in range(10):
        board.wait_until_restarted(
            count + number, ("active",) if number % 2 else ("activating", "active")
        )
        board.kill(SIGKILL)
    board.wait_until_restarted(count + 10)
    assert pressed_and_logged(board, first)
    board.log().verified()


def test_sigterm_ends_it_cleanly(board: ServiceBoard) -> None:
    """The panels are dark, the exit code is 0, and the match continues at the next start."""
    running(board)
    before = board.log().text
    assert board.stop() == 0
    assert board.panels.wait(lambda: board.panel(LEFT).dark and board.panel(RIGHT).dark, SEEN_S)
    assert board.systemd_property("Result") == "success"
    board.start()
    assert board.log().text.startswith(before)
    running(board)


def test_other_users_can_only_read_the_log(board: ServiceBoard) -> None:
    """Any user may read the directory and the logs, but create or change nothing there."""
    nobody = "setpriv --reuid nobody --regid nogroup --clear-groups sh -c"
    read = board.shell(f"{nobody} 'cat {LOGS}/current.jsonl'")
    assert board.log().text.startswith(read[: read.rfind("\n") + 1])
    assert "match_opened" in read
    for wrong in (
        f"echo >>{LOGS}/current.jsonl",
        f"echo >{LOGS}/new",
        f"rm -f {LOGS}/current.jsonl",
    ):
        assert "refused" in board.shell(f"{nobody} '{wrong}' || echo refused")


@pytest.mark.parametrize("missing", ["panels", "serial line", "configuration"])
def test_it_gets_ready_without_a_part(board: ServiceBoard, missing: str) -> None:
    """It starts without panels, without its serial line, or without the settings file."""
    first = mover(board)
    board.stop()
    absent, back = {
        "panels": (board.unplug_panels, board.plug_panels),
        "serial line": (board.serial.unplug, board.serial.plug),
        "configuration": (
            lambda: board.shell(f"mv {CONFIG_PATH} {CONFIG_PATH}.away"),
            lambda: board.shell(f"mv {CONFIG_PATH}.away {CONFIG_PATH}"),
        ),
    }[missing]
    absent()
    board.start()
    assert board.systemd_property("ActiveState") == "active"
    assert pressed_and_logged(board, first)
    back()
    board.restart()
    running(board)


def test_a_wrong_configuration_does_not_stop_a_match(board: ServiceBoard) -> None:
    """A match under way continues with its own settings, and both panels say what is wrong."""
    first, count = mover(board), restarts(board)
    write_wrong_configuration(board, LOGS)
    board.restart()
    assert board.panels.wait(lambda: board.panel(LEFT).says("SETTINGS FILE"), SEEN_S)
    assert pressed_and_logged(board, first)
    board.shell(f"mv {CONFIG_PATH}.right {CONFIG_PATH}")
    board.restart()
    assert restarts(board) == count
    running(board)


def test_a_wrong_configuration_opens_no_match(board: ServiceBoard) -> None:
    """The error is shown without a loop of restarts; once it is corrected, the clock starts."""
    running(board)
    count, before = restarts(board), board.log().text
    write_wrong_configuration(board, f"{LOGS}/fresh")
    board.restart()
    assert board.panels.wait(lambda: board.panel(LEFT).says("length"), SEEN_S)
    board.wait("0:06")  # longer than the watchdog waits
    assert (board.systemd_property("ActiveState"), restarts(board)) == ("active", count)
    assert board.shell(f"find {LOGS}/fresh -name '*.jsonl' || true") == ""
    board.shell(f"mv {CONFIG_PATH}.right {CONFIG_PATH}")
    assert board.panels.wait(lambda: board.panel(LEFT).says("0-0/7"), SEEN_S)
    assert restarts(board) == count
    assert board.log().text.startswith(before)
    running(board)


def write_wrong_configuration(board: ServiceBoard, directory: str) -> None:
    """Make the settings file wrong, except for the bus of the panels and the log's directory."""
    tables = f"[match]\nlength = 0\n[display]\nbus = 0\n[log]\ndirectory = '{directory}'\n"
    board.shell(f"cp {CONFIG_PATH} {CONFIG_PATH}.right")
    board.guest.ask("write", path=CONFIG_PATH, text=tables)


def test_the_sandbox_opens_only_the_clocks_devices(board: ServiceBoard) -> None:
    """Inside the sandbox only pins, panels and serial lines can be opened.

    The modes of all files and devices are opened to every user first, so that only the sandbox can
    refuse anything; outside it the same user may do all of it.
    """
    running(board)
    inside, outside = probed(board, UNIT, "gammonclock", LOGS)
    opened = {name for name, came in inside["devices"].items() if came == "done"}
    assert opened == CLOCKS | HARMLESS | {name for name in opened if name.startswith("/dev/ttyS")}
    refused = ("/dev/ubda", "/dev/hwrng", "/dev/vga_arbiter", "/dev/autofs")
    assert {inside["devices"][name] for name in refused} == {"EPERM"}
    assert {outside["devices"][name] for name in ("/dev/ubda", "/dev/kmsg")} == {"done"}
    assert [name for name, came in inside["directories"].items() if came == "done"] == [LOGS]
    assert set(outside["directories"].values()) == {"done"}
    assert [name for name, came in inside["sockets"].items() if came == "done"] == ["AF_UNIX"]
    assert set(outside["sockets"].values()) == {"done"}
    assert "done" not in inside["rights"].values()
    assert board.systemd_property("ActiveState") == "active"
