"""`room/hub/outbox.py`."""

from clock.units import MINUTE_NS, SECOND_NS
from room.hub.notices import Notice
from room.hub.outbox import (
    FIRST_RETRY_NS,
    GATHER_NS,
    LAST_RETRY_NS,
    MOST_AT_ONCE,
    MOST_WAITING,
    Batch,
    Outbox,
)

TEST = Notice("test", "", "notices arrive")


def due(outbox: Outbox, now_ns: int) -> Batch:
    """Return what is due at an instant, and was not a moment before."""
    assert outbox.due(now_ns - 1) is None
    batch = outbox.due(now_ns)
    assert batch is not None
    return batch


def numbered(count: int) -> list[Notice]:
    return [Notice("call", str(number), "") for number in range(count)]


def test_what_comes_together_is_sent_together_and_not_more_often_than_allowed() -> None:
    outbox = Outbox(6)
    outbox.add([TEST], SECOND_NS)
    outbox.add([TEST], 2 * SECOND_NS)
    batch = due(outbox, SECOND_NS + GATHER_NS)
    assert batch == Batch((TEST, TEST), 0)
    outbox.sent(batch, 4 * SECOND_NS)
    outbox.add([TEST], 5 * SECOND_NS)
    due(outbox, 14 * SECOND_NS)
    outbox.failed("timed out", 14 * SECOND_NS)
    due(outbox, 24 * SECOND_NS)


def test_what_fails_is_sent_again_later_each_time_and_the_pages_say_why() -> None:
    """Each outage begins with the shortest wait."""
    outbox, now_ns = Outbox(60), 0
    for _ in range(2):
        outbox.add([TEST], now_ns)
        now_ns, waits_ns = now_ns + GATHER_NS, FIRST_RETRY_NS
        for number in range(9):
            outbox.failed(f"ntfy.sh: {'timed out' if number == 8 else number}", now_ns)
            due(outbox, now_ns + waits_ns)
            now_ns, waits_ns = now_ns + waits_ns, min(2 * waits_ns, LAST_RETRY_NS)
        assert outbox.trouble == "Notices cannot be sent: ntfy.sh: timed out. Waiting: 1"
        outbox.sent(due(outbox, now_ns), now_ns)
        assert outbox.trouble == ""
        now_ns += MINUTE_NS
        assert outbox.due(now_ns) is None


def test_of_too_many_the_oldest_are_left_out_and_counted() -> None:
    outbox = Outbox(60)
    outbox.add(numbered(MOST_WAITING), 0)
    batch = due(outbox, GATHER_NS)
    assert len(batch.notices) == MOST_AT_ONCE
    outbox.add([TEST], GATHER_NS)
    outbox.sent(batch, GATHER_NS)
    later = due(outbox, GATHER_NS + SECOND_NS)
    assert later.left_out == 1
    assert later.notices[0].board == str(MOST_AT_ONCE)
    outbox.sent(later, GATHER_NS + SECOND_NS)
    assert due(outbox, GATHER_NS + 2 * SECOND_NS).left_out == 0
