"""`gammonclock room-cards`: a file for each clock, the broker's files, the hub's file, labels.

Secrets are random, made once and kept in the folder of the files: files that are made again have
the same passwords. A file that would not change is not written.
"""

import secrets
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from html import escape
from pathlib import Path, PurePosixPath
from typing import NamedTuple, TypeVar
from urllib.parse import urlsplit

import segno

from clock.config.offer import offer_key
from room.broker.topics import LOOKOUT
from room.cards.broker_files import access_list, configuration, password_list
from room.cards.certificates import (
    AuthorityError,
    Identity,
    make_authority,
    pages_identity,
    server_identity,
)
from room.cards.private_files import read_private, write_private
from room.cards.toml_text import toml_text
from room.settings.hub import Broker, HubKeyFile, load_hub_key_file
from room.settings.link import FILE_NAME, KeyFile, LinkBroker, load_key_file
from room.settings.room import HUB, TOKEN_BYTES, RoomSettings

STYLE = """
@page { margin: 10mm }
body { font-family: sans-serif; margin: 0; color: #000; background: #fff }
section { display: grid; grid-template-columns: repeat(3, 1fr); gap: 4mm }
section + section { break-before: page }
article { border: 0.3mm dashed #888; padding: 4mm; text-align: center; break-inside: avoid }
article svg { width: 38mm; height: 38mm }
h1 { font-size: 9mm; margin: 0 }
p { font-size: 3mm; margin: 1mm 0; overflow-wrap: anywhere }
"""


def label_sheet(room: str, address: str, token: str, boards: Mapping[str, str]) -> str:
    """Return the labels as one page of HTML; `boards` are the names of the clocks, by board.

    A phone that scans a board's label shows that board. The director's label opens the pages that
    need the token, so it is on a sheet of its own.

    The address of the pages has a slash at its end; the token is that of the director's pages.
    """
    director = _label("Director", f"{room}: keep this one", f"{address}?token={token}")
    labels = [
        _label(f"Board {board}", clock, f"{address}board/{board}")
        for board, clock in boards.items()
    ]
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f"<title>{escape(room)}: labels</title>\n<style>{STYLE}</style>\n</head>\n<body>\n"
        f"<section>\n{director}</section>\n<section>\n{''.join(labels)}</section>\n"
        "</body>\n</html>\n"
    )


def _label(title: str, text: str, address: str) -> str:
    # To choose the best of eight masks takes most of the time; a camera reads each of them.
    code = segno.make(address, error="m", mask=0)
    return (
        f"<article><h1>{escape(title)}</h1>{code.svg_inline(border=2, omitsize=True)}"
        f"<p>{escape(text)}</p><p>{escape(address)}</p></article>\n"
    )


HUB_FILE = "hub.toml"
AUTHORITY_KEY = "authority.key"  # signs for the room; it stays with the director
SERVER, SERVER_KEY = "broker/server.crt", "broker/server.key"
PAGES, PAGES_KEY = "web/hub.crt", "web/hub.key"  # for https
AUTHORITY = "web/authority.crt"  # for the phones that are to trust it
CLOCKS = "clocks"  # the folder with a folder for each clock
PASSWORD_BYTES, KEY_BYTES = 24, 32
AT_ONCE = 32  # files that are written
LEFTOVER = "Name another folder, or empty this one if none of its files is in use."

KnownT = TypeVar("KnownT")


class RoomFilesError(Exception):
    """The files cannot be made; the message says what to do."""


class Made(NamedTuple):
    """What was written."""

    new: list[str]  # names of files
    changed: list[str]
    kept: int  # files that stay as they are
    gone: list[str]  # clocks that have a file, but are not in room.toml any more


class Secrets(NamedTuple):
    """The secrets of a room, and the certificates of its broker and pages."""

    hub: HubKeyFile
    authority: Identity
    server: Identity
    pages: Identity
    passwords: dict[str, str]  # by clock


def make_files(settings: RoomSettings, folder: Path) -> Made:
    """Write all files of a room into a folder, which only its owner can open.

    The folder is new, empty, or the one with the files of this room.

    Raises:
        RoomFilesError: the folder has other files, or cannot be used.
        ConfigError: a file of an earlier call cannot be used.
    """
    try:
        _check(folder, settings.room.name)
        known = _secrets(settings, folder)
        return _write(folder, _files(settings, known, folder), settings)
    except OSError as error:
        raise RoomFilesError(f"{error.filename or folder}: {error.strerror}") from error
    except AuthorityError as error:
        raise RoomFilesError(f"{folder / AUTHORITY_KEY} {error}") from error


def _check(folder: Path, room: str) -> None:
    """Refuse a folder with other files than those of this room."""
    if not folder.exists():
        return
    if not folder.is_dir():
        raise RoomFilesError(f"{folder} is not a folder; name another one")
    hub = folder / HUB_FILE
    if not hub.exists():
        if any(folder.iterdir()):
            raise RoomFilesError(f"{folder} has other files, and no {HUB_FILE}. {LEFTOVER}")
        return
    found = load_hub_key_file(hub).room
    if found != room:
        raise RoomFilesError(
            f'{folder} has the files of the room "{found}", not of "{room}". {LEFTOVER}'
        )


# --- the secrets ----------------------------------------------------------------------------------


