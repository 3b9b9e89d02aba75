"""A clock at which rulings are proposed: the real program on real files, in virtual time."""

import json
from pathlib import Path
from typing import Any

from clock.eventlog.replay import replay
from tests.stories.test_offers import WAIT
from tests.stories.test_presets import Clock
from tests.stories.test_rulings import CARRY_OUT, OPEN, STOPPED

ANSWERS = (f"{OPEN}\n{CARRY_OUT}", f"{OPEN}\n1 press left")
GOES_ON = "1 press centre\n5 press centre"


class RuledClock(Clock):
    """A clock that is stopped in a turn; its buttons are pressed when somebody calls."""

    def __init__(self, folder: Path, logs: Path, offers: Path, names: tuple[str, str]) -> None:
        """Switch nothing on yet; `offers` is where the link puts what comes from the room."""
        super().__init__(folder, offers=offers)
        self.logs = logs
        self.write(f"[match]\nlength = 11\nnames = {json.dumps(names)}\n")

    def play(self) -> None:
        """Play a turn, and stop."""
        self.switch_on().press(STOPPED)

    def look(self) -> str:
        """Look for what the link has brought; return the id of the ruling on the panels, or ""."""
        self.press(WAIT)
        standing = self.runtime.state.proposal
        return "" if standing is None else standing.id

    def logged(self, event: str) -> list[dict[str, Any]]:
        """Return the lines of an event."""
        return [line for line in map(json.loads, self.lines) if line["event"] == event]

    def lose_power(self) -> None:
        """Cut the power for ten minutes."""
        self.wait_for_disk()
        self.cut().switch_on()

    def prove(self) -> None:
        """Replay the log: it gives what the clock has."""
        found = replay([line.rstrip(b"\n") for line in self.lines]).match.state
        assert found.replace(at_ns=0) == self.runtime.state.replace(at_ns=0)

    def carried_out(self) -> dict[str, dict[str, Any]]:
        """Return the times that were changed, by the rulings that changed them, each once."""
        acts = self.logged("adjusted")
        found = {act["carries_out"]: act for act in acts}
        assert len(found) == len(acts), "a ruling was carried out twice"
        return found
