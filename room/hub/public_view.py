"""What everybody may see: the boards and results some seconds late, and perhaps without names.

The instant of the view is as late as its boards: times that run are late by as much as the rest.
"""

from collections import deque
from collections.abc import Iterable
from typing import NamedTuple

from msgspec import structs

from clock.units import SECOND_NS
from room.boards.board import Board, Player, Result, latest_first
from room.hub.events import Feed
from room.lines.inbox import LogKey
from room.settings.room import Names

HIDDEN = "damaged"  # what is wrong with a log may quote a name


class Gone(NamedTuple):
    """A board is gone."""

    id: str


Change = Board | Gone | Result
MOST_CHANGES = 50_000  # that wait until they are shown


class PublicView:
    """Boards, results and the feed of their changes, as everybody may see them."""

    def __init__(self, names: Names = "full", delay_s: int = 0) -> None:
        """Begin without a board.

        Args:
            names: how players are named.
            delay_s: how late everything is, in seconds.
        """
        self.feed, self.boards = Feed(), dict[str, Board]()
        self.delay_ns = delay_s * SECOND_NS
        self._names = names
        self._results: dict[LogKey, Result] = {}
        self._waiting: deque[tuple[int, Change]] = deque()  # with the instant from which it shows
        self._over = dict[object, Change]()  # the newest for which there is no room, by what it is

    def begin(self, results: Iterable[Result]) -> None:
        """Show results of an earlier run of the hub at once."""
        for result in results:
            self._show(result)

    def add(self, changes: Iterable[Change], now_ns: int) -> None:
        """Add changes as they come; `show` shows them when it is time.

        If too many wait, states in between are left out; the newest waits until there is room, and
        is shown later, never earlier.
        """
        for change in changes:
            if len(self._waiting) >= MOST_CHANGES:
                key = change.key if isinstance(change, Result) else change.id
                self._over[key] = change
            else:
                self._waiting.append((now_ns + self.delay_ns, change))

    def show(self, now_ns: int) -> None:
        """Show what has waited long enough."""
        while self._waiting and self._waiting[0][0] <= now_ns:
            self._show(self._waiting.popleft()[1])
        while self._over and len(self._waiting) < MOST_CHANGES:
            change = self._over.pop(next(iter(self._over)))
            self._waiting.append((now_ns + self.delay_ns, change))
        self.feed.wake()

    def forget(self, key: LogKey) -> None:
        """Show the result of a source and match no more."""
        self._results.pop(key, None)
        self.feed.drop_result(key)

    def results(self) -> list[Result]:
        """Return all results, those of the latest matches first."""
        return latest_first(self._results.values())

    @property
    def has_logs(self) -> bool:
        """Whether everybody may read logs at all: names stand in them."""
        return self._names == "full"

    def readable(self, key: LogKey) -> int | None:
        """Return how many lines of a log, in which names stand, everybody may read; None: all."""
        if not self.has_logs:
            return 0
        if not self.delay_ns:
            return None
        result = self._results.get(key)
        return 0 if result is None else result.lines or None

    def _show(self, change: Change) -> None:
        match change:
            case Board():
                self.boards[change.id] = board = self._masked_board(change)
                self.feed.put_board(board)
            case Result():
                self._results[change.key] = result = self._masked_result(change)
                self.feed.put_result(result)
            case Gone(id_):
                self.boards.pop(id_, None)
                self.feed.put_gone(id_)

    def _masked_board(self, board: Board) -> Board:
        if self._names == "full":
            return board
        players = {
            side: Player(self._name(player.name or "") or None, player.points)
            for side, player in board.players.items()
        }
        result = board.result and self._masked_result(board.result)
        damage = board.damage and HIDDEN
        return structs.replace(board, players=players, result=result, damage=damage)

    def _masked_result(self, result: Result) -> Result:
        if self._names == "full":
            return result
        players = {side: self._name(name) for side, name in result.players.items()}
        return structs.replace(result, players=players, damage=result.damage and HIDDEN)

    def _name(self, name: str) -> str:
        return initials(name) if self._names == "initials" else ""


def initials(name: str) -> str:
    """Return the first letters of a name's words: "A. B." of "Anna Berg"."""
    words = name.replace("-", " ").split()
    return " ".join(f"{word[0].upper()}." for word in words)
