"""The queue of edges, which the keyboard ends."""

import os

from hardware.diagnostics.bounce import ContactEdge
from hardware.diagnostics.edge_queue import EdgeQueue
from tests.support.doctor_box import MS


def test_the_queue_waits_for_edges_and_for_the_keyboard() -> None:
    """Edges end one wait; a line of input, or its end, is reported as Enter."""
    keyboard, hand = os.pipe()
    edges = EdgeQueue(keyboard)
    try:
        assert edges.wait(0) is False
        edges.put(ContactEdge("left", MS, 0))
        edges.put(ContactEdge("left", 2 * MS, 0))
        assert edges.wait(None) is False
        assert [edge.at_ns for edge in edges.take()] == [MS, 2 * MS]
        assert edges.take() == []
        os.write(hand, b"\n")
        assert edges.wait(None) is True
    finally:
        edges.close()
        os.close(hand)
        assert os.read(keyboard, 2) == b"\n"
        os.close(keyboard)
