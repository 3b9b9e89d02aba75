"""The states that a search has found, in compact arrays: 40 to 60 bytes a state.

A state is known by the hash of its canonical form, 64 bits of BLAKE2b. Two of n forms have the same
hash with a chance of n * n / 2**65: for a million states one in 37 million.
"""

from array import array
from hashlib import blake2b

import msgspec

HASH_BYTES = 8
_FIRST_SIZE = 1 << 16  # a power of two


def hash_of(form: object) -> int:
    """Return the hash of a canonical form: bytes, or what msgspec encodes; never 0."""
    encoded = form if isinstance(form, bytes) else msgspec.msgpack.encode(form)
    return int.from_bytes(blake2b(encoded, digest_size=HASH_BYTES).digest()) or 1


class Numbers:
    """A number for each hash, in the order in which they were added."""

    def __init__(self) -> None:
        self._resize(_FIRST_SIZE)
        self.count = 0

    def number(self, key: int) -> int | None:
        """Return the number of a hash; None if it was never added."""
        place = self._place(key)
        return self._numbers[place] if self._keys[place] else None

    def add(self, key: int) -> int:
        """Add a hash that has no number yet, and return its number."""
        if 2 * self.count >= len(self._keys):
            self._grow()
        place = self._place(key)
        self._keys[place], self._numbers[place] = key, self.count
        self.count += 1
        return self.count - 1

    def _place(self, key: int) -> int:
        """Return where a hash is, or where it would be."""
        keys, last = self._keys, len(self._keys) - 1
        place = key & last
        while keys[place] not in (0, key):
            place = (place + 1) & last
        return place

    def _resize(self, size: int) -> None:
        self._keys = array("Q", bytes(8 * size))
        self._numbers = array("I", bytes(4 * size))

    def _grow(self) -> None:
        keys, numbers = self._keys, self._numbers
        self._resize(2 * len(keys))
        for key, number in zip(keys, numbers, strict=True):
            if key:
                place = self._place(key)
                self._keys[place], self._numbers[place] = key, number


class Graph:
    """Which act led to which state: for each state its way from the beginning, and where it leads.

    States are expanded in the order of their numbers.
    """

    def __init__(self) -> None:
        self.came_from = array("I")  # a beginning came from itself
        self.by_act = array("H")  # the place of that act among those of `came_from`
        self._first = array("L")  # the place of each expanded state's first successor
        self._successors = array("I")

    def found(self, came_from: int, by_act: int) -> None:
        """Note how the next state was found first."""
        self.came_from.append(came_from)
        self.by_act.append(by_act)

    def expand(self) -> None:
        """Begin the successors of the next state."""
        self._first.append(len(self._successors))

    def leads_to(self, number: int) -> None:
        """Note a successor of the state that is being expanded."""
        self._successors.append(number)

    @property
    def expanded(self) -> int:
        """The number of states whose successors are known, or being noted."""
        return len(self._first)

    @property
    def transitions(self) -> int:
        """The number of successors noted."""
        return len(self._successors)

    def successors(self, number: int) -> list[int]:
        """Return the successors of an expanded state, one for each of its acts."""
        following = self._first[number + 1 : number + 2]
        end = following[0] if following else len(self._successors)
        return self._successors[self._first[number] : end].tolist()

    def way(self, number: int) -> tuple[int, list[int]]:
        """Return a shortest way to a state: its beginning, and the places of the acts."""
        acts: list[int] = []
        while (before := self.came_from[number]) != number:
            acts.append(self.by_act[number])
            number = before
        return number, acts[::-1]

    def can_reach(self, goals: bytearray) -> bytearray:
        """Return for each state whether a way leads from it to a goal."""
        reaches = bytearray(goals)
        changed = True
        while changed:
            changed = False
            for number in reversed(range(self.expanded)):
                if not reaches[number] and any(reaches[to] for to in self.successors(number)):
                    reaches[number] = changed = True
        return reaches
