"""What a clock sends, and when."""

import pytest

from clock.units import SECOND_NS
from lab.support.delivery import BRANCHES, LOG, A, B, C, Database, batches, connected, point
from lab.support.logs import body, renamed, sealed
from room.broker.delivery.sender import SETTLE_NS, Sender, _fitting
from room.broker.topics import MAX_LOGS, Ack, Inventory, LoggedLines
from room.lines.inbox import Point

PATIENCE_NS, REPEAT_NS = 5 * SECOND_NS, 60 * SECOND_NS
MAX_LINES, MAX_MESSAGE, WINDOW = 40, 48 * 1024, 200


def test_nothing_is_sent_before_the_hub_has_answered() -> None:
    """Without a hub no line; and none before the hub has said what it has."""
    sender = Sender()
    sender.add(A, 0, is_present=True)
    assert (sender.batch(), sender.inventory(0), sender.due_ns()) == (None, None, None)
    sender.connect("s", 0)
    assert (sender.batch(), sender.due_ns()) == (None, 0)
    assert sender.inventory(0) == Inventory((LoggedLines("a", 7, point(A).hash),))


def test_a_clock_without_a_log_has_nothing_to_tell() -> None:
    sender = Sender()
    assert sender.latest() == Point()
    sender.connect("s", 0)
    assert sender.inventory(0) is None
    assert sender.due_ns() == REPEAT_NS
    sender.add(A[:1], 9, is_present=True)
    assert sender.latest() == point(A, 1)
    assert sender.batch() is None  # the hub may have it from before a restart
    assert sender.inventory(9) == Inventory((LoggedLines("a", 1, point(A, 1).hash),))


def test_what_the_hub_has_is_not_sent() -> None:
    disk = Database()
    disk.logs["a"] = A[:4]
    sender, _ = connected(A, disk)
    assert batches(sender) == [b"\n".join(A[4:])]
    assert not sender.is_complete
    sender.acknowledge(Ack("s", {"a": point(A)}), 0)
    assert sender.is_complete
    assert sender.due_ns() == REPEAT_NS


def test_a_file_that_is_read_again_otherwise_is_sent_from_there() -> None:
    sender, _ = connected(A, Database())
    batches(sender)
    sender.acknowledge(Ack("s", {"a": point(A)}), 0)
    sender.add(BRANCHES["a"][3], 0, is_present=True)
    assert batches(sender) == [b"\n".join(BRANCHES["a"][3][3:])]
    assert not sender.is_complete


def test_a_branch_beyond_what_the_hub_has_leaves_no_line_out() -> None:
    sender, _ = connected(A, Database())
    sender.add(BRANCHES["a"][3], 0, is_present=True)
    sender.acknowledge(Ack("s", {"a": point(A, 1)}), 0)
    assert batches(sender) == [b"\n".join(BRANCHES["a"][3][1:])]


def test_the_timer_runs_from_the_last_progress() -> None:
    """Presses do not put it off, and it does not run while the hub has everything."""
    sender, _ = connected(A[:1], Database())
    sender.acknowledge(Ack("s", {"a": point(A, 1)}), 0)
    sender.add(A[1:2], 1000, is_present=True)
    sender.add(A[2:3], PATIENCE_NS, is_present=True)
    assert sender.due_ns() == 1000 + PATIENCE_NS
    assert sender.inventory(1000 + PATIENCE_NS - 1) is None
    assert sender.inventory(1000 + PATIENCE_NS) is not None
    assert sender.due_ns() == 1000 + 2 * PATIENCE_NS


def test_only_what_the_hub_did_not_have_before_is_progress() -> None:
    """Not an ack that comes again, nor one of a branch that the clock does not have."""
    sender, _ = connected(A, Database())
    batches(sender)
    sender.acknowledge(Ack("s", {"a": point(A, 3)}), 1000)
    sender.acknowledge(Ack("s", {"a": point(A, 3)}), 2000)
    sender.acknowledge(Ack("s", {"a": point(BRANCHES["a"][3])}, 1), 3000)
    assert sender.due_ns() == 1000 + PATIENCE_NS
    sender.acknowledge(Ack("s", {"a": point(A, 4)}), 4000)
    assert sender.due_ns() == 4000 + PATIENCE_NS


