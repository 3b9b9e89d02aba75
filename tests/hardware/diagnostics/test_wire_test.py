"""Stamps through a wire from an output to a button's pin, on the fake kernel."""

import threading
from itertools import chain, repeat
from pathlib import Path

import pytest

from hardware.diagnostics import wire_test
from lab.support.findings import FAULT, OK, verdict_of
from lab.support.gpio_pi import LEFT, Pi

OUTPUT = 23


class Clock:
    """The kernel's time at the two instants of each edge: before it, and seen.

    The kernel switches the output 20 us after it is told to; the edge is seen 300 us later. The
    first edge takes longer, the second no time.
    """

    def __init__(self, pi: Pi) -> None:
        self.kernel, self.shift_ns = pi.kernel, 0
        self._after_ns = chain([90_000, 0], repeat(20_000))
        self._seen_ns = chain([500_000, 0], repeat(300_000))

    def now_ns(self) -> int:
        """Return the time; it may be another one than that of the stamps."""
        at_ns = self.kernel.now_ns + self.shift_ns
        if threading.current_thread() is not threading.main_thread():
            return at_ns + next(self._seen_ns)
        self.kernel.now_ns += next(self._after_ns)
        return at_ns


@pytest.mark.rule("R150")
def test_each_edge_is_stamped_when_the_output_was_switched(tmp_path: Path) -> None:
    """Or it is said that a wire is missing, and that stamps before the switching are wrong."""
    pi = Pi(tmp_path)
    given = (LEFT, OUTPUT, pi.factory)
    without = wire_test.measure(*given, Clock(pi).now_ns)
    assert verdict_of(without) is FAULT
    assert without.found == f"0 of 100 edges of BCM {OUTPUT} arrived at BCM {LEFT}"
    assert pi.kernel.now_ns == 91_000  # it does not wait for the others
    pi.kernel.wire(LEFT, OUTPUT)
    pi.kernel.press(OUTPUT)  # it is low until it is an output
    measured = wire_test.measure(*given, (clock := Clock(pi)).now_ns)
    assert verdict_of(measured) is OK
    stamped, seen = "stamped 0.020 ms (at most 0.090)", "seen 0.300 ms (at most 0.500)"
    assert measured.found == f"100 edges, {stamped} after switching, {seen} later"
    clock.shift_ns = 1_000_000
    wrong = wire_test.measure(*given, clock.now_ns)
    assert verdict_of(wrong) is FAULT
    assert wrong.found.endswith(" later; 100 stamps are impossible")
    pi.close()
