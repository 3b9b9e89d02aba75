"""What was seen of a button, and what to do if that is not what a button does.

The one rule: integers in, words out; nothing is waited for.
"""

from collections.abc import Sequence

from hardware.diagnostics.finding import Finding, Verdict
from hardware.diagnostics.bounce import Movement

NS_PER_MS = 1_000_000

NEVER_PRESSED = (
    "Look at its wires: one to pin BCM {pin} (the command pinout shows where that is), the other to"
    " ground; buttons.pins says which pin is whose."
)
ALWAYS_DOWN = (
    "Its wire touches ground, or it is a switch that opens when pressed: take the other contact."
)
CHATTERS = (
    "A wire or a joint is loose, or the wire is so long that it hums: see docs/hardware.md, Wiring."
)
BOUNCES = "Set settle_ms = {ms} below [buttons], or take a better switch."


def presses(seen: Sequence[Movement]) -> list[Movement]:
    """Those that were presses."""
    return [movement for movement in seen if movement.is_down and not movement.restless]


def finding(
    name: str, pin: int, seen: Sequence[Movement], settle_ms: int, *, down: bool
) -> Finding:
    """How a button is.

    Args:
        name: of the button.
        pin: its BCM number.
        seen: what it did.
        settle_ms: how long the clock waits for a contact to settle.
        down: whether it is down at the end.
    """
    if restless := [movement for movement in seen if movement.restless]:
        worst = max(restless, key=lambda movement: movement.edges)
        found = f"BCM {pin}, chatters: {worst.edges} edges in {_ms(worst.settling_ns)}"
        return Finding(name, found, Verdict.FAULT, CHATTERS)
    if presses(seen):
        return _pressed(name, pin, seen, settle_ms)
    if down:
        return Finding(name, f"BCM {pin}, down all the time", Verdict.FAULT, ALWAYS_DOWN)
    advice = NEVER_PRESSED.format(pin=pin)
    return Finding(name, f"BCM {pin}, never seen pressed", Verdict.FAULT, advice)


def _pressed(name: str, pin: int, seen: Sequence[Movement], settle_ms: int) -> Finding:
    pressed = presses(seen)
    edges = max(movement.edges for movement in pressed)
    gap_ns = max(movement.gap_ns for movement in seen if movement.is_down or movement.was_down)
    settling_ns = max(movement.settling_ns for movement in pressed)
    found = f"BCM {pin}, pressed {_times(len(pressed))}, at most {_times(edges, 'edge', 'edges')}"
    found += f" in {_ms(settling_ns)}"
    if gap_ns < settle_ms * NS_PER_MS:
        return Finding(name, found)
    needed = -(-gap_ns // NS_PER_MS) + 2
    found += f"; edges of one movement {_ms(gap_ns)} apart, and settle_ms is {settle_ms}"
    return Finding(name, found, Verdict.NOTE, BOUNCES.format(ms=needed))


def bounce(movement: Movement) -> str:
    """How a movement went, in columns."""
    edges = _times(movement.edges, "edge", "edges")
    settled = f"settled in {_ms(movement.settling_ns):>8}"
    return f"{edges:<9} {settled}  stamp {_ms(movement.age_ns)} old"


def _times(number: int, one: str = "time", more: str = "times") -> str:
    return f"{number} {one if number == 1 else more}"


def _ms(duration_ns: int) -> str:
    return f"{duration_ns / NS_PER_MS:.2f} ms"
