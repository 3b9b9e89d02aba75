"""Clocks of a room whose logs grow, their links in a process of its own, and the hub in another.

    python -m lab.support.room_hall ROOM DIRECTORY...    the links of these log directories

The name of a directory is that of its clock. The clocks play nothing here: their logs are written
line by line.
"""

import asyncio
import logging
import ssl
import subprocess
import sys
import threading
import urllib.request
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from signal import SIGKILL
from typing import Any

import msgspec
from msgspec.structs import replace
from paho.mqtt.client import Client, MQTTMessage
from paho.mqtt.enums import CallbackAPIVersion, MQTTProtocolVersion

from clock.eventlog.codec import stated_hash
from clock.storage.log_reader import CURRENT
from lab.bench.closing import Closing
from lab.support.mosquitto import WAIT_S, Room
from lab.support.paths import ROOT
from room.broker.link import Link
from room.broker.run_link import run_links
from room.broker.topics import LOOKOUT, Ack
from room.hub.store.store import Store
from room.lines.inbox import Point
from room.settings.hub import Broker, load_hub_key_file
from room.settings.link import FILE_NAME, LinkSettings, load_key_file
from room.simulation.broker import free_port
from room.sources.raw_clock import now_ns

PROBE = "probe"  # a login that hears everything
PYTHON = [sys.executable]  # and what each program is run by


class LoggedClock:
    """A log directory whose logs grow line by line, as a clock writes them."""

    def __init__(self, directory: Path, logs: Sequence[Sequence[bytes]]) -> None:
        """Write nothing yet.

        Args:
            directory: of the logs; its name is that of the clock.
            logs: one after another, without line feeds.
        """
        directory.mkdir(parents=True)
        self.directory, self.name = directory, directory.name
        self._lines = [(number, line) for number, log in enumerate(logs) for line in log]
        self._logs: list[Path] = []
        self.written: dict[str, list[bytes]] = {}  # by match

    def write(self, count: int = 1) -> None:
        """Write so many lines, as far as there are any left."""
        for number, line in self._lines[:count]:
            if number == len(self._logs):
                self._begin()
            with self._logs[-1].open("ab") as file:
                file.write(line + b"\n")
            match = msgspec.json.decode(line)["match"]
            self.written.setdefault(match, []).append(line)
        del self._lines[:count]

    @property
    def left(self) -> bool:
        """Whether there are lines to be written."""
        return bool(self._lines)

    def lose(self, count: int, fork: Sequence[bytes]) -> None:
        """Take the latest lines off the card; the clock goes on with those of another branch."""
        path = self._logs[-1]
        lines = path.read_bytes().split(b"\n")[: -1 - count]
        path.write_bytes(b"".join(line + b"\n" for line in lines))
        self.written[list(self.written)[-1]] = lines
        self._lines = [(len(self._logs) - 1, line) for line in fork[len(lines) :]]

    def _begin(self) -> None:
        """Begin the file of the next match, and lead `current.jsonl` there."""
        path = self.directory / f"{log_name(self.name, len(self._logs))}.jsonl"
        path.touch()
        self._logs.append(path)
        link = self.directory / ".new"
        link.symlink_to(path.name)
        link.replace(self.directory / CURRENT)


def log_name(clock: str, number: int) -> str:
    """Return the name of a clock's log, the number of which counts from 0."""
    return f"2026-01-01T00-00-{number:02}-{clock}"


def fingerprints(written: Mapping[str, list[bytes]]) -> dict[str, Point]:
    """The latest line of each match."""
    return {
        match: Point(len(lines), stated_hash(lines[-1]) or "") for match, lines in written.items()
    }


class Program(Closing):
    """A process of the room."""

    def __init__(self, *command: object) -> None:
        self._command = [*PYTHON, *map(str, command)]
        self._process = self._started()

    def _started(self) -> subprocess.Popen[bytes]:
        return subprocess.Popen(self._command, cwd=ROOT, stdout=subprocess.DEVNULL)

    @property
    def id(self) -> int:
        """The process id."""
        return self._process.pid

    def signal(self, number: int) -> None:
        """Send it a signal."""
        self._process.send_signal(number)

    def kill(self) -> None:
        """Kill it without a word, and wait until it has ended."""
        self._process.kill()
        self._end()

    def restart(self, number: int = SIGKILL) -> None:
        """End it by a signal and start it again."""
        self.signal(number)
        self._end()
        self._process = self._started()

    def close(self) -> None:
        """End it, and wait until it has ended."""
        self._process.terminate()
        self._end()

    def _end(self) -> None:
        self._process.wait()
        if self._process.stdout is not None:
            self._process.stdout.close()


class HubProgram(Program):
    """The hub of a room, with its pages on a port, or on any that is free."""

    def __init__(self, room: Room, database: Path | str, port: int = 0) -> None:
        options = ("--config", room_file(room), "--database", database, "--port", port)
        super().__init__("-m", "gammonclock", "hub", *options)

    def _started(self) -> subprocess.Popen[bytes]:
        return subprocess.Popen(self._command, cwd=ROOT, stdout=subprocess.PIPE)

    def address(self) -> str:
        """Return the address of its pages, as soon as they can be opened; to be asked once."""
        assert self._process.stdout is not None
        return self._process.stdout.readline().decode().partition("?")[0]


