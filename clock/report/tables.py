"""A report for the terminal: what a director reads at once when players disagree.

Players stand under their names, whatever side they sat on; `#` is the line of the log that proves
it. The one rule: nothing of a log is taken for markup, and only `display_time` rounds.
"""

from collections.abc import Iterable

from rich.table import Table
from rich.text import Text

from clock.match.adjustments import DIRECTOR
from clock.report.cells import NONE, add, at, named, time_text, titled
from clock.match.durations import duration_text
from clock.match.events import ReasonChosenEvent, ResumedEvent
from clock.report.timeline import printable
from clock.report.incident_tables import act_table, fault_table, flag_table, refused_table, restored_table
from clock.match.rules import Format, Reason
from clock.match.sides import Pair, Side
from clock.report.summary import Game, Stop, Summary, Told
from clock.ui.descriptions import Say, tell

SLOWEST = 10


def tables(summary: Summary, say: Say) -> list[Table]:
    """The report, in the order in which it is read; what did not happen has no table.

    Args:
        summary: of the log.
        say: words for the events, as on the displays.
    """
    found = (
        _match(summary, say),
        _players(summary),
        _games(summary),
        _stops(summary, say),
        _breaks(summary),
        flag_table(summary),
        act_table(summary, say),
        fault_table(summary),
        restored_table(summary),
        refused_table(summary, say),
        _slowest(summary),
    )
    return [table for table in found if table.row_count]


# --- the match --------------------------------------------------------------------------------


def _match(summary: Summary, say: Say) -> Table:
    grid = Table.grid(padding=(0, 2))
    for key, value in _heading(summary, say):
        grid.add_row(Text(key, "dim"), Text(printable(value), "bold" if key == "Result" else ""))
    return grid


def _heading(summary: Summary, say: Say) -> list[tuple[str, str]]:
    settings, (left, right) = summary.settings, summary.names
    rules = settings.rules
    each, delay = duration_text(rules.time_per_point_ns), duration_text(rules.delay_ns)
    never = "confirmed before" if summary.origin else "NEVER CONFIRMED"
    confirmed = f"confirmed {summary.confirmed.time}" if summary.confirmed else never
    stamps = ", PRESSES STAMPED BY SOFTWARE" if summary.stamps == "software" else ""
    seats = " (they have changed sides)" if summary.swapped else ""
    return [
        ("Match", f"{left} - {right}{seats}, to {_length(summary)}, log {summary.match}"),
        ("Result", result(summary, say)),
        (
            "Settings",
            f"{rules.profile}, {each} a point, {delay} delay, code {settings.code}, {confirmed}",
        ),
        ("Date", f"{summary.period}, {_boots(summary)}"),
        ("Log", f"verified: {summary.records} records, program version {summary.version}{stamps}"),
        *_origin(summary),
        ("None of", ", ".join(_absent(summary)) or NONE),
    ]


_TAKEN_FROM = {
    "log": "its lines replayed",
    "checkpoint": "the sign of life and the lines after it",
    "effects": "both reserves and the score of its latest whole line",
}


def _origin(summary: Summary) -> list[tuple[str, str]]:
    """Where the match was before this log, and how much of that counts here."""
    origin = summary.origin
    if origin is None:
        return []
    unknown = f"; {origin.unknown} lines of it NOT KNOWN in full" if origin.unknown else ""
    damage = f"; damaged: {origin.damage}" if origin.damage else ""
    taken = f"as of {_TAKEN_FROM[origin.taken_from]}{unknown}{damage}"
    return [("Goes on from", f"log {origin.match}, line {origin.seq}, {taken}")]


def result(summary: Summary, say: Say) -> str:
    """Who won and why, or how the match stands."""
    score = f"{summary.score.left}-{summary.score.right}"
    if summary.settings.format is Format.BEST_OF_THREE:
        score = f"matches {summary.legs.left}-{summary.legs.right}, score {score}"
    if summary.over is None:
        return f"{score}, not finished ({summary.phase.value})"
    stamp, event, winner = summary.over
    words = named(say, summary.names)
    who = f"{summary.names[winner]} wins" if winner else "nobody wins"
    return f"{score}, {who} {words(f'end_{event.why}')} at {stamp.time}"


def _length(summary: Summary) -> str:
    begun, form = summary.settings.length, summary.settings.format
    length = f"{summary.length}" if begun == summary.length else f"{summary.length} (was {begun})"
    return length if form is Format.SINGLE else f"{length}, {form.value}"


def _boots(summary: Summary) -> str:
    cuts = sum(each.reboot for each in summary.restorations)
    return f"{cuts} power {'cut' if cuts == 1 else 'cuts'}" if cuts else "power never lost"


