"""The results of matches: as a table for the terminal, and as JSON and CSV for other programs.

The names in JSON and CSV are a contract (docs/report.md). Times are seconds, players are known by
the side on which they began the match, and instants are the wall times of the log.
"""

import csv
from collections.abc import Callable, Iterable, Mapping, Sequence
from io import StringIO
from typing import NamedTuple

import msgspec
from rich.table import Table

from clock.match.types import Pair, Side
from clock.report.summary import (
    Break,
    FallenFlag,
    Game,
    PlayedTurn,
    SeatedEvent,
    Stamp,
    Stop,
    Summary,
)
from clock.report.tables import Sheet, render
from clock.report.wording import NONE, event_text, player_name, standing_text, time_text
from clock.ui.descriptions import Say
from clock.units import SECOND_NS

Fields = Mapping[str, object]


class Reported(NamedTuple):
    """A log that was read."""

    file: str
    summary: Summary


def results_table(logs: Iterable[Reported], say: Say) -> Table:
    """Return the results of several logs as a table."""
    headings = "board players >score >duration flagged >restorations >corrections"
    rows = [_result_row(log.summary, say) for log in logs]
    return render(Sheet(say("report_results"), tuple(headings.split()), rows), say)


def _result_row(summary: Summary, say: Say) -> tuple[str, ...]:
    return (
        summary.board or NONE,
        " - ".join(player_name(name, say) for name in summary.names),
        standing_text(summary, say),
        time_text(summary.duration_ns),
        ", ".join(player_name(name, say) for name in summary.flagged) or NONE,
        str(len(summary.restorations)),
        str(summary.corrections),
    )


# --- for programs -----------------------------------------------------------------------------

RESULT: dict[str, Callable[[Summary], object]] = {
    "match": lambda of: of.match,
    "board": lambda of: of.board,
    "profile": lambda of: of.settings.rules.profile,
    "code": lambda of: of.settings.code,
    "left": lambda of: of.names.left,
    "right": lambda of: of.names.right,
    "length": lambda of: of.length,
    "score_left": lambda of: of.score.left,
    "score_right": lambda of: of.score.right,
    "matches_left": lambda of: of.legs.left,
    "matches_right": lambda of: of.legs.right,
    "phase": lambda of: of.phase.value,
    "winner": lambda of: of.over[2] if of.over else None,
    "end": lambda of: of.over[1].why if of.over else None,
    "began": lambda of: (of.confirmed or of.first).wall,
    "ended": lambda of: (of.over[0] if of.over else of.last).wall,
    "duration_s": lambda of: _seconds(of.duration_ns),
    "reserve_left_s": lambda of: _seconds(of.left.left),
    "reserve_right_s": lambda of: _seconds(of.left.right),
    "flagged_left": lambda of: _has_flagged(of, Side.LEFT),
    "flagged_right": lambda of: _has_flagged(of, Side.RIGHT),
    "restorations": lambda of: len(of.restorations),
    "corrections": lambda of: of.corrections,
}


def _has_flagged(summary: Summary, player: Side) -> bool:
    return any(flag.player is player for flag in summary.flags)


def _seconds(duration_ns: int | None) -> float | None:
    """Return seconds; a nanosecond in a day is still exact."""
    return None if duration_ns is None else duration_ns / SECOND_NS


def _result(log: Reported) -> dict[str, object]:
    return {"file": log.file, **{name: value(log.summary) for name, value in RESULT.items()}}


def _at(stamp: Stamp | None, prefix: str = "") -> Fields:
    return {f"{prefix}line": stamp and stamp.line, f"{prefix}wall": stamp and stamp.wall}


def _of_both(name: str, values: Pair[int]) -> Fields:
    return {f"{name}_left_s": _seconds(values.left), f"{name}_right_s": _seconds(values.right)}


TURN = (
    "turn",
    "line",
    "wall",
    "player",
    "game",
    "length_s",
    "reserve_before_s",
    "reserve_after_s",
    "ended_by_plunger",
    "ended_line",
    "ended_wall",
)


def _turns(summary: Summary) -> list[Fields]:
    return [_turn(number, turn) for number, turn in enumerate(summary.turns, 1)]


def _turn(number: int, turn: PlayedTurn) -> Fields:
    before_ns, after_ns = turn.reserve_ns
    return {
        "turn": number,
        **_at(turn.begun),
        "player": turn.player,
        "game": turn.game,
        "length_s": _seconds(turn.length_ns),
        "reserve_before_s": _seconds(before_ns),
        "reserve_after_s": _seconds(after_ns),
        "ended_by_plunger": turn.pressed,
        **_at(turn.ended_by and turn.ended_by.stamp, "ended_"),
    }


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
        "length_s": _seconds(stop.duration_ns),
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
        "allowed_s": _seconds(each.allowed_ns),
        "took_s": _seconds(each.took_ns),
    }


def _act(act: SeatedEvent, summary: Summary, say: Say) -> Fields:
    tag = act.event.__struct_config__.tag
    turn = summary.turn_at(act.stamp)
    return {**_at(act.stamp), "turn": turn, "event": tag, "text": event_text(act, say)}


def _happenings(of: Summary, say: Say) -> Fields:
    """Return everything in a match that may happen any number of times."""
    return {
        "games": [_game(game) for game in of.games],
        "turns": _turns(of),
        "stops": [_stop(stop, of) for stop in of.stops],
        "flags": [_flag(flag, of) for flag in of.flags],
        "breaks": [_break(each) for each in of.breaks],
        "acts": [_act(act, of, say) for act in of.acts],
    }


def as_json(logs: Iterable[Reported], say: Say) -> bytes:
    """Return all matches with all that happened in them, as JSON in UTF-8."""
    found = [{**_result(log), **_happenings(log.summary, say)} for log in logs]
    return msgspec.json.format(msgspec.json.encode(found), indent=1) + b"\n"


def as_csv(logs: Iterable[Reported], *, every_turn: bool) -> bytes:
    """Return a line for each match, or for each turn, as CSV in UTF-8 with a line of names."""
    text = StringIO()
    writer = csv.DictWriter(text, ("file", *(TURN if every_turn else RESULT)))
    writer.writeheader()
    for log in logs:
        if every_turn:
            rows: Sequence[Fields] = [{"file": log.file, **turn} for turn in _turns(log.summary)]
        else:
            rows = [_result(log)]
        writer.writerows({name: _cell(value) for name, value in row.items()} for row in rows)
    return text.getvalue().encode()


def _cell(value: object) -> object:
    return str(value).lower() if isinstance(value, bool) else value
