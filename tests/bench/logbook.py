"""The log of a match as a test reads it.

The one rule: a test reads what the clock wrote, and believes it only when it replays.
"""

import json
from typing import Any

from clock.eventlog.replay import Replayed, replay

Record = dict[str, Any]


class Logbook:
    """The whole lines of a log."""

    def __init__(self, text: str) -> None:
        """A line that was torn is not counted."""
        self.text = text[: text.rfind("\n") + 1]
        self.records: list[Record] = [json.loads(line) for line in self.text.splitlines()]

    def __len__(self) -> int:
        return len(self.records)

    def of(self, *events: str) -> list[Record]:
        """The records of some events, in their order."""
        return [record for record in self.records if record["event"] in events]

    @property
    def last(self) -> Record:
        """The latest record that is about the match, not about a part of the box."""
        return [each for each in self.records if not each["event"].startswith("fault")][-1]

    def verified(self) -> Replayed:
        """The match that it tells of, as `gammonclock verify` finds it.

        Raises:
            DamagedError: it is not what the clock wrote.
        """
        return replay(self.text.encode().split(b"\n")[:-1])
