"""Stamps through a wire from an output to a button's pin, on the fake kernel."""

from pathlib import Path

import pytest

from hardware.diagnostics import wire_test
from lab.support.findings import FAULT, OK, verdict_of
from lab.support.gpio_pi import LEFT, Pi

OUTPUT = 23


class Clock:
    """The kernel's time, which goes on whenever it is read."""

    def __init__(self, pi: Pi) -> None:
        self.kernel, self.shift_ns = pi.kernel, 0

    def now_ns(self) -> int:
        """Return the time; it may be another one than that of the stamps."""
        self.kernel.now_ns += 10_000
        return self.kernel.now_ns + self.shift_ns


@pytest.mark.rule("R150")
def test_each_edge_is_stamped_when_the_output_was_switched(tmp_path: Path) -> None:
    """Or it is said that a wire is missing, and that stamps before the switching are wrong."""
    pi = Pi(tmp_path)
    clock = Clock(pi)
    given = (LEFT, OUTPUT, pi.factory, clock.now_ns)
    without = wire_test.measure(*given, edges=1)
    assert verdict_of(without) is FAULT
    assert without.found == f"0 of 1 edges of BCM {OUTPUT} arrived at BCM {LEFT}"
    pi.kernel.wire(LEFT, OUTPUT)
    measured = wire_test.measure(*given)
    assert verdict_of(measured) is OK
    assert measured.found.startswith("100 edges, stamped 0.000 ms (at most 0.000) after switching")
    clock.shift_ns = 1_000_000
    wrong = wire_test.measure(*given)
    assert (verdict_of(wrong), "100 stamps are impossible" in wrong.found) == (FAULT, True)
    pi.close()
