"""A broker with the certificate of the room, which does its clients harm without end.

    python endless_broker.py flood|silent|huge PORT CERTIFICATE KEY TOPIC PAYLOAD

flood sends a message again and again, silent answers nothing, and huge sends a message of 256 MB.
It makes the file /run/hostile-NAME as soon as a client had to do with that.
"""

import socket
import ssl
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

CONNECT, SUBSCRIBE = 1, 8  # kinds of packets in MQTT 5
CONNECTED = bytes([0x20, 3, 0, 0, 0])
PUBLISH = 0x30
LONGEST = b"\xff\xff\xff\x7f"  # a packet's length: 256 MB less one byte
AT_ONCE = 100  # messages

Peer = ssl.SSLSocket


def packets(peer: Peer) -> Iterator[tuple[int, bytes]]:
    """Yield the kind of each packet that comes, and its content."""
    with peer.makefile("rb") as stream:
        while kind := stream.read(1):
            length, shift = 0, 0
            while (byte := stream.read(1)[0]) & 0x80:
                length, shift = length | (byte & 0x7F) << shift, shift + 7
            yield kind[0] >> 4, stream.read(length | byte << shift)


def subscribed(peer: Peer) -> None:
    """Connect a client, and answer its first subscription as if to each of three topics."""
    for kind, content in packets(peer):
        if kind == CONNECT:
            peer.sendall(CONNECTED)
        elif kind == SUBSCRIBE:
            peer.sendall(bytes([0x90, 6]) + content[:2] + bytes(4))
            return


def flood(peer: Peer, message: bytes) -> None:
    """Send a message again and again."""
    subscribed(peer)
    threading.Thread(target=lambda: list(packets(peer)), daemon=True).start()
    reached("flood")
    while True:
        peer.sendall(message * AT_ONCE)


def silent(peer: Peer, _message: bytes) -> None:
    """Answer nothing, until the client gives up."""
    reached("silent")
    list(packets(peer))


def huge(peer: Peer, _message: bytes) -> None:
    """Send one message of 256 MB, slowly read or not."""
    subscribed(peer)
    reached("huge")
    peer.sendall(bytes([PUBLISH]) + LONGEST)
    while True:
        peer.sendall(bytes(1 << 16))


def reached(name: str) -> None:
    """Say that a client had to do with this."""
    Path(f"/run/hostile-{name}").touch()


def serve(peer: socket.socket, trusted: ssl.SSLContext, harm: Callable[[Peer], None]) -> None:
    """Do one client harm until it is gone."""
    with suppress(OSError, IndexError), trusted.wrap_socket(peer, server_side=True) as wrapped:
        harm(wrapped)


def main() -> None:
    """Take clients without end."""
    name, port, certificate, key, topic, payload = sys.argv[1:]
    trusted = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    trusted.load_cert_chain(certificate, key)
    content = len(topic).to_bytes(2) + topic.encode() + b"\0" + payload.encode()
    message = bytes([PUBLISH, len(content)]) + content
    harm = {"flood": flood, "silent": silent, "huge": huge}[name]
    with socket.create_server(("127.0.0.1", int(port))) as server:
        while True:
            peer, _ = server.accept()
            work = (peer, trusted, lambda wrapped: harm(wrapped, message))
            threading.Thread(target=serve, args=work, daemon=True).start()


if __name__ == "__main__":
    main()
