"""When a clock was heard, and what that says of its time."""

from clock.units import SECOND_NS
from lab.support.boards import BOOT, FILE
from room.boards.liveness import HubClock, Liveness
from room.boards.signs import SILENCE_NS
from room.lines.events import ClockHeard

BEGAN_NS = 5 * SECOND_NS


def liveness(boot: str = "") -> Liveness:
    """The liveness of a clock, for a hub on a computer with this boot."""
    return Liveness(HubClock(BEGAN_NS, boot))


def test_that_a_directory_can_be_read_says_nothing_of_a_running_clock() -> None:
    """While no clock runs nothing has to be written; a sign of the clock itself always counts."""
    clock = liveness()
    clock.note(ClockHeard(FILE, BEGAN_NS + 1), runs=True)
    assert clock.heard_ns is None
    clock.note(ClockHeard(FILE, BEGAN_NS + 1), runs=False)
    assert clock.heard_ns == 1
    clock.note(ClockHeard(FILE, BEGAN_NS + 2, alive=True), runs=True)
    assert clock.heard_ns == 2


def test_a_heartbeat_says_the_time_the_latest_line_and_the_faults() -> None:
    """The offset is the least difference; texts are cleaned; a fault that is over is not named."""
    clock = liveness()
    for late_ns, faults, part in ((9, ("log",), "log"), (4, ("buzz\0er",), "buzzer"), (7, (), "")):
        event = ClockHeard(FILE, BEGAN_NS + late_ns, BOOT, 0, "m", 6, faults)
        clock.note(event, runs=True)
        assert "".join(clock.warnings) == part
    assert (clock.offset_ns(BOOT), clock.offset_ns("another")) == (4, None)
    assert clock.heard_ns == 9
    for match, seq, named in (("m", 5, 6), ("m", 9, 9), ("n", 2, 2)):  # lines that came since
        clock.name(match, seq)
        assert clock.named == (match, named)


def test_the_clock_of_this_computer_needs_no_estimate() -> None:
    """Its raw clock is this one; what an ended one wrote some time ago is no sign of it."""
    assert liveness().offset_ns("") is None
    clock = liveness(BOOT)
    assert clock.offset_ns(BOOT) == -BEGAN_NS
    heard_ns = []
    for sent_ns in (BEGAN_NS, BEGAN_NS + 1):
        clock.hear(BOOT, sent_ns, BEGAN_NS + SILENCE_NS)
        heard_ns.append(clock.heard_ns)
    assert (heard_ns, clock.offset_ns(BOOT)) == ([None, SILENCE_NS], -BEGAN_NS)
