"""A guest ends with its test, changes nothing outside its folder, and cannot hang a test."""

import sys
from pathlib import Path

import pytest

from lab.bench import session, uml
from lab.bench.uml import Guest, GuestError


def test_nothing_is_left_behind(tmp_path: Path) -> None:
    def fails(guest: Guest) -> None:
        guest.ask("load", count=3)
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError), Guest(tmp_path, sys.executable) as guest:
        fails(guest)
    assert not session.members(guest.process)


def test_a_silent_guest_is_killed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """If a guest does not answer in time, it is killed, and the error quotes its last output."""
    with Guest(tmp_path, sys.executable) as guest:
        guest.ask("run", command=["sh", "-c", "echo the last word >/dev/console"])
        monkeypatch.setattr(uml, "PATIENCE_S", 0.2)
        with pytest.raises(GuestError, match=r"no answer to 'wait' in 0 s(.|\n)*the last word"):
            guest.ask("wait", duration_ns=10**12)
        assert not session.members(guest.process)


@pytest.mark.parametrize("time_travel", [False, True])
def test_this_computer_is_read_only(tmp_path: Path, time_travel: bool) -> None:
    """The guest can read this computer's files, and change only those in its own folder."""
    theirs, own = tmp_path / "theirs", tmp_path / "own"
    theirs.write_text("as it was")
    own.mkdir()
    with Guest(own, sys.executable, time_travel=time_travel) as guest:
        assert guest.ask("read", path=str(theirs)) == "as it was"
        with pytest.raises(GuestError, match="Read-only file system"):
            guest.ask("run", command=["sh", "-c", f"echo changed >{theirs}"])
        guest.ask("write", path="/run/test/note", text="x" * 100_000)
    assert (own / "note").read_text() == "x" * 100_000
    assert theirs.read_text() == "as it was"


def test_time_travels(tmp_path: Path) -> None:
    """A day passes while the agent sleeps, and no time passes between two requests."""
    clock = "import time; print(time.monotonic_ns())"
    with Guest(tmp_path, sys.executable, time_travel=True) as guest:
        before_ns = int(guest.ask("run", command=[sys.executable, "-S", "-c", clock]))
        guest.ask("wait", duration_ns=86_400 * 10**9)
        after_ns = int(guest.ask("run", command=[sys.executable, "-S", "-c", clock]))
    assert 86_400 * 10**9 <= after_ns - before_ns < 86_401 * 10**9