def _absent(summary: Summary) -> Iterable[str]:
    """What did not happen; a director asks for it."""
    kinds = {
        "breaks": summary.breaks,
        "flags": summary.flags,
        "director's acts": summary.acts,
        "faults": summary.faults,
        "power cuts": summary.restorations,
        "refused presses": summary.refused,
    }
    return (kind for kind, found in kinds.items() if not found)


def _players(summary: Summary) -> Table:
    table = titled(
        "Players", "", ">Turns", ">Average", ">Longest", ">On clock", ">Reserve used", ">Left"
    )
    for player in Side:
        pressed = [turn for turn in summary.turns if turn.player is player and turn.pressed]
        longest = max((turn.length_ns for turn in pressed), default=None)
        times = (summary.average_ns(player), longest, summary.used_ns(player))
        spent = (summary.spent_ns(player), summary.left[player])
        name, count = summary.names[player], str(len(pressed))
        add(table, name, count, *(time_text(time) for time in (*times, *spent)))
    return table


# --- play -------------------------------------------------------------------------------------


def _games(summary: Summary) -> Table:
    left, right = summary.names
    per_player = (f">{name}\n{what}" for what in ("clock", "left") for name in (left, right))
    table = titled("Games", ">Game", "Start", "Won by", "Score", ">Length", *per_player, "")
    for game in summary.games:
        add(table, *_game(summary, game))
    total = Pair(*(time_text(summary.used_ns(player)) for player in Side))
    if summary.games:
        table.add_section()
        add(table, "All", "", "", "", "", *total, "", "", "")
    return table


def _game(summary: Summary, game: Game) -> tuple[str, ...]:
    best_of = summary.settings.format is Format.BEST_OF_THREE
    return (
        f"{game.leg}/{game.number}" if best_of else str(game.number),
        game.begun.time if game.begun else NONE,
        f"{summary.names[game.winner]} +{game.points}" if game.winner else NONE,
        f"{game.score.left}-{game.score.right}",
        time_text(game.duration_ns),
        *(time_text(used) for used in game.used),
        *(time_text(left) for left in game.left),
        _remark(game),
    )


def _remark(game: Game) -> str:
    remarks = ["Crawford"] if game.crawford else []
    if game.ended is None:
        remarks.append("under way")
    elif game.points is None:
        remarks.append("broken off")
    elif game.winner is None:
        remarks.append("no points")
    return ", ".join(remarks)


def _stops(summary: Summary, say: Say) -> Table:
    reserves = (f">{name}\nleft" for name in summary.names)
    table = titled("Stops", ">#", "At", "Reason", ">Length", "Then", *reserves)
    for stop in summary.stops:
        style = "dim" if stop.reason is Reason.GAME_OVER else ""
        add(table, *_stop(stop, say), style=style)
    return table


def _stop(stop: Stop, say: Say) -> tuple[str, ...]:
    length = None if stop.ended is None else stop.ended.at_ns - stop.begun.at_ns
    then = "still stopped" if stop.followed is None else _then(stop.followed, say)
    reason, left = say(f"reason_{stop.reason.value}"), (time_text(left) for left in stop.left)
    return (str(stop.begun.line), stop.begun.time, reason, time_text(length), then, *left)


def _then(told: Told, say: Say) -> str:
    words = tell(told.event, named(say, told.seats))
    if isinstance(told.event, ReasonChosenEvent):  # the reason has a column of its own
        words = words[1:]
    by = (
        f" ({DIRECTOR})"
        if isinstance(told.event, ResumedEvent) and told.event.by == DIRECTOR
        else ""
    )
    return f"{', '.join(words)}{by}"


def _breaks(summary: Summary) -> Table:
    table = titled("Breaks", ">#", "At", "Whose", ">Allowed", ">Took", ">Over by")
    for each in summary.breaks:
        whose = [summary.names[side] for side in Side for _ in range(each.taken[side])]
        over = None if each.took_ns is None else each.took_ns - each.allowed_ns
        times = (
            time_text(each.allowed_ns),
            time_text(each.took_ns),
            time_text(over) if over and over > 0 else NONE,
        )
        add(table, *at(each.begun), ", ".join(whose), *times)
    return table


def _slowest(summary: Summary) -> Table:
    table = titled("Slowest turns", ">#", "Began", "Player", ">Length", ">Reserve used", ">Game")
    for turn in summary.slowest(SLOWEST):
        times = (time_text(turn.length_ns), time_text(turn.spent_ns))
        add(table, *at(turn.begun), summary.names[turn.player], *times, str(turn.game))
    return table
