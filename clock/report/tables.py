"""A report as tables for the terminal.

A table is a title, its headings and rows of cells; a heading that begins with ">" stands over
numbers. A cell is text: it holds no markup, and no character that moves the cursor.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from msgspec.structs import replace
from rich.box import SIMPLE_HEAD
from rich.console import JustifyMethod
from rich.table import Table
from rich.text import Text

from clock.match.corrections import BONUS, DIRECTOR
from clock.match.durations import clock_text, duration_text, reserve_text
from clock.match.events import (
    AdjustedEvent,
    ConfirmedEvent,
    CorrectedEvent,
    LateEvent,
    MatchOverEvent,
    Origin,
    OvertimeEvent,
    PenaltyEvent,
    PressedEvent,
    ReasonChosenEvent,
    ReopenedEvent,
    ResumedEvent,
)
from clock.match.rules import Format, Reason
from clock.match.types import Pair, Side
from clock.report.summary import (
    FallenFlag,
    Game,
    Restoration,
    SeatedEvent,
    Stamp,
    Stop,
    Summary,
)
from clock.report.timeline import printable
from clock.ui.descriptions import Say, event_lines

NONE = "-"
SLOWEST = 10  # turns in the table of the slowest
MOST_LISTED = 10  # more presses without effect than this are only counted
UNBROKEN = {"At", "Start", "Began", "Score"}  # texts that a narrow terminal may not break


def tables(summary: Summary, say: Say) -> list[Table]:
    """Return the tables of a report in the order in which they are read, without the empty ones.

    Args:
        summary: of the log.
        say: the texts of the events, as on the panels.
    """
    found = (
        _match(summary, say),
        _players(summary),
        _games(summary),
        _stops(summary, say),
        _breaks(summary),
        _flags(summary),
        _acts(summary, say),
        _faults(summary),
        _restorations(summary),
        _refused(summary, say),
        _slowest(summary),
    )
    return [table for table in found if table.row_count]


def _table(title: str, headings: Iterable[str], rows: Iterable[Sequence[str]]) -> Table:
    table = Table(
        title=Text(title, "bold"),
        title_justify="left",
        box=SIMPLE_HEAD,
        show_edge=False,
        pad_edge=False,
        padding=(0, 1, 0, 0),
    )
    for heading in headings:
        text = "\n".join(map(printable, heading.removeprefix(">").split("\n")))
        number = heading.startswith(">")
        whole = number or heading in UNBROKEN
        justify: JustifyMethod = "right" if number else "left"
        table.add_column(Text(text), justify=justify, overflow="fold", no_wrap=whole)
    for row in rows:
        table.add_row(*(Text(printable(cell)) for cell in row))
    return table


def _at(stamp: Stamp) -> tuple[str, str]:
    """Return the line of the log and its wall time."""
    return str(stamp.line), stamp.time


def _time(duration_ns: int | None) -> str:
    return NONE if duration_ns is None else clock_text(duration_ns)


def _named(say: Say, seats: Pair[str]) -> Say:
    """Return `say` with players' names for the sides; an unknown key is said as it is."""

    def say_named(key: str, **values: object) -> str:
        if key in tuple(Side):
            return seats[Side(key)]
        try:
            return say(key, **values)
        except KeyError:  # the log of another version
            return key

    return say_named


# --- the match --------------------------------------------------------------------------------


def _match(summary: Summary, say: Say) -> Table:
    grid = Table.grid(padding=(0, 2))
    for key, value in _heading(summary, say):
        grid.add_row(Text(key, "dim"), Text(printable(value), "bold" if key == "Result" else ""))
    return grid


