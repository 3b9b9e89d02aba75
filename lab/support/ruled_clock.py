"""A clock at which rulings are proposed: the real program on real files, in virtual time."""

import json
from pathlib import Path
from typing import Any

from clock.eventlog.replay import replay
from lab.support.boxes import Clock
from tests.stories.test_offers import WAIT
from tests.stories.test_rulings import CARRY_OUT, OPEN, STOPPED

ANSWERS = (f"{OPEN}\n{CARRY_OUT}", f"{OPEN}\n1 press left")
GOES_ON = "1 press centre\n5 press centre"


class RuledClock(Clock):
    """A clock that is stopped in a turn; its buttons are pressed when somebody calls."""

    def __init__(self, folder: Path, names: tuple[str, str], offers: Path, logs: Path) -> None:
        """Play a turn, and stop; `offers` is where the link puts what comes from the room."""
        text = f"[match]\nlength = 11\nnames = {json.dumps(names)}\n"
        super().__init__(folder, text, offers, logs=logs)
        self.do(STOPPED)

    def look(self) -> str:
        """Look for what the link has brought; return the id of the ruling on the panels, or ""."""
        standing = self.do(WAIT).state.proposal
        return "" if standing is None else standing.id

    def prove(self) -> None:
        """Replay the log: it gives what the clock has."""
        found = replay(self.lines).match.state
        assert found.replace(at_ns=0) == self.state.replace(at_ns=0)

    def carried_out(self) -> dict[str, dict[str, Any]]:
        """Return the times that were changed, by the rulings that changed them, each once."""
        rulings = self.logged("adjusted")
        found = {ruling["carries_out"]: ruling for ruling in rulings}
        assert len(found) == len(rulings), "a ruling was carried out twice"
        return found