def _secrets(settings: RoomSettings, folder: Path) -> Secrets:
    """Return the secrets of an earlier call, and new ones for what is new."""
    hub = _if_there(folder / HUB_FILE, load_hub_key_file)
    authority = _authority(settings.room.name, folder, hub)
    passwords = {name: _password(folder, name) for name in settings.clocks}
    server = server_identity(authority, settings.broker.host, folder / SERVER, folder / SERVER_KEY)
    host = urlsplit(settings.address).hostname or ""
    pages = pages_identity(authority, host, folder / PAGES, folder / PAGES_KEY)
    return Secrets(_hub_keys(settings, hub, authority), authority, server, pages, passwords)


def _if_there(path: Path, load: Callable[[Path], KnownT]) -> KnownT | None:
    return load(path) if path.exists() else None


def _authority(room: str, folder: Path, hub: HubKeyFile | None) -> Identity:
    if hub is None:
        return make_authority(room)
    return Identity(hub.broker.ca, read_private(folder / AUTHORITY_KEY).decode("ascii", "replace"))


def _password(folder: Path, clock: str) -> str:
    keys = _if_there(folder / CLOCKS / clock / FILE_NAME, load_key_file)
    return secrets.token_urlsafe(PASSWORD_BYTES) if keys is None else keys.broker.password


def _hub_keys(settings: RoomSettings, before: HubKeyFile | None, authority: Identity) -> HubKeyFile:
    password = before.broker.password if before else secrets.token_urlsafe(PASSWORD_BYTES)
    token = before.token if before else secrets.token_urlsafe(TOKEN_BYTES)
    return HubKeyFile(
        room=settings.room.name,
        token=settings.pages.token or token,
        master_key=before.master_key if before else secrets.token_hex(KEY_BYTES),
        stand_by=(before and before.stand_by) or secrets.token_urlsafe(PASSWORD_BYTES),
        broker=Broker(
            host=settings.broker.host,
            port=settings.broker.port,
            ca=authority.certificate,
            password=password,
        ),
    )


# --- the files ------------------------------------------------------------------------------------


def _files(settings: RoomSettings, known: Secrets, folder: Path) -> dict[str, str]:
    """Return all files by name; the hub's comes last, and says that the others are there."""
    hub, clocks = known.hub, settings.clocks
    place = settings.broker.folder or str(folder.resolve() / "broker")
    boards = {board: name for name, board in clocks.items()}
    files = {f"{CLOCKS}/{name}/{FILE_NAME}": _clock_keys(settings, known, name) for name in clocks}
    return {
        AUTHORITY_KEY: known.authority.key,
        **files,
        "broker/gammonclock.conf": configuration(
            PurePosixPath(place), settings.broker.port, len(clocks)
        ),
        "broker/passwords": password_list(_passwords(known), hub.master_key),
        "broker/access": access_list(settings.room.name),
        SERVER: known.server.certificate,
        SERVER_KEY: known.server.key,
        PAGES: known.pages.certificate,
        PAGES_KEY: known.pages.key,
        AUTHORITY: known.authority.certificate,
        "labels.html": label_sheet(settings.room.name, settings.address, hub.token, boards),
        HUB_FILE: toml_text(hub),
    }


def _passwords(known: Secrets) -> dict[str, str]:
    """Return all passwords at the broker, by login name."""
    return {HUB: known.hub.broker.password, LOOKOUT: known.hub.stand_by, **known.passwords}


def _clock_keys(settings: RoomSettings, known: Secrets, clock: str) -> str:
    keys = KeyFile(
        room=settings.room.name,
        clock=clock,
        board=settings.clocks[clock],
        board_topic=settings.room.board_topic,
        offer_key=offer_key(bytes.fromhex(known.hub.master_key), clock).hex(),
        broker=LinkBroker(
            host=settings.broker.host,
            port=settings.broker.port,
            ca=known.authority.certificate,
            password=known.passwords[clock],
        ),
        wifi=settings.wifi,
    )
    return toml_text(keys)


def _write(folder: Path, files: Mapping[str, str], settings: RoomSettings) -> Made:
    made = Made([], [], 0, _gone(folder, settings))
    for name, text in files.items():
        path = folder / name
        if not path.exists():
            made.new.append(name)
        elif read_private(path) != text.encode():
            made.changed.append(name)
    written = sorted({*made.new, *made.changed} - {HUB_FILE})
    with ThreadPoolExecutor(AT_ONCE) as pool:  # each waits for the disk
        list(pool.map(lambda name: write_private(folder / name, files[name].encode()), written))
    if HUB_FILE in made.new + made.changed:
        write_private(folder / HUB_FILE, files[HUB_FILE].encode())
    return made._replace(kept=len(files) - len(made.new) - len(made.changed))


def _gone(folder: Path, settings: RoomSettings) -> list[str]:
    files = folder.glob(f"{CLOCKS}/*/{FILE_NAME}")
    return sorted({keys.parent.name for keys in files} - settings.clocks.keys())


def describe(made: Made, folder: Path) -> list[str]:
    """Return what the terminal says; it names files, and no secret that is in them."""
    lines = [f"new: {folder / name}" for name in made.new]
    lines += [f"changed: {folder / name}" for name in made.changed]
    if made.kept:
        lines.append(f"{made.kept} files stay as they are")
    lines += [
        f"{name} is not in room.toml any more: it cannot log in, and its file stays in"
        f" {folder / CLOCKS / name}"
        for name in made.gone
    ]
    if any(name.startswith(CLOCKS) for name in made.new + made.changed):
        lines.append(f"Copy each new or changed {FILE_NAME} onto the boot partition of its clock.")
    if any(name.startswith("broker") for name in made.new + made.changed):
        lines.append("Copy the files of broker/ to the broker if they changed, and restart it.")
    return [*lines, "All but web/authority.crt are secret: whoever has them can write to the room."]
