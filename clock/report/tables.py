"""A report as tables for the terminal.

A sheet is a table as data: keys of the locale's table `report` for its title and headings, and rows
of texts. A key that begins with ">" stands over numbers. A cell holds no markup, and no character
that moves the cursor.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import NamedTuple

from rich.box import SIMPLE_HEAD
from rich.cells import cell_len
from rich.console import Console, ConsoleOptions, JustifyMethod, RenderableType, RenderResult
from rich.segment import Segment
from rich.table import Table
from rich.text import Text

from clock.match.durations import duration_text, signed_text
from clock.match.events import LateEvent, Origin, PressedEvent, ReasonChosenEvent, ReasonShownEvent
from clock.match.rules import Rules
from clock.match.scoring import score_text
from clock.match.types import Pair, Side
from clock.report.summary import (
    FallenFlag,
    Game,
    Passage,
    PlayedTurn,
    ReserveChange,
    Restoration,
    SeatedEvent,
    Stamp,
    Stop,
    Summary,
)
from clock.report.wording import (
    NONE,
    clock_sets,
    conditions_text,
    event_text,
    exact_text,
    length_text,
    outcome_text,
    place_text,
    player_name,
    reserve_at,
    standing_text,
    time_text,
    turn_end_text,
    with_names,
)
from clock.text import printable
from clock.ui.descriptions import Say
from clock.ui.names import rules_name
from clock.units import SECOND_NS

LONG = 500  # rows of a table from which on they are printed one by one
EXTREMES = 5  # turns in the tables of the slowest and quickest
BEFORE = 6  # turns shown before the one in which something happened (R102)
MOST_LISTED = 10  # more presses without effect than this are only counted
UNBROKEN = {"at", "began", "score", "reserves", "fell", "halted"}  # never broken, however narrow
DIM = "dim"

Rows = Iterable[tuple[str, ...]]


class Sheet(NamedTuple):
    """A table as data."""

    title: str  # text
    headings: tuple[str, ...]  # keys; empty: no heading
    rows: Sequence[tuple[str, ...]]


def tables(summary: Summary, say: Say, *, every_turn: bool = False) -> list[RenderableType]:
    """Return the tables of a report in the order in which they are read, without the empty ones."""
    _, *shown = sheets(summary, say, every_turn=every_turn)
    return [
        _heading_table(with_names(summary, say), say),
        *(TerminalSheet(sheet, say) for sheet in shown),
    ]


def sheets(summary: Summary, say: Say, *, every_turn: bool = False) -> list[Sheet]:
    """Return the tables as data: first the heading, whose rows are names and values."""
    summary = with_names(summary, say)
    heading = [(say(f"report_{key}"), value) for key, value in _heading(summary, say)]
    parts = [part for part in SHEETS if part != "turns"] + ["turns"] * every_turn
    found = [sheet for part in parts for sheet in SHEETS[part](summary, say)]
    return [Sheet("", (), heading), *(sheet for sheet in found if sheet.rows)]


def render(sheet: Sheet, say: Say) -> Table:
    """Return a sheet as a table of the terminal."""
    table = Table(
        title=Text(printable(sheet.title), "bold") if sheet.title else None,
        title_justify="left",
        box=SIMPLE_HEAD,
        show_edge=False,
        pad_edge=False,
        padding=(0, 1, 0, 0),
    )
    for heading in sheet.headings:
        key = heading.removeprefix(">")
        whole = key != heading or key in UNBROKEN
        justify: JustifyMethod = "right" if key != heading else "left"
        text = Text("#" if key == "line" else say(f"report_{key}"))
        table.add_column(text, justify=justify, overflow="fold", no_wrap=whole)
    for row in sheet.rows:
        table.add_row(*(Text(printable(cell)) for cell in row))
    return table


class TerminalSheet(NamedTuple):
    """A sheet on the terminal: as rich's table, of which a long one would take seconds and 100 MB.

    The rows of a long sheet are printed one by one below the table's head, and none is broken; a
    pager or the terminal shows what is wider than itself.
    """

    sheet: Sheet
    say: Say

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Yield a table, or its head and then each row."""
        if len(self.sheet.rows) < LONG:
            yield render(self.sheet, self.say)
            return
        head = render(self.sheet._replace(rows=[]), self.say)
        columns = zip(*([str(each.header) for each in head.columns], *self.sheet.rows), strict=True)
        widths = [max(cell_len(printable(cell)) for cell in column) for column in columns]
        for column, width in zip(head.columns, widths, strict=True):
            column.min_width = width
        yield from console.render(head, options.update(width=sum(widths)))
        right = [column.justify == "right" for column in head.columns]
        for row in self.sheet.rows:
            cells = zip(map(printable, row), widths, right, strict=True)
            yield Segment("  ".join(_padded(*cell) for cell in cells) + "\n")


