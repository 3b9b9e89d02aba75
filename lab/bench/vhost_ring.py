"""A virtio ring in a guest's memory: read requests from it and write answers into it.

It is a split ring (virtio 1.1, section 2.6): descriptors, a list of available requests and a list
of used ones. All addresses are physical addresses of the guest.
"""

import mmap
import os
import struct
from collections.abc import Iterator, Sequence
from typing import NamedTuple

REGION = struct.Struct("<QQQQ")  # address, size, address for the kernel, offset in the file
DESCRIPTOR = struct.Struct("<QIHH")  # address, size, flags, number of the next descriptor
USED = struct.Struct("<II")  # the first descriptor of a request, bytes written
NEXT, WRITABLE = 1, 2  # flags of a descriptor
INDEX = struct.Struct("<H")
INDEXES = 1 << 16
HEADER = 4  # bytes before the entries of either list: flags and an index


class Memory:
    """The guest's memory, mapped from the files that hold it."""

    def __init__(self, table: bytes, files: Sequence[int]) -> None:
        """Map the files and close them.

        Args:
            table: the payload of SET_MEM_TABLE: the number of regions, and the regions.
            files: the descriptor of each region's file.
        """
        self._regions: list[tuple[int, int, int, mmap.mmap]] = []
        for region, file in enumerate(files):
            address, size, _, place = REGION.unpack_from(table, 8 + region * REGION.size)
            self._regions.append((address, size, place, mmap.mmap(file, place + size)))
            os.close(file)

    def read(self, address: int, size: int) -> bytes:
        """Read from the memory."""
        memory, at = self._find(address, size)
        return memory[at : at + size]

    def write(self, address: int, content: bytes) -> None:
        """Write into the memory."""
        memory, at = self._find(address, len(content))
        memory[at : at + len(content)] = content

    def close(self) -> None:
        """Unmap the memory."""
        for *_, memory in self._regions:
            memory.close()

    def _find(self, address: int, size: int) -> tuple[mmap.mmap, int]:
        for first, length, place, memory in self._regions:
            if first <= address and address + size <= first + length:
                return memory, place + address - first
        raise ValueError(f"{size} bytes at {address:#x} are not in the guest's shared memory")


class Chain(NamedTuple):
    """A request: the bytes sent, and the room for the answer."""

    head: int  # the number of its first descriptor
    sent: bytes
    room: tuple[tuple[int, int], ...]  # address and size of each part

    @property
    def asked(self) -> int:
        """The size of the answer in bytes."""
        return sum(size for _, size in self.room)


class Ring:
    """The ring of requests."""

    def __init__(
        self, memory: Memory, size: int, descriptors: int, used: int, available: int
    ) -> None:
        """Use a ring of `size` descriptors whose three parts are at these addresses."""
        self._memory, self._size = memory, size
        self._descriptors, self._used, self._available = descriptors, used, available
        self._taken = self._given = 0

    def take(self) -> Iterator[Chain]:
        """Yield the requests that have come since the last call."""
        while self._taken != self._index(self._available + 2):
            place = self._available + HEADER + self._taken % self._size * INDEX.size
            self._taken = (self._taken + 1) % INDEXES
            yield self._chain(self._index(place))

    def give(self, chain: Chain, answer: bytes) -> None:
        """Write an answer, which is as long as its room, and return the request to the kernel."""
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
