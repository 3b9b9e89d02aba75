"""What the hub asks for, and what it says that it has; whole rooms: `lab.room_seeds`."""

import pytest

from lab.support.delivery import BRANCHES, LOG, A, B, Database, batches, connected, point
from lab.support.logs import renamed
from room.broker.delivery.receiver import Receiver
from room.broker.delivery.sender import REPEAT_NS, Sender
from room.broker.topics import MAX_PAYLOAD, Ack, Inventory, LinkHeartbeat, LoggedLines
from room.lines.inbox import Point
from room.lines.quota import Allowance, Quota


def test_a_lost_message_is_asked_for_once_and_at_once() -> None:
    """Each line after the gap would ask; one question is enough."""
    sender, receiver = connected(A[:1], Database())
    batches(sender)
    sent = []
    for line in A[1:]:
        sender.add([line], 0, is_present=True)
        sent += batches(sender)
    receiver.lines(A[0])
    answers = [receiver.lines(payload) for payload in sent[2:]]
    asked = [ack for _, acks in answers for ack in acks]
    assert asked == [Ack("s", {"a": Point()}, 2)]
    sender.acknowledge(asked[0], 0)
    assert batches(sender) == [b"\n".join(A[1:])]


def test_a_heartbeat_asks_for_what_has_not_come_since_the_one_before() -> None:
    """The latest lines were lost, and nothing follows that would show it."""
    _, receiver = connected(A[:3], Database())
    receiver.lines(b"\n".join(A[:3]))
    beat, all_there = (LinkHeartbeat("boot", 0, "a", seq) for seq in (5, 3))
    assert [receiver.heartbeat(each) for each in (beat, all_there, beat)] == [[], [], []]
    assert receiver.heartbeat(beat) == [Ack("s", {"a": Point()}, 4)]
    receiver.lines(A[3])
    assert receiver.heartbeat(beat) == []
    receiver.lines(A[4])
    assert [receiver.heartbeat(beat) for _ in range(2)] == [[], []]


def test_lines_of_another_branch_are_asked_for_from_the_first() -> None:
    """The hub has lines that the card has lost, and the clock went on otherwise."""
    disk, fork = Database(), BRANCHES["a"][3]
    disk.logs["a"] = A[:6]
    sender, receiver = connected(fork, disk)
    (whole,) = batches(sender)
    (incoming,), _ = receiver.lines(whole)
    assert (incoming.lines, incoming.forks) == (tuple(fork[3:]), True)
    beat = LinkHeartbeat("boot", 0, "a", len(fork) + 1)
    assert [len(receiver.heartbeat(beat)) for _ in range(2)] == [0, 1]  # it is no answer to that
    assert receiver.lines(A[5]) == ([], [Ack("s", {"a": Point()}, 1)])
    assert receiver.lines(A[5]) == ([], [])
    receiver.lines(b"\n".join(A))
    assert receiver.lines(fork[5]) == ([], [Ack("s", {"a": point(A, 1)}, 1)])


def test_a_line_that_came_is_asked_for_again_of_another_branch() -> None:
    """A question is not repeated; but this one was answered."""
    _, receiver = connected(A[:1], Database())
    fork, asked = BRANCHES["a"][2], [Ack("s", {"a": Point()}, 4)]
    receiver.lines(b"\n".join(A[:3]))
    assert receiver.lines(A[4]) == ([], asked)
    receiver.lines(A[3])
    receiver.lines(fork[2])
    assert receiver.lines(fork[4]) == ([], asked)


def test_a_branch_beyond_the_window_arrives(monkeypatch: pytest.MonkeyPatch) -> None:
    """The lines before it come again; the hub says that it has them, so that the clock goes on."""
    monkeypatch.setattr("room.broker.delivery.sender.WINDOW", 2)
    disk, fork = Database(), BRANCHES["a"][5]
    disk.logs["a"] = A
    clock, hub = connected(fork, disk)
    for payload in iter(clock.batch, None):
        incoming, acks = hub.lines(payload)
        disk.waiting += [(each.match, each.lines) for each in incoming]
        for match in disk.commit():
            acks.append(hub.committed(match, disk.saved(match)))
        for ack in acks:
            clock.acknowledge(ack, 0)
    assert (disk.logs["a"], clock.is_complete) == (fork, True)


def test_lines_that_were_lost_and_come_late_do_not_stay() -> None:
    """They take the place of the present ones, which the clock knows to be on the disk."""
    disk, fork = Database(), BRANCHES["a"][3]
    sender, receiver = connected(fork, disk)
    for payload in (*batches(sender), b"\n".join(A)):
        disk.waiting += [(each.match, each.lines) for each in receiver.lines(payload)[0]]
        disk.commit()
        sender.acknowledge(receiver.committed("a", disk.saved("a")), 0)
    assert (disk.logs["a"], sender.is_complete) == (A, True)
    assert sender.inventory(REPEAT_NS - 1) is None
    inventory = sender.inventory(REPEAT_NS)
    assert inventory is not None
    for ack in receiver.inventory(inventory):
        sender.acknowledge(ack, REPEAT_NS)
    assert batches(sender) == [b"\n".join(fork)]


def test_a_branch_that_is_not_on_the_disk_is_not_said_to_be() -> None:
    disk, fork = Database(), BRANCHES["a"][3]
    disk.logs |= {"a": A[:4], "b": B}
    _, receiver = connected(fork, disk)
    receiver.lines(b"\n".join(fork))
    ends = [LoggedLines(name, 7, point(log).hash) for name, log in (("b", B), ("a", fork))]
    assert receiver.inventory(Inventory((*ends,))) == [Ack("s", {"b": point(B), "a": Point()})]


