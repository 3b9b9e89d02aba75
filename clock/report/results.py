"""The results of matches: as a table for the terminal, and as JSON and CSV for other programs.

The names in JSON and CSV are a contract (docs/report.md). Times are seconds, players are known by
the side on which they began the match, and instants are the wall times of the log.
"""

import json
from collections.abc import Callable, Iterable
from typing import NamedTuple

import msgspec
from rich.table import Table

from clock.match.types import Pair, Side
from clock.report.fields import COLUMNS, NAMES, Fields, csv_bytes, seconds, values
from clock.report.summary import (
    Break,
    Case,
    FallenFlag,
    Game,
    PlayedTurn,
    ReserveChange,
    SeatedEvent,
    Stamp,
    Stop,
    Summary,
)
from clock.report.tables import Sheet, render
from clock.report.wording import about_text, event_text
from clock.ui.descriptions import Say


class Reported(NamedTuple):
    """A log that was read."""

    file: str
    summary: Summary


def results_table(logs: Iterable[Reported], say: Say) -> Table:
    """Return the results of several logs as a table."""
    rows = [tuple(column.text(log.summary, say) for column in COLUMNS) for log in logs]
    return render(Sheet(say("report_results"), tuple(each.heading for each in COLUMNS), rows), say)


# --- for programs -----------------------------------------------------------------------------


def _result(log: Reported) -> Fields:
    return {"file": log.file, **values(log.summary)}


def _at(stamp: Stamp | None, prefix: str = "") -> Fields:
    return {f"{prefix}line": stamp and stamp.line, f"{prefix}wall": stamp and stamp.wall}


def _of_both(name: str, values: Pair[int]) -> Fields:
    return {f"{name}_left_s": seconds(values.left), f"{name}_right_s": seconds(values.right)}


def _points(name: str, values: Pair[int]) -> Fields:
    return {f"{name}_left": values.left, f"{name}_right": values.right}


TURN: dict[str, Callable[[int, PlayedTurn], object]] = {
    "turn": lambda number, _: number,
    "line": lambda _, turn: turn.begun.line,
    "wall": lambda _, turn: turn.begun.wall,
    "player": lambda _, turn: turn.player,
    "game": lambda _, turn: turn.game,
    "length_s": lambda _, turn: seconds(turn.length_ns),
    "off_clock_s": lambda _, turn: seconds(turn.off_clock_ns),
    "reserve_before_s": lambda _, turn: seconds(turn.reserve_ns.left),
    "reserve_after_s": lambda _, turn: seconds(turn.reserve_ns.right),
    "ended_by_plunger": lambda _, turn: turn.pressed,
    "ended_line": lambda _, turn: turn.ended_by and turn.ended_by.stamp.line,
    "ended_wall": lambda _, turn: turn.ended_by and turn.ended_by.stamp.wall,
}


def _turns(summary: Summary) -> list[Fields]:
    return [
        {name: value(number, turn) for name, value in TURN.items()}
        for number, turn in enumerate(summary.turns, 1)
    ]


def _game(game: Game) -> Fields:
    return {
        "game": game.number,
        "match": game.leg,
        **_at(game.begun),
        **_at(game.ended, "ended_"),
        "winner": game.winner,
        "points": game.points,
        "score_left": game.score.left,
        "score_right": game.score.right,
        "crawford": game.crawford,
        "cube": game.cube,
        "gammon": game.gammon,
        **_at(game.corrected, "corrected_"),
        **_of_both("used", game.used),
        **_of_both("reserve", game.left),
    }


def _stop(stop: Stop, summary: Summary) -> Fields:
    return {
        **_at(stop.begun),
        **_at(stop.ended, "ended_"),
        "turn": summary.turn_at(stop.begun),
        "player": stop.player,
        "reason": stop.reason,
        "length_s": seconds(stop.duration_ns),
        **_of_both("reserve", stop.left),
    }


