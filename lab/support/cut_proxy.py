"""A way to the broker that can be cut: connections end in the middle of whatever they carry."""

import asyncio
import threading
from random import Random

from lab.bench.closing import Closing


class CutProxy(Closing):
    """Passes bytes on to a port of this computer, in a thread."""

    def __init__(self, port: int) -> None:
        """Listen on a free port; `port` is where the bytes go."""
        self._to, self._ready = port, threading.Event()
        self._writers: set[asyncio.StreamWriter] = set()
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._run, name="proxy")
        self._thread.start()
        self._ready.wait()

    def cut(self, random: Random, share: float) -> None:
        """Cut a share of the connections, at random."""
        self._loop.call_soon_threadsafe(self._cut, random, share)

    def close(self) -> None:
        """Cut all, and end the thread."""
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()

    def _run(self) -> None:
        asyncio.set_event_loop(self._loop)
        server = self._loop.run_until_complete(asyncio.start_server(self._pass_on, "127.0.0.1", 0))
        self.port = int(server.sockets[0].getsockname()[1])
        self._ready.set()
        self._loop.run_forever()
        server.close()
        for task in asyncio.all_tasks(self._loop):
            task.cancel()
        self._cut(Random(0), 1)
        self._loop.run_until_complete(asyncio.gather(*asyncio.all_tasks(self._loop)))
        self._loop.close()

    def _cut(self, random: Random, share: float) -> None:
        for writer in list(self._writers):
            if random.random() < share:
                writer.transport.abort()

    async def _pass_on(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            from_broker, to_broker = await asyncio.open_connection("127.0.0.1", self._to)
        except OSError:
            writer.transport.abort()
            return
        self._writers |= {writer, to_broker}
        ways = (self._copy(reader, to_broker), self._copy(from_broker, writer))
        try:
            await asyncio.gather(*ways)
        except asyncio.CancelledError:
            pass
        finally:
            self._writers -= {writer, to_broker}

    @staticmethod
    async def _copy(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Pass on until one side is gone; then the other side goes too."""
        try:
            while data := await reader.read(1 << 16):
                writer.write(data)
                await writer.drain()
        except OSError:
            pass
        finally:
            writer.transport.abort()
