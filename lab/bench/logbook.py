"""The log of a match as tests read it."""

import json
from typing import Any

from clock.eventlog.replay import ReplayStep, replay

Record = dict[str, Any]


class Logbook:
    """The complete lines of a log."""

    def __init__(self, text: str) -> None:
        """Parse a log; a torn last line is left out."""
        self.text = text[: text.rfind("\n") + 1]
        self.records: list[Record] = [json.loads(line) for line in self.text.splitlines()]

    def __len__(self) -> int:
        return len(self.records)

    def of(self, *events: str) -> list[Record]:
        """Return the records of some events, in order."""
        return [record for record in self.records if record["event"] in events]

    @property
    def last(self) -> Record:
        """The latest record that is not about a fault."""
        return [each for each in self.records if not each["event"].startswith("fault")][-1]

    def verified(self) -> ReplayStep:
        """Replay the log, as `gammonclock verify` does; return the result.

        Raises:
            DamagedError: the log is damaged.
        """
        return replay(self.text.encode().split(b"\n")[:-1])
