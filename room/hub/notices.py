"""What is new in a room, as notices for the director."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Literal, get_args

import msgspec

from clock.match.types import Side
from room.boards.board import Board
from room.settings.tables import Kind

KINDS: tuple[Kind, ...] = get_args(Kind)


class Notice(msgspec.Struct, frozen=True):
    """Something that the director should know."""

    kind: Kind | Literal["test"]
    board: str  # its id; empty: it is about the hub
    text: str  # what it is
    players: tuple[str, ...] = ()  # left and right; empty: names are hidden, or there are none


Words = Mapping[str, str]  # of the panels and the pages, in the language of the notices


class Noticed:
    """What the director has been told of already."""

    def __init__(self, about: Collection[str], words: Words, *, names: bool) -> None:
        """Begin with nothing noticed.

        Args:
            about: the kinds of notices that are wanted.
            words: in which they are told.
            names: whether notices may have the players' names.
        """
        self._about, self._words, self._names = frozenset(about), words, names
        self._asked: dict[str, tuple[str, ...]] = {}  # what boards asked for, by id
        self._troubles: frozenset[str] = frozenset()

    def news(self, boards: Mapping[str, Board], troubles: Sequence[str]) -> list[Notice]:
        """Return what is new since the last call, the most important first.

        Args:
            boards: all of them as they are now, by id.
            troubles: of the hub itself, in words.
        """
        found = [notice for board in boards.values() for notice in self._of_board(board)]
        self._asked = {id_: tuple(board.attention) for id_, board in boards.items()}
        if "hub" in self._about:
            found += [
                Notice("hub", "", str(each)) for each in troubles if each not in self._troubles
            ]
        self._troubles = frozenset(troubles)
        return sorted(found, key=lambda notice: KINDS.index(notice.kind))

    def _of_board(self, board: Board) -> Iterator[Notice]:
        before = self._asked.get(board.id, ())
        for kind in KINDS:
            if kind in board.attention and kind in self._about and kind not in before:
                yield self._notice(kind, board)

    def _notice(self, kind: Kind, board: Board) -> Notice:
        names = tuple(board.players[side].name or "" for side in Side)
        players = names if self._names and any(names) else ()
        reasons = board.says[1:] if kind == "call" else []
        said = [self._words.get(key, "") for key in (f"notice_{kind}", *reasons)]
        text = ": ".join(filter(None, said))
        title = self._words["page_board"].replace("{board}", board.id)
        return Notice(kind, board.id, f"{title}: {text}", players)
