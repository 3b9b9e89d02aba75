"""Buttons pressed by a program, with the kernel's clocks and a real queue."""

from queue import SimpleQueue

from hardware.buttons.plungers import ButtonEdge
from hardware.buttons.simulated import SimulatedPlungers
from hardware.system.clocks import RawClock


def test_a_contact_bounces_as_often_as_it_is_told() -> None:
    arrivals = SimpleQueue[ButtonEdge | None]()
    plungers = SimulatedPlungers(arrivals=arrivals)
    plungers.press("left", bounce=1)
    plungers.release("left", bounce=1)
    edges = [arrivals.get() for _ in range(arrivals.qsize())]
    assert [edge and edge.down for edge in edges] == [True, False] * 3
    plungers.close()


def test_a_simulated_press_in_real_time_has_its_instant() -> None:
    """With the kernel's clocks and a real queue: stamped between before and after."""
    clock = RawClock()
    plungers = SimulatedPlungers(settle_ms=0, clock=clock)
    before_ns = clock.now_ns()
    plungers.press("right")
    plungers.release("right")
    after_ns = clock.now_ns()
    changes, horizon_ns = list[tuple[str, bool, int]](), 0
    while len(changes) < 2:  # on a busy machine one settles long before the other
        plungers.wait(None)
        settled, horizon_ns = plungers.drain(clock.now_ns())
        changes += settled
    down, up = changes
    assert (down[:2], up[:2]) == (("right", True), ("right", False))
    assert before_ns - 100_000 <= down[2] <= up[2] <= after_ns + 100_000 < horizon_ns + 100_000
    plungers.close()
