"""A room with a broker on this computer: mosquitto, and the links of simulated clocks."""

import asyncio
import logging
import os
import shutil
import socket
import subprocess
import tempfile
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from room.broker.link import Link
from room.broker.run_link import run_links
from room.cards.folder import make_files
from room.cards.join import join_simulated
from room.settings.hub import HubKeyFile, load_hub_key_file
from room.settings.link import FILE_NAME, load_key_file
from room.settings.room import BrokerTable, RoomSettings, RoomTable
from room.sources.raw_clock import now_ns
from room.web.watch import WatchError

HOST = "127.0.0.1"
PROGRAM_PATH = os.pathsep.join((os.environ.get("PATH", ""), "/usr/sbin", "/usr/local/sbin"))
MISSING = "the broker mosquitto is missing. On Debian: sudo apt install mosquitto"


@contextmanager
def broker_room(directories: Sequence[Path]) -> Iterator[tuple[HubKeyFile, dict[str, str]]]:
    """Run a broker, and the link of each log directory.

    Yields the hub's login, and the names of the boards by clock.

    Raises:
        WatchError: there is no broker.
    """
    program = shutil.which("mosquitto", path=PROGRAM_PATH)
    if program is None:
        raise WatchError(MISSING)
    boards = {f"clock-{directory.name}": directory.name for directory in directories}
    with tempfile.TemporaryDirectory(prefix="gammonclock-broker-") as folder:
        table = BrokerTable(host=HOST, port=free_port())
        settings = RoomSettings(room=RoomTable(name="simulated"), broker=table, clocks=boards)
        files = Path(folder, "files")
        make_files(settings, files)
        with _broker(program, files / "broker" / "gammonclock.conf"), _links(files, directories):
            yield load_hub_key_file(files / "hub.toml"), boards


def free_port() -> int:
    """Return a port of this computer on which nothing listens now."""
    with socket.create_server((HOST, 0)) as probe:
        return int(probe.getsockname()[1])


@contextmanager
def _broker(program: str, configuration: Path) -> Iterator[None]:
    if os.geteuid() == 0:  # as another user it could not read its files
        configuration.write_text(f"user root\n{configuration.read_text()}")
    command = [program, "-c", str(configuration)]
    # In a session of its own: Ctrl-C ends the links first.
    with subprocess.Popen(  # noqa: S603 (this program's own files)
        command, stderr=subprocess.DEVNULL, start_new_session=True
    ) as process:
        try:
            yield
        finally:
            process.terminate()


@contextmanager
def _links(files: Path, directories: Sequence[Path]) -> Iterator[None]:
    """Run the links of log directories, in a thread; they say nothing in the terminal."""
    logging.getLogger("room.broker.link").setLevel(logging.CRITICAL)
    loop = asyncio.new_event_loop()
    links = loop.create_task(_run_links(files, directories))
    thread = threading.Thread(target=_run, args=(loop, links), name="links")
    thread.start()
    try:
        yield
    finally:
        loop.call_soon_threadsafe(links.cancel)
        thread.join()


def _run(loop: asyncio.AbstractEventLoop, links: asyncio.Task[None]) -> None:
    with suppress(asyncio.CancelledError):
        loop.run_until_complete(links)
    loop.close()


async def _run_links(files: Path, directories: Sequence[Path]) -> None:
    await run_links({directory: _link(files, directory) for directory in directories})


def _link(files: Path, directory: Path) -> Link:
    file = files / "clocks" / f"clock-{directory.name}" / FILE_NAME
    join_simulated(file, directory)
    keys = load_key_file(file)
    return Link(keys.link_settings, directory, now_ns, _service)


async def _service() -> tuple[str, str]:
    """Return the state of a service that the simulated clock does not have."""
    return "", ""
