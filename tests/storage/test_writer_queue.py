"""The write queue: requests in their order, checkpoints and retries when they are due."""

from collections import deque
from queue import Empty

import pytest
from msgspec import structs

from clock.eventlog.recovery import CHECKPOINT_NS, LOST_NS, Checkpoint
from clock.match.state import MatchState
from clock.storage import writer_queue
from clock.storage.writer_queue import RETRY_NS, Request, Retry, StartMatch, WriteQueue
from clock.units import SECOND_NS
from lab.support.world import World


class Queue:
    """A queue with virtual time: it passes while the queue is empty; `late` items arrive then."""

    def __init__(self) -> None:
        self.ns = 5 * SECOND_NS
        self.items: deque[Request | None] = deque()
        self.late: deque[tuple[int, Request | None]] = deque()

    def put(self, item: Request | None) -> None:
        """Add an item at once."""
        self.items.append(item)

    def get(self, timeout: float | None) -> Request | None:
        """Return the first item, or let time pass."""
        until_ns = None if timeout is None else self.ns + round(timeout * SECOND_NS)
        while not self.items:
            if not self.late or (until_ns is not None and self.late[0][0] >= until_ns):
                assert until_ns is not None, "it waits for ever"
                self.ns = until_ns
                raise Empty
            self.ns, item = self.late.popleft()
            self.items.append(item)
        return self.items.popleft()