class AskedHub(HubProgram):
    """A hub on a port of its own, which the director's programs ask; it can be ended and killed."""

    def __init__(self, room: Room, database: Path | str) -> None:
        """Start it; return when its tables are made, and its pages can be opened."""
        port, self.starts = free_port(), 1
        self.url, self.token = (
            f"http://127.0.0.1:{port}/",
            load_hub_key_file(room.folder / "hub.toml").token,
        )
        super().__init__(room, database, port)
        assert self.address(), "the hub did not start"

    def restart(self, number: int = SIGKILL) -> None:
        """End it by a signal and start it again, without waiting for it."""
        super().restart(number)
        self.starts += 1

    def read(self, path: str, body: bytes | None = None, seconds: float = WAIT_S) -> bytes:
        """Return what stands at an address for the director, or what the hub answers to a body."""
        headers = {"authorization": f"Bearer {self.token}"}
        request = urllib.request.Request(self.url + path, body, headers)  # noqa: S310 (its own)
        with urllib.request.urlopen(request, timeout=seconds) as answer:  # noqa: S310
            found: bytes = answer.read()
        return found


def room_file(room: Room) -> Path:
    """Write the director's file of a room that was made for a test; return its path."""
    settings, path = room.settings, room.folder / "room.toml"
    clocks = "".join(f'{name} = "{board}"\n' for name, board in settings.clocks.items())
    path.write_text(
        f'[room]\nname = "{settings.room.name}"\n[broker]\nhost = "{settings.broker.host}"\n'
        f"port = {settings.broker.port}\n[clocks]\n{clocks}"
    )
    return path


def link_program(room: Room, directories: Iterable[Path], port: int | None = None) -> Program:
    """The links of some log directories; at another port than the broker's if one is given."""
    return Program("-m", "lab.support.room_hall", room.folder, port or 0, *directories)


def link_settings(folder: Path, clock: str, port: int = 0) -> LinkSettings:
    """What a clock's link is told."""
    found = load_key_file(folder / "clocks" / clock / FILE_NAME).link_settings
    return replace(found, broker=replace(found.broker, port=port)) if port else found


async def _no_service() -> tuple[str, str]:
    return "active", "RUNNING, 3-5/11"


def make_link(folder: Path, directory: Path, port: int = 0) -> Link:
    """The link of a clock that follows a log directory."""
    settings = link_settings(folder, directory.name, port)
    return Link(settings, directory, now_ns, _no_service)


def allow_probe(room: Room) -> Broker:
    """Let one more login read everything, and return it."""
    broker = room.folder / "broker"
    hub = next(
        line for line in (broker / "passwords").read_text().splitlines() if line.startswith("hub:")
    )
    with (broker / "passwords").open("a") as passwords:
        passwords.write(hub.replace("hub:", f"{PROBE}:", 1) + "\n")
    with (broker / "access").open("a") as access:
        access.write(f"\nuser {PROBE}\ntopic read gammonclock/1/{room.settings.room.name}/#\n")
    return replace(room.hub, username=PROBE)


class Probe(Closing):
    """Hears what the hub acknowledges; connects again whenever the broker is gone."""

    def __init__(self, login: Broker, room: str) -> None:
        self._topic = f"gammonclock/1/{room}/+/ack"
        self._changed = threading.Condition()
        self.have: dict[tuple[str, str], Point] = {}  # by clock and match
        self.heard = 0
        version = MQTTProtocolVersion.MQTTv5
        self._client = Client(CallbackAPIVersion.VERSION2, login.username, protocol=version)
        self._client.tls_set_context(ssl.create_default_context(cadata=login.ca))
        self._client.username_pw_set(login.username, login.password)
        self._client.on_connect = lambda client, *given: client.subscribe(self._topic)
        self._client.on_message = self._take
        self._client.reconnect_delay_set(1, 1)
        self._client.connect_async(login.host, login.port)
        self._client.loop_start()

    def _take(self, _client: Client, _data: Any, message: MQTTMessage) -> None:
        clock = message.topic.split("/")[3]
        if clock == LOOKOUT:
            return
        ack = msgspec.json.decode(message.payload, type=Ack)
        with self._changed:
            self.have.update({(clock, match): point for match, point in ack.have.items()})
            self.heard += 1
            self._changed.notify_all()

    def wait_more(self, count: int, seconds: float) -> None:
        """Wait for so many acknowledgements, at most so long."""
        with self._changed:
            wanted = self.heard + count
            self._changed.wait_for(lambda: self.heard >= wanted, seconds)

    def forget(self) -> None:
        """Count only what is said from now on."""
        with self._changed:
            self.have.clear()

    def wait_whole(self, clocks: Iterable[LoggedClock], seconds: float = WAIT_S) -> None:
        """Wait until everything that these clocks have written is acknowledged."""
        wanted = {
            (clock.name, match): fingerprint
            for clock in clocks
            for match, fingerprint in fingerprints(clock.written).items()
        }
        with self._changed:
            self._changed.wait_for(lambda: self._lacks(wanted) == [], seconds)
            assert self._lacks(wanted) == []

    def _lacks(self, wanted: dict[tuple[str, str], Point]) -> list[tuple[str, str]]:
        return [key for key, fingerprint in wanted.items() if self.have.get(key) != fingerprint]

    def close(self) -> None:
        """Disconnect."""
        self._client.disconnect()
        self._client.loop_stop()


def stored(database: Path | str, clock: LoggedClock) -> dict[str, list[bytes]]:
    """What the database has of the matches of a clock."""
    store = Store(database)
    try:
        return {match: store.lines(match, f"test/{clock.name}") for match in clock.written}
    finally:
        store.close()


def main() -> None:
    """Run links until the process ends."""
    logging.getLogger("room.broker.link").setLevel(logging.ERROR)  # each says that it is connected
    folder, port, *directories = sys.argv[1:]
    paths = [Path(directory) for directory in directories]
    links = {path: (Path(folder), path, int(port)) for path in paths}

    async def run() -> None:
        await run_links({path: make_link(*arguments) for path, arguments in links.items()})

    with suppress(asyncio.CancelledError, KeyboardInterrupt):
        asyncio.run(run())


if __name__ == "__main__":
    main()