def _padded(text: str, width: int, right: bool) -> str:  # noqa: FBT001 (a column's side)
    gap = " " * (width - cell_len(text))
    return gap + text if right else text + gap


def _sheet(say: Say, title: str, headings: str, rows: Rows) -> Sheet:
    return Sheet(say(f"report_{title}"), tuple(headings.split()), list(rows))


def _at(stamp: Stamp) -> tuple[str, str]:
    return str(stamp.line), stamp.time


def _of_both(values: Pair[int]) -> str:
    return " / ".join(map(time_text, values))


def _reserves(values: Pair[int], at: Stamp, summary: Summary, say: Say) -> str:
    return " / ".join(reserve_at(each, at, summary, say) for each in values)


# --- the match --------------------------------------------------------------------------------


def _heading_table(summary: Summary, say: Say) -> Table:
    grid = Table.grid(padding=(0, 2))
    for key, value in _heading(summary, say):
        style = "bold" if key == "result" else ""
        grid.add_row(Text(say(f"report_{key}"), DIM), Text(printable(value), style))
    return grid


def _heading(summary: Summary, say: Say) -> Iterator[tuple[str, str]]:
    rules = summary.settings.rules
    if place := place_text(summary, say):
        yield "event", place
    yield "match", f"{_players_text(summary, say)}, {length_text(summary, say)}"
    yield "result", _result(summary, say)
    times = _times(rules, say)
    code = f"{say('code')} {summary.code}"
    offered = say("report_offered") if summary.offered else ""
    conditions, confirmed = conditions_text(summary, say), _confirmed(summary, say)
    parts = (rules_name(rules.profile), conditions, times, code, offered, confirmed)
    yield "settings", ", ".join(filter(None, parts))
    power_cuts = say("report_power_cuts", n=sum(each.reboot for each in summary.restorations))
    yield "date", ", ".join((summary.period, power_cuts, *clock_sets(summary, say)))
    software = f", {say('report_software')}" if summary.stamps == "software" else ""
    verified = say("report_verified", records=summary.records, version=summary.version)
    logs = ", ".join((summary.match, *summary.later))
    yield "log", f"{logs}, {verified}{software}"
    if summary.origin:
        yield "continues", _origin(summary.origin, say)
    absent = [say(f"report_{kind}") for kind in _absent(summary)]
    yield "did_not_occur", ", ".join(absent) or NONE
    yield "note", say("report_buttons_only")


def _times(rules: Rules, say: Say) -> str:
    if rules.pace is not None:
        return ""
    point, delay = duration_text(rules.time_per_point_ns), duration_text(rules.delay_ns)
    times = say("report_times", point=point, delay=delay)
    overtime = f", {say('item_overtime')} {duration_text(rules.overtime_ns)}"
    return f"{times}{overtime}" if rules.overtime_ns else times


def _players_text(summary: Summary, say: Say) -> str:
    """Return both names with the sides on which they sit at the end, as far as these differ."""
    sides = tuple(say(side.value) for side in Side)
    seats = reversed(sides) if summary.swapped else sides
    names = zip(summary.names, seats, strict=True)
    both = " - ".join(name if name in sides else f"{name} ({seat})" for name, seat in names)
    return f"{both}, {say('report_swapped')}" if summary.swapped else both


