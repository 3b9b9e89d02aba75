"""What the writer of the log does next: jobs in their order, signs of life, attempts."""

from collections import deque
from queue import Empty

import pytest
from msgspec import structs
from world import World

from clock.storage import writer_queue as writer_jobs
from clock.match.state import MatchState
from clock.eventlog.recovery import CHECKPOINT_NS, LOST_NS, Checkpoint
from clock.match.rules import SECOND_NS
from clock.storage.writer_queue import RETRY_NS, Again, Begun, Job, Jobs, Saved


class Queue:
    """A queue in which time passes as long as nobody puts anything; what is late is put then."""

    def __init__(self) -> None:
        self.ns = 5 * SECOND_NS
        self.items: deque[Job | None] = deque()
        self.late: deque[tuple[int, Job | None]] = deque()

    def put(self, item: Job | None) -> None:
        """It is there at once."""
        self.items.append(item)

    def get(self, timeout: float | None) -> Job | None:
        """The first; else time passes."""
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
    """Jobs, and the log that they are about."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.queue = Queue()
        monkeypatch.setattr(writer_jobs, "SimpleQueue", lambda: self.queue)
        self.well = self.saved = True
        self.jobs = Jobs(lambda: self.queue.ns, Saved(lambda: self.well, lambda: self.saved))

    def signed_at(self) -> int:
        """When the next sign of life is made; it is the next thing to be done."""
        job = self.jobs.next()
        assert isinstance(job, Checkpoint)
        assert job.at_ns == self.queue.ns
        return job.at_ns


@pytest.fixture
def desk(monkeypatch: pytest.MonkeyPatch) -> Desk:
    """A desk with nothing on it."""
    return Desk(monkeypatch)


def life(seq: int = 1, state: MatchState | None = None) -> Checkpoint:
    """What the loop tells; a clock runs."""
    return Checkpoint("match", seq, 5 * SECOND_NS, "boot", state or World.running().state)


STILL = World().state
BEGUN_NS = 5 * SECOND_NS


def test_jobs_are_done_in_their_order(desk: Desk) -> None:
    """And None is the last."""
    wanted: list[Job | None] = [Begun("match"), b"1", b"2", None]
    for job in wanted:
        desk.jobs.put(job)
    assert [desk.jobs.next() for _ in wanted] == wanted


@pytest.mark.rule("R67")
def test_while_a_clock_runs_signs_of_life_are_due_again_and_again(desk: Desk) -> None:
    """R67: twice in the second that a power cut may cost, for a card takes its time."""
    desk.jobs.tell(life())
    signs = [desk.signed_at() for _ in range(5)]
    assert signs == [BEGUN_NS + number * CHECKPOINT_NS for number in range(5)]
    assert 2 * CHECKPOINT_NS <= LOST_NS


@pytest.mark.rule("R67")
def test_a_sign_that_was_late_is_followed_in_time(desk: Desk) -> None:
    """It counts from when it was made; and what has long been due is done at once."""
    desk.jobs.tell(life())
    desk.signed_at()
    desk.queue.ns += 3 * CHECKPOINT_NS  # so long did the card take
    late_ns = desk.queue.ns
    assert [desk.signed_at() for _ in range(2)] == [late_ns, late_ns + CHECKPOINT_NS]


@pytest.mark.rule("R67")
def test_the_first_is_written_at_once_though_no_clock_runs(desk: Desk) -> None:
    """R67: after a start nobody knows what the file of signs has."""
    desk.jobs.tell(life(state=STILL))
    assert desk.jobs.next() == life(state=STILL)
    desk.jobs.put(None)
    assert desk.jobs.next() is None


@pytest.mark.rule("R67")
def test_a_line_that_is_on_the_disk_is_a_sign_of_life(desk: Desk) -> None:
    """The next one is due after it; it says what the line has made of the match."""
    desk.jobs.tell(life(1))
    desk.signed_at()
    desk.queue.ns += CHECKPOINT_NS // 2
    line_ns = desk.queue.ns
    desk.jobs.put(b"2")
    desk.jobs.tell(life(2))
    assert desk.jobs.next() == b"2"
    job = desk.jobs.next()
    assert job == structs.replace(life(2), at_ns=line_ns + CHECKPOINT_NS)


@pytest.mark.rule("R67", "R84")
@pytest.mark.parametrize("state", [STILL, World.running().state])
def test_what_is_not_in_the_log_is_signed_at_once(desk: Desk, state: MatchState) -> None:
    """R67, R84: the log's disk is full; the file of signs has its room."""
    desk.jobs.tell(life(1))
    desk.signed_at()
    desk.saved = False
    desk.jobs.put(b"2")
    desk.jobs.tell(life(2, state))
    assert [desk.jobs.next() for _ in range(2)] == [b"2", life(2, state)]


def test_when_the_clock_has_stopped_no_sign_is_due(desk: Desk) -> None:
    """The writer sleeps until there is something to do."""
    desk.jobs.tell(life(1))
    desk.signed_at()
    desk.jobs.tell(life(2, STILL))
    desk.queue.late.append((desk.queue.ns + 1000 * SECOND_NS, b"3"))
    assert desk.jobs.next() == b"3"
    assert desk.queue.ns == BEGUN_NS + 1000 * SECOND_NS


def test_one_waits_and_the_newest_is_signed_after_its_lines(desk: Desk) -> None:
    """The writer was busy: memory does not grow, and no sign knows of a line to come."""
    desk.saved = False
    desk.jobs.tell(life(1))
    for seq in range(2, 100):
        desk.jobs.put(b"%d" % seq)
        desk.jobs.tell(life(seq))
    assert len(desk.queue.items) == 1 + 98
    done = [desk.jobs.next() for _ in range(100)]
    assert done == [life(1), *(b"%d" % seq for seq in range(2, 100)), life(99)]
    assert not desk.queue.items


def test_a_sign_that_is_due_knows_of_no_line_to_come(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A line comes, with what it makes of the match, while the writer waits for nothing."""
    desk.jobs.tell(life(1))
    desk.signed_at()

    def get(timeout: float | None) -> Job | None:
        monkeypatch.undo()
        desk.queue.ns += round((timeout or 0) * SECOND_NS)
        desk.jobs.put(b"2")
        desk.jobs.tell(life(2))
        raise Empty

    monkeypatch.setattr(desk.queue, "get", get)
    assert desk.jobs.next() == structs.replace(life(1), at_ns=BEGUN_NS + CHECKPOINT_NS)
    assert desk.jobs.next() == b"2"


@pytest.mark.rule("R84")
def test_what_is_not_saved_is_tried_again(desk: Desk) -> None:
    """R84: every few seconds, whether a clock runs meanwhile or not; a line is an attempt too."""
    desk.jobs.put(b"1")
    desk.jobs.next()
    desk.well = False
    assert isinstance(desk.jobs.next(), Again)
    assert desk.queue.ns == BEGUN_NS + RETRY_NS
    desk.jobs.tell(life())
    done = [desk.jobs.next() for _ in range(1 + 2 * RETRY_NS // CHECKPOINT_NS)]
    assert [place for place, job in enumerate(done) if isinstance(job, Again)] == [11]
    desk.well = True
    assert all(isinstance(desk.jobs.next(), Checkpoint) for _ in range(100))
