"""The clock as a service of systemd, under the project's own unit, on one boot of the guest.

Each test leaves a clock that runs. Restarts are counted by systemd and never reset.
"""

import json
from collections.abc import Iterator
from signal import SIGKILL, SIGSTOP
from typing import Any

import pytest
from bench.board import CENTRE, LEFT, RIGHT
from bench.plunger import MS_NS
from bench.serial_line import DEVICE
from bench.service import CONFIG, HANG, LOGS, OPT, UNIT, ServiceBoard

SETTINGS: dict[str, dict[str, object]] = {
    "match": {"length": 7},
    "log": {"serial": DEVICE},
}
SEEN_S = 20.0  # within which something is seen, in real time
OPEN = [
    f"{each}/open"
    for each in (
        "/etc",
        "/usr/local",
        "/boot/firmware",
        "/var/lib",
        "/var/log",
        "/srv",
        "/opt",
        "/run",
    )
]
ANYBODYS = ["/run/lock", "/dev/shm"]  # noqa: S108 (not used, but tried)
CLOCKS = {"/dev/gpiochip0", "/dev/i2c-0", DEVICE}
HARMLESS = {f"/dev/{name}" for name in ("null", "zero", "full", "random", "urandom", "ptmx")}
HARMLESS |= {"/dev/pts/ptmx"}
PROBE = f"""[Service]
Type=oneshot
ExecStart=
ExecStart={OPT}/current/bin/python {OPT}/probe.py {" ".join([LOGS, *OPEN, *ANYBODYS])}
Restart=no
WatchdogSec=0
FileDescriptorStoreMax=0
RuntimeDirectoryPreserve=yes
StandardOutput=truncate:/run/probe.json
"""  # nothing of the walls


@pytest.fixture(scope="module")
def board(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServiceBoard]:
    """A box that has just been switched on."""
    with ServiceBoard(SETTINGS, tmp_path_factory.mktemp("service")) as board:
        yield board


def running(board: ServiceBoard) -> str:
    """Bring a clock to run, whatever there is; whose it is."""
    phases = {"REVIEW": (LEFT, RIGHT, CENTRE, LEFT), "READY": (LEFT,), "STOPPED": (CENTRE,)}
    for button in phases.get(board.log().last["phase"], ()):
        board.press(button)
    board.wait(300 * MS_NS)
    mover = board.log().last["running"]
    assert mover in ("left", "right")
    return str(mover)


def mover(board: ServiceBoard) -> Any:
    """The plunger of whose clock runs."""
    return {"left": LEFT, "right": RIGHT}[running(board)]


def restarts(board: ServiceBoard) -> int:
    """How often systemd has restarted it so far."""
    return int(board.shown("NRestarts"))


def test_it_is_active_when_it_has_recovered(board: ServiceBoard) -> None:
    """Type=notify: systemd waited for READY, and the match was open by then."""
    assert board.shown("ActiveState") == "active"
    assert board.log().last["event"] == "match_opened"
    assert board.shown("NRestarts") == "0"
    assert board.shown("StatusText").startswith("REVIEW, 0-0/7, match ")
    running(board)
    assert board.shown("StatusText").startswith("RUNNING, 0-0/7, match ")


def test_after_sigkill_no_press_is_lost(board: ServiceBoard) -> None:
    """It goes on exactly; presses made meanwhile have the kernel's stamps."""
    first, count = mover(board), restarts(board)
    second = RIGHT if first is LEFT else LEFT
    before = len(board.log())
    board.kill(SIGKILL)
    made = [board.press(button) for button in (first, second, first)]
    board.ready(count + 1)
    board.wait(300 * MS_NS)
    log = board.log()
    log.verified()
    new = log.records[before:]
    assert [(each["event"], each["side"], each["accepted"]) for each in new] == [
        ("pressed", button.value, True) for button in (first, second, first)
    ]
    assert all(press.holds(each["at_ns"]) for press, each in zip(made, new, strict=True))


def test_a_loop_that_hangs_is_killed(board: ServiceBoard) -> None:
    """The watchdog ends it within its 5 s; presses made in that time count as they were made."""
    first, count = mover(board), restarts(board)
    before = len(board.log())
    board.kill(SIGSTOP)
    made = board.press(first)
    board.ready(count + 1)
    board.wait(300 * MS_NS)
    log = board.log()
    log.verified()
    assert [each["event"] for each in log.records[before:]] == ["pressed"]
    assert made.holds(log.last["at_ns"])
    assert "watchdog" in board.shell(f"journalctl --no-pager -u {UNIT} -n 20").lower()


def test_a_loop_that_hangs_while_the_rest_goes_on_is_killed(board: ServiceBoard) -> None:
    """So does a loop that never returns: the other threads take no press away from the next run."""
    first, count = mover(board), restarts(board)
    before = len(board.log())
    board.kill(HANG)
    made = board.press(first)
    board.ready(count + 1)
    board.wait(300 * MS_NS)
    assert [each["event"] for each in board.log().records[before:]] == ["pressed"]
    assert made.holds(board.log().last["at_ns"])


