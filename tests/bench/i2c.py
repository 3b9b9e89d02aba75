"""The I2C adapter of a guest: `/dev/i2c-0`, with a bus of the bench behind it (virtio-i2c).

A request is an address and flags, what is written, and room for what is read and for a status
(virtio 1.2, section 5.34).

The one rule: what a bus does is the bus's; here its words are translated.
"""

import errno
import struct
from pathlib import Path
from types import TracebackType
from typing import Self

from bench.i2c_bus import I2cBus
from bench.vhost_ring import Chain
from bench.vhost_server import Server

DEVICE_ID = 34  # of an I2C adapter in virtio
HEADER = struct.Struct("<HHI")  # address with the direction's bit, padding, flags
FAIL_NEXT = 1 << 0  # a flag: what follows belongs to this
ZERO_LENGTH_REQUEST = 1 << 0  # a feature; without it the kernel's driver gives up
GOOD, FAILED = b"\0", b"\1"


class I2cAdapter:
    """Passes a guest's transfers on to a bus."""

    features = ZERO_LENGTH_REQUEST

    def __init__(self, bus: I2cBus) -> None:
        self._bus = bus
        self._before: bytes | None = GOOD  # how what this one belongs to has ended; None: it hangs

    def answer(self, chain: Chain) -> bytes | None:
        """What was read, which is zeros, and a status; None: the bus hangs."""
        address, _, flags = HEADER.unpack_from(chain.sent)
        status = self._before
        if status == GOOD:
            status = self._transfer(address >> 1, chain.sent[HEADER.size :])
        self._before = status if flags & FAIL_NEXT else GOOD
        return None if status is None else bytes(chain.asked - 1) + status

    def _transfer(self, address: int, payload: bytes) -> bytes | None:
        """Its status; None: the bus hangs."""
        try:
            self._bus.transfer(address, payload)
        except TimeoutError:
            return None
        except OSError as error:
            if error.errno == errno.EREMOTEIO:
                return FAILED
            raise
        return GOOD


class I2cServer:
    """The adapter at a socket, for a guest that is started with `option`."""

    def __init__(self, path: Path, bus: I2cBus, *, time_travel: bool = False) -> None:
        """Serves from now on.

        Args:
            path: of the socket, at most 107 characters; it must not be there.
            bus: what hangs behind it; its panels have their supply from the kernel's computer.
            time_travel: whether the guest's clock jumps over idle time.
        """
        bus.waits = not time_travel
        self._bus = bus
        self.option = f"virtio_uml.device={path}:{DEVICE_ID}"
        self._server = Server(path, I2cAdapter(bus), at_once=time_travel, gone=bus.power_on)

    def close(self) -> None:
        """Ends it; raises what went wrong in its thread."""
        self._bus.close()
        self._server.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()
