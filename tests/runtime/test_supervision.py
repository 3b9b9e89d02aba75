"""A clock that is supervised: when its loop wakes, what the service manager is sent and when.

The loop and the manager's side of the clock are the real ones; time is virtual, the socket is not.
"""

from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest

from clock.apps import appliance
from clock.match.faults import Fault
from clock.units import SECOND_NS
from hardware.system.systemd import ServiceManager
from lab.support.loops import CENTRE, MARGIN, START_NS, LoopClock
from tests.apps.test_appliance import Table
from tests.hardware.system.test_systemd import Manager

INTERVAL_NS = 2_500_000_000  # half of what is allowed


class Watched:
    """A box on the table, and what its service manager hears at which instant."""

    def __init__(self, folder: Path, allowed_us: int = 5_000_000) -> None:
        self.manager = Manager(str(folder / "notify"))
        environ = self.manager.environ | {"WATCHDOG_USEC": str(allowed_us)}
        supervisor = ServiceManager(environ)
        self.box = LoopClock(time_per_point_ns=600 * SECOND_NS, supervisor=supervisor)

    def until(self, end_ns: int) -> list[tuple[int, list[str]]]:
        """Turns until an instant; what was heard, and when."""
        box, heard = self.box, []
        box.buttons.woken_ns = end_ns
        while box.time.ns < end_ns:
            box.runtime.turn()
            heard += [(box.time.ns, message) for message in self.heard()]
        return heard

    def heard(self) -> list[list[str]]:
        """All messages that have come."""
        return self.manager.messages()


@pytest.fixture
def watched(tmp_path: Path) -> Iterator[Watched]:
    """A clock whose watchdog allows 5 s."""
    watched = Watched(tmp_path)
    yield watched
    watched.manager.socket.close()


def test_ready_follows_the_first_picture_and_the_first_turn(watched: Watched) -> None:
    """A loop that is run shows the match it has recovered, and is ready after one turn."""
    box = watched.box.untouched()
    wait, woken = box.buttons.wait, []

    def counted(until_ns: int | None) -> None:
        woken.append((len(box.parts.shown), watched.heard()))
        box.runtime.stopping = len(woken) == 2
        wait(until_ns)

    box.buttons.wait = counted  # type: ignore[method-assign]
    box.runtime.run()
    [before, after] = woken
    assert before == (1, [])
    match = "2000-01-01T12-00-00-00000000"
    status = f"STATUS=REVIEW, 0-0/11, match {match}"
    assert after[1] == [["READY=1", status, "WATCHDOG=1"]]


def stopped(watched: Watched) -> int:
    """Stop the match and press nothing for an hour; return the instant of the stop."""
    watched.box.press(CENTRE, START_NS + SECOND_NS)
    watched.until(START_NS + 2 * SECOND_NS)
    return watched.box.time.ns


def test_an_idle_loop_wakes_only_to_feed_the_watchdog(watched: Watched) -> None:
    """Stopped: a turn each half of what is allowed, and each says alive."""
    stopped(watched)
    watched.box.buttons.woken_ns = 3600 * SECOND_NS
    times = []
    for _ in range(1000):
        watched.box.runtime.turn()
        assert watched.heard() == [["WATCHDOG=1"]]
        times.append(watched.box.time.ns)
    pauses = {later - earlier for earlier, later in pairwise(times)}
    assert pauses == {INTERVAL_NS - MARGIN}  # what is proved is the horizon's progress


def due(watched: Watched) -> LoopClock:
    """The match is stopped, and the next turn is one that has to say alive."""
    stopped(watched)
    watched.box.buttons.woken_ns = 3600 * SECOND_NS
    watched.box.runtime.turn()
    assert watched.heard() == [["WATCHDOG=1"]]
    return watched.box


def test_a_turn_that_fails_does_not_feed_the_watchdog(watched: Watched) -> None:
    box = due(watched)

    def fail(faces: object) -> None:
        raise RuntimeError("a bug")

    box.parts.show = fail  # type: ignore[method-assign]
    box.parts.faults.append(Fault("log", "disk full"))  # so there is something to show
    with pytest.raises(RuntimeError):
        box.runtime.turn()
    assert watched.heard() == []


def test_a_horizon_that_stands_still_does_not_feed_the_watchdog(watched: Watched) -> None:
    begin_ns = stopped(watched)
    drain, stuck_ns = watched.box.buttons.drain, begin_ns - MARGIN
    watched.box.buttons.drain = lambda now_ns: drain(now_ns)._replace(horizon_ns=stuck_ns)  # type: ignore[method-assign]
    for _ in range(1000):
        watched.box.time.ns += SECOND_NS
        watched.box.runtime.turn()
    assert watched.heard() == []


def test_the_status_has_phase_score_match_and_warnings(watched: Watched) -> None:
    match = "0-0/11, match 2000-01-01T12-00-00-00000000"
    heard = watched.until(START_NS + SECOND_NS)
    watched.box.parts.faults.append(Fault("log", "disk full"))
    heard += watched.until(START_NS + 3 * SECOND_NS)
    watched.box.parts.faults.append(Fault("log", None))
    heard += watched.until(START_NS + 5 * SECOND_NS)
    statuses = [line[7:] for _, message in heard for line in message if line.startswith("STATUS=")]
    assert statuses == [
        f"REVIEW, {match}",
        f"READY, {match}",
        f"RUNNING, {match}",
        f"RUNNING, {match}; warning_log",
        f"RUNNING, {match}",
    ]


def test_an_appliance_reports_ready_and_stopping(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The socket is found in the environment; STOPPING is sent before the parts close.

    Only then the clock stays in memory: a person's computer is not taken from other programs.
    """
    locked: list[str] = []
    monkeypatch.setattr(appliance, "stay_in_memory", lambda: locked.append("locked"))
    Table(tmp_path / "by hand").close()
    assert locked == []
    manager = Manager(str(tmp_path / "notify"))
    monkeypatch.setenv("NOTIFY_SOCKET", manager.environ["NOTIFY_SOCKET"])
    table = Table(tmp_path)
    table.serial.event()
    table.act("left")
    table.close()
    first, *_, last = manager.messages()
    assert first[0] == "READY=1"
    assert first[1].startswith("STATUS=REVIEW, 0-0/11, match ")
    assert last == ["STOPPING=1"]
    assert locked == ["locked"]
    manager.socket.close()
