"""A place of which a source reports, with its logs and its board."""

from dataclasses import dataclass

from room.boards.board import Result
from room.boards.place_logs import PlaceLogs
from room.boards.presence import Presence
from room.boards.signs import Signs
from room.lines.track import Track
from room.sources.events import Place


@dataclass
class WatchedPlace:
    """A place with its board."""

    place: Place
    logs: PlaceLogs
    presence: Presence
    id: str = ""
    name: str = ""  # from which the id was made
    trouble: str = ""
    result: Result | None = None  # of the present match, if it is over
    attention: tuple[str, int] | None = None  # the most important one, and since when
    made_of: tuple[Track, Signs] | None = None  # its board

    @property
    def is_there(self) -> bool:
        """Whether there is anything to be shown."""
        return (
            self.logs.present is not None
            or bool(self.trouble)
            or self.presence.heard_ns is not None
        )

    @property
    def is_assigned(self) -> bool:
        """Whether the director gave this board to the clock."""
        return bool(self.place.clock) and self.place.hint == self.name

    @property
    def track(self) -> Track:
        """What the present log says."""
        return self.logs.present.shown if self.logs.present else Track()
