"""The I2C adapter of a guest, `/dev/i2c-0`: a virtio-i2c device in front of a modelled bus.

A request holds an address and flags, the bytes to write, and room for the bytes that are read and
for a status (virtio 1.2, section 5.34).
"""

import errno
import struct
from pathlib import Path

from lab.bench.closing import Closing
from lab.bench.i2c_bus import I2cBus
from lab.bench.vhost_ring import Chain
from lab.bench.vhost_server import Server

DEVICE_ID = 34  # of an I2C adapter in virtio
HEADER = struct.Struct("<HHI")  # address with the read bit, padding, flags
FAIL_NEXT = 1 << 0  # flag: the next request belongs to this one, and fails with it
READ = 1 << 1  # flag: bytes are read, not written
ZERO_LENGTH_REQUEST = 1 << 0  # a feature; without it the kernel's driver gives up
GOOD, FAILED = b"\0", b"\1"


class I2cAdapter:
    """Pass a guest's transfers on to a bus."""

    features = ZERO_LENGTH_REQUEST

    def __init__(self, bus: I2cBus) -> None:
        self._bus = bus
        # The status of the request that the next one belongs to; None while that one hangs.
        self._before: bytes | None = GOOD

    def answer(self, chain: Chain) -> bytes | None:
        """Return the bytes read and the status; None if the bus hangs."""
        address, _, flags = HEADER.unpack_from(chain.sent)
        status, content = self._before, b""
        if status == GOOD:
            read = chain.asked - 1 if flags & READ else 0
            status, content = self._transfer(address >> 1, chain.sent[HEADER.size :], read)
        self._before = status if flags & FAIL_NEXT else GOOD
        return None if status is None else content.ljust(chain.asked - 1, b"\0") + status

    def _transfer(self, address: int, payload: bytes, read: int) -> tuple[bytes | None, bytes]:
        """Return the status of a transfer, None if the bus hangs; and the bytes read."""
        try:
            if read:
                return GOOD, bytes([self._bus.read(address)] * read)
            self._bus.transfer(address, payload)
        except TimeoutError:
            return None, b""
        except OSError as error:
            if error.errno == errno.EREMOTEIO:
                return FAILED, b""
            raise
        return GOOD, b""


class I2cServer(Closing):
    """The adapter on a Unix socket, for a guest that is started with `option`."""

    def __init__(self, path: Path, bus: I2cBus, *, time_travel: bool = False) -> None:
        """Start to serve.

        Args:
            path: the socket, at most 107 characters; it must not exist.
            bus: the bus behind the adapter. Its panels get their power from the guest: when the
                guest ends, they are switched off.
            time_travel: whether the guest's clock jumps over idle time.
        """
        bus.waits = not time_travel
        self._bus = bus
        self.option = f"virtio_uml.device={path}:{DEVICE_ID}"
        self._server = Server(
            path, I2cAdapter(bus), answer_first=time_travel, on_disconnect=bus.power_on
        )

    def close(self) -> None:
        """Stop serving, and raise the error that ended the server's thread, if there was one."""
        self._bus.close()
        self._server.close()