def _confirmed(summary: Summary, say: Say) -> str:
    if summary.confirmed:
        return say("report_confirmed", time=summary.confirmed.time)
    if summary.origin:
        return say("report_confirmed_before")
    for seated in summary.interventions:
        match seated.event:
            case LateEvent(award="clock-started", side=Side() as side):
                player = player_name(seated.seats[side], say)
                return say("report_absent_clock", player=player, time=seated.stamp.time)
            case _:
                pass
    return say("report_never_confirmed")


def _origin(origin: Origin, say: Say) -> str:
    texts = [say("report_origin", match=origin.match, line=origin.seq)]
    texts.append(say(f"report_from_{origin.taken_from}"))
    if origin.unknown:
        texts.append(say("event_unknown", n=origin.unknown))
    if origin.damage:
        texts.append(say("report_damage", what=origin.damage))
    return ", ".join(texts)


def _result(summary: Summary, say: Say) -> str:
    time = f", {summary.over[0].time}" if summary.over else ""
    return f"{standing_text(summary, say)}, {outcome_text(summary, say)}{time}"


def _absent(summary: Summary) -> Iterable[str]:
    """Return what did not happen; a director asks for it."""
    kinds = {
        "breaks": summary.breaks,
        "flags": summary.flags,
        "acts": summary.interventions,
        "faults": summary.faults,
        "restarts": summary.restorations,
        "refused": summary.refused,
    }
    return (kind for kind, found in kinds.items() if not found)


def _players(summary: Summary, say: Say) -> Iterator[Sheet]:
    rows = []
    for player in Side:
        lengths = [turn.length_ns for turn in summary.pressed_turns(player)]
        times = (
            summary.average_ns(player),
            summary.median_ns(player),
            max(lengths, default=None),
            summary.used_ns(player),
            summary.spent_ns(player),
            summary.left[player],
        )
        rows.append((summary.names[player], str(len(lengths)), *map(time_text, times)))
    headings = "player >turns >average >median >longest >used >spent >left"
    yield _with_reserves(_sheet(say, "players", headings, rows), summary)


def _with_reserves(sheet: Sheet, summary: Summary) -> Sheet:
    """Return a sheet without its reserves if there never was one (R130)."""
    if summary.limited is not None:
        return sheet
    kept = [at for at, name in enumerate(sheet.headings) if name not in (">spent", ">left")]
    rows = [tuple(row[at] for at in kept) for row in sheet.rows]
    return Sheet(sheet.title, tuple(sheet.headings[at] for at in kept), rows)


def _games(summary: Summary, say: Say) -> Iterator[Sheet]:
    headings = ">game began winner score >length >used >left remark"
    rows = [_game(summary, game, say) for game in summary.games]
    if rows:
        used = Pair(summary.used_ns(Side.LEFT), summary.used_ns(Side.RIGHT))
        rows.append(("", "", "", "", "", _of_both(used), "", ""))
    yield _with_reserves(_sheet(say, "games", headings, rows), summary)


def _game(summary: Summary, game: Game, say: Say) -> tuple[str, ...]:
    return (
        f"{game.leg}/{game.number}" if summary.settings.best_of_three else f"{game.number}",
        game.begun.time if game.begun else NONE,
        f"{summary.names[game.winner]} +{game.points}" if game.winner else NONE,
        score_text(game.score),
        time_text(game.duration_ns),
        _of_both(game.used),
        _reserves(game.left, game.ended or summary.last, summary, say),
        ", ".join(_remarks(game, say)),
    )


def _remarks(game: Game, say: Say) -> Iterator[str]:
    if game.crawford:
        yield "Crawford"
    if game.gammon:
        yield say(f"won_{game.gammon.value}", n=game.cube)
    if game.ended is None:
        yield say("report_under_way")
    elif game.points is None:
        yield say("report_broken_off")
    elif game.winner is None:
        yield say("event_no_points")
    if game.corrected:
        yield say("report_corrected", time=game.corrected.time)


