"""Have a person press the buttons, show every press with its bounce, and judge each button.

A press is what the clock's own pipeline reports; its bounce is measured on the raw edges.
"""

from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise

from hardware.buttons.debounce import HAND_NS
from hardware.buttons.plungers import Plungers
from hardware.diagnostics.bounce import Movement, Movements
from hardware.diagnostics.edge_queue import EdgeQueue
from hardware.diagnostics.finding import Finding, Verdict
from hardware.units import NS_PER_MS

FASTEST_NS = 2 * HAND_NS  # from one press to the next
HOLD_NS = 1_000 * NS_PER_MS  # both plungers down for so long end the test
LOOK_NS = 25 * NS_PER_MS  # between two looks while a contact settles or both plungers are down

INSTRUCTIONS = """
       Press each button a few times, as in play. To finish, press Enter or
       hold both plungers down for a second.
"""
NEVER_PRESSED = (
    "Check its two wires: one goes to pin BCM {pin} (the command pinout shows where that is), the"
    " other to ground. buttons.pins says which pin belongs to which button."
)
ALWAYS_DOWN = "Its wire touches ground, or its switch opens when pressed: use its other contact."
CHATTERS = (
    "A wire or solder joint is loose, or the wire is so long that it picks up hum: see Wiring in"
    " docs/hardware.md."
)
OUTLASTS = (
    "Use another switch, which settles sooner: the clock may count one press of this one several"
    " times."
)
BOUNCES = "Set settle_ms = {ms} under [buttons], or use a better switch."


class ButtonTest:
    """One test of all buttons."""

    def __init__(
        self,
        pins: Mapping[str, int],
        plungers: Plungers,
        edges: EdgeQueue,
        show: Callable[[str], None],
        settle_ms: int,
    ) -> None:
        """Prepare a test; the person is asked to press the buttons in the order of `pins`."""
        self._pins, self._plungers = pins, plungers
        self._edges, self._show, self._settle_ms = edges, show, settle_ms
        self._seen: dict[str, list[Movement]] = {name: [] for name in pins}
        self._movements = Movements(plungers.levels)
        self._undecided: list[Movement] = []  # what they were is not known yet
        self._presses: list[tuple[str, int]] = []  # name and stamp
        self._both_down_ns: int | None = None  # since when both plungers are down

    def run(self) -> list[Finding]:
        """Show presses until the person ends the test; return a finding for each button."""
        self._show(INSTRUCTIONS)
        self._ask_for_next()
        try:
            while not self._edges.ended and not self._both_held():
                self._plungers.wait(self._until_ns())
                self._look()
        except KeyboardInterrupt:
            self._show("")
        self._show("")
        return [
            finding(name, pin, self._seen[name], self._settle_ms, down=self._plungers.levels[name])
            for name, pin in self._pins.items()
        ]

    def _until_ns(self) -> int | None:
        waits = self._movements.under_way or self._both_down_ns is not None
        return self._edges.clock.now_ns() + LOOK_NS if waits else None

    def _both_held(self) -> bool:
        levels, now_ns = self._plungers.levels, self._edges.clock.now_ns()
        if not (levels["left"] and levels["right"]):
            self._both_down_ns = None
            return False
        self._both_down_ns = now_ns if self._both_down_ns is None else self._both_down_ns
        return now_ns - self._both_down_ns >= HOLD_NS

    def _look(self) -> None:
        plungers, now_ns = self._plungers, self._edges.clock.now_ns()
        changes, horizon_ns = plungers.drain(now_ns)
        self._presses += [(name, at_ns) for name, down, at_ns in changes if down]
        self._movements.add(self._edges.observed())
        self._undecided += self._movements.completed(now_ns, plungers.levels)
        decided = [each for each in self._undecided if each.end_ns < horizon_ns or each.unsettled]
        for movement in decided:
            self._undecided.remove(movement)
            pressed, cut_off = self._has_pressed(movement), movement.name in plungers.chattering
            self._show_movement(movement._replace(pressed=pressed, cut_off=cut_off))

    def _has_pressed(self, movement: Movement) -> bool:
        return any(
            name == movement.name and movement.at_ns <= at_ns <= movement.end_ns
            for name, at_ns in self._presses
        )

    def _show_movement(self, movement: Movement) -> None:
        seen = self._seen[movement.name]
        if movement.is_down and movement.was_down and not movement.unsettled:
            return  # it opened for a moment while held: a person cannot see that either
        seen.append(movement)
        count = len(presses(seen))
        if movement.unsettled:
            self._show_line(movement, "chatters")
        elif movement.pressed:
            self._show_line(movement, f"press {count}")
            if count == 1:
                self._ask_for_next()
        elif not movement.was_down:
            self._show_line(movement, "touched")

    def _show_line(self, movement: Movement, what: str) -> None:
        self._show(f"       {movement.name:7} {what:<11}{bounce_text(movement)}")

    def _ask_for_next(self) -> None:
        missing = [name for name, seen in self._seen.items() if not presses(seen)]
        if missing:
            self._show(f"       Now press {missing[0].upper()}.")
        else:
            self._show("       All three buttons work. Press them again, or finish.")


