"""Tests of hardware.latch."""

from hardware.latch import FaultLatch


def test_a_fault_is_reported_once_and_cleared_once() -> None:
    latch = FaultLatch("buzzer")
    latch.clear()
    assert (latch.latched(), latch.drain()) == (None, [])
    latch.fail("no pin")
    latch.fail("no pin")
    assert latch.latched() == "no pin"
    latch.clear()
    latch.clear()
    assert latch.latched() is None
    assert latch.drain() == [("buzzer", "no pin"), ("buzzer", None)]
    assert latch.drain() == []


def test_a_cleared_fault_is_reported_when_it_comes_back() -> None:
    latch = FaultLatch("buzzer")
    for _ in range(2):
        latch.fail("no pin")
        latch.clear()
    assert latch.drain() == [("buzzer", "no pin"), ("buzzer", None)] * 2


def test_a_latched_fault_keeps_its_first_text() -> None:
    latch = FaultLatch("lamps")
    latch.fail("pin 5")
    latch.fail("pin 5, pin 6")
    assert latch.latched() == "pin 5"
    assert latch.drain() == [("lamps", "pin 5")]


def test_renewing_reports_a_changed_text_only() -> None:
    """With `renew`, a new text is a new report."""
    latch = FaultLatch("serial")
    latch.fail("1 line lost", renew=True)
    latch.fail("1 line lost", renew=True)
    latch.fail("10 lines lost", renew=True)
    assert latch.latched() == "10 lines lost"
    assert latch.drain() == [("serial", "1 line lost"), ("serial", "10 lines lost")]


def test_a_part_is_well_when_its_last_fault_is_over() -> None:
    """Each cause is reported; the part is well when none is left."""
    latch = FaultLatch("display")
    latch.fail("left: no answer", "left")
    latch.fail("right: no answer", "right")
    latch.clear("left")
    assert latch.latched("right") == "right: no answer"
    assert latch.drain() == [("display", "left: no answer"), ("display", "right: no answer")]
    latch.clear("right")
    assert latch.drain() == [("display", None)]


def test_each_report_is_announced_and_may_be_drained_at_once() -> None:
    """`changed` is called once a report, without the lock."""
    seen: list[tuple[str, str | None]] = []
    latch = FaultLatch("power", lambda: seen.extend(latch.drain()))
    latch.fail("too low")
    latch.fail("too low")
    latch.clear()
    latch.clear()
    assert seen == [("power", "too low"), ("power", None)]
