"""Measure stamps without an instrument: a wire joins an output to a button's pin.

The output is switched at a known instant, so the stamp of the edge that it makes has to lie between
the instants before and after that. How long the program waits for the edge is measured too.
"""

from collections.abc import Callable
from contextlib import closing
from queue import Empty, SimpleQueue
from statistics import median
from typing import Final

from gpiozero import OutputDevice
from gpiozero.pins import Factory

from hardware.buttons.contact import Contact
from hardware.diagnostics.finding import Finding, Verdict
from hardware.units import NS_PER_MS

EDGES: Final = 100
LONGEST_S: Final = 0.2  # until an edge has arrived
NO_WIRE = "Join BCM {output} to BCM {pin} with a wire, and press no button meanwhile."
EARLY = "The stamps of this kernel or library are wrong: please report it with this file."


def measure(
    pin: int, output: int, factory: Factory, now_ns: Callable[[], int], edges: int = EDGES
) -> Finding:
    """Switch the output, and judge the stamps of the edges at the pin; both are BCM numbers.

    `now_ns` reads the clock that stamps are taken from.
    """
    arrived: SimpleQueue[tuple[int, int]] = SimpleQueue()
    stamped, waited, wrong = list[int](), list[int](), 0
    # The output first: an edge from switching it on would be taken for that of the first turn.
    with (
        OutputDevice(output, initial_value=True, pin_factory=factory) as switch,
        closing(Contact(pin, factory, lambda at_ns, _: arrived.put((at_ns, now_ns())))),
    ):
        for number in range(edges):
            begun_ns = now_ns()
            switch.value = number % 2
            try:
                stamp_ns, seen_ns = arrived.get(timeout=LONGEST_S)
            except Empty:
                break
            stamped.append(stamp_ns - begun_ns)
            waited.append(seen_ns - stamp_ns)
            wrong += not begun_ns <= stamp_ns <= seen_ns
    return _finding(pin, output, edges, stamped, waited, wrong)


def _finding(
    pin: int, output: int, edges: int, stamped: list[int], waited: list[int], wrong: int
) -> Finding:
    if len(stamped) < edges:
        found = f"{len(stamped)} of {edges} edges of BCM {output} arrived at BCM {pin}"
        advice = NO_WIRE.format(output=output, pin=pin)
        return Finding("wire", found, Verdict.FAULT, advice)
    found = (
        f"{edges} edges, stamped {_spread(stamped)} after switching, seen {_spread(waited)} later"
    )
    if wrong:
        return Finding("wire", f"{found}; {wrong} stamps are impossible", Verdict.FAULT, EARLY)
    return Finding("wire", found)


def _spread(times_ns: list[int]) -> str:
    middle, worst = median(times_ns) / NS_PER_MS, max(times_ns) / NS_PER_MS
    return f"{middle:.3f} ms (at most {worst:.3f})"
