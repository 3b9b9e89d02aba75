"""What the service manager is told, received by a real datagram socket."""

import os
import socket
from collections.abc import Callable, Iterator
from pathlib import Path
from uuid import uuid4

import pytest

from hardware import service

Environ = dict[str, str]


class Manager:
    """A service manager's end of the socket."""

    def __init__(self, address: str, variable: str) -> None:
        self.environ = {"NOTIFY_SOCKET": variable}
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.socket.setblocking(False)  # a datagram sent on this machine is there at once
        self.socket.bind(address)

    def received(self) -> list[str]:
        """The assignments of the next message."""
        return self.socket.recv(4096).decode().split("\n")


@pytest.fixture(params=["path", "abstract"])
def manager(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Manager]:
    """One that listens at a path, and one in the abstract namespace."""
    name = f"gammonclock-{uuid4()}"
    path = str(tmp_path / "notify")
    manager = Manager(path, path) if request.param == "path" else Manager(f"\0{name}", f"@{name}")
    yield manager
    manager.socket.close()


CALLS: list[tuple[Callable[[Environ], bool], list[str]]] = [
    (lambda environ: service.ready("3-5/11", environ), ["READY=1", "STATUS=3-5/11"]),
    (service.alive, ["WATCHDOG=1"]),
    (lambda environ: service.status("log not saved", environ), ["STATUS=log not saved"]),
    (service.stopping, ["STOPPING=1"]),
]


@pytest.mark.parametrize(("call", "expected"), CALLS, ids=["ready", "alive", "status", "stopping"])
def test_a_message_is_one_datagram(
    manager: Manager, call: Callable[[Environ], bool], expected: list[str]
) -> None:
    """One assignment a line, sd_notify(3)."""
    assert call(manager.environ)
    assert manager.received() == expected


def test_a_name_with_a_line_feed_says_nothing_else(manager: Manager) -> None:
    """The status is one assignment, whatever stands in it."""
    assert service.status("Ann\nSTOPPING=1\r\n  Blau\x85x", manager.environ)
    assert manager.received() == ["STATUS=Ann STOPPING=1 Blau x"]


def test_an_open_file_is_kept(manager: Manager) -> None:
    """It is received under its name, and is the same file."""
    read, write = os.pipe()
    assert service.keep("plungers", [read], manager.environ)
    message, (kept,), _, _ = socket.recv_fds(manager.socket, 4096, 4)
    assert message.decode().split("\n") == ["FDSTORE=1", "FDNAME=plungers"]
    os.write(write, b"press")
    assert os.read(kept, 5) == b"press"
    for descriptor in (read, write, kept):
        os.close(descriptor)


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
def test_without_a_service_manager_nothing_happens(environ: Environ) -> None:
    """Nor with one that cannot be reached."""
    assert not service.ready("", environ)


def test_a_service_manager_that_does_not_listen_is_not_waited_for(manager: Manager) -> None:
    """Its queue is full: the message is dropped, and the next one taken when there is room."""
    while service.alive(manager.environ):
        pass
    manager.received()
    assert service.stopping(manager.environ)


def test_the_manager_is_found_in_the_environment(
    manager: Manager, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As the service manager has set it."""
    monkeypatch.setenv("NOTIFY_SOCKET", manager.environ["NOTIFY_SOCKET"])
    assert service.alive()
    assert manager.received() == ["WATCHDOG=1"]


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
    ids=[
        "mine",
        "anybody's",
        "another's",
        "no-time",
        "zero",
        "negative",
        "word",
        "superscript",
        "none",
    ],
)
def test_the_watchdog_is_fed_twice_in_the_time_allowed(
    environ: Environ, interval_ns: int | None
) -> None:
    """Only if it is this process that is watched."""
    assert service.watchdog_interval_ns(environ) == interval_ns