class Desk:
    """A write queue, and the state of the log that it asks about."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.queue = Queue()
        monkeypatch.setattr(writer_queue, "SimpleQueue", lambda: self.queue)
        self.well = self.saved = True
        self.writes = WriteQueue(lambda: self.queue.ns, lambda: self.well, lambda: self.saved)

    def next_checkpoint_ns(self) -> int:
        """Return the instant of the next request, which must be a checkpoint."""
        job = self.writes.next()
        assert isinstance(job, Checkpoint)
        assert job.at_ns == self.queue.ns
        return job.at_ns


@pytest.fixture
def desk(monkeypatch: pytest.MonkeyPatch) -> Desk:
    return Desk(monkeypatch)


def checkpoint(seq: int = 1, state: MatchState | None = None) -> Checkpoint:
    """Return a checkpoint; a clock runs unless the state says otherwise."""
    return Checkpoint("match", seq, 5 * SECOND_NS, "boot", state or World.running().state)


STILL = World().state
BEGUN_NS = 5 * SECOND_NS


def test_requests_come_in_their_order(desk: Desk) -> None:
    wanted: list[Request | None] = [StartMatch("match"), b"1", b"2", None]
    for job in wanted:
        desk.writes.put(job)
    assert [desk.writes.next() for _ in wanted] == wanted


@pytest.mark.rule("R67")
def test_while_a_clock_runs_checkpoints_are_due_again_and_again(desk: Desk) -> None:
    """R67: twice in the second that a power cut may cost, for a card takes its time."""
    desk.writes.update_checkpoint(checkpoint())
    instants = [desk.next_checkpoint_ns() for _ in range(5)]
    assert instants == [BEGUN_NS + number * CHECKPOINT_NS for number in range(5)]
    assert 2 * CHECKPOINT_NS <= LOST_NS


@pytest.mark.rule("R67")
def test_the_next_checkpoint_counts_from_a_late_one(desk: Desk) -> None:
    """It counts from when it was made; and what has long been due is done at once."""
    desk.writes.update_checkpoint(checkpoint())
    desk.next_checkpoint_ns()
    desk.queue.ns += 3 * CHECKPOINT_NS  # so long did the card take
    late_ns = desk.queue.ns
    assert [desk.next_checkpoint_ns() for _ in range(2)] == [late_ns, late_ns + CHECKPOINT_NS]


@pytest.mark.rule("R67")
def test_the_first_checkpoint_is_written_at_once_though_no_clock_runs(desk: Desk) -> None:
    """R67: after a start the file may hold the checkpoint of another match."""
    desk.writes.update_checkpoint(checkpoint(state=STILL))
    assert desk.writes.next() == checkpoint(state=STILL)
    desk.writes.put(None)
    assert desk.writes.next() is None


@pytest.mark.rule("R67")
def test_a_line_that_is_on_the_disk_counts_as_a_checkpoint(desk: Desk) -> None:
    """The next one is due after it; it says what the line has made of the match."""
    desk.writes.update_checkpoint(checkpoint(1))
    desk.next_checkpoint_ns()
    desk.queue.ns += CHECKPOINT_NS // 2
    line_ns = desk.queue.ns
    desk.writes.put(b"2")
    desk.writes.update_checkpoint(checkpoint(2))
    assert desk.writes.next() == b"2"
    job = desk.writes.next()
    assert job == structs.replace(checkpoint(2), at_ns=line_ns + CHECKPOINT_NS)


@pytest.mark.rule("R67", "R84")
@pytest.mark.parametrize("state", [STILL, World.running().state])
def test_a_checkpoint_is_due_at_once_while_lines_are_unsaved(desk: Desk, state: MatchState) -> None:
    """R67, R84: the disk is full; the checkpoint file has its space reserved."""
    desk.writes.update_checkpoint(checkpoint(1))
    desk.next_checkpoint_ns()
    desk.saved = False
    desk.writes.put(b"2")
    desk.writes.update_checkpoint(checkpoint(2, state))
    assert [desk.writes.next() for _ in range(2)] == [b"2", checkpoint(2, state)]


def test_no_checkpoint_is_due_while_no_clock_runs(desk: Desk) -> None:
    desk.writes.update_checkpoint(checkpoint(1))
    desk.next_checkpoint_ns()
    desk.writes.update_checkpoint(checkpoint(2, STILL))
    desk.queue.late.append((desk.queue.ns + 1000 * SECOND_NS, b"3"))
    assert desk.writes.next() == b"3"
    assert desk.queue.ns == BEGUN_NS + 1000 * SECOND_NS


def test_one_checkpoint_is_queued_and_the_newest_follows_its_lines(desk: Desk) -> None:
    """The writer was busy: memory does not grow, and no checkpoint is ahead of its lines."""
    desk.saved = False
    desk.writes.update_checkpoint(checkpoint(1))
    for seq in range(2, 100):
        desk.writes.put(b"%d" % seq)
        desk.writes.update_checkpoint(checkpoint(seq))
    assert len(desk.queue.items) == 1 + 98
    assert desk.writes.next() == checkpoint(1)
    desk.writes.update_checkpoint(checkpoint(100))
    assert len(desk.queue.items) == 1 + 98
    done = [desk.writes.next() for _ in range(100)]
    assert done == [*(b"%d" % seq for seq in range(2, 100)), checkpoint(99), checkpoint(100)]
    assert not desk.queue.items


def test_a_due_checkpoint_is_never_ahead_of_its_lines(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A line comes, with what it makes of the match, while the writer waits for nothing."""
    desk.writes.update_checkpoint(checkpoint(1))
    desk.next_checkpoint_ns()

    def get(timeout: float | None) -> Request | None:
        monkeypatch.undo()
        desk.queue.ns += round((timeout or 0) * SECOND_NS)
        desk.writes.put(b"2")
        desk.writes.update_checkpoint(checkpoint(2))
        raise Empty

    monkeypatch.setattr(desk.queue, "get", get)
    assert desk.writes.next() == structs.replace(checkpoint(1), at_ns=BEGUN_NS + CHECKPOINT_NS)
    assert desk.writes.next() == b"2"


@pytest.mark.rule("R84")
def test_saving_is_retried_while_the_log_has_a_fault(desk: Desk) -> None:
    """R84: every few seconds, whether a clock runs meanwhile or not; a line is an attempt too."""
    desk.writes.put(b"1")
    desk.writes.next()
    desk.well = False
    assert isinstance(desk.writes.next(), Retry)
    assert desk.queue.ns == BEGUN_NS + RETRY_NS
    desk.writes.update_checkpoint(checkpoint())
    done = [desk.writes.next() for _ in range(1 + 2 * RETRY_NS // CHECKPOINT_NS)]
    assert [place for place, job in enumerate(done) if isinstance(job, Retry)] == [11]
    desk.well = True
    assert all(isinstance(desk.writes.next(), Checkpoint) for _ in range(100))
