"""The broker mosquitto, with the files that `gammonclock room-cards` makes for it."""

import os
import queue
import ssl
import subprocess
import threading
from pathlib import Path
from typing import Any, NamedTuple

from paho.mqtt.client import Client, MQTTMessage
from paho.mqtt.enums import CallbackAPIVersion, MQTTProtocolVersion

from lab.bench.closing import Closing
from lab.support.needs import needs
from room.cards.folder import make_files
from room.settings.hub import Broker, load_hub_key_file
from room.settings.link import FILE_NAME, load_key_file
from room.settings.room import RoomSettings, parse_room
from room.simulation.broker import free_port

WAIT_S = 60  # for what comes in an instant on an idle machine


class Room(NamedTuple):
    """The files of a room."""

    settings: RoomSettings
    folder: Path

    @property
    def hub(self) -> Broker:
        """How the hub logs in."""
        return load_hub_key_file(self.folder / "hub.toml").broker

    def login(self, clock: str) -> Broker:
        """How a clock logs in."""
        return load_key_file(self.folder / "clocks" / clock / FILE_NAME).link_settings.login


def make_room(folder: Path, clocks: dict[str, str]) -> Room:
    """Make the files of a room whose broker has a free port of this computer."""
    lines = "".join(f'{name} = "{board}"\n' for name, board in clocks.items())
    text = (
        f'[room]\nname = "test"\n[broker]\nhost = "127.0.0.1"\nport = {free_port()}\n'
        f"[clocks]\n{lines}"
    )
    settings = parse_room(text, "room.toml")
    make_files(settings, folder)
    return Room(settings, folder)


def broker_file(room: Room, *, as_root: bool) -> Path:
    """Write the broker's configuration as it runs in tests; return the path of the file.

    Args:
        room: whose files were made.
        as_root: whether root starts the broker, which could not read its files as another user.
    """
    made = (room.folder / "broker" / "gammonclock.conf").read_text(encoding="utf-8")
    own = room.folder / "mosquitto.conf"
    own.write_text(f"user root\n{made}" if as_root else made, encoding="utf-8")
    return own


class Mosquitto(Closing):
    """A running broker."""

    def __init__(self, room: Room) -> None:
        self._file = broker_file(room, as_root=os.geteuid() == 0)
        self.said: list[str] = []
        self.start()

    def start(self) -> None:
        """Start it; return when it runs."""
        self._process = subprocess.Popen(
            [needs("mosquitto"), "-c", self._file], stderr=subprocess.PIPE, text=True
        )
        self._started = threading.Event()
        self._reader = threading.Thread(target=self._read)
        self._reader.start()
        assert self._started.wait(WAIT_S)
        if self._process.poll() is not None:
            raise LookupError("".join(self.said))

    @property
    def id(self) -> int:
        """The process id."""
        return self._process.pid

    def _read(self) -> None:
        """Read what it says, or it would stop when the pipe is full."""
        assert self._process.stderr is not None
        with self._process.stderr as said:
            for line in said:
                self.said.append(line)
                if " running" in line:
                    self._started.set()
        self._process.wait()
        self._started.set()

    def close(self) -> None:
        """Kill it, and wait until it has ended."""
        self._process.kill()
        self._reader.join()


class Peer(Closing):
    """A client of the broker, as a clock, the hub or an attacker may be one."""

    def __init__(
        self,
        broker: Broker,
        *,
        username: str | None = None,
        password: str | None = None,
        client_id: str = "",
        version: MQTTProtocolVersion = MQTTProtocolVersion.MQTTv5,
    ) -> None:
        self._client = Client(CallbackAPIVersion.VERSION2, client_id, protocol=version)
        self._client.tls_set_context(ssl.create_default_context(cadata=broker.ca))
        name = broker.username if username is None else username
        if name:
            self._client.username_pw_set(name, broker.password if password is None else password)
        self._answers: queue.Queue[str] = queue.Queue()
        self.messages: queue.Queue[tuple[str, bytes]] = queue.Queue()
        self.lost: queue.Queue[str] = queue.Queue()
        self._client.on_connect = lambda *given: self._answers.put(str(given[3]))
        self._client.on_publish = lambda *given: self._answers.put(str(given[3]))
        self._client.on_subscribe = lambda *given: self._answers.put(str(given[3][0]))
        self._client.on_disconnect = lambda *given: self._leave(str(given[3]))
        self._client.on_message = self._take
        self._client.reconnect_delay_set(3600, 3600)
        self._client.connect(broker.host, broker.port)
        self._client.loop_start()
        self.connected = self._answers.get(timeout=WAIT_S)

    def _take(self, _client: Client, _data: Any, message: MQTTMessage) -> None:
        self.messages.put((message.topic, bytes(message.payload)))

    def _leave(self, why: str) -> None:
        self.lost.put(why)
        self._answers.put(why)

    def publish(self, topic: str, payload: bytes = b"x", *, retain: bool = False) -> str:
        """Publish with an acknowledgement, and return it, or why the connection ended instead."""
        self._client.publish(topic, payload, qos=1, retain=retain)
        return self._answers.get(timeout=WAIT_S)

    def send(self, topic: str, payload: bytes) -> None:
        """Publish, and expect no acknowledgement."""
        self._client.publish(topic, payload, qos=1)

    def subscribe(self, topic: str) -> str:
        """Subscribe, and return the acknowledgement."""
        self._client.subscribe(topic, qos=1)
        return self._answers.get(timeout=WAIT_S)

    def next(self) -> tuple[str, bytes]:
        """Return the topic and the payload of the next message."""
        return self.messages.get(timeout=WAIT_S)

    def close(self) -> None:
        """Disconnect."""
        self._client.disconnect()
        self._client.loop_stop()