# --- incidents --------------------------------------------------------------------------------


def _stops(summary: Summary, say: Say) -> Iterator[Sheet]:
    rows = []
    for stop in summary.stops:
        clock = say("free_turn")
        if stop.player is not None:
            clock = say("report_turn_of", side=summary.names[stop.player])
        why = f"{say(f'reason_{stop.reason.value}')}, {clock}"
        reserves = _reserves(stop.left, stop.begun, summary, say)
        times = (time_text(stop.duration_ns), reserves, _given(stop, summary, say))
        row = (str(summary.turn_at(stop.begun)), why, _stop_end(stop, say), *times)
        rows.append((*_at(stop.begun), *row))
    headings = ">line at >turn reason then >length reserves given"
    yield _sheet(say, "stops", headings, rows)


def _stop_end(stop: Stop, say: Say) -> str:
    if stop.ended_by is None:
        return say("report_still_stopped")
    if isinstance(stop.ended_by.event, ReasonChosenEvent):  # the reason is told already
        return NONE
    return event_text(stop.ended_by, say)


def _given(stop: Stop, summary: Summary, say: Say) -> str:
    """Return to whom time was given during a stop, and how much; less than 0 was taken."""
    last = (stop.ended or summary.last).line
    changes = [
        f"{summary.names[each.player]} {signed_text(_whole(each.new_ns) - _whole(each.old_ns))}"
        for each in summary.reserve_changes
        if stop.begun.line < each.stamp.line <= last
    ]
    return ", ".join(changes) or say("report_no_time")


