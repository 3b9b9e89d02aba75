"""Files kept over a restart: real descriptors, a real socket for the service manager."""

import os
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from hardware.system.fd_store import FIRST, FdStore, inherited, send


@pytest.fixture
def passed() -> Iterator[list[int]]:
    """Return three descriptors in a row, as a service manager passes them."""
    first = 200
    descriptors = [os.dup2(0, first + at) for at in range(3)]
    yield descriptors
    for descriptor in descriptors:
        if is_open(descriptor):
            os.close(descriptor)


def is_open(descriptor: int) -> bool:
    return Path(f"/proc/self/fd/{descriptor}").exists()


def environ(names: str, count: int | str, pid: int | None = None) -> dict[str, str]:
    """Return an environment as sd_listen_fds_with_names(3) describes it."""
    return {
        "LISTEN_PID": str(os.getpid() if pid is None else pid),
        "LISTEN_FDS": str(count),
        "LISTEN_FDNAMES": names,
        "HOME": "/",
    }


def test_descriptors_are_found_by_their_names_once(passed: list[int]) -> None:
    env = environ("gpio27:gpio17:gpio22", 3)
    found = inherited(env, passed[0])
    assert found == {"gpio27": passed[0], "gpio17": passed[1], "gpio22": passed[2]}
    assert not any(os.get_inheritable(descriptor) for descriptor in passed)
    assert env == {"HOME": "/"}
    assert inherited(env, passed[0]) == {}
    assert FIRST == 3  # SD_LISTEN_FDS_START of sd_listen_fds(3)


@pytest.mark.parametrize(
    "env",
    [{}, environ("a", 1, pid=1), environ("a", "x"), environ("a", "²"), environ("a", "")],
    ids=["none", "another's", "no number", "no digit", "empty"],
)
def test_descriptors_of_another_process_are_not_found(env: dict[str, str]) -> None:
    assert inherited(env) == {}


def test_of_two_descriptors_with_one_name_the_later_counts(passed: list[int]) -> None:
    assert inherited(environ("a:a", 2), passed[0]) == {"a": passed[1]}
    assert not is_open(passed[0])


def test_only_unused_descriptors_are_dropped(passed: list[int]) -> None:
    sent: list[tuple[str, str, tuple[int, ...]]] = []

    def send_and_note(act: str, name: str, descriptors: tuple[int, ...]) -> bool:
        sent.append((act, name, descriptors))
        return True

    store = FdStore({"a": passed[0], "b": passed[1], "c": passed[2]}, send_and_note)
    assert (store.take("a"), store.take("a"), store.take("z")) == (passed[0], None, None)
    assert store.take("b") == passed[1]
    store.leave("b", passed[1])
    assert store.take("b") == passed[1]
    assert store.keep("b", passed[1])
    store.drop_unused()
    store.drop_unused()
    assert sent == [("FDSTORE=1", "b", (passed[1],)), ("FDSTOREREMOVE=1", "c", ())]
    assert [is_open(descriptor) for descriptor in passed] == [True, True, False]


def test_keeping_sends_the_name_and_the_open_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In one datagram; dropping sends the name only."""
    address = str(tmp_path / "notify")
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as manager:
        manager.bind(address)
        monkeypatch.setenv("NOTIFY_SOCKET", address)
        reader, writer = os.pipe()
        assert FdStore({}).keep("gpio17", reader)
        os.write(writer, b"waiting")
        os.close(reader)
        message, [kept], _, _ = socket.recv_fds(manager, 1000, 4)
        assert (message, os.read(kept, 100)) == (b"FDSTORE=1\nFDNAME=gpio17", b"waiting")
        FdStore({}).drop("gpio17")
        assert manager.recv(1000) == b"FDSTOREREMOVE=1\nFDNAME=gpio17"
        for descriptor in (kept, writer):
            os.close(descriptor)


def test_without_a_service_manager_nothing_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NOTIFY_SOCKET", raising=False)
    assert not send("FDSTORE=1", "a", (0,))
