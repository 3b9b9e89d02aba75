"""A practice clock in virtual time."""

from clock.match.types import Button
from clock.units import SECOND_NS
from room.practice.wishes import Wishes, wanted_clock

HOLD_NS = 2 * SECOND_NS  # longer than the centre has to be held


class Practice:
    """A practice clock and its time."""

    def __init__(self, lesson: str = "") -> None:
        self.ns = 5_000 * SECOND_NS
        self.clock = wanted_clock(
            Wishes(lesson=lesson), lambda: self.ns, lambda: "2026-05-01T10:00:00+02:00"
        )

    def press(self, *names: str, hold_ns: int = 0) -> None:
        """Press and release buttons."""
        for name in names:
            self.clock.press(Button(name), down=True)
            self.wait(hold_ns)
            self.clock.press(Button(name), down=False)

    def wait(self, ns: int) -> None:
        """Let time pass; the clock has its turns when they are due."""
        end_ns = self.ns + ns
        while (due_ns := self.clock.due_in_ns()) is not None and self.ns + due_ns <= end_ns:
            self.ns += max(due_ns, 1)
            self.clock.turn()
        self.ns = max(self.ns, end_ns)

    def start(self) -> None:
        """Confirm the settings and start the left clock."""
        self.press("left", "right", "centre", "right")

    def play(self, presses: str) -> None:
        """Press as the director's page says: L, R, C, and H for holding the centre."""
        names = {"L": "left", "R": "right", "C": "centre", "H": "centre"}
        for each in presses.replace(" ", ""):
            self.wait(SECOND_NS // 4)
            self.press(names[each], hold_ns=HOLD_NS if each == "H" else 0)
