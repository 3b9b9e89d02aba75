"""`gammonclock publish`."""

from pathlib import Path

import click

from gammonclock.console import DAMAGED, WRONG_USAGE, complain, fail, needs_extra, show
from gammonclock.options import language_option


@click.command()
@click.argument("folder", metavar="DIR", type=click.Path(file_okay=False, path_type=Path))
@click.argument("sources", metavar="SOURCE...", nargs=-1, required=True)
@language_option("the pages")
def publish(folder: Path, sources: tuple[str, ...], language: str) -> None:
    """Write results, reports and boards into DIR, as pages for any web space.

    SOURCE is the address of a hub, or log directories and logs. Of a hub only what everybody may
    see is published, whoever asks; names and delay are as its room.toml says. Copy DIR to the web
    space, index.html last: all other files have new names when they change. What DIR held of an
    earlier call is replaced, other files stay. A hub writes such pages while it runs if room.toml
    has [publish].

    The extra "room" is needed: docs/laptop.md says how to install it. If a log is damaged, its
    result says so, and the exit code is 4.

    \b
    Example:  gammonclock publish pages http://192.168.8.2:8037/
              gammonclock publish pages /var/lib/gammonclock --language de
    """
    with needs_extra("publish", "room"):
        from room.sources.hall_client import is_hall
        from room.web.publish import PublishError, publish_hub, publish_logs
    paths = [Path(each) for each in sources]
    troubles: list[str] = []
    try:
        if not any(map(is_hall, sources)):
            missing = [path for path in paths if not path.exists()]
            if missing:
                fail(WRONG_USAGE, f"{missing[0]}: there is no such file or directory")
            site, troubles = publish_logs(paths, folder, language)
        elif len(sources) == 1:
            site = publish_hub(sources[0], folder, language)
        else:
            fail(WRONG_USAGE, "name one hub, or log directories and logs")
    except PublishError as error:
        fail(WRONG_USAGE, error)
    for trouble in troubles:
        complain(trouble)
    damaged = [result.match for result in site.results if result.damage]
    for match in damaged:
        complain(f"{match}: its log is damaged; the page says so")
    show(f"{folder / 'index.html'}: {len(site.results)} results")
    if damaged:
        raise SystemExit(DAMAGED)
