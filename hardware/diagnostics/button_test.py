"""Somebody presses each button, and is told what its contact did.

The one rule: it ends when the person wants it to, and says which buttons were never seen.
"""

from collections.abc import Callable, Sequence
from typing import Protocol

from hardware.diagnostics.finding import Finding
from hardware.diagnostics.bounce import Edge, Movement, Movements
from hardware.diagnostics.press_findings import NS_PER_MS, bounce, finding, presses

HOLD_NS = 1_000 * NS_PER_MS  # both plungers, to end it
LOOK_S = 0.025  # while something is under way

HOW = """
       Press each button a few times, as in play. To end: Enter, or hold both
       plungers for a second.
"""


class Button(Protocol):
    """A contact on a pin."""

    @property
    def name(self) -> str:
        """Which button it is."""

    @property
    def pin(self) -> int:
        """Its BCM number."""

    @property
    def down(self) -> bool:
        """Whether it is down now."""

    def now_ns(self) -> int:
        """Now, in the clock that its edges are stamped in."""


class Watching(Protocol):
    """See `attention.Attention`."""

    def wait(self, limit_s: float | None) -> bool:
        """Wait for an edge, or for the person; whether it was the person."""

    def taken(self) -> list[Edge]:
        """The edges since the last time."""


class PressTest:
    """One sitting."""

    def __init__(
        self,
        buttons: Sequence[Button],
        watching: Watching,
        tell: Callable[[str], None],
        settle_ms: int,
    ) -> None:
        """Nothing has been pressed.

        Args:
            buttons: in the order in which they are asked for.
            watching: brings their edges.
            tell: shows a line of text.
            settle_ms: how long the clock waits for a contact to settle.
        """
        self._buttons = {button.name: button for button in buttons}
        self._watching, self._tell, self._settle_ms = watching, tell, settle_ms
        self._seen: dict[str, list[Movement]] = {name: [] for name in self._buttons}
        self._movements = Movements(self._levels())
        self._both_ns: int | None = None  # since when both plungers are down

    def run(self) -> list[Finding]:
        """Until the person ends it; what was seen of each button."""
        self._tell(HOW)
        self._ask()
        try:
            while not self._watching.wait(self._limit_s()) and not self._held():
                self._look()
        except KeyboardInterrupt:
            self._tell("")
        self._tell("")
        return [
            finding(name, button.pin, self._seen[name], self._settle_ms, down=button.down)
            for name, button in self._buttons.items()
        ]

    # --- its parts ------------------------------------------------------------------------------

    def _levels(self) -> dict[str, bool]:
        return {name: button.down for name, button in self._buttons.items()}

    def _now_ns(self) -> int:
        return next(iter(self._buttons.values())).now_ns()

    def _limit_s(self) -> float | None:
        return LOOK_S if self._movements.under_way or self._both_ns is not None else None

    def _look(self) -> None:
        self._movements.add(self._watching.taken())
        for movement in self._movements.over(self._now_ns(), self._levels()):
            self._show(movement)

    def _held(self) -> bool:
        """Whether both plungers have been down for long enough."""
        levels, now_ns = self._levels(), self._now_ns()
        if not (levels["left"] and levels["right"]):
            self._both_ns = None
            return False
        self._both_ns = now_ns if self._both_ns is None else self._both_ns
        return now_ns - self._both_ns >= HOLD_NS

    def _show(self, movement: Movement) -> None:
        seen, first = self._seen[movement.name], not self._pressed(movement.name)
        if movement.restless:
            seen.append(movement)
            self._tell(f"       {movement.name:7} chatters   {bounce(movement)}")
            return
        if movement.is_down and movement.was_down:
            return  # it let go for a moment; nothing that a press would show
        seen.append(movement)
        if movement.is_down:
            count = self._pressed(movement.name)
            self._tell(f"       {movement.name:7} press {count:<5}{bounce(movement)}")
        elif not movement.was_down:
            self._tell(f"       {movement.name:7} touched    {bounce(movement)}")
        if first and movement.is_down:
            self._ask()

    def _pressed(self, name: str) -> int:
        return len(presses(self._seen[name]))

    def _ask(self) -> None:
        """For the first that has not been pressed."""
        missing = [name for name in self._buttons if not self._pressed(name)]
        if missing:
            self._tell(f"       Now press {missing[0].upper()}.")
        else:
            self._tell("       All three are there. Press on, or end it.")
