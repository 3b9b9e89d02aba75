"""The matches of a log directory as the rows of a table."""

from collections.abc import Iterable

from clock.match.scoring import score_text
from clock.match.state import MatchState
from clock.match.types import Phase
from clock.storage.inventory import LoggedMatch

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
