"""Messages to the service manager, received by a real datagram socket."""

import os
import socket
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from uuid import uuid4

import pytest

from hardware.system import systemd

Environ = dict[str, str]


class Manager:
    """A service manager's end of the socket."""

    def __init__(self, address: str) -> None:
        self.environ = {"NOTIFY_SOCKET": address.replace("\0", "@")}
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.socket.setblocking(False)  # a datagram sent on this machine is there at once
        self.socket.bind(address)

    def received(self) -> list[str]:
        """Return the assignments of the next message."""
        return self.socket.recv(4096).decode().split("\n")

    def messages(self) -> list[list[str]]:
        received = []
        with suppress(BlockingIOError):
            while True:
                received.append(self.received())
        return received


@pytest.fixture(params=["path", "abstract"])
def manager(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Manager]:
    """Return one that listens at a path, and one in the abstract namespace."""
    name = f"gammonclock-{uuid4()}"
    manager = Manager(str(tmp_path / "notify") if request.param == "path" else f"\0{name}")
    yield manager
    manager.socket.close()


@pytest.mark.parametrize(
    "environ",
    [
        {},
        {"NOTIFY_SOCKET": ""},
        {"NOTIFY_SOCKET": "vsock:2:1"},
        {"NOTIFY_SOCKET": "/nowhere/at/all"},
    ],
    ids=str,
)
def test_without_a_service_manager_nothing_is_sent(environ: Environ) -> None:
    assert not systemd.notify("READY=1", environ=environ)


def test_a_full_queue_of_the_service_manager_drops_the_message(manager: Manager) -> None:
    """Nothing waits; the next message is taken when there is room."""
    while systemd.notify("WATCHDOG=1", environ=manager.environ):
        pass
    manager.received()
    assert systemd.notify("STOPPING=1", environ=manager.environ)


