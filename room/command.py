"""What `gammonclock watch` and `gammonclock hub` follow, and what they say in the terminal."""

import stat
import webbrowser
from collections.abc import Mapping, Sequence
from pathlib import Path

import click

from room.pictures.qr_codes import qr_text
from room.settings.hub import HubCard
from room.sources import Source
from room.sources.directory import Directories
from room.sources.file import PacedFile
from room.sources.mqtt import Mqtt
from room.sources.raw_clock import now_ns
from room.sources.serial_line import SerialLine
from room.store.store import StoreError
from room.watch.watch import LOCAL, AddressError, Options, Watch

PAGES = (
    ("room", "all boards, for the director"),
    ("board/ID", "one board, large"),
    ("overlay/ID", "one board, for a stream"),
    ("wall", "all boards, for a projector"),
    ("results", "the results"),
    ("addresses", "the addresses of the boards, to print"),
)
IN_CODE = "The QR code opens the director's page; whoever has its address is the director."
ON_LABELS = "The director's page needs the token of their label."
OPEN = "Everybody in this network can open the other pages."
CLOSED = "The other pages need the token too."


class WatchError(Exception):
    """Watching cannot begin; the message says what to do."""


def watch_sources(
    names: Sequence[str], options: Options, *, pace: float | None, baud: int, opens: bool
) -> None:
    """Watch until interrupted.

    Args:
        names: of directories, files and serial ports.
        options: how to watch.
        pace: at which log files are replayed; None: they are followed.
        baud: of serial ports, bits a second.
        opens: whether to open the browser.

    Raises:
        WatchError: a source, the database or the address cannot be used.
    """
    _serve(_watch(_sources(names, pace, baud), options), options, opens=opens)


def serve_room(
    card: HubCard, boards: Mapping[str, str], options: Options, *, opens: bool = False
) -> None:
    """Follow the clocks of a room by its broker until interrupted.

    Args:
        card: the hub's login at the broker, and its keys.
        boards: the names of the boards, by clock.
        options: how to watch.
        opens: whether to open the browser.

    Raises:
        WatchError: the database or the address cannot be used.
    """
    room = Mqtt(card.room, card.broker, boards, now_ns)
    options = options._replace(token=card.token)
    watch = _watch([room], options)
    room.keep_in(watch.store)
    watch.take_offers(bytes.fromhex(card.master_key), room.send_offer)
    _serve(watch, options, opens=opens)


def _watch(sources: Sequence[Source], options: Options) -> Watch:
    try:
        return Watch(sources, options)
    except StoreError as error:
        raise WatchError(f"--database: {error}") from error
    except AddressError as error:
        raise WatchError(f"{error}; choose another with --port or --host") from error


def _serve(watch: Watch, options: Options, *, opens: bool) -> None:
    def started() -> None:
        for line in _introduction(watch, options):
            click.echo(line)
        if opens:
            webbrowser.open(watch.director_address)

    watch.run(started)


def _sources(names: Sequence[str], pace: float | None, baud: int) -> list[Source]:
    paths: list[Path] = []
    sources: list[Source] = []
    for name in dict.fromkeys(names):
        path = Path(name)
        if is_port(name):
            sources.append(SerialLine(name, baud, now_ns))
        elif path.is_dir() or (path.is_file() and pace is None):
            paths.append(path)
        elif path.is_file():
            sources.append(PacedFile(path, pace or 1, now_ns))
        else:
            allowed = "a log directory, a log or a serial port"
            raise WatchError(f"{name}: there is no such file; a source is {allowed}")
    return [*sources, Directories(paths, now_ns)] if paths else sources


def is_port(name: str) -> bool:
    """Return whether a source is a serial port; one that is unplugged may be plugged in later."""
    path = Path(name)
    if "://" in name or name.upper().startswith(("COM", "\\\\.\\")):
        return not path.exists()
    try:
        return stat.S_ISCHR(path.stat().st_mode)
    except OSError:
        return name.startswith("/dev/")


def _introduction(watch: Watch, options: Options) -> list[str]:
    """Return what the terminal says when the pages can be opened.

    A token that the director has on paper is not repeated: the terminal may be a journal.
    """
    local = options.host in LOCAL
    addresses = {page: f"{watch.address}{page}" for page, _ in PAGES}
    if watch.director_address != watch.address and (local or not options.token):
        addresses["room"] = watch.director_address
    width = max(map(len, addresses.values()))
    lines = [f"{addresses[page]:{width}}  {what}" for page, what in PAGES]
    if local:
        lines.append("Only this computer can open them; --host 0.0.0.0 lets others in its network.")
    else:
        lines += [ON_LABELS] if options.token else [qr_text(watch.director_address), IN_CODE]
        lines.append(OPEN if options.public else CLOSED)
    if options.database is None:
        lines.append("Lines and results are kept in memory; --database FILE keeps them.")
    return [*lines, "The clock at the board counts. Ctrl-C ends."]