def _heading(summary: Summary, say: Say) -> Iterator[tuple[str, str]]:
    settings, (left, right) = summary.settings, summary.names
    rules = settings.rules
    seats = " (they have changed sides)" if summary.swapped else ""
    yield "Match", f"{left} - {right}{seats}, to {_length(summary)}, log {summary.match}"
    yield "Result", _result(summary, say)
    point, delay = duration_text(rules.time_per_point_ns), duration_text(rules.delay_ns)
    never = "confirmed before" if summary.origin else "NEVER CONFIRMED"
    confirmed = f"confirmed {summary.confirmed.time}" if summary.confirmed else never
    times = f"{point} a point, {delay} delay"
    yield "Settings", f"{rules.profile}, {times}, code {settings.code}, {confirmed}"
    yield "Date", f"{summary.period}, {_power_cuts(summary)}"
    stamps = ", PRESSES STAMPED BY SOFTWARE" if summary.stamps == "software" else ""
    yield "Log", f"verified: {summary.records} records, program version {summary.version}{stamps}"
    if summary.origin:
        yield "Continues", _origin(summary.origin)
    yield "Did not occur", ", ".join(_absent(summary)) or NONE


_TAKEN_FROM = {
    "log": "its lines replayed",
    "checkpoint": "the checkpoint and the lines after it",
    "effects": "both reserves and the score of its latest whole line",
}


def _origin(origin: Origin) -> str:
    """Return where the match was before this log, and how much of that is known."""
    unknown = f"; {origin.unknown} lines of it NOT KNOWN in full" if origin.unknown else ""
    damage = f"; damaged: {origin.damage}" if origin.damage else ""
    taken = f"as of {_TAKEN_FROM[origin.taken_from]}{unknown}{damage}"
    return f"log {origin.match}, line {origin.seq}, {taken}"


def _result(summary: Summary, say: Say) -> str:
    score = _score(summary.score)
    if summary.settings.format is Format.BEST_OF_THREE:
        score = f"matches {_score(summary.legs)}, score {score}"
    if summary.over is None:
        return f"{score}, not finished ({summary.phase.value})"
    stamp, event, winner = summary.over
    who = f"{summary.names[winner]} wins" if winner else "no winner,"
    return f"{score}, {who} {_named(say, summary.names)(f'end_{event.why}')} at {stamp.time}"


def _score(score: Pair[int]) -> str:
    return f"{score.left}-{score.right}"


def _length(summary: Summary) -> str:
    begun, form = summary.settings.length, summary.settings.format
    length = f"{summary.length}" if begun == summary.length else f"{summary.length} (was {begun})"
    return length if form is Format.SINGLE else f"{length}, {form.value}"


def _power_cuts(summary: Summary) -> str:
    count = sum(each.reboot for each in summary.restorations)
    return f"{count} power {'cut' if count == 1 else 'cuts'}" if count else "no power cut"


def _absent(summary: Summary) -> Iterable[str]:
    """Return what did not happen; a director asks for it."""
    kinds = {
        "breaks": summary.breaks,
        "flags": summary.flags,
        "TD's changes": summary.acts,
        "faults": summary.faults,
        "restarts": summary.restorations,
        "refused presses": summary.refused,
    }
    return (kind for kind, found in kinds.items() if not found)


def _players(summary: Summary) -> Table:
    headings = ("", ">Turns", ">Average", ">Longest", ">On clock", ">Reserve used", ">Left")
    rows = []
    for player in Side:
        lengths = [turn.length_ns for turn in summary.pressed_turns(player)]
        times = (
            summary.average_ns(player),
            max(lengths, default=None),
            summary.used_ns(player),
            summary.spent_ns(player),
            summary.left[player],
        )
        rows.append((summary.names[player], str(len(lengths)), *map(_time, times)))
    return _table("Players", headings, rows)


# --- play -------------------------------------------------------------------------------------


def _games(summary: Summary) -> Table:
    times = (f">{name}\n{what}" for what in ("clock", "left") for name in summary.names)
    headings = (">Game", "Start", "Won by", "Score", ">Length", *times, "")
    table = _table("Games", headings, (_game(summary, game) for game in summary.games))
    if summary.games:
        table.add_section()
        table.add_row("All", "", "", "", "", *(_time(summary.used_ns(player)) for player in Side))
    return table


