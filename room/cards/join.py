"""`gammonclock room-join`: a clock takes its file of a room from the boot partition, once.

Each part of it goes where only its reader can read it: the link's settings, the key of the offers,
the Wi-Fi. The file is deleted when all of them are on the disk, and not before: after a power cut
at any step the next start does the same again.
"""

import pwd
import uuid
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from clock.config.reader import ConfigError
from clock.storage.disk import DISK
from clock.storage.offer_file import KEY
from room.cards.private_files import write_private
from room.cards.toml_text import toml_text
from room.settings.link import FILE_NAME, KeyFile, load_key_file
from room.settings.link import PATH as LINK_FILE
from room.settings.room import WifiTable

KEY_FILE = Path("/boot/firmware") / FILE_NAME
LINK_USER, CLOCK_USER = "gammonclock-link", "gammonclock"
INSTALL_LINK = "Install the clock again: sudo make install-pi"
NETWORKS = uuid.UUID("9bb7c1b4-6bb5-4b32-8e0e-3b3b8a4f4c11")  # those of rooms have ids of their own

Owner = tuple[int, int]  # user and group


class JoinError(Exception):
    """The clock cannot join; the message says what to do, and its file is kept."""


class Places(NamedTuple):
    """Where the parts of a clock's file go."""

    link: Path = LINK_FILE
    offer_key: Path = Path("/var/lib/gammonclock/offer.key")
    wifi: Path = Path("/etc/NetworkManager/system-connections/gammonclock-room.nmconnection")


PLACES = Places()


def owner_of(user: str) -> Owner:
    """Return a user of this computer with their group; raise JoinError if there is no such user."""
    try:
        found = pwd.getpwnam(user)
    except KeyError:
        raise JoinError(f"there is no user {user}. {INSTALL_LINK}") from None
    return found.pw_uid, found.pw_gid


def join_room(file: Path, places: Places, owner: Callable[[str], Owner]) -> KeyFile | None:
    """Take a clock's file of a room, and delete it; None: there is none.

    Raises:
        ConfigError: the file cannot be used.
        JoinError: a part cannot be written, or the file cannot be deleted.
    """
    if not file.exists():
        return None
    keys = load_key_file(file)
    owners = owner(LINK_USER), owner(CLOCK_USER)
    try:
        _write_parts(keys, places, *owners)
    except OSError as error:
        where = error.filename or "the room's settings"
        raise JoinError(f"{where}: {error.strerror}; {file} was kept") from error
    _delete(file)
    return keys


def _delete(file: Path) -> None:
    try:
        file.unlink()
        DISK.sync_directory(file.parent)
    except OSError as error:
        raise JoinError(
            f"{file}: not deleted: {error.strerror}. It is secret: delete it"
        ) from error


def _write_parts(keys: KeyFile, places: Places, link: Owner, clock: Owner) -> None:
    write_private(places.link, toml_text(keys.link_settings).encode(), link)
    write_offer_key(keys, places.offer_key, clock)
    if keys.wifi.ssid:
        write_private(places.wifi, network_file(keys.room, keys.wifi).encode())


def write_offer_key(keys: KeyFile, path: Path, clock: Owner | None = None) -> None:
    """Write the key with which a clock verifies offers, for its user or that of this process.

    Raises:
        OSError: it cannot be written.
    """
    write_private(path, f"{keys.offer_key}\n".encode(), clock)


def join_simulated(file: Path, directory: Path) -> None:
    """Give a simulated clock its key of a room; the clock's file of the room is kept.

    Raises:
        ConfigError: the file cannot be used.
        JoinError: the key cannot be written.
    """
    path = directory / KEY
    try:
        write_offer_key(load_key_file(file), path)
    except OSError as error:
        raise JoinError(f"{path}: {error.strerror}") from error


def network_file(room: str, wifi: WifiTable) -> str:
    """Return the file of a Wi-Fi for NetworkManager."""
    ssid = "".join(f"{byte};" for byte in wifi.ssid.encode())  # as bytes nothing has to be quoted
    security = f"\n[wifi-security]\nkey-mgmt=wpa-psk\npsk={_quoted(wifi.password)}\n"
    return (
        f"[connection]\nid=gammonclock {room}\nuuid={uuid.uuid5(NETWORKS, room)}\ntype=wifi\n"
        f"\n[wifi]\nmode=infrastructure\nssid={ssid}\npowersave=2\n"  # off: it delays by seconds
        f"{security if wifi.password else ''}"
        "\n[ipv4]\nmethod=auto\n\n[ipv6]\nmethod=auto\n"
    )


def _quoted(text: str) -> str:
    """Return a text as GLib's key files have it."""
    text = text.replace("\\", "\\\\")
    spaces = len(text) - len(text.lstrip(" "))
    return "\\s" * spaces + text.lstrip(" ")


class Pending(NamedTuple):
    """Why a clock's file is still on the boot partition."""

    found: str
    advice: str


def pending(file: Path) -> Pending | None:
    """Return why there is still a file on the boot partition; None: there is none."""
    if not file.exists():
        return None
    try:
        keys = load_key_file(file)
    except ConfigError as error:
        return Pending(f"{error.file}: {error.key}", str(error))
    advice = "Restart the clock. If the file is still there: journalctl -u gammonclock-room"
    return Pending(f"{file} of the room {keys.room} was not taken yet", advice)
