"""The feed of changes, as server-sent events.

Every change has a number. A reader is sent the newest state of each board that has changed since
the number that it has; so a slow reader misses states in between, never the latest one, and no
queue grows for it. Its position is the id of its latest event, with which it resumes.
"""

import asyncio
from collections.abc import Iterator
from contextlib import suppress
from itertools import takewhile
from typing import Any, NamedTuple
from uuid import uuid4
from weakref import WeakValueDictionary

import msgspec

from clock.text import fields
from room.boards.board import Board, Result
from room.lines.inbox import LogKey

TROUBLES, SAID = "troubles", "said"


class FeedEntry(NamedTuple):
    """The newest state of something, ready to be sent."""

    number: int
    board: str  # its id; "": of no board
    event: bytes


class Feed:
    """The newest state of everything, and the readers that wait for changes."""

    def __init__(self) -> None:
        """Begin without a change."""
        self.store = str(uuid4())  # numbers of another feed mean nothing here
        self.number = 0
        self.ended = False
        self._changes: dict[str, FeedEntry] = {}  # by key; those changed last come last
        self._touched: set[str] = set()  # boards with changes since the readers were woken
        # By the board that is read (None: all), as long as somebody waits.
        self._waiting = WeakValueDictionary[str | None, asyncio.Event]()
        self.troubles: dict[str, list[Any]] = {TROUBLES: [], SAID: []}

    def put_board(self, board: Board) -> None:
        """Send a board's new state to the readers."""
        self._put(f"board/{board.id}", "board", board.id, board)

    def put_gone(self, id_: str) -> None:
        """Send to the readers that a board is gone."""
        self._put(f"board/{id_}", "gone", id_, {"id": id_})

    def put_result(self, result: Result) -> None:
        """Send a result to the readers."""
        self._put(_key(result.key), "result", "", result)

    def put_offer(self, board: str, offer: object) -> None:
        """Send to the readers what has become of the offer for a board."""
        self._put(f"offer/{board}", "offer", board, offer)

    def put_ruling(self, board: str, ruling: object) -> None:
        """Send to the readers what has become of the ruling that is proposed for a board."""
        self._put(f"ruling/{board}", "ruling", board, ruling)

    def drop_result(self, key: LogKey) -> None:
        """Send the result of a source and match to no new reader any more."""
        self._changes.pop(_key(key), None)

    def put_troubles(self, troubles: list[str]) -> None:
        """Send to the readers what is wrong with the hub itself."""
        said = [fields("text", each) for each in troubles]
        self.troubles = {TROUBLES: list(map(str, troubles)), SAID: said}
        self._put(TROUBLES, TROUBLES, "", self.troubles)

    def end(self) -> None:
        """End the streams of all readers: the hub ends."""
        self.ended = True
        self._touched.add("")
        self.wake()

    def wake(self) -> None:
        """Wake the readers for whom there are changes since the last call."""
        touched, self._touched = self._touched, set()
        if not touched:
            return
        for board in list(self._waiting) if "" in touched else (*touched, None):
            if (changed := self._waiting.pop(board, None)) is not None:
                changed.set()

    async def wait(self, number: int, board: str | None, seconds: float) -> None:
        """Wait for changes after a number, at most so long; of one board only if it is named."""
        if self.number <= number and not self.ended:
            changed = self._waiting.setdefault(board, asyncio.Event())
            with suppress(TimeoutError):
                async with asyncio.timeout(seconds):
                    await changed.wait()

    def since(self, number: int, board: str | None) -> Iterator[bytes]:
        """Yield the events after a number, oldest first; of one board only if it is named."""
        latest_first = reversed(self._changes.values())
        for change in reversed([*takewhile(lambda each: each.number > number, latest_first)]):
            if board is None or change.board in (board, ""):
                yield change.event

    def event(self, name: str, data: bytes, number: int) -> bytes:
        """Return an event as it is sent."""
        event = name.encode()
        return b"id: %b-%d\nevent: %b\ndata: %b\n\n" % (self.store.encode(), number, event, data)

    def position(self, id_: str | None) -> int:
        """Return the number in the id of an event; 0 if it is of another feed, or none."""
        store, _, digits = (id_ or "").rpartition("-")
        with suppress(ValueError):  # no number, or one of thousands of digits
            if store == self.store:
                return min(int(digits), self.number)
        return 0

    def _put(self, key: str, event: str, board: str, data: object) -> None:
        self.number += 1
        self._touched.add(board)
        self._changes.pop(key, None)
        encoded = self.event(event, msgspec.json.encode(data), self.number)
        self._changes[key] = FeedEntry(self.number, board, encoded)


def _key(of: LogKey) -> str:
    """Return the key of a result."""
    return "result/" + "\0".join(of)