def _flag(flag: FallenFlag, summary: Summary) -> Fields:
    return {
        **_at(flag.stamp),
        "turn": summary.turn_at(flag.stamp),
        "player": flag.player,
        "order": flag.order,
        **_at(flag.claimed, "claimed_"),
        **_at(flag.cleared, "cleared_"),
    }


def _break(each: Break) -> Fields:
    return {
        **_at(each.begun),
        **_at(each.ended, "ended_"),
        "taken_left": each.taken.left,
        "taken_right": each.taken.right,
        "allowed_s": seconds(each.allowed_ns),
        "took_s": seconds(each.took_ns),
        **_of_both("reserve", each.left),
        "granted": each.granted,
    }


def _intervention(seated: SeatedEvent, summary: Summary, say: Say) -> Fields:
    tag = seated.event.__struct_config__.tag
    side = getattr(seated.event, "side", None)
    player = side.other if isinstance(side, Side) and seated.swapped else side
    return {
        **_at(seated.stamp),
        "turn": summary.turn_at(seated.stamp),
        "event": tag,
        "player": player if isinstance(player, Side) else None,
        "ruled_by": seated.ruled_by,
        "text": event_text(seated, say),
    }


def _case(case: Case, summary: Summary, say: Say) -> Fields:
    before, after = case.standing
    return {
        **_at(case.begun),
        **_at(case.ended.stamp if case.ended else None, "ended_"),
        "turn": summary.turn_at(case.begun),
        "about": case.about,
        "text": about_text(case, summary, say),
        "player": case.player,
        "called": case.called,
        "rulings": list(case.rulings),
        "lines": [line.stamp.line for line in case.lines],
        **_of_both("reserve_before", case.left.left),
        **_of_both("reserve_after", case.left.right),
        **_points("score_before", before.score),
        **_points("score_after", after.score),
        **_points("matches_before", before.legs),
        **_points("matches_after", after.legs),
        "game": case.game and case.game.number,
    }


def _reserve_change(change: ReserveChange, summary: Summary) -> Fields:
    return {
        **_at(change.stamp),
        "turn": summary.turn_at(change.stamp),
        "player": change.player,
        "old_s": seconds(change.old_ns),
        "new_s": seconds(change.new_ns),
    }


def _happenings(of: Summary, say: Say) -> Fields:
    """Return everything in a match that may happen any number of times."""
    return {
        "games": [_game(game) for game in of.games],
        "turns": _turns(of),
        "stops": [_stop(stop, of) for stop in of.stops],
        "flags": [_flag(flag, of) for flag in of.flags],
        "breaks": [_break(each) for each in of.breaks],
        "cases": [_case(case, of, say) for case in of.cases],
        "acts": [_intervention(seated, of, say) for seated in of.interventions],
        "reserve_changes": [_reserve_change(change, of) for change in of.reserve_changes],
    }


def as_json(logs: Iterable[Reported], say: Say) -> bytes:
    """Return all matches with all that happened in them, as JSON in UTF-8."""
    found = [{**_result(log), **_happenings(log.summary, say)} for log in logs]
    text = msgspec.json.format(msgspec.json.encode(found), indent=1).decode()
    return "\n".join(map(_escaped, text.split("\n"))).encode() + b"\n"


def _escaped(line: str) -> str:
    """Return a line of JSON as it can be printed; only texts have other characters."""
    if line.isprintable():
        return line
    return "".join(each if each.isprintable() else json.dumps(each)[1:-1] for each in line)


def as_csv(logs: Iterable[Reported], *, every_turn: bool) -> bytes:
    """Return CSV in UTF-8: a line of names, then a line for each match, or for each turn."""
    if not every_turn:
        return csv_bytes(NAMES, map(_result, logs))
    turns = ({"file": log.file, **turn} for log in logs for turn in _turns(log.summary))
    return csv_bytes(("file", *TURN), turns)