def _game(summary: Summary, game: Game) -> tuple[str, ...]:
    best_of_three = summary.settings.format is Format.BEST_OF_THREE
    return (
        f"{game.leg}/{game.number}" if best_of_three else f"{game.number}",
        game.begun.time if game.begun else NONE,
        f"{summary.names[game.winner]} +{game.points}" if game.winner else NONE,
        _score(game.score),
        *map(_time, (game.duration_ns, *game.used, *game.left)),
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
    left = (f">{name}\nleft" for name in summary.names)
    rows = (
        (
            *_at(stop.begun),
            say(f"reason_{stop.reason.value}"),
            _time(stop.duration_ns),
            _ending(stop, say),
            *map(_time, stop.left),
        )
        for stop in summary.stops
    )
    table = _table("Stops", (">#", "At", "Reason", ">Length", "Then", *left), rows)
    for row, stop in zip(table.rows, summary.stops, strict=True):
        row.style = "dim" if stop.reason is Reason.GAME_OVER else ""
    return table


def _ending(stop: Stop, say: Say) -> str:
    """Return how a stop ended."""
    if stop.ended_by is None:
        return "still stopped"
    event, seats = stop.ended_by.event, stop.ended_by.seats
    texts = event_lines(event, _named(say, seats))
    if isinstance(event, ReasonChosenEvent):  # the reason has a column of its own
        texts = texts[1:]
    by = f" ({DIRECTOR})" if isinstance(event, ResumedEvent) and event.by == DIRECTOR else ""
    return f"{', '.join(texts)}{by}"


def _breaks(summary: Summary) -> Table:
    headings = (">#", "At", "Taken by", ">Allowed", ">Took", ">Over by")
    rows = []
    for each in summary.breaks:
        takers = [summary.names[side] for side in Side for _ in range(each.taken[side])]
        times = (each.allowed_ns, each.took_ns, each.overrun_ns)
        rows.append((*_at(each.begun), ", ".join(takers), *map(_time, times)))
    return _table("Breaks", headings, rows)


def _slowest(summary: Summary) -> Table:
    headings = (">#", "Began", "Player", ">Length", ">Reserve used", ">Game")
    rows = []
    for turn in summary.slowest(SLOWEST):
        times = map(_time, (turn.length_ns, turn.spent_ns))
        rows.append((*_at(turn.begun), summary.names[turn.player], *times, str(turn.game)))
    return _table("Slowest turns", headings, rows)


# --- incidents --------------------------------------------------------------------------------


def _flags(summary: Summary) -> Table:
    headings = (">#", "At", "Flag of", "Order", ">After the first", "Claimed", "Cleared")
    rows = ((*_at(flag.stamp), *_flag(summary, flag)) for flag in summary.flags)
    return _table("Flags", headings, rows)


def _flag(summary: Summary, flag: FallenFlag) -> tuple[str, ...]:
    if flag.player is None:
        return (NONE, NONE, NONE, "claimed, but no flag was down", NONE)
    order = f"{flag.order}{' (entered by the director)' if flag.entered else ''}"
    margin = NONE if flag.margin_ns is None else reserve_text(flag.margin_ns, flagged=False)
    played_on = f", {clock_text(flag.overrun_ns)} played on" if flag.overrun_ns else ""
    claimed = f"{flag.claimed.time}{played_on}" if flag.claimed else "not claimed"
    cleared = flag.cleared.time if flag.cleared else NONE
    return (summary.names[flag.player], order, margin, claimed, cleared)


def _acts(summary: Summary, say: Say) -> Table:
    title = "Adjustments, corrections, penalties, lateness"
    headings = (">#", "At", "Player", "What", "Old → new", "Why")
    return _table(
        title, headings, ((*_at(act.stamp), *act_texts(act, say)) for act in summary.acts)
    )


def act_texts(act: SeatedEvent, say: Say) -> tuple[str, str, str, str]:
    """Return what the director, or the clock by the rules, changed.

    Returns:
        The player, what was changed, from what to what, and why.
    """
    say_named = _named(say, act.seats)
    match act.event:
        case AdjustedEvent() as event:
            who, change, *why = event_lines(event, say_named)
            return who, "time", change, ", ".join(why)
        case CorrectedEvent() as event:
            what, change, *times = event_lines(replace(event, side=None), say_named)
            both = f"both times {times[0]}" if times else DIRECTOR
            return _player(act, event.side), what, change, both
        case OvertimeEvent(side=side, old_ns=old_ns, new_ns=new_ns, by=by):
            change = f"{clock_text(old_ns)} → {clock_text(new_ns)}"
            return _player(act, side), "overtime", change, by
        case PenaltyEvent() as event:
            who = act.seats[event.beneficiary if event.why == BONUS else event.side]
            points = f"{event.points} for {act.seats[event.beneficiary]}"
            lost = f", {say_named('late_forfeits')}" if event.forfeits else ""
            reason = f"{say_named(f'why_{event.why}')}{lost}"
            return who, points, _new_score(act, event.score), reason
        case LateEvent() as event:
            _, *proposed = event_lines(event, say_named)
            return _player(act, event.side), "late", ", ".join(proposed), event.by
        case ReopenedEvent(was=was):
            return NONE, say_named("event_reopened"), was, DIRECTOR
        case MatchOverEvent() as event:
            winner = say_named("nobody") if event.winner is None else act.seats[event.winner]
            end = say_named(f"end_{event.why}")
            return winner, "wins the match", _new_score(act, event.score), end
        case ConfirmedEvent():
            return NONE, say_named("item_approve"), "", DIRECTOR
        case _:
            raise TypeError(f"{type(act.event).__name__} changes no match")


def _player(act: SeatedEvent, side: Side | None) -> str:
    return NONE if side is None else act.seats[side]


def _new_score(act: SeatedEvent, score: Pair[int]) -> str:
    return f"score {_score(score.swapped() if act.swapped else score)}"


def _faults(summary: Summary) -> Table:
    rows = []
    for fault in summary.faults:
        until = fault.cleared.time if fault.cleared else "the end of the log"
        rows.append((*_at(fault.stamp), fault.event.part, fault.event.what, until))
    return _table("Faults", (">#", "At", "Part", "What", "Until"), rows)


def _restorations(summary: Summary) -> Table:
    headings = (">#", "At", "Cause", "Last record", ">Played since", ">Lost at most")
    rows = []
    for each in summary.restorations:
        times = map(_time, (each.played_ns, each.lost_ns))
        rows.append((*_at(each.stamp), _cause(each), each.before.time, *times))
    return _table("Restarts", headings, rows)


_CAUSES = {
    "damaged": "damaged log",
    "replacement": "clock replaced",
    "safe_mode": "recovery failed",
}


def _cause(restoration: Restoration) -> str:
    return _CAUSES.get(restoration.why, "power cut" if restoration.reboot else "program stopped")


def _refused(summary: Summary, say: Say) -> Table:
    """List the presses without effect; if there are many, only count them."""
    presses = [(press, _refusal(press, say)) for press in summary.refused]
    if len(presses) > MOST_LISTED:
        counts = Counter(refusal for _, refusal in presses).most_common()
        title = f"{len(presses)} presses without effect"
        rows = ((*refusal, str(count)) for refusal, count in counts)
        return _table(title, ("Button", "Why", ">Times"), rows)
    listed = ((*_at(press.stamp), *refusal) for press, refusal in presses)
    return _table("Presses without effect", (">#", "At", "Button", "Why"), listed)


def _refusal(press: SeatedEvent, say: Say) -> tuple[str, str]:
    if not isinstance(press.event, PressedEvent):
        raise TypeError(f"{type(press.event).__name__} is no press")
    say_named = _named(say, press.seats)
    return say_named(press.event.side.value), say_named(f"refused_{press.event.why}")