def test_a_new_match_is_sent_at_once() -> None:
    """Nobody can have any line of it; the inventory says that it is the present one."""
    sender, receiver = connected(A, Database())
    batches(sender)
    sender.add(B[:1], 9, is_present=True)
    inventory = sender.inventory(9)
    assert inventory is not None
    assert [log.match for log in inventory.logs] == ["b", "a"]
    assert batches(sender) == [B[0]]
    receiver.inventory(inventory)
    (incoming,), _ = receiver.lines(B[0])
    assert (incoming.match, incoming.is_present, incoming.is_live) == ("b", True, False)
    (incoming,), _ = receiver.lines(B[1])
    assert incoming.is_live


def test_a_match_that_is_present_again_goes_first() -> None:
    """As if it had just begun: the clock goes back to the log of an earlier one."""
    sender = Sender()
    for lines in (A, B, A):
        sender.add(lines, 0, is_present=True)
    sender.connect("s", 0)
    assert announced(sender) == ["a", "b"]
    sender.acknowledge(Ack("s", {"a": Point(), "b": Point()}), 0)
    assert batches(sender) == [b"\n".join(A), b"\n".join(B)]


@pytest.mark.parametrize("line", [A[3].replace(b"phase", b"phasf"), A[4], b"no line"])
def test_a_damaged_line_ends_what_is_sent(line: bytes) -> None:
    """The hub takes only lines that continue the log; what cannot be sent is said until it can."""
    for good in (A[3:5], BRANCHES["a"][2][2:3]):
        sender, _ = connected(A[:3], Database())
        sender.add([line], 0, is_present=True)
        assert batches(sender) == [b"\n".join(A[:3])]
        sender.add(A[:3], 0, is_present=True)
        assert sender.damage == "a: line 4 is damaged"
        sender.add(good, 0, is_present=True)
        assert (sender.damage, batches(sender)) == ("", [b"\n".join(good)])


def test_a_log_without_a_line_is_not_announced() -> None:
    sender = Sender()
    sender.add(A[1:], 0, is_present=True)
    sender.connect("s", 0)
    assert (sender.match, sender.latest(), sender.inventory(0)) == ("a", Point(), None)


def test_a_message_and_the_window_are_bounded() -> None:
    long = sealed(
        b'{"v":2,"seq":%d,"match":"m","text":"%b",%b' % (seq, b"x" * (seq % 7) * 900, rest)
        for seq in range(1, 500)
        for rest in [body(LOG[0]).split(b',"match":', 1)[1].split(b",", 1)[1]]
    )
    sender, _ = connected(long, Database())
    sent = batches(sender)
    assert max(map(len, sent)) <= MAX_MESSAGE
    assert b"\n".join(sent) == b"\n".join(long[:WINDOW])
    sender.acknowledge(Ack("s", {"m": point(long, 60)}), 0)
    assert b"\n".join(batches(sender)) == b"\n".join(long[WINDOW : WINDOW + 60])


