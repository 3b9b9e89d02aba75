"""The queue of edges, which the keyboard ends."""

import os
from typing import cast

import pytest
from gpiozero.pins import Factory

from hardware.buttons.contact import FactoryClock
from hardware.buttons.plungers import ButtonEdge
from hardware.diagnostics.bounce import ContactEdge
from hardware.diagnostics.edge_queue import EdgeQueue
from lab.support.doctor_box import MS


class Ticks:
    """A pin factory at 3 ms."""

    def ticks(self) -> int:
        return 3 * MS


def test_the_queue_waits_for_edges_and_for_the_keyboard() -> None:
    """Edges end one wait; a line of input, or its end, is reported as Enter."""
    keyboard, hand = os.pipe()
    edges = EdgeQueue(keyboard)
    try:
        assert edges.wait(0) is False
        edges.clock = FactoryClock(cast("Factory", Ticks()))
        sent = [ButtonEdge("left", MS, down=True), ButtonEdge("left", 2 * MS, down=False)]
        sent.append(ButtonEdge("left", 3 * MS, down=True))
        for edge in sent:
            edges.put(edge)
        assert edges.wait(None) is False  # at once, as there are edges
        assert [edges.get(), edges.get(), edges.get()] == sent
        assert edges.observed() == [ContactEdge("left", n * MS, (3 - n) * MS) for n in (1, 2, 3)]
        edges.put(ButtonEdge("left", 3 * MS + 1, down=False))  # a stamp is converted, and not exact
        assert edges.observed() == [ContactEdge("left", 3 * MS + 1, 0)]
        assert edges.get() is not None
        assert edges.observed() == []
        os.write(hand, b"\n")
        assert (edges.get(), edges.ended) == (None, True)
    finally:
        edges.close()
        with pytest.raises(OSError, match="descriptor"):  # it is given back
            edges.put(None)
        os.close(hand)
        assert os.read(keyboard, 2) == b"\n"
        os.close(keyboard)
