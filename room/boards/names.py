"""Give each board its id for addresses: the name of its table, and a number if several have it."""

from collections.abc import Iterable, Iterator, Mapping

from room.boards.board import SIMULATED, Board
from room.boards.watched_place import WatchedPlace

LONGEST_ID = 40  # characters


def free_id(wanted: str, taken: Iterable[str]) -> str:
    """Return an address-safe name that no other board has."""
    name = "".join(each if each.isascii() and each.isalnum() else "-" for each in wanted)
    name = "-".join(filter(None, name.split("-")))[-LONGEST_ID:] or "board"
    return next(each for each in _numbered(name) if each not in taken)


def _numbered(name: str) -> Iterator[str]:
    yield name
    number = 2
    while True:
        yield f"{name}-{number}"
        number += 1


class Names:
    """The ids of all boards."""

    def __init__(self, boards: dict[str, Board]) -> None:
        """Give ids to these boards; a board whose place has another name is taken out of them."""
        self._boards = boards
        self._named: dict[str, dict[str, WatchedPlace]] = {}  # by the name of the board, and key
        self._gone: list[str] = []

    def give(self, found: WatchedPlace) -> dict[str, None]:
        """Give a board its id; another clock on the same line has another one.

        Returns the keys of the places that shared its earlier name.
        """
        place, track = found.place, found.track
        name = track.board or place.hint or track.clock or place.source
        name = "simulated" if name == SIMULATED else name
        name = f"{place.hall} {name}" if place.hall else name
        if name == found.name or not found.is_there:
            return {}
        self.withdraw(found.id)
        left = self._named.get(found.name, {})
        left.pop(place.key, None)
        same = self._named.setdefault(name, {})
        found.name, found.id = name, self._free_id(name)
        same[place.key] = found
        if found.is_assigned:
            self._hand_over(free_id(name, ()), found)
        return dict.fromkeys(left)

    def alike(self, found: WatchedPlace) -> Mapping[str, WatchedPlace]:
        """Return the places whose boards have the same name, by key."""
        return self._named.get(found.name, {})

    def withdraw(self, id_: str) -> None:
        """Take a board away."""
        if self._boards.pop(id_, None) is not None:
            self._gone.append(id_)

    def drain_gone(self) -> list[str]:
        """Return the ids that were taken away since the last call."""
        gone, self._gone = self._gone, []
        return gone

    def _hand_over(self, id_: str, found: WatchedPlace) -> None:
        """Give the id of a board to the clock to which the director gave the board."""
        same = self._named[found.name].values()
        holder = next((each for each in same if each.id == id_), found)
        if not holder.is_assigned:
            holder.id, found.id = found.id, id_

    def _free_id(self, name: str) -> str:
        return free_id(name, {each.id for same in self._named.values() for each in same.values()})
