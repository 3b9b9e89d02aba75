"""A broker that means harm, each connection in another way.

    python -S -m lab.bench.guest.hostile_broker PORT FOLDER PREFIX

FOLDER holds the broker's certificate and key; PREFIX is that of the clock's topics.
"""

import random
import socket
import ssl
import struct
import sys
from contextlib import suppress
from itertools import cycle
from pathlib import Path

CHUNK = 64 * 1024  # bytes
CHUNKS = 16  # of a flood; one without end would let no time pass in time travel
PAUSE_S = 0.1  # between two floods of a connection
FLOODS = 10  # in a connection that the link does not give up
PATIENCE_S = 60.0  # longer than the link's
RESET = struct.pack("ii", 1, 0)  # SO_LINGER: drop what is not sent, and say so

CONNACK = bytes((0x20, 3, 0, 0, 0))
SUBACK, PUBLISH = 0x90, 0x30
GRANTED = bytes(3)  # QoS 0 for each topic of the link
HUB = b'{"state":"online","store":"hostile"}'
SIZES = (0, 1, 100, 4096, 5000, CHUNK)  # bytes of a message; an offer has at most 4096


class Hostile:
    """What can be done to a link that connects."""

    def __init__(self, folder: Path, prefix: str) -> None:
        self._tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self._tls.load_cert_chain(folder / "server.crt", folder / "server.key")
        self._clock, self._hub = prefix, f"{prefix.rpartition('/')[0]}/hub"
        self._random = random.Random(1)

    def reset(self, link: socket.socket) -> None:
        """End the connection at once, by a reset."""
        link.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET)

    def flood(self, link: socket.socket) -> None:
        """Send garbage in place of TLS."""
        for _ in range(CHUNKS):
            link.sendall(self._random.randbytes(CHUNK))

    def say_nothing(self, link: socket.socket) -> None:
        """Accept TLS, and then read and never answer."""
        with self._tls.wrap_socket(link, server_side=True) as inside:
            while inside.recv(CHUNK):
                pass

    def flood_inside(self, link: socket.socket) -> None:
        """Send garbage in place of MQTT."""
        with self._tls.wrap_socket(link, server_side=True) as inside:
            for _ in range(CHUNKS):
                inside.sendall(self._random.randbytes(CHUNK))

    def flood_topics(self, link: socket.socket) -> None:
        """Accept the link, and flood it with garbage in all topics that it reads."""
        with self._tls.wrap_socket(link, server_side=True) as inside:
            inside.recv(CHUNK)
            inside.sendall(CONNACK)
            inside.sendall(_packet(SUBACK, _packet_id(inside.recv(CHUNK)) + bytes(1) + GRANTED))
            inside.sendall(self._message(self._hub, HUB))
            inside.settimeout(PAUSE_S)
            for _ in range(FLOODS):
                inside.sendall(self._garbage())
                with suppress(TimeoutError):
                    while inside.recv(CHUNK):
                        pass

    def _garbage(self) -> bytes:
        """Return messages in each topic of the hub: short, of an offer's length, and long."""
        topics = (f"{self._clock}/offer", f"{self._clock}/ack", self._hub)
        return b"".join(
            self._message(topic, self._random.randbytes(size)) for topic in topics for size in SIZES
        )

    @staticmethod
    def _message(topic: str, payload: bytes) -> bytes:
        name = topic.encode()
        no_properties = bytes(1)
        return _packet(PUBLISH, struct.pack("!H", len(name)) + name + no_properties + payload)


def _packet_id(packet: bytes) -> bytes:
    """Return the id of a packet, which follows its kind and its length."""
    at = 1
    while packet[at] & 0x80:
        at += 1
    return packet[at + 1 : at + 3]


def _packet(kind: int, content: bytes) -> bytes:
    """Return an MQTT packet: its kind, its length in groups of seven bits, its content."""
    length, left = b"", len(content)
    while True:
        left, group = left >> 7, left & 0x7F
        length += bytes((group | (0x80 if left else 0),))
        if not left:
            return bytes((kind,)) + length + content


def main() -> None:
    """Serve one connection after another."""
    port, folder, prefix = sys.argv[1:]
    hostile = Hostile(Path(folder), prefix)
    acts = cycle(
        (
            hostile.flood_topics,
            hostile.reset,
            hostile.flood,
            hostile.say_nothing,
            hostile.flood_inside,
        )
    )
    with socket.create_server(("127.0.0.1", int(port))) as server:
        for act in acts:
            link, _ = server.accept()
            with link, suppress(OSError):
                link.settimeout(PATIENCE_S)
                act(link)
            print(act.__name__, flush=True)


if __name__ == "__main__":
    main()
