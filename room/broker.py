"""Connect to the broker of a room: MQTT 5 over TLS, which trusts the room's own authority alone."""

import random
import socket
import ssl
from collections.abc import Iterator

from aiomqtt import Client, MqttError, ProtocolVersion, Will
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.properties import Properties
from paho.mqtt.reasoncodes import ReasonCode
from paho.mqtt.subscribeoptions import SubscribeOptions

from room.hub_card import Broker
from room.topics import MAX_PAYLOAD

KEEPALIVE_S = 15  # the broker takes a client for lost after one and a half times this
FIRST_RETRY_S, LAST_RETRY_S = 0.5, 15.0  # between attempts to connect; each doubles
QOS = 0  # delivery is our own: `room.delivery`

__all__ = ["MqttError", "Will", "connect", "retries_s", "subscribe"]


def connect(broker: Broker, will: Will) -> Client:
    """Return a connection to be opened with `async with`; it raises `MqttError` when it fails."""
    properties = Properties(PacketTypes.CONNECT)  # type: ignore[no-untyped-call]
    properties.MaximumPacketSize = 2 * MAX_PAYLOAD
    return Client(
        broker.host,
        broker.port,
        username=broker.username,
        password=broker.password,
        identifier=broker.username,
        protocol=ProtocolVersion.V5,
        will=will,
        keepalive=KEEPALIVE_S,
        clean_start=True,
        properties=properties,
        tls_context=ssl.create_default_context(cadata=broker.ca),
        socket_options=[(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)],
    )


async def subscribe(client: Client, *topics: str) -> None:
    """Subscribe to topics; what is retained there is told too.

    Raises:
        MqttError: the connection is lost, or the broker refuses a topic.
    """
    options = SubscribeOptions(qos=QOS)
    codes = await client.subscribe([(topic, options) for topic in topics])
    refused = [
        topic
        for topic, code in zip(topics, codes, strict=True)
        if isinstance(code, ReasonCode) and code.is_failure
    ]
    if refused:
        raise MqttError(f"the broker refuses {', '.join(refused)}")


def retries_s() -> Iterator[float]:
    """Yield how long to wait before each next attempt to connect, no two clients alike."""
    longest_s = FIRST_RETRY_S
    while True:
        yield random.uniform(longest_s / 2, longest_s)  # noqa: S311 (no secret)
        longest_s = min(2 * longest_s, LAST_RETRY_S)
