"""Count the presses that a settle time gets wrong, on models of new, worn and dirty contacts.

python -m lab.benchmarks.contacts        a table of settle times, from which the default was chosen
"""

from collections.abc import Iterator
from random import Random

from clock.config.schema import ButtonsTable
from hardware.buttons.plungers import KERNEL_MARGIN_NS
from lab.benchmarks.measure import Figure, at_most
from lab.support.contacts import (
    APART_NS,
    MS,
    WEARS,
    Press,
    Wear,
    debounced,
    pressed_at,
    trains,
)

PRESSES = 5_000
HELD_NS = (30 * MS, 150 * MS)
TAP_NS = (15 * MS, 30 * MS)
REST_NS = 20 * MS  # at least, from the end of a bounce to the next press
SETTLE_MS = (3, 5, 8, 10, 12, 15, 20, 25)
SEED = 1


def figures() -> Iterator[Figure]:
    """Measure and yield each figure."""
    default_ms = ButtonsTable().settle_ms
    for name, wear in WEARS.items():
        wrong = wrong_presses(wear, default_ms * MS)
        yield at_most(f"wrong of {PRESSES:,} presses, {name} contact", [wrong], "", 0)


def wrong_presses(wear: Wear, settle_ns: int, held_ns: tuple[int, int] = HELD_NS) -> int:
    """Return how many presses are missing, have a wrong stamp, or were never made."""
    random = Random(SEED)
    edges, made = trains([_press(wear, random, held_ns) for _ in range(PRESSES)])
    found = pressed_at(debounced(edges, settle_ns, KERNEL_MARGIN_NS))
    return len(set(made) ^ set(found))


def _press(wear: Wear, random: Random, held_ns: tuple[int, int]) -> Press:
    """Return a press of a fast hand; it waits for the contact only if that takes very long."""
    apart_ns = max(APART_NS, wear.longest_ns + REST_NS)
    closing, opening = wear.bounce(random), wear.bounce(random)
    return Press(apart_ns, closing, random.randint(*held_ns), opening)


def main() -> None:
    """Print the wrong presses of each settle time."""
    print(f"wrong of {PRESSES:,} presses   " + "".join(f"{name:>8}" for name in (*WEARS, "taps")))
    for settle_ms in SETTLE_MS:
        wrong = [wrong_presses(wear, settle_ms * MS) for wear in WEARS.values()]
        wrong.append(wrong_presses(WEARS["new"], settle_ms * MS, TAP_NS))
        print(f"settle_ms = {settle_ms:<14} " + "".join(f"{count:>8}" for count in wrong))


if __name__ == "__main__":
    main()
