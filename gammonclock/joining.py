"""`gammonclock room-cards`, `room-join` and `link`: a clock becomes a part of a room."""

from pathlib import Path

import click

from clock.config.loader import load_settings
from clock.config.reader import ConfigError
from clock.config.schema import LogTable
from clock.storage.journal import JournalError
from gammonclock.console import WRONG_USAGE, fail, needs_extra, show
from gammonclock.options import FILE_PATH


@click.command("room-cards")
@click.argument("file", metavar="ROOM.TOML", type=FILE_PATH)
@click.argument("folder", metavar="DIR", type=FILE_PATH)
def room_cards(file: Path, folder: Path) -> None:
    """Make the files of a room in DIR: for each clock, for the broker, for the hub, and labels.

    ROOM.TOML names the room, the broker, the Wi-Fi and the clocks with their boards. Each clock has
    a file gammonclock-room.toml, which is copied onto the boot partition of its card. The broker
    mosquitto has a configuration, passwords, an access list and certificates; the hub has hub.toml.
    labels.html is printed: a QR code for each board, and one for the director.

    Made again, clocks keep their passwords, and new clocks are added. A clock has a new password
    after its folder in DIR/clocks was deleted. docs/room.md describes all of it.

    \b
    Example:  gammonclock room-cards room.toml cards
    """
    with needs_extra("room-cards", "room"):
        from room.cards.folder import RoomFilesError, describe, make_files
        from room.settings.room import load_room
    try:
        made = make_files(load_room(file), folder)
    except (ConfigError, RoomFilesError) as error:
        fail(WRONG_USAGE, error)
    for line in describe(made, folder):
        show(line)


@click.command("room-join")
@click.argument("file", metavar="[FILE]", type=FILE_PATH, required=False)
def room_join(file: Path | None) -> None:
    """Take this clock's file of a room from the boot partition.

    The clock's service for this runs it at each start. FILE is gammonclock-room.toml on the boot
    partition unless it is named. Its parts go to the link, to the clock and to NetworkManager; then
    FILE is deleted. If it cannot be used, the message says why, and FILE is kept. This needs root.

    \b
    Example:  gammonclock room-join
    """
    from room.cards.join import KEY_FILE, PLACES, JoinError, join_room, owner_of

    file = file or KEY_FILE
    try:
        keys = join_room(file, PLACES, owner_of)
    except (ConfigError, JoinError) as error:
        fail(WRONG_USAGE, error)
    said = "there is no such file" if keys is None else f"{keys.clock} has joined {keys.room}"
    show(f"{file}: {said}")


@click.command()
@click.option(
    "--config", type=FILE_PATH, metavar="FILE", help="Default: /var/lib/gammonclock-link/link.toml."
)
@click.option(
    "--logs",
    type=FILE_PATH,
    help="The clock's log directory; default: /var/lib/gammonclock, or that of a simulated clock if"
    " FILE is a gammonclock-room.toml.",
)
@click.option(
    "--offers",
    type=FILE_PATH,
    help="Where the clock finds offers; default: /run/gammonclock-link, or the log directory if"
    " FILE is a gammonclock-room.toml.",
)
def link(config: Path | None, logs: Path | None, offers: Path | None) -> None:
    """Send a clock's logs to the hub of its room, and take offers of the next match from it.

    The clock's service for this runs it. It only reads the log directory; room-join makes the file
    that says where the broker is. The extra "link" is needed.

    To try it with a simulated clock, name a gammonclock-room.toml as room-cards made it, and start
    the clock with gammonclock run --simulate --room and the same file.

    \b
    Example:  gammonclock link --config link.toml --logs /var/lib/gammonclock
    """
    with needs_extra("link", "link"):
        from room.broker.run_link import run_link
        from room.settings.link import FILE_NAME, OFFERS, PATH, load_key_file, load_link
    try:
        file = config or PATH
        is_key_file = file.name == FILE_NAME
        settings = load_key_file(file).link_settings if is_key_file else load_link(file)
        if logs is None:
            logs = _simulated_logs() if is_key_file else Path(LogTable().directory)
        run_link(settings, logs, offers or (logs if is_key_file else OFFERS))
    except (ConfigError, JournalError) as error:
        fail(WRONG_USAGE, error)


def _simulated_logs() -> Path:
    """Return where a simulated clock without a settings file logs."""
    from clock.apps.simulator import log_directory

    return log_directory(load_settings(None))