def test_ten_kills_in_a_row_leave_it_running(board: ServiceBoard) -> None:
    """There is no limit of starts; each kill comes as soon as there is a process."""
    first, count = mover(board), restarts(board)
    for number in range(10):
        board.ready(count + number, ("active",) if number % 2 else ("activating", "active"))
        board.kill(SIGKILL)
    board.ready(count + 10)
    made = board.press(first)
    board.wait(300 * MS_NS)
    assert made.holds(board.log().last["at_ns"])
    board.log().verified()


def test_it_ends_before_it_would_be_killed(board: ServiceBoard) -> None:
    """SIGTERM: the panels are dark, the exit is clean, and the match goes on at the next start."""
    running(board)
    before = board.log().text
    assert board.stop() == 0
    assert board.panels.wait(lambda: board.panel(LEFT).dark and board.panel(RIGHT).dark, SEEN_S)
    assert board.shown("Result") == "success"
    board.start()
    assert board.log().text.startswith(before)
    running(board)


def test_others_read_the_log_and_cannot_write_it(board: ServiceBoard) -> None:
    """Any user may read the directory and the logs, and may make or change nothing there."""
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
def test_a_part_that_is_missing_does_not_keep_it_from_ready(
    board: ServiceBoard, missing: str
) -> None:
    """It starts without panels, without its serial line, without the director's file."""
    first = mover(board)
    board.stop()
    absent, back = {
        "panels": (board.unplug_panels, board.plug_panels),
        "serial line": (board.serial.unplug, board.serial.plug),
        "configuration": (
            lambda: board.shell(f"mv {CONFIG} {CONFIG}.away"),
            lambda: board.shell(f"mv {CONFIG}.away {CONFIG}"),
        ),
    }[missing]
    absent()
    board.start()
    assert board.shown("ActiveState") == "active"
    made = board.press(first)
    board.wait(300 * MS_NS)
    assert made.holds(board.log().of("pressed")[-1]["at_ns"])
    back()
    board.restart()
    running(board)


def test_a_wrong_configuration_does_not_stop_a_match(board: ServiceBoard) -> None:
    """The match under way goes on under its own settings, and both displays say what is wrong."""
    first, count = mover(board), restarts(board)
    wrong_from_now_on(board, LOGS)
    board.restart()
    assert board.panels.wait(lambda: board.panel(LEFT).says("SETTINGS FILE"), SEEN_S)
    made = board.press(first)
    board.wait(300 * MS_NS)
    assert made.holds(board.log().of("pressed")[-1]["at_ns"])
    board.shell(f"mv {CONFIG}.right {CONFIG}")
    board.restart()
    assert restarts(board) == count
    running(board)


def test_a_wrong_configuration_opens_no_match(board: ServiceBoard) -> None:
    """It is shown and waited for, without a loop of restarts; then the clock goes on."""
    running(board)
    count, before = restarts(board), board.log().text
    wrong_from_now_on(board, f"{LOGS}/fresh")
    board.restart()
    assert board.panels.wait(lambda: board.panel(LEFT).says("length"), SEEN_S)
    board.wait("0:06")  # longer than the watchdog waits
    assert (board.shown("ActiveState"), restarts(board)) == ("active", count)
    assert board.shell(f"find {LOGS}/fresh -name '*.jsonl' || true") == ""
    board.shell(f"mv {CONFIG}.right {CONFIG}")
    assert board.panels.wait(lambda: board.panel(LEFT).says("0-0/7"), SEEN_S)
    assert restarts(board) == count
    assert board.log().text.startswith(before)
    running(board)


def wrong_from_now_on(board: ServiceBoard, directory: str) -> None:
    """The director's file is wrong, but for where panels and logs are."""
    tables = f"[match]\nlength = 0\n[display]\nbus = 0\n[log]\ndirectory = '{directory}'\n"
    board.shell(f"cp {CONFIG} {CONFIG}.right")
    board.guest.ask("write", path=CONFIG, text=tables)


def test_the_sandbox(board: ServiceBoard) -> None:
    """Inside the unit's own walls pins, panels and serial lines open, and nothing else does.

    Beforehand the modes of files and devices allow everybody everything, so that it is the walls
    that hold; outside them the same user does it all.
    """
    running(board)
    inside, outside = probed(board)
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
    assert board.shown("ActiveState") == "active"


def probed(board: ServiceBoard) -> tuple[dict[str, dict[str, str]], dict[str, dict[str, str]]]:
    """What the probe could do inside and outside."""
    board.shell(
        f"mkdir -p {' '.join(OPEN)}; chmod 777 {' '.join(OPEN)}",
        "find /dev -not -name 'tty[0-9]*' -a '(' -type c -o -type b ')' | xargs chmod a+rw",
        "mkdir -p /run/systemd/system/probe.service.d",
        f"cp /etc/systemd/system/{UNIT} /run/systemd/system/probe.service",
        f"cp /etc/systemd/system/{UNIT}.d/bench.conf /run/systemd/system/probe.service.d/a.conf",
    )
    board.guest.ask("write", path="/run/systemd/system/probe.service.d/b.conf", text=PROBE)
    user = "setpriv --reuid gammonclock --regid gammonclock --init-groups"
    board.shell("systemctl daemon-reload", "systemctl start probe.service")
    inside = board.guest.ask("read", path="/run/probe.json")
    probe = [user, f"{OPT}/current/bin/python", f"{OPT}/probe.py", LOGS, *OPEN, *ANYBODYS]
    outside = board.shell(" ".join(probe))
    return json.loads(inside), json.loads(outside)
