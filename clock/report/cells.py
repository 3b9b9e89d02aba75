"""Cells, rows and words of a report's tables.

The one rule: a cell is text, never markup, and has no character that moves a terminal's cursor.
"""

from msgspec.structs import replace
from rich.box import SIMPLE_HEAD
from rich.console import JustifyMethod
from rich.table import Table
from rich.text import Text

from clock.match.adjustments import DIRECTOR
from clock.match.corrections import BONUS
from clock.match.time_format import clock_text
from clock.match.events import AdjustedEvent, ConfirmedEvent, CorrectedEvent, LateEvent, MatchOverEvent, OvertimeEvent, PenaltyEvent, ReopenedEvent
from clock.report.timeline import printable
from clock.match.sides import Pair, Side
from clock.report.summary import Stamp, Told
from clock.ui.descriptions import Say, tell

NONE = "-"
WHOLE = {"At", "Start", "Began", "Score"}  # columns of text that a narrow terminal may not break
Words = tuple[str, str, str, str]  # who, what, from what to what, why


def titled(title: str, *columns: str) -> Table:
    """A table without rows; a heading that begins with ">" stands over numbers."""
    table = Table(
        title=Text(title, "bold"),
        title_justify="left",
        box=SIMPLE_HEAD,
        show_edge=False,
        pad_edge=False,
        padding=(0, 1, 0, 0),
    )
    for column in columns:
        heading = "\n".join(printable(line) for line in column.removeprefix(">").split("\n"))
        justify: JustifyMethod = "right" if column.startswith(">") else "left"
        whole = justify == "right" or heading in WHOLE
        table.add_column(Text(heading), justify=justify, overflow="fold", no_wrap=whole)
    return table


def add(table: Table, *cells: str, style: str = "") -> None:
    """One more row."""
    table.add_row(*(Text(printable(cell)) for cell in cells), style=style)


def time_text(duration_ns: int | None) -> str:
    """A duration, if there is one."""
    return NONE if duration_ns is None else clock_text(duration_ns)


def at(stamp: Stamp) -> tuple[str, str]:
    """The line of the log and its wall time."""
    return str(stamp.line), stamp.time


def named(say: Say, seats: Pair[str]) -> Say:
    """The same words, with people's names for the sides; a word not known is said as it is."""

    def say_named(key: str, **values: object) -> str:
        if key in tuple(Side):
            return seats[Side(key)]
        try:
            return say(key, **values)
        except KeyError:  # the log of another version
            return key

    return say_named


def act_words(told: Told, say: Say) -> Words:
    """What the director did, or the clock did by the rules: who, what, from what to what, why."""
    words = named(say, told.seats)
    match told.event:
        case AdjustedEvent() as event:
            who, change, *why = tell(event, words)
            return who, "time", change, ", ".join(why)
        case CorrectedEvent() as event:
            what, change, *times = tell(replace(event, side=None), words)
            both = f"both times {times[0]}" if times else DIRECTOR
            return _who(told, event.side), what, change, both
        case OvertimeEvent(side=side, old_ns=old_ns, new_ns=new_ns, by=by):
            change = f"{clock_text(old_ns)} → {clock_text(new_ns)}"
            return _who(told, side), "overtime", change, by
        case PenaltyEvent() as event:
            return _penalty(event, told, words)
        case LateEvent() as event:
            _, *proposed = tell(event, words)
            return _who(told, event.side), "late", ", ".join(proposed), event.by
        case ReopenedEvent(was=was):
            return NONE, words("told_reopened"), was, DIRECTOR
        case MatchOverEvent() as event:
            return _ended(event, told, words)
        case ConfirmedEvent():
            return NONE, words("item_approve"), "", DIRECTOR
        case _:
            raise TypeError(f"{type(told.event).__name__} is no act")


def _who(told: Told, side: Side | None) -> str:
    return NONE if side is None else told.seats[side]


def _penalty(event: PenaltyEvent, told: Told, words: Say) -> Words:
    """Points for a player, and the score with them."""
    who = event.beneficiary if event.why == BONUS else event.side
    what = f"{event.points} for {told.seats[event.beneficiary]}"
    lost = f", {words('late_forfeits')}" if event.forfeits else ""
    return told.seats[who], what, _score(event.score, told), f"{words(f'why_{event.why}')}{lost}"


def _ended(event: MatchOverEvent, told: Told, words: Say) -> Words:
    """The match was ended, or one of a best of three."""
    winner = words("nobody") if event.winner is None else told.seats[event.winner]
    return winner, "wins the match", _score(event.score, told), words(f"end_{event.why}")


def _score(score: Pair[int], told: Told) -> str:
    left, right = score.swapped() if told.swapped else score
    return f"score {left}-{right}"
