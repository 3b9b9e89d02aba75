"""A virtio ring in the memory of a guest: requests lie in it, and answers are written into them.

A split ring (virtio 1.1, section 2.6) as the kernel lays it out: descriptors, the requests that are
available and those that were used. All addresses are the guest's physical ones.

The one rule: nothing here waits or sends; whoever has given an answer tells the kernel.
"""

import mmap
import os
import struct
from collections.abc import Iterator, Sequence
from typing import NamedTuple

REGION = struct.Struct("<QQQQ")  # address, size, address for the kernel, place in the file
DESCRIPTOR = struct.Struct("<QIHH")  # address, size, flags, the next one
USED = struct.Struct("<II")  # the first descriptor of a request, bytes written
NEXT, WRITABLE = 1, 2  # flags of a descriptor
INDEX = struct.Struct("<H")
INDEXES = 1 << 16
HEADER = 4  # bytes before the entries of either list: flags and an index


class Memory:
    """The guest's memory, mapped from the files that it is."""

    def __init__(self, table: bytes, files: Sequence[int]) -> None:
        """Maps it; the files are closed.

        Args:
            table: the payload of SET_MEM_TABLE: a number of regions, and the regions.
            files: a descriptor of each region's file.
        """
        self._regions: list[tuple[int, int, int, mmap.mmap]] = []
        for region, file in enumerate(files):
            address, size, _, place = REGION.unpack_from(table, 8 + region * REGION.size)
            self._regions.append((address, size, place, mmap.mmap(file, place + size)))
            os.close(file)

    def read(self, address: int, size: int) -> bytes:
        """Some bytes of it."""
        memory, at = self._find(address, size)
        return memory[at : at + size]

    def write(self, address: int, content: bytes) -> None:
        """Change some bytes of it."""
        memory, at = self._find(address, len(content))
        memory[at : at + len(content)] = content

    def close(self) -> None:
        """Unmap it."""
        for *_, memory in self._regions:
            memory.close()

    def _find(self, address: int, size: int) -> tuple[mmap.mmap, int]:
        for first, length, place, memory in self._regions:
            if first <= address and address + size <= first + length:
                return memory, place + address - first
        raise ValueError(f"{size} bytes at {address:#x} are not in the guest's shared memory")


class Chain(NamedTuple):
    """A request: what was sent, and the room for the answer."""

    head: int  # its first descriptor
    sent: bytes
    room: tuple[tuple[int, int], ...]  # address and size of each part

    @property
    def asked(self) -> int:
        """How many bytes the answer has."""
        return sum(size for _, size in self.room)


class Ring:
    """What the kernel asks, in order."""

    def __init__(
        self, memory: Memory, size: int, descriptors: int, used: int, available: int
    ) -> None:
        """A ring of `size` descriptors; its three parts are at these addresses."""
        self._memory, self._size = memory, size
        self._descriptors, self._used, self._available = descriptors, used, available
        self._taken = self._given = 0

    def take(self) -> Iterator[Chain]:
        """The requests that came since the last time."""
        while self._taken != self._index(self._available + 2):
            place = self._available + HEADER + self._taken % self._size * INDEX.size
            self._taken = (self._taken + 1) % INDEXES
            yield self._chain(self._index(place))

    def give(self, chain: Chain, answer: bytes) -> None:
        """Write an answer, as long as the room for it, and hand the request back."""
        begin = 0
        for address, size in chain.room:
            self._memory.write(address, answer[begin : begin + size])
            begin += size
        place = self._used + HEADER + self._given % self._size * USED.size
        self._memory.write(place, USED.pack(chain.head, begin))
        self._given = (self._given + 1) % INDEXES
        self._memory.write(self._used + 2, INDEX.pack(self._given))

    def _index(self, address: int) -> int:
        number: int
        [number] = INDEX.unpack(self._memory.read(address, INDEX.size))
        return number

    def _chain(self, head: int) -> Chain:
        sent, room, following = b"", [], head
        flags = NEXT
        while flags & NEXT:
            place = self._descriptors + following * DESCRIPTOR.size
            address, size, flags, following = DESCRIPTOR.unpack(
                self._memory.read(place, DESCRIPTOR.size)
            )
            if flags & WRITABLE:
                room.append((address, size))
            else:
                sent += self._memory.read(address, size)
        return Chain(head, sent, tuple(room))
