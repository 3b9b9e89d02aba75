"""A place of which a source reports, with its logs and its board."""

from dataclasses import dataclass

from clock.units import MILLISECOND_NS
from room.boards.board import Board, Result
from room.boards.conflicts import same_conflicts
from room.boards.liveness import Liveness
from room.boards.place_logs import PlaceLogs
from room.boards.signs import Signs, attention_of, begins_now, is_certain
from room.lines.events import Place
from room.lines.track import Track

SEEN_NS = 5 * MILLISECOND_NS  # nobody sees that a time on a page is wrong by less


@dataclass
class WatchedPlace:
    """A place with its board."""

    place: Place
    logs: PlaceLogs
    liveness: Liveness
    id: str = ""
    name: str = ""  # from which the id was made
    trouble: str = ""
    of_hall: Board | None = None  # as the hub of another hall shows it
    result: Result | None = None  # of the present match, if it is over
    attention: tuple[str, int] | None = None  # the most important one, and since when
    made_of: tuple[Track, Signs] | None = None  # its board
    changes_at_ns: int | None = None  # from when on time alone may change the board; None: never

    @property
    def is_there(self) -> bool:
        """Whether there is anything to be shown."""
        return (
            self.logs.present is not None
            or bool(self.trouble)
            or self.of_hall is not None
            or self.liveness.heard_ns is not None
        )

    @property
    def is_outdated(self) -> bool:
        """Whether the board differs from what was heard of its clock since, or there is none."""
        if self.made_of is None or not self.made_of[1].heard:
            return True
        before, (offset_ns, *others) = self.made_of[1], self._heard()
        if offset_ns is not None and before.offset_ns is not None:
            is_off = abs(offset_ns - before.offset_ns) >= SEEN_NS
        else:
            is_off = offset_ns != before.offset_ns
        return is_off or [before.complete, before.warnings] != others

    def _heard(self) -> tuple[int | None, bool, tuple[str, ...]]:
        """Return offset and warnings of the clock, and between them whether no line is missing."""
        heard, track = self.liveness, self.track
        match, seq = heard.named
        if match == self.logs.match:
            is_complete = seq <= track.seq
        else:  # a file may have another name than its match
            is_complete = not match or self.place.is_file
        return heard.offset_ns(track.boot), is_complete, heard.warnings

    def signs(self, now_ns: int) -> Signs:
        """Return what is known of the board by itself, beside its log."""
        offset_ns, complete, warnings = self._heard()
        return Signs(
            now_ns=now_ns,
            offset_ns=offset_ns,
            heard_ns=self.liveness.heard_ns,
            complete=complete,
            trouble=self.trouble,
            warnings=warnings,
            result=self.result,
        )

    def is_current(self, board: Board | None, signs: Signs) -> bool:
        """Return whether a board is as it would be if it was made now, of these signs.

        Time alone changes who is asked for and what is certain, no more unless `begins_now`.
        That a clock was heard again changes nothing else either.
        """
        if board is None or self.made_of is None or self.made_of[0] is not self.track:
            return False
        before = self.made_of[1]
        told = before._replace(
            now_ns=signs.now_ns, heard_ns=signs.heard_ns, conflicts=signs.conflicts
        )
        if begins_now(self.track, signs) or signs != told:
            return False
        is_sure = board.certain == is_certain(self.track, signs)
        is_asking = board.attention == attention_of(self.track, signs)
        return is_sure and is_asking and same_conflicts(board.conflicts, signs.conflicts)

    @property
    def is_assigned(self) -> bool:
        """Whether the director gave this board to the clock."""
        return bool(self.place.clock) and self.place.hint == self.name

    @property
    def track(self) -> Track:
        """What the present log says."""
        return self.logs.present.shown if self.logs.present else Track()