def test_a_message_is_filled_to_the_byte() -> None:
    """A longer line goes alone; none overtakes one that has no room."""
    half = b"x" * (MAX_MESSAGE // 2)
    assert len(b"\n".join(_fitting([half, half[1:], half]))) == MAX_MESSAGE
    assert _fitting([half, half, b"short"]) == [half]
    assert _fitting([half * 3, b"short"]) == [half * 3]
    assert len(_fitting([b"short"] * (MAX_LINES + 1))) == MAX_LINES


def test_earlier_logs_share_an_inventory() -> None:
    """It is due some time after the first of them; that of the present match is due at once."""
    sender, _ = connected(A, Database())
    sender.acknowledge(Ack("s", {"a": point(A)}), 0)
    sender.add(B, 9, is_present=False)
    sender.add(C, SETTLE_NS, is_present=False)
    assert sender.due_ns() == 9 + SETTLE_NS
    assert announced(sender, 9 + SETTLE_NS) == ["a", "b", "c"]
    sender.add([b"no line"], 10, is_present=False)
    assert (sender.damage, sender.due_ns()) == ("", 9 + SETTLE_NS + PATIENCE_NS)


def test_the_latest_matches_only() -> None:
    sender = Sender()
    sender.connect("s", 0)
    sender.add(renamed(LOG[:1], "now"), 0, is_present=True)
    for number in range(30, 0, -1):
        sender.add(renamed(LOG[:1], f"old-{number}"), 0, is_present=False)
    names = ["now", *(f"old-{number}" for number in range(30, 0, -1))]
    assert announced(sender) == names[:MAX_LOGS]
    for number in range(2):
        sender.add(renamed(LOG[:1], f"new-{number}"), 0, is_present=True)
    assert announced(sender) == ["new-1", "new-0", *names][:MAX_LOGS]
    assert sender.damage == ""


def announced(sender: Sender, now_ns: int = 0) -> list[str]:
    """The matches in an inventory that is due."""
    inventory = sender.inventory(now_ns)
    assert inventory is not None
    return [log.match for log in inventory.logs]


@pytest.mark.parametrize("seq", [-1, 8, 2**62])
def test_a_hub_that_says_what_cannot_be(seq: int) -> None:
    sender, _ = connected(A, Database())
    batches(sender)
    sender.acknowledge(Ack("s", {"a": Point(seq, point(A).hash)}), 0)
    sender.acknowledge(Ack("s", {"b": Point(7, point(A).hash)}, 2**62), 0)
    assert (batches(sender), sender.is_complete) == ([], False)


def test_a_hub_that_has_come_again_gets_what_it_does_not_have() -> None:
    """Whatever was sent to it before, also if it has lost what it had; nothing that it has."""
    sender, _ = connected(A, Database())
    batches(sender)
    for have in (0, 7, 3):
        sender.connect("s", 0)
        sender.acknowledge(Ack("s", {"a": point(A, have)}), 0)
        assert b"".join(batches(sender)).splitlines() == A[have:]


def test_a_hub_asks_for_no_line_that_it_has_and_for_none_that_is_not_written() -> None:
    """A question is for one log; what was sent counts as sent until the hub asks."""
    sender, _ = connected(A[:6], Database())
    batches(sender)
    sender.add(B, 0, is_present=False)
    assert batches(sender) == []  # the hub may have it from before a restart
    sender.acknowledge(Ack("s", {"b": point(B, 0)}), 0)
    assert batches(sender) == [b"\n".join(B)]
    sender.acknowledge(Ack("s", {"a": point(A, 4), "b": point(B, 4)}, 1), 0)
    assert batches(sender) == []
    sender.acknowledge(Ack("s", {"a": point(A, 4)}, 9), 0)
    assert batches(sender) == []
    sender.add(A[6:], 0, is_present=True)
    assert batches(sender) == A[6:]
    sender.acknowledge(Ack("s", {"a": point(A, 4)}, 1), 0)
    assert batches(sender) == [b"\n".join(A[4:])]


def test_a_hub_that_has_lost_the_branch_has_no_line_of_it() -> None:
    """The log has one line, the hub had it, and asks for it now."""
    sender, _ = connected(A[:1], Database())
    sender.acknowledge(Ack("s", {"a": point(A, 1)}), 0)
    assert sender.is_complete
    sender.acknowledge(Ack("s", {"a": point(BRANCHES["a"][0], 1)}, 1), 0)
    assert not sender.is_complete
    assert batches(sender) == A[:1]
