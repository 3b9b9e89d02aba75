"""`gammonclock watch` and `gammonclock hub`: clocks on pages in the browser."""

import os
from contextlib import suppress
from datetime import datetime
from pathlib import Path

import click

from clock.config.reader import ConfigError
from gammonclock.console import WRONG_USAGE, fail, needs_extra
from gammonclock.options import FILE_PATH

PORT = click.IntRange(0, 65535)
TIME_OF_DAY = "%H:%M"
ROUND_BY = click.option(
    "--round-by",
    metavar="HH:MM",
    type=click.DateTime([TIME_OF_DAY]),
    help="When the round should end: the page says which boards may end later.",
)


@click.command()
@click.argument("sources", metavar="SOURCE...", nargs=-1, required=True)
@click.option("--port", type=PORT, default=8037, help="Default: 8037.")
@click.option("--host", default="127.0.0.1", help="Default: 127.0.0.1, this computer alone.")
@click.option("--open", "opens", is_flag=True, help="Open the room's page in the browser.")
@click.option("--database", help="Keep lines and results in this file, or at postgresql://...")
@click.option(
    "--pace",
    type=click.FloatRange(0.1, 1000),
    help="Replay log files: 1 at their own pace, 10 ten times as fast.",
)
@click.option("--code", help="The settings code that every board should have, such as 7KQ2.")
@click.option("--baud", default=115200, help="Of serial ports; default: 115200.")
@ROUND_BY
def watch(  # noqa: PLR0913, PLR0917 (one for each option)
    sources: tuple[str, ...],
    host: str,
    port: int,
    database: str | None,
    pace: float | None,
    code: str | None,
    baud: int,
    round_by: datetime | None,
    *,
    opens: bool,
) -> None:
    """Show clocks on pages in the browser: each SOURCE is a log directory, a log, a port or a hub.

    A log directory is that of a clock on this computer, or a folder to which logs are copied. A
    serial port carries the lines of a clock: /dev/ttyUSB0, COM3. Another hub has an address:
    http://192.168.8.2:8037/. The pages show the room, each
    board, an overlay for streams, and results; docs/watch.md describes them. Without --database
    lines and results are kept in memory, until the program ends.

    Only this computer can open the pages. With --host 0.0.0.0 everybody in its network can. The
    extra "room" is needed: docs/laptop.md says how to install it.

    \b
    Example:  gammonclock watch /var/lib/gammonclock --open
              gammonclock watch /dev/ttyUSB0 /dev/ttyUSB1 --database club.sqlite
              gammonclock watch match.jsonl --pace 1
    """
    with needs_extra("watch", "room"):
        from room.sources.named import SourceError, named_sources
        from room.web.serve import watch_sources
        from room.web.watch import Options, WatchError
    named = _time_of_day(round_by)
    code = code and code.upper()
    options = Options(host, port, database, code, round_by=named)
    try:
        with suppress(KeyboardInterrupt):
            watch_sources(named_sources(sources, pace, baud), options, opens=opens)
    except (SourceError, WatchError) as error:
        fail(WRONG_USAGE, error)


@click.command()
@click.option(
    "--config", type=FILE_PATH, default=Path("room.toml"), help="The room; default: room.toml."
)
@click.option("--keys", type=FILE_PATH, help="The hub's login; default: hub.toml beside --config.")
@click.option("--port", type=PORT, help="Default: that of --config.")
@click.option("--host", help="Default: that of --config.")
@click.option("--database", help="Default: that of --config.")
@ROUND_BY
def hub(
    config: Path,
    keys: Path | None,
    port: int | None,
    host: str | None,
    database: str | None,
    round_by: datetime | None,
) -> None:
    """Follow the clocks of a room by its broker, and show them on pages.

    It keeps each line that a clock sends, acknowledges it, and shows the pages of gammonclock
    watch. room-cards makes hub.toml. The extra "room" is needed: docs/laptop.md says how to install
    it.

    \b
    Example:  gammonclock hub --config room.toml --keys cards/hub.toml
    """
    with needs_extra("hub", "room"):
        from room.hub.room_event import RoomEvent
        from room.settings.hub import load_hub_key_file
        from room.settings.room import load_room
        from room.web.page_files import BROWSER_PAGES
        from room.web.serve import serve_room
        from room.web.server import Tls
        from room.web.watch import Options, WatchError
    try:
        room = load_room(config)
        login = load_hub_key_file(keys or config.with_name("hub.toml"))
        pages, tls = room.pages, room.web.files_in(config.parent)
        options = Options(
            host or pages.host,
            pages.port if port is None else port,
            database or room.database_in(Path(os.environ.get("STATE_DIRECTORY") or config.parent)),
            address=room.address if host is None and port is None else "",
            public=pages.public,
            other_sites=pages.other_sites,
            names=pages.names,
            delay_s=pages.delay,
            days=room.database.days,
            quota=room.quota,
            event=RoomEvent(room.event.name, room.event.begins),
            round_by=_time_of_day(round_by),
            browser=Path(pages.browser) if pages.browser else BROWSER_PAGES,
            notify=room.notify,
            publish=room.publish,
            room=room.room.name,
            tls=tls and Tls(*tls),
        )
        with suppress(KeyboardInterrupt):
            serve_room(login, room.clocks, options, opens=False)
    except (ConfigError, WatchError) as error:
        fail(WRONG_USAGE, error)


def _time_of_day(given: datetime | None) -> str:
    return given.strftime(TIME_OF_DAY) if given else ""