def presses(seen: Sequence[Movement]) -> list[Movement]:
    """Return the movements that were presses."""
    return [movement for movement in seen if movement.pressed and not movement.unsettled]


def bounce_text(movement: Movement) -> str:
    """Describe how a contact bounced in a movement, in columns."""
    edges = _count(movement.edges, "edge")
    settled = f"settled in {_ms(movement.settling_ns):>8}"
    return f"{edges:<9} {settled}  stamp {_ms(movement.age_ns)} old"


def finding(
    name: str, pin: int, seen: Sequence[Movement], settle_ms: int, *, down: bool
) -> Finding:
    """Judge a button by its movements, and by whether it is down at the end of the test."""
    if unsettled := [movement for movement in seen if movement.unsettled]:
        worst = max(unsettled, key=lambda movement: movement.edges)
        found = f"BCM {pin}, chatters: {worst.edges} edges in {_ms(worst.settling_ns)}"
        return Finding(name, found, Verdict.FAULT, CHATTERS)
    if presses(seen):
        gap_ns = max((each.gap_ns for each in seen if each.is_down or each.was_down), default=0)
        return _bounce_finding(name, pin, seen, gap_ns, settle_ms)
    if down:
        return Finding(name, f"BCM {pin}, always down", Verdict.FAULT, ALWAYS_DOWN)
    return Finding(name, f"BCM {pin}, no press seen", Verdict.FAULT, NEVER_PRESSED.format(pin=pin))


def _bounce_finding(
    name: str, pin: int, seen: Sequence[Movement], gap_ns: int, settle_ms: int
) -> Finding:
    pressed = presses(seen)
    edges = max(movement.edges for movement in pressed)
    settling_ns = max(movement.settling_ns for movement in pressed)
    found = f"BCM {pin}, pressed {_count(len(pressed), 'time')}, at most {_count(edges, 'edge')}"
    found += f" in {_ms(settling_ns)}"
    longest_ns = max(movement.settling_ns for movement in seen)
    at_most_ns = HAND_NS + settle_ms * NS_PER_MS
    if longest_ns > at_most_ns:
        found += f"; bounces for {_ms(longest_ns)}, but the clock can wait for {_ms(at_most_ns)}"
        return Finding(name, found, Verdict.FAULT, OUTLASTS)
    soonest_ns = min((b.at_ns - a.at_ns for a, b in pairwise(pressed)), default=FASTEST_NS)
    if soonest_ns < FASTEST_NS:
        found += f"; two presses are {_ms(soonest_ns)} apart, which no hand makes"
        return Finding(name, found, Verdict.FAULT, OUTLASTS)
    if gap_ns < settle_ms * NS_PER_MS:
        return Finding(name, found)
    found += f"; the edges of one bounce are {_ms(gap_ns)} apart, but settle_ms is {settle_ms}"
    needed_ms = -(-gap_ns // NS_PER_MS) + 2
    return Finding(name, found, Verdict.NOTE, BOUNCES.format(ms=needed_ms))


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"


def _ms(duration_ns: int) -> str:
    return f"{duration_ns / NS_PER_MS:.2f} ms"