def test_the_manager_is_found_in_the_environment(
    manager: Manager, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NOTIFY_SOCKET", manager.environ["NOTIFY_SOCKET"])
    assert systemd.notify("READY=1")
    assert manager.received() == ["READY=1"]


ME, ANOTHER = str(os.getpid()), "1"


@pytest.mark.parametrize(
    ("environ", "interval_ns"),
    [
        ({"WATCHDOG_USEC": "5000000", "WATCHDOG_PID": ME}, 2_500_000_000),
        ({"WATCHDOG_USEC": "5000000"}, 2_500_000_000),
        ({"WATCHDOG_USEC": "5000000", "WATCHDOG_PID": ANOTHER}, None),
        ({"WATCHDOG_PID": ME}, None),
        ({"WATCHDOG_USEC": "0"}, None),
        ({"WATCHDOG_USEC": "-1"}, None),
        ({"WATCHDOG_USEC": "soon"}, None),
        ({"WATCHDOG_USEC": "\u00b2"}, None),
        ({}, None),
    ],
    ids=["mine", "any", "another's", "no-time", "zero", "negative", "word", "superscript", "none"],
)
def test_the_watchdog_is_fed_twice_in_the_time_allowed(
    environ: Environ, interval_ns: int | None
) -> None:
    assert systemd.watchdog_interval_ns(environ) == interval_ns


# --- a clock that is watched ------------------------------------------------------------------

SECOND_NS = 1_000_000_000
ALLOWED = {"WATCHDOG_USEC": "5000000"}
ALIVE = ["WATCHDOG=1"]


def test_the_first_turn_sends_that_the_clock_is_ready(manager: Manager) -> None:
    """It is due at once, and READY goes with the status in one message."""
    service = systemd.ServiceManager(manager.environ | ALLOWED)
    assert service.due_ns == 0
    service.turned(7 * SECOND_NS, "READY, 0-0/11")
    assert manager.messages() == [["READY=1", "STATUS=READY, 0-0/11", "WATCHDOG=1"]]
    assert service.due_ns == 9_500_000_000  # half of what is allowed later


def test_without_a_watchdog_nothing_is_due_after_that(manager: Manager) -> None:
    service = systemd.ServiceManager(manager.environ)
    service.turned(SECOND_NS, "READY")
    assert service.due_ns is None
    service.turned(3600 * SECOND_NS, "READY")
    assert manager.messages() == [["READY=1", "STATUS=READY"]]


def test_the_status_is_sent_when_it_changes(manager: Manager) -> None:
    service = systemd.ServiceManager(manager.environ)
    for status in ("0-0", "0-0", "1-0", "1-0", "1-0; LOG\nSTOPPING=1\r\n  NOT\x85SAVED"):
        service.turned(SECOND_NS, status)
    assert manager.messages() == [
        ["READY=1", "STATUS=0-0"],
        ["STATUS=1-0"],
        ["STATUS=1-0; LOG STOPPING=1 NOT SAVED"],
    ]


def test_turns_every_second_send_alive_every_other_second(manager: Manager) -> None:
    """As often as needed, without an extra turn."""
    service = systemd.ServiceManager(manager.environ | ALLOWED)
    fed_s = []
    for second in range(10):
        service.turned(second * SECOND_NS, "RUNNING")
        assert service.due_ns is not None
        assert service.due_ns > (second + 1) * SECOND_NS
        fed_s += [second for message in manager.messages() if "WATCHDOG=1" in message]
    assert fed_s == [0, 2, 4, 6, 8]


def test_turns_without_progress_do_not_feed_the_watchdog(manager: Manager) -> None:
    """A loop that runs without progress is as bad as one that hangs."""
    service = systemd.ServiceManager(manager.environ | ALLOWED)
    service.turned(SECOND_NS, "RUNNING")
    manager.messages()
    for _ in range(1000):
        service.turned(SECOND_NS + SECOND_NS, "RUNNING")
    service.turned(SECOND_NS + SECOND_NS, "RUNNING; LOG NOT SAVED")
    assert manager.messages() == [["STATUS=RUNNING; LOG NOT SAVED"]]


def test_a_message_that_was_not_taken_is_sent_again_after_a_second(manager: Manager) -> None:
    """Above all READY: without it the clock would be restarted."""
    service = systemd.ServiceManager(manager.environ | ALLOWED)
    while systemd.notify("X=1", environ=manager.environ):
        pass
    service.turned(5 * SECOND_NS, "READY")
    assert service.due_ns == 6 * SECOND_NS
    manager.messages()
    service.turned(6 * SECOND_NS, "READY")
    assert manager.messages() == [["READY=1", "STATUS=READY", "WATCHDOG=1"]]


def test_a_message_that_is_not_needed_any_more_is_not_due(manager: Manager) -> None:
    """It would wake the loop for ever."""
    service = systemd.ServiceManager(manager.environ)
    service.turned(SECOND_NS, "READY")
    while systemd.notify("X=1", environ=manager.environ):
        pass
    service.turned(2 * SECOND_NS, "READY; LOG NOT SAVED")
    assert service.due_ns == 3 * SECOND_NS
    service.turned(3 * SECOND_NS, "READY")
    assert service.due_ns is None


def test_a_manager_that_has_gone_is_not_an_error(manager: Manager) -> None:
    service = systemd.ServiceManager(manager.environ | ALLOWED)
    service.turned(SECOND_NS, "READY")
    manager.socket.close()
    service.turned(4 * SECOND_NS, "STOPPED")
    service.stopping()
    assert service.due_ns == 5 * SECOND_NS


def test_the_end_is_announced(manager: Manager) -> None:
    systemd.ServiceManager(manager.environ).stopping()
    assert manager.messages() == [["STOPPING=1"]]


def test_a_clock_started_by_a_person_has_no_manager(manager: Manager) -> None:
    assert systemd.ServiceManager.found({}) is None
    assert systemd.ServiceManager.found(ALLOWED | {"NOTIFY_SOCKET": ""}) is None
    assert systemd.ServiceManager.found(manager.environ) is not None
