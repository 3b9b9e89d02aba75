"""The event of a room: which matches are its results, and which stand apart."""

from datetime import UTC, datetime
from typing import NamedTuple

from room.boards.board import Result

FIRST_DATE = datetime(2026, 1, 1, tzinfo=UTC)  # a clock that has an earlier one does not know it


class RoomEvent(NamedTuple):
    """The event, as the director's file has it."""

    name: str = ""
    begins: str = ""  # a date or an instant, in the time of this computer; empty: with any match

    def has(self, result: Result, heard: str) -> bool:
        """Return whether a match is one of the event.

        It is if its log names the event, as each offer of the room does. If it names none, it is if
        it began since the event did, by the date of its clock.

        Args:
            result: of the match.
            heard: when the hub heard of it first: it counts if the clock does not know the date.
        """
        if self.name and result.event:
            return result.event == self.name
        begins = _instant(self.begins)
        if begins is None:
            return True
        begun = _instant(result.begun)
        if begun is None or begun < FIRST_DATE:
            begun = _instant(heard)
        return begun is not None and begun >= begins


def _instant(text: str) -> datetime | None:
    """Return the instant of a date; None: it is none."""
    try:
        return datetime.fromisoformat(text).astimezone()
    except (ValueError, OverflowError, OSError):
        return None
