"""`gammonclock logs`."""

import re
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import click

from clock.match.scoring import score_text
from clock.match.state import MatchState
from clock.match.types import Phase
from clock.runtime.startup import match_under_way
from clock.storage.checkpoint import JournalError
from clock.storage.inventory import LoggedMatch, finished_with, logged_matches
from gammonclock.console import WRONG_USAGE, fail, show
from gammonclock.options import FILE_PATH

HEADINGS = ("FILE", "BEGAN", "BOARD", "PLAYERS", "SCORE", "MATCH", "SIZE", "LOG")

STATES = {Phase.FINISHED: "finished", Phase.PUT_ASIDE: "adjourned"}


def table(matches: Iterable[LoggedMatch]) -> list[str]:
    """Return the lines of a table of matches, its headings first."""
    rows = [HEADINGS, *map(row, matches)]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return ["  ".join(map(str.ljust, texts, widths)).rstrip() for texts in rows]


def standing(match: MatchState) -> str:
    """Return the players, the score and the phase of a match that is under way."""
    names = f"{match.names.left}, {match.names.right}"
    return f"{names}  {score_text(match.score)} of {match.length}  {match.phase.name}"


def row(match: LoggedMatch) -> tuple[str, ...]:
    """Return the texts of a match, one for each of `HEADINGS`."""
    size = f"{-(-match.size // 1000)} kB"
    play, file = match.play, match.files[0].name
    if play is None:
        return (file, "", "", "", "", "", size, match.problem)
    state = STATES.get(play.phase, "not finished")
    return (
        file,
        f"{play.opened[:10]} {play.opened[11:16]}",
        play.board or "-",
        f"{play.names.left}, {play.names.right}",
        f"{score_text(play.score)} of {play.length}",
        f"{state}, current" if match.is_current else state,
        size,
        "; ".join(filter(None, (play.damage or "undamaged", match.problem))),
    )


@click.command()
@click.argument("directory", metavar="DIR", type=FILE_PATH)
@click.option("--older-than", "age", metavar="DAYS", help="Only older matches, such as 30d.")
@click.option("--delete", is_flag=True, help="Delete them; needs --older-than.")
@click.option("--under-way", is_flag=True, help="Print only the match under way, if there is one.")
def logs(directory: Path, age: str | None, *, delete: bool, under_way: bool) -> None:
    """List the matches whose logs lie in DIR.

    A log is damaged if one of its hashes is wrong; gammonclock verify says more. The current match
    is never deleted, nor one that was adjourned and waits to be resumed, nor one whose latest line
    has no usable date.

    \b
    Example:  gammonclock logs /var/lib/gammonclock
    To see whether a match is under way, which an update would interrupt:
              gammonclock logs /var/lib/gammonclock --under-way
    To make room on the card:
              sudo gammonclock logs /var/lib/gammonclock --older-than 90d --delete
    """
    if delete and age is None:
        raise click.UsageError("--delete needs --older-than DAYS")
    if age is not None and not re.fullmatch("[0-9]{1,5}d", age):
        fail(WRONG_USAGE, f"--older-than: found {age}, allowed a number of days such as 30d")
    try:
        if under_way:
            return _show_match_under_way(directory)
        found = logged_matches(directory)
        deletable = finished_with(found)
    except OSError as error:
        fail(WRONG_USAGE, f"{directory}: {error.strerror}")
    except JournalError as error:
        fail(WRONG_USAGE, error)
    if age is not None:
        oldest, now = timedelta(days=int(age[:-1])), datetime.now(UTC)
        found = [match for match in found if match.is_older(oldest, now)]
    if delete:
        return _delete([match for match in found if match in deletable])
    return _list(found)


def _show_match_under_way(directory: Path) -> None:
    if match := match_under_way(directory):
        show(standing(match))


def _list(found: list[LoggedMatch]) -> None:
    for text in table(found):
        show(text)


def _delete(found: list[LoggedMatch]) -> None:
    for match in found:
        try:
            match.delete()
        except OSError as error:
            fail(WRONG_USAGE, f"{error.filename}: not deleted: {error.strerror}")
        for path in match.files:
            show(f"deleted {path}")
    if not found:
        show("nothing to delete")
