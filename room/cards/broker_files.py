"""What mosquitto reads: its configuration, its list of passwords, its access list.

A clock logs in under its own name, writes below its own topic and reads what the hub sends to it,
and nothing else. The hub reads everything and writes what goes to the clocks.
"""

import hashlib
import hmac
from base64 import b64encode
from collections.abc import Mapping
from pathlib import PurePath

from room.broker.topics import FROM_HUB, ROOT, Topic, clock_topic, hub_topic
from room.settings.room import HUB

ROUNDS = 101  # of PBKDF2, as mosquitto_passwd has it; passwords are random, and cannot be guessed
SALT_BYTES = 12
MAX_PACKET = 512 * 1024  # bytes; 40 lines of a log are about 40 KiB
MAX_MEMORY = 256 * 1024 * 1024  # bytes
MADE = "# Made by gammonclock room-cards, which writes it anew when room.toml has changed."


def configuration(folder: PurePath, port: int, clocks: int) -> str:
    """Return the configuration, as a whole or as a file of /etc/mosquitto/conf.d.

    The broker finds its other files in the folder.
    """
    return f"""{MADE}
per_listener_settings true
max_packet_size {MAX_PACKET}
max_queued_messages 1000
max_queued_bytes 8388608
memory_limit {MAX_MEMORY}
set_tcp_nodelay true

listener {port}
max_connections {2 * clocks + 20}
certfile {folder / "server.crt"}
keyfile {folder / "server.key"}
tls_version tlsv1.2
allow_anonymous false
password_file {folder / "passwords"}
acl_file {folder / "access"}
# Who logs in as red-7 is red-7: another client id cannot end the connection of a clock.
use_username_as_clientid true
"""


def access_list(room: str) -> str:
    """Return who may read and write which topics of a room."""
    clock = [f"pattern {_right(topic)} {clock_topic(room, '%u', topic)}" for topic in Topic]
    hub = [f"topic read {ROOT}/{room}/#", f"topic write {hub_topic(room)}"]
    hub += [f"topic write {clock_topic(room, '+', topic)}" for topic in FROM_HUB]
    lines = [MADE, f"pattern read {hub_topic(room)}", *clock, "", f"user {HUB}", *hub]
    return "\n".join(lines) + "\n"


def _right(topic: Topic) -> str:
    return "read" if topic in FROM_HUB else "write"


def password_list(passwords: Mapping[str, str], master_key: str) -> str:
    """Return the passwords, by login name, as mosquitto keeps them: salted and hashed.

    Salts are derived from the key, which is hexadecimal, so that the list stays as it is.
    """
    key = bytes.fromhex(master_key)
    return "".join(f"{name}:{_hashed(password, key)}\n" for name, password in passwords.items())


def _hashed(password: str, key: bytes) -> str:
    salt = hmac.digest(key, b"gammonclock salt 1 " + password.encode(), "sha256")[:SALT_BYTES]
    hashed = hashlib.pbkdf2_hmac("sha512", password.encode(), salt, ROUNDS)
    return f"$7${ROUNDS}${b64encode(salt).decode()}${b64encode(hashed).decode()}"
