"""Movements of a contact: complete after a quiet time, or reported in parts."""

from hardware.diagnostics.bounce import LONGEST_NS, QUIET_NS, ContactEdge, Movement, Movements
from hardware.diagnostics.button_test import presses
from lab.support.doctor_box import MS


def left_edges(*at_ms: int) -> list[ContactEdge]:
    """Return edges of the left button, each reported 0.1 ms late."""
    return [ContactEdge("left", at * MS, MS // 10) for at in at_ms]


def test_a_movement_is_complete_after_a_quiet_time() -> None:
    """Not a nanosecond before; its level is the one that is read then."""
    movements = Movements({"left": False, "right": False})
    movements.add(left_edges(1000, 1001, 1004))
    end_ns = 1004 * MS + QUIET_NS
    assert movements.completed(end_ns - 1, {"left": True}) == []
    assert movements.under_way
    [movement] = movements.completed(end_ns, {"left": True})
    assert movement == Movement("left", 1000 * MS, False, True, 3, 4 * MS, 3 * MS, MS // 10)
    assert not movements.under_way
    assert (movement.unsettled, presses([movement])) == (False, [])  # the clock has not said so
    movements.add(left_edges(1100))
    [release] = movements.completed(1200 * MS, {"left": False})
    assert (release.was_down, release.is_down, release.gap_ns) == (True, False, 0)


def test_an_endless_movement_is_reported_in_parts() -> None:
    """Edges 10 ms apart for ever are reported at `LONGEST_NS`, not a nanosecond before."""
    movements = Movements({"left": False})
    movements.add(left_edges(*range(0, 500, 10)))
    assert movements.completed(LONGEST_NS - 1, {"left": True}) == []
    [part] = movements.completed(LONGEST_NS, {"left": True})
    assert (part.edges, part.unsettled, movements.under_way) == (50, True, False)
    assert presses([part]) == []
    for settling_ns, unsettled in ((475 * MS, True), (475 * MS - 1, False)):
        assert part._replace(settling_ns=settling_ns).unsettled is unsettled