def test_an_earlier_log_is_whole_when_all_that_was_told_is_there() -> None:
    sender, disk = Sender(), Database()
    receiver = disk.receiver()
    sender.add(B[:2], 0, is_present=True)
    sender.add(A, 0, is_present=False)
    sender.connect("s", 0)
    inventory = sender.inventory(0)
    assert inventory is not None
    receiver.inventory(inventory)
    parts = [receiver.lines(b"\n".join(part))[0][0] for part in (A[:5], A[5:])]
    receiver = disk.receiver()
    receiver.inventory(inventory)
    receiver.inventory(Inventory(()))  # of another card, without logs
    parts += receiver.lines(b"\n".join(A))[0]
    assert [part.is_whole for part in parts] == [False, True, False]
    assert not any(part.is_present or part.forks for part in parts)


@pytest.mark.parametrize("payload", [b"", b"{}", b"\xff" * 9, b"\n" * 99, b"[" * 200_000])
def test_noise_is_no_line(payload: bytes) -> None:
    [nameless], _ = Database().receiver().lines(renamed(A[:1], "")[0])
    assert nameless.lines == (*renamed(A[:1], ""),)
    assert Database().receiver().lines(payload) == ([], [])


def test_a_message_has_at_most_so_many_bytes() -> None:
    """The hub drops a longer one: it is none of a clock."""
    payload = A[0].ljust(MAX_PAYLOAD, b"\n")
    assert Database().receiver().lines(payload + b"\n") == ([], [])
    (incoming,), _ = Database().receiver().lines(payload)
    assert incoming.lines == (A[0],)


# --- what an account may send -----------------------------------------------------------------

LIST = Inventory((LoggedLines("a", 7, point(A).hash),))
ASKED = Ack("s", {"a": point(A, 3)}, 4)


def limited(have: int, *, left: int, matches: int) -> Receiver:
    """A hub that has so many lines of a log, whose clock may send so many bytes and matches."""
    disk, allowance = Database(), Allowance(Quota(1, 1))
    disk.logs["a"] = A[:have]
    assert allowance.take(1_000_000 - left, begins=not matches)
    return disk.receiver(allowance)


@pytest.mark.parametrize(("left", "asked"), [(0, []), (1, [ASKED])])
def test_a_hub_asks_for_lines_while_a_byte_of_the_quota_is_left(
    left: int, asked: list[Ack]
) -> None:
    """In each of the three ways; the number of matches does not limit those under way."""
    assert limited(3, left=left, matches=0).inventory(LIST) == asked
    assert limited(3, left=left + len(A[5]), matches=0).lines(A[5]) == ([], asked)
    hub = limited(3, left=left, matches=0)
    assert [hub.heartbeat(LinkHeartbeat("boot", 0, "a", 5)) for _ in range(2)] == [[], asked]


@pytest.mark.parametrize(("matches", "asks"), [(0, False), (1, True)])
def test_a_hub_asks_for_a_new_match_while_one_is_left(matches: int, *, asks: bool) -> None:
    hub = limited(0, left=10**5, matches=matches)
    beat = LinkHeartbeat("boot", 0, "a", 5)
    assert bool(hub.inventory(LIST)) is asks
    assert [bool(hub.heartbeat(beat)) for _ in range(2)] == [False, asks]
    hub.lines(A[1])  # which begins nothing
    assert bool(hub.lines(A[0])[0]) is asks


def test_a_match_under_way_goes_on_when_no_other_may_begin() -> None:
    """Even if none of it is on the disk yet; the database is asked for neither."""
    hub = Receiver("s", lambda match: Point(), _unread, Allowance(Quota(1, 1)))
    for line in A:
        assert [each.lines for each in hub.lines(line)[0]] == [(line,)]
        for name in "bcdefg":
            assert hub.lines(renamed(B[:1], name)[0]) == ([], [])


def _unread(match: str) -> list[bytes]:
    raise AssertionError(match)


def test_a_message_that_is_too_much_is_dropped() -> None:
    """Nothing of it is asked for, or the clock would send it again at once."""
    some = b"\n".join(A[:2])
    hub = limited(0, left=len(some), matches=1)
    assert hub.lines(b"\n".join(A)) == ([], [])
    (incoming,), acks = hub.lines(some)
    assert (incoming.lines, acks) == (tuple(A[:2]), [])
    hub = limited(3, left=1, matches=1)
    assert hub.lines(b"\n".join(A[3:])) == ([], [])


def test_what_is_deleted_after_its_time_is_not_asked_for_again() -> None:
    disk = Database()
    receiver = Receiver("s", lambda match: point(A), disk.recall, Allowance(Quota(60, 64)))
    assert receiver.inventory(Inventory((LoggedLines("a", 7, point(A).hash),))) == [
        Ack("s", {"a": point(A)})
    ]
    shorter = Inventory((LoggedLines("a", 5, point(A, 5).hash),))
    assert receiver.inventory(shorter) == [Ack("s", {"a": Point()}, 5)]


def test_only_the_logs_used_last_are_held() -> None:
    disk, read = Database(), list[str]()
    disk.logs = {name: renamed(LOG[:2], name) for name in "abcde"}

    def recall(match: str) -> list[bytes]:
        read.append(match)
        return disk.recall(match)

    hub = Receiver("s", disk.saved, recall, Allowance(Quota(60, 64)))
    for name in "abcdaebd":
        hub.lines(disk.logs[name][0])
    assert read == [*"abcdeb"]
    for _ in range(2):
        hub.heartbeat(LinkHeartbeat("boot", 0, "c", 2))
    assert read == [*"abcdeb"]
    for _ in range(2):
        hub.inventory(Inventory((LoggedLines("c", 1, point(disk.logs["c"], 1).hash),)))
    assert read == [*"abcdebc"]