def _whole(reserve_ns: int) -> int:
    """Return a reserve as it is shown, rounded up to a second."""
    return -(-reserve_ns // SECOND_NS) * SECOND_NS


def _breaks(summary: Summary, say: Say) -> Iterator[Sheet]:
    rows = []
    for each in summary.breaks:
        takers = ", ".join(summary.names[side] for side in Side for _ in range(each.taken[side]))
        plungers = ", ".join(
            f"{event_text(press, say)} {press.stamp.instant}" for press in each.presses
        )
        until = each.ended.time_of_day if each.ended else None
        day = (each.begun.time_of_day or NONE, until or NONE)
        chosen = say("director") if each.granted else plungers or NONE
        reserves = _reserves(each.left, each.begun, summary, say)
        times = (time_text(each.allowed_ns), time_text(each.took_ns), reserves)
        rows.append((str(each.begun.line), *day, takers, chosen, *times))
    headings = ">line at until taken_by plungers >allowed >took reserves"
    yield _sheet(say, "breaks", headings, rows)


def _flags(summary: Summary, say: Say) -> Iterator[Sheet]:
    rows = (_flag(flag, summary, say) for flag in summary.flags)
    yield _sheet(say, "flags", ">line >turn flag_of ran_since fell halted then", rows)


def _flag(flag: FallenFlag, summary: Summary, say: Say) -> tuple[str, ...]:
    line, turn = str(flag.stamp.line), str(summary.turn_at(flag.stamp))
    if flag.player is None:
        claimed = say("report_claimed", time=flag.stamp.instant)
        return (line, turn, say("event_no_flag"), NONE, NONE, NONE, claimed)
    whose = summary.names[flag.player]
    if any(each.order > 1 for each in summary.flags):
        whose = f"{whose}, {say(('flag_first', 'flag_second')[flag.order - 1])}"
    if flag.margin_ns is not None:
        whose = f"{whose} +{exact_text(flag.margin_ns)}"
    if flag.entered:
        whose = f"{whose}, {say('report_entered')}"
    since = flag.since.time if flag.since else NONE
    stopped = flag.stopped.instant if flag.stopped else NONE
    fate = [say("report_not_claimed")]
    if flag.claimed:
        fate = [say("report_claimed", time=flag.claimed.instant)]
    if flag.overrun_ns:
        fate.append(say("report_played_on", time=exact_text(flag.overrun_ns)))
    if flag.cleared:
        fate.append(say("report_cleared", time=flag.cleared.time))
    return (line, turn, whose, since, flag.stamp.instant, stopped, ", ".join(fate))


def _interventions(summary: Summary, say: Say) -> Iterator[Sheet]:
    rows = (
        (*_at(seated.stamp), str(summary.turn_at(seated.stamp)), event_text(seated, say))
        for seated in summary.interventions
    )
    yield _sheet(say, "acts", ">line at >turn what", rows)


def _faults(summary: Summary, say: Say) -> Iterator[Sheet]:
    rows = []
    for fault in summary.faults:
        until = fault.cleared.time if fault.cleared else NONE
        rows.append((*_at(fault.stamp), fault.event.part, fault.event.what, until))
    yield _sheet(say, "faults", ">line at part what until", rows)


def _restorations(summary: Summary, say: Say) -> Iterator[Sheet]:
    rows = []
    for each in summary.restorations:
        times = map(time_text, (each.played_ns, each.lost_ns))
        rows.append((*_at(each.stamp), _cause(each, say), each.before.time, *times))
    yield _sheet(say, "restarts", ">line at cause last_record >played_since >lost", rows)


def _cause(restoration: Restoration, say: Say) -> str:
    if restoration.why == "power_loss" and not restoration.reboot:
        return say("report_program_stopped")
    return say(f"restored_{restoration.why}")


def _refused(summary: Summary, say: Say) -> Iterator[Sheet]:
    """List the presses without effect; if there are many, only count them."""
    presses = [event_text(press, say) for press in summary.refused]
    if len(presses) > MOST_LISTED:
        counts = Counter(presses).most_common()
        title = f"{say('report_refused')}: {len(presses)}"
        counted = [(refusal, str(count)) for refusal, count in counts]
        yield Sheet(title, ("what", ">count"), counted)
    else:
        listed = zip(summary.refused, presses, strict=True)
        rows = ((*_at(press.stamp), text) for press, text in listed)
        yield _sheet(say, "refused", ">line at what", rows)


# --- turns ------------------------------------------------------------------------------------

TURN_HEADINGS = (">turn", "began", "player", ">length", "reserve", "ended_by")
LINE_HEADINGS = (">line", "at", ">after", "what")


def _extremes(summary: Summary, say: Say) -> Iterator[Sheet]:
    numbers = {turn.begun.line: number for number, turn in enumerate(summary.turns, 1)}
    extremes = {"slowest": summary.slowest(EXTREMES), "quickest": summary.quickest(EXTREMES)}
    for title, turns in extremes.items():
        rows = [_turn(numbers[turn.begun.line], turn, summary, say) for turn in turns]
        yield Sheet(say(f"report_{title}"), TURN_HEADINGS, rows)


def _all_turns(summary: Summary, say: Say) -> Iterator[Sheet]:
    rows = _turns_and_changes(enumerate(summary.turns, 1), summary.last, summary, say)
    yield Sheet(say("report_all_turns"), TURN_HEADINGS, list(rows))


def _turn(number: int, turn: PlayedTurn, summary: Summary, say: Say) -> tuple[str, ...]:
    reserves = _reserve_change(turn.reserve_ns, turn.begun, summary, say)
    player, began = summary.names[turn.player], turn.begun.instant
    ended = turn_end_text(turn, say)
    if turn.off_clock_ns:
        ended = f"{ended}, {say('report_off_clock', time=exact_text(turn.off_clock_ns))}"
    return (str(number), began, player, exact_text(turn.length_ns), reserves, ended)


def _reserve_change(values: Pair[int], at: Stamp, summary: Summary, say: Say) -> str:
    return " → ".join(reserve_at(each, at, summary, say) for each in values)


def _turns_and_changes(
    turns: Iterable[tuple[int, PlayedTurn]], last: Stamp, summary: Summary, say: Say
) -> Iterator[tuple[str, ...]]:
    """Yield the rows of turns, and of what was given or taken up to a line (R116)."""
    listed = list(turns)
    ends = [turn.begun.line for _, turn in listed[1:]] + [last.line]
    for (number, turn), end in zip(listed, ends, strict=False):
        yield _turn(number, turn, summary, say)
        yield from (
            _change(change, summary, say)
            for change in summary.reserve_changes
            if turn.begun.line < change.stamp.line <= end
        )


def _change(change: ReserveChange, summary: Summary, say: Say) -> tuple[str, ...]:
    values = Pair(change.old_ns, change.new_ns)
    reserves = _reserve_change(values, change.stamp, summary, say)
    texts = (
        event_text(seated, say) for seated in summary.interventions if seated.stamp == change.stamp
    )
    player = summary.names[change.player]
    return ("", change.stamp.instant, player, "", reserves, next(texts, NONE))


def _passages(summary: Summary, say: Say) -> Iterator[Sheet]:
    """Return the turns with an incident: the turns before each, and then what happened in it."""
    for passage in summary.passages:
        if passage.notable:
            yield from _passage_sheets(passage, summary, say)


def _passage_sheets(passage: Passage, summary: Summary, say: Say) -> Iterator[Sheet]:
    first = max(0, passage.turn - 1 - BEFORE)
    turns = enumerate(summary.turns[first : passage.turn], first + 1)
    rows = list(_turns_and_changes(turns, passage.lines[-1].stamp, summary, say))
    title = say("report_in_turn", turn=passage.turn)
    if not passage.turn:
        title = say("report_before_turns")
    yield Sheet(title, TURN_HEADINGS, rows)
    yield Sheet("" if rows else title, LINE_HEADINGS, list(_passage(passage, say)))


def _passage(passage: Passage, say: Say) -> Iterator[tuple[str, ...]]:
    latest_ns = passage.lines[0].stamp.at_ns
    for _, group in groupby(passage.lines, _repetition):
        first, *repeated = group
        text = event_text(repeated[-1] if repeated else first, say)
        count = f"{len(repeated) + 1}x " if repeated else ""
        after = exact_text(first.stamp.at_ns - latest_ns)
        yield str(first.stamp.line), first.stamp.instant, after, f"{count}{text}"
        latest_ns = first.stamp.at_ns


def _repetition(line: SeatedEvent) -> object:
    """Return what presses have in common that step through reasons or count points."""
    match line.event:
        case ReasonShownEvent(by=button):
            return button
        case PressedEvent(side=button, accepted=True) if line.running is None:
            return button
        case _:
            return line.stamp.line


SHEETS = {  # by the name of the part that `report --only` takes
    "players": _players,
    "games": _games,
    "flags": _flags,
    "acts": _interventions,
    "breaks": _breaks,
    "stops": _stops,
    "faults": _faults,
    "restarts": _restorations,
    "refused": _refused,
    "extremes": _extremes,
    "incidents": _passages,
    "turns": _all_turns,
}


# --- parts of a report ------------------------------------------------------------------------


def only(part: str, summary: Summary, say: Say) -> list[TerminalSheet]:
    """Return one part of a report, a key of `SHEETS`; empty if nothing of the kind happened."""
    found = SHEETS[part](with_names(summary, say), say)
    return [TerminalSheet(sheet, say) for sheet in found if sheet.rows]


def of_turn(number: int, summary: Summary, say: Say) -> list[Table]:
    """Return the turns up to one, counted from 1, and all that happened until the next one."""
    found = _passage_sheets(summary.passages[number], with_names(summary, say), say)
    return [render(sheet, say) for sheet in found if sheet.rows]


def of_stop(number: int, summary: Summary, say: Say) -> list[Table]:
    """Return one stop, counted from 1, and the turn in which it was."""
    (stops,) = _stops(with_names(summary, say), say)
    row = render(stops._replace(rows=stops.rows[number - 1 : number]), say)
    turn = summary.turn_at(summary.stops[number - 1].begun)
    return [row, *of_turn(turn, summary, say)]
