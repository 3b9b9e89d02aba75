"""The faults of a log directory: slow writes, little space; each is reported once."""

from pathlib import Path

import pytest

from clock.match.faults import Fault
from clock.storage.disk_health import LOG, SLOW_NS, SPACE, DiskHealth
from lab.support.faulty_disk import FaultyDisk

SLOW = (
    "card slow: a write takes more than 2 s, log lines wait in memory; change the card after the"
    " match"
)
MEGABYTE = 10**6


class Health(DiskHealth):
    """The health of a disk with a time and a size of its own."""

    def __init__(self, directory: Path) -> None:
        self.disk, self.news = FaultyDisk(directory), 0
        super().__init__(directory, self.disk, self.disk.now_ns, self._count)

    def _count(self) -> None:
        self.news += 1

    def write(self, taking_ns: int) -> None:
        """A write that takes so long."""
        with self.timing_write():
            self.disk.ns += taking_ns

    def space(self, megabytes: float, *, opening: bool = False) -> list[str | None]:
        """What is told when so much is free."""
        self.disk.free = int(megabytes * MEGABYTE)
        self.check_space(opening=opening)
        faults = self.drain()
        assert all(fault.part == "space" for fault in faults)
        return [fault.what for fault in faults]


@pytest.fixture
def health(tmp_path: Path) -> Health:
    return Health(tmp_path)


@pytest.mark.rule("R84")
def test_a_slow_write_is_reported_while_it_hangs(health: Health) -> None:
    """R84: not before 2 s, while the writer is still stuck; and when it works again."""
    assert (health.slowest_ns, health.write_age_ns()) == (0, 0)
    with health.timing_write():
        health.disk.ns = SLOW_NS
        assert health.drain() == []
        health.report(LOG, "checkpoints", "failed")
        assert health.drain() == [Fault("log", "failed")]
        health.report(LOG, "checkpoints", None)
        assert health.drain() == [Fault("log", None)]
        health.disk.ns += 1
        assert health.drain() == [Fault("log", SLOW)]
        assert health.drain() == []
    health.write(0)
    assert health.drain() == [Fault("log", None)]
    assert health.slowest_ns == SLOW_NS + 1


@pytest.mark.rule("R84")
def test_a_slow_write_is_reported_after_it_has_ended(health: Health) -> None:
    """R84: the log says what the disk did, and the loop is woken for it."""
    for taken_ns, news in ((SLOW_NS, 0), (SLOW_NS + 1, 1), (5, 2)):
        health.write(taken_ns)
        assert health.news == news
    assert health.drain() == [Fault("log", SLOW), Fault("log", None)]
    assert health.slowest_ns == SLOW_NS + 1


@pytest.mark.rule("R84")
def test_the_loop_wakes_when_a_write_takes_too_long(health: Health) -> None:
    """R84: at rest nothing else wakes it; it is told once, and when all is written it sleeps."""
    assert health.late_ns(waiting=False) is None
    assert health.late_ns(waiting=True) == SLOW_NS + 1  # it goes to sleep before the writer wakes
    with health.timing_write():
        health.disk.ns = 5
        assert health.late_ns(waiting=True) == SLOW_NS + 1
        health.disk.ns = SLOW_NS + 1
        assert health.drain() == [Fault("log", SLOW)]
        assert health.late_ns(waiting=True) is None
    assert health.late_ns(waiting=False) is None


def test_a_part_is_well_when_its_last_fault_is_over(health: Health) -> None:
    for kind in ("log lines", "checkpoints", "log lines"):
        health.report(LOG, kind, kind)
    health.report(LOG, "log lines", None)
    assert not health.is_well(LOG)
    assert health.late_ns(waiting=True) is None  # that lines wait is known
    health.report(LOG, "checkpoints", None)
    assert health.is_well(LOG)
    faults = [fault.what for fault in health.drain()]
    assert faults == ["log lines", "checkpoints", None]


def test_the_director_is_told_once_when_space_runs_low(health: Health, tmp_path: Path) -> None:
    """Under 64 MB; and again only when there was enough in between."""
    low = "{}: {} MB free; after the match, copy old logs to another place and delete them here"
    told = [health.space(free) for free in (64, 63.9, 50, 65, 63, 72, 60)]
    assert told == [[], [low.format(tmp_path, 63)], [], [], [], [None], [low.format(tmp_path, 60)]]


def test_a_match_that_opens_needs_more(health: Health) -> None:
    """The message says what is free; it is over once a match has room."""
    [none, low] = health.space(5, opening=True)
    assert "only 5 MB free" in str(none)
    assert "after the match" in str(low)
    assert health.space(5) == []
    assert health.space(5, opening=True) == []  # told once
    assert health.space(80) == [None]
    assert len(health.space(8, opening=True)) == 1  # that is enough
    [none, _] = [*health.space(7, opening=True), None]
    assert "only 7 MB free" in str(none)
    assert health.space(8) == []
    assert len(health.space(7, opening=True)) == 1  # told anew
    assert health.is_well(SPACE) is False
    assert health.space(80) == [None]
    [low] = health.space(5)  # no match opens
    assert "after the match" in str(low)
