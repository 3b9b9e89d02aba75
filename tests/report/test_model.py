"""Reports of random matches against a model that knows nothing but their lines."""

import csv
import io
import re
from bisect import bisect_left, bisect_right
from functools import reduce
from itertools import pairwise
from typing import Any

import msgspec
import pytest

from clock.eventlog.replay import replay
from clock.match.types import Side
from clock.report.build import summary
from clock.report.fields import NAMES
from clock.report.results import Reported, as_csv, as_json
from clock.report.rulings_page import rulings_text
from clock.report.summary import CurvePoint, Summary
from clock.report.tables import MOST_LISTED, sheets
from clock.report.wording import exact_text, time_text, with_names
from clock.storage.inventory import play_of
from clock.ui.i18n import sayer
from clock.units import SECOND_NS
from lab.support.random_logs import random_logs
from lab.support.report_model import ReportModel
from lab.support.rows import rest_slow
from room.boards.effects import EndedLog
from room.boards.results import result_of
from room.lines.events import Place
from room.lines.track import Track, follow

CHANGES = ("adjusted", "corrected", "overtime", "penalty", "reopened", "undone")
SHARES, MATCHES = 4, 25  # processes can share them; more of them reach no other line


def told(of: Summary) -> dict[str, Any]:
    """The report as a program reads it."""
    (found,) = msgspec.json.decode(as_json([Reported("f", of)], sayer("en")))
    return dict(found)


def check(logs: list[list[bytes]]) -> None:
    """Compare what is reported of a match with the model of it."""
    of, model = summary(*logs), ReportModel(logs)
    data = told(of)
    check_turns(data, model)
    check_games(data, model)
    check_happenings(data, model)
    check_curves(of, model)
    check_tables(of, data, model)
    check_results(of, data, model)
    check_acts(of, data, model)
    check_cases(data, model)
    check_state(of, logs[-1])
    if len(logs) == 1:
        check_room(logs[0], data)


def check_state(of: Summary, lines: list[bytes]) -> None:
    """Flags, limit and, in a list of logs, the match are those of the replayed state."""
    state, seats = replay(lines).match.state, list(Side)[:: -1 if of.swapped else 1]
    flags = {player: state.players[seat].flag for player, seat in zip(Side, seats, strict=True)}
    down = {each.player: each for each in of.flags if each.player and each.cleared is None}
    assert {player: (flag.order, flag.claimed) for player, flag in flags.items() if flag} == {
        player: (each.order, each.claimed is not None) for player, each in down.items()
    }
    assert (of.limited is None) == (state.settings.rules.pace is not None)
    play = play_of(lines)
    assert (play.names, play.length, play.phase) == (state.names, state.length, state.phase)
    if not sum(state.legs):
        assert play.score == state.score


def check_cases(data: dict[str, Any], model: ReportModel) -> None:
    """What each case is about, and what the rulings of it changed."""
    for case in data["cases"]:
        check_subject(case, model)
        own = [model.standings[line] for line in case["lines"] if line >= case["line"]]
        moved = [(old, new) for old, new in own if old != new]
        begun = model.standings[case["line"]][0]
        for name, standing in (
            ("before", moved[0][0] if moved else begun),
            ("after", moved[-1][1] if moved else begun),
        ):
            for player, (legs, score) in standing.items():
                assert case[f"matches_{name}_{player}"] == legs
                assert case[f"score_{name}_{player}"] == score
        for player in Side:
            before = model.reserves_before[case["line"]][player]
            gained = sum(
                new - old
                for line, whose, old, new in model.changes
                if whose == player and line in case["lines"]
            )
            assert case[f"reserve_before_{player}_s"] == before / SECOND_NS
            assert case[f"reserve_after_{player}_s"] == (before + gained) / SECOND_NS


def check_subject(case: dict[str, Any], model: ReportModel) -> None:
    """A case is about the reason of its stop, or else about what the director did first."""
    resumed = [model.lines[line - 1] for line in case["lines"] if line < case["line"]]
    taken_up = [f"reason_{line['reason']}" for line in resumed if line["event"] == "resumed"]
    if case["rulings"] and case["about"] not in taken_up:
        assert case["about"] == model.about(case["line"], case["ended_line"], case["rulings"])


def check_room(lines: list[bytes], data: dict[str, Any]) -> None:
    """What a room sends of the match says the same."""
    result = result_of(EndedLog(Place("here", "/logs"), "m", tuple(lines), 0))
    assert reduce(follow, lines, Track()).code == data["code"]
    won = data["winner"] or any(
        data[f"{of}_{side}"] for of in ("score", "matches") for side in Side
    )
    assert (result is None) == (not data["turns"] and not (data["complete"] and won))
    if result is not None:
        assert result.reserves_ns is not None
        same = {name for name in NAMES if hasattr(result, name)} - {"match", "forks"}
        alike = [name for name in same if getattr(result, name) or data[name]]
        assert {name: getattr(result, name) for name in alike} == {n: data[n] for n in alike}
        assert (result.begun, result.duration_ns / SECOND_NS) == (data["began"], data["duration_s"])
        assert {side for side in Side if data[f"flagged_{side}"]} == set(result.flags)
        for side in Side:
            assert result.score[side] == data[f"score_{side}"]
            assert result.legs[side] == data[f"matches_{side}"]
            assert result.reserves_ns[side] / SECOND_NS == data[f"reserve_{side}_s"]


def csv_text(value: object) -> str:
    """A value of JSON as it stands in CSV."""
    if isinstance(value, bool):
        return str(value).lower()
    return "" if value is None else str(value)


def of_both(name: str, values: dict[str, int]) -> dict[str, float]:
    """The seconds of both players, as JSON names them."""
    return {f"{name}_{player}_s": ns / SECOND_NS for player, ns in values.items()}


def same(found: list[dict[str, Any]], expected: list[dict[str, Any]]) -> None:
    """Compare rows, of which the expected ones need not have all fields."""
    names = expected[0] if expected else ()
    assert [{name: row[name] for name in names} for row in found] == expected


def check_turns(data: dict[str, Any], model: ReportModel) -> None:
    """Each turn: whose, when, how long, in which game, both reserves, and what ended it."""
    turns = [
        {
            "turn": number,
            "line": turn["line"],
            "player": turn["player"],
            "game": turn["game"],
            "length_s": (turn["on_clock"] + turn["off_clock"]) / SECOND_NS,
            "off_clock_s": turn["off_clock"] / SECOND_NS,
            "reserve_before_s": turn["reserve_before"] / SECOND_NS,
            "reserve_after_s": turn["reserve_after"] / SECOND_NS,
            "ended_line": turn["ended_line"],
            "ended_by_plunger": turn["pressed"],
        }
        for number, turn in enumerate(model.all_turns, 1)
    ]
    same(data["turns"], turns)


def check_games(data: dict[str, Any], model: ReportModel) -> None:
    """Each game once, and who won it; after corrections the score of the last one is right."""
    ended = [game for game in data["games"] if game["ended_line"] is not None]
    for player in Side:
        used = sum(game[f"used_{player}_s"] for game in data["games"])
        assert used == pytest.approx(model.used[player] / SECOND_NS)
    names = {"line", "ended_line", "match", "cube", "gammon"}
    names |= set() if model.is_corrected else {"winner", "points"}
    same(
        ended,
        [
            {name: game[name] for name in names}
            | {"game": number}
            | of_both("used", game["used"])
            | of_both("reserve", game["left"])
            for number, game in enumerate(model.games, 1)
        ],
    )


def check_happenings(data: dict[str, Any], model: ReportModel) -> None:
    """Stops, flags, breaks and changes of reserves; each line has its time of day and its turn."""
    same(
        data["stops"],
        [
            {name: each[name] for name in ("line", "ended_line", "player", "reason")}
            | {"length_s": model.length_s(each["line"], each["ended_line"])}
            | of_both("reserve", each["has"])
            for each in model.stops
        ],
    )
    names = ("line", "player", "claimed_line", "cleared_line")
    same(data["flags"], [{name: each[name] for name in names} for each in model.flags])
    same(
        data["breaks"],
        [
            {name: each[name] for name in ("line", "ended_line", "granted")}
            | {f"taken_{player}": taken for player, taken in each["taken"].items()}
            | {"allowed_s": each["allowed"] / SECOND_NS}
            | {"took_s": model.length_s(each["line"], each["ended_line"])}
            | of_both("reserve", each["has"])
            for each in model.breaks
        ],
    )
    changes = [
        {"line": line, "player": player, "old_s": old / SECOND_NS, "new_s": new / SECOND_NS}
        for line, player, old, new in model.changes
    ]
    same(data["reserve_changes"], changes)
    begun = [turn["line"] for turn in model.all_turns]
    for row in (row for rows in data.values() if isinstance(rows, list) for row in rows):
        for each in (name for name in row if name.endswith("wall")):
            line = row[each.removesuffix("wall") + "line"]
            assert row[each] == (line and model.lines[line - 1]["wall"])
        if "turn" in row and "game" not in row:
            assert row["turn"] == sum(line <= row["line"] for line in begun)


def check_results(of: Summary, data: dict[str, Any], model: ReportModel) -> None:
    """Banks, points and matches, in JSON, CSV, and what the room sends."""
    assert data["restorations"] == len(model.restarts)
    assert of.ended.line == model.ended_line
    (row,) = csv.DictReader(io.StringIO(as_csv([Reported("f", of)], every_turn=False).decode()))
    assert row == {name: csv_text(data[name]) for name in row}
    assert (data["winner"], data["end"]) == model.end
    settings, first, last = model.lines[0]["settings"], model.lines[0], model.lines[-1]
    heading = ("match", "phase", "length", "left", "right", "profile", "practice")
    assert [data[name] for name in heading] == [
        *(first["match"], last["phase"], model.length, *(model.names[each] for each in Side)),
        *(settings["rules"]["profile"], settings["practice"]),
    ]
    begun = model.confirmed_line or 1
    assert (data["began"], data["ended"]) == (model.wall(begun), model.wall(model.ended_line))
    assert data["duration_s"] == max(0, model.length_s(begun, model.ended_line) or 0)
    assert data["corrections"] == sum(act["event"] in CHANGES for act in data["acts"])
    for player in Side:
        assert data[f"reserve_{player}_s"] == model.banks[player] / SECOND_NS
        assert data[f"score_{player}"] == model.score[player]
        assert data[f"matches_{player}"] == model.matches[player]
        assert data[f"flagged_{player}"] == (player in {flag["player"] for flag in model.flags})
    needed = 2 if model.best_of_three else 1
    if data["winner"]:
        assert data[f"matches_{data['winner']}"] == needed
    assert sum(data[f"matches_{player}"] == needed for player in Side) == bool(data["winner"])


def check_acts(of: Summary, data: dict[str, Any], model: ReportModel) -> None:
    """Acts of director and rules; each ruling stands in one case, and on the sheet."""
    same(data["acts"], model.acts)
    rulings = sorted(line for case in data["cases"] for line in case["rulings"])
    assert rulings == model.rulings
    filed = {line for case in data["cases"] for line in case["lines"]}
    assert filed >= set(rulings)
    text = rulings_text(of, sayer("en"))
    assert filed <= {int(line) for line in re.findall(r"^   #(\d+) ", text, re.MULTILINE)}


def check_curves(of: Summary, model: ReportModel) -> None:
    """Both reserves before and after each line lie on their curves, which bend at each corner."""
    moved = {model.at_ns[line] for line, *_ in model.changes}
    for player, curve in zip(Side, of.curves, strict=True):
        assert (curve[0].at_ns, curve[-1]) == (0, (model.at_ns[-1], model.banks[player]))
        instants = [-1, *model.at_ns[1:], model.at_ns[-1] + 1]
        for number, (was, now, next_) in enumerate(
            zip(instants, instants[1:], instants[2:], strict=False), 1
        ):
            reserves = [model.reserves_before[number]] * (was < now)
            reserves += [model.reserves_after[number]] * (now < next_)
            for point in (CurvePoint(now, each[player]) for each in reserves):
                begin, end = bisect_left(curve, point[:1]), bisect_right(curve, (point[0] + 1,))
                near = curve[max(0, begin - 1) : end + 1]
                assert any(
                    is_between(one, point, other) for one, other in pairwise([*near, near[-1]])
                )
        for one, point, other in zip(curve, curve[1:], curve[2:], strict=False):
            assert point.at_ns in moved or not is_between(one, point, other)


def is_between(one: CurvePoint, point: CurvePoint, other: CurvePoint) -> bool:
    """Return whether a point lies on the straight line between two."""
    (at, up), (x, y), (to, down) = one, point, other
    straight = (x - at) * (down - up) == (to - at) * (y - up)
    return straight and at <= x <= to and min(up, down) <= y <= max(up, down)


def flag_row(
    flag: dict[str, Any],
    known: dict[str, Any],
    data: dict[str, Any],
    names: dict[Side, str],
    model: ReportModel,
) -> tuple[str, ...]:
    """What the table says of a flag: whose, since when they had played, and what became of it."""
    line, orders = flag["line"], [each["order"] for each in data["flags"]]

    def at(line: int | None) -> str:
        return instant(model.wall(line)) if line else "-"

    fate = f"claimed {at(flag['claimed_line'])}" if flag["claimed_line"] else "not claimed"
    fate += f", ran {exact_text(known['overrun'])} longer" * bool(known["overrun"])
    if flag["cleared_line"]:
        fate += f", cleared {model.wall(flag['cleared_line'])[11:19]}"
    if not flag["player"]:
        return str(line), str(flag["turn"]), "No flag is down", "-", "-", "-", fate
    whose = names[flag["player"]]
    if max(orders) > 1:
        whose += f", fell {('first', 'second')[flag['order'] - 1]}"
    if known["margin"] is not None:
        whose += f" +{exact_text(known['margin'])}"
    whose += ", entered by the director" * known["entered"]
    changes = [at for at in range(2, line) if model.running[at] != model.running[at - 1]]
    since = "-" if known["entered"] or not changes else model.wall(changes[-1])[11:19]
    until = range(line + 1, 1 + (flag["cleared_line"] or len(model.lines)))
    halted = next((at for at in until if model.running[at] is None), None)
    return str(line), str(flag["turn"]), whose, since, at(line), at(halted), fate


def instant(wall: str) -> str:
    """The time of day of a line, with milliseconds if it has them."""
    return wall[11:23] if "." in wall else wall[11:19]


def check_tables(of: Summary, data: dict[str, Any], model: ReportModel) -> None:
    """The tables have the rows of JSON: lines, times of day, turns, players and lengths."""
    shown = {each.title: list(each.rows) for each in sheets(of, sayer("en"), every_turn=True)}
    names = dict(zip(Side, with_names(of, sayer("en")).names, strict=True))

    def at(each: dict[str, Any]) -> tuple[str, str]:
        return str(each["line"]), each["wall"][11:19]

    def time(seconds: float | None) -> str:
        return time_text(None if seconds is None else round(seconds * SECOND_NS))

    def first(title: str, count: int) -> list[tuple[str, ...]]:
        return [row[:count] for row in shown.get(title, [])]

    stops = [(*at(each), str(each["turn"])) for each in data["stops"]]
    assert first("Stops", 3) == stops
    assert [row[5] for row in shown.get("Stops", [])] == [
        time(e["length_s"]) for e in data["stops"]
    ]
    acts = [(*at(each), str(each["turn"]), each["text"]) for each in data["acts"]]
    assert first("Director's acts, lateness", 4) == acts
    flags = [
        flag_row(*each, data, names, model) for each in zip(data["flags"], model.flags, strict=True)
    ]
    assert shown.get("Flags", []) == flags
    refused = [each for each in model.lines if each["event"] == "pressed" and not each["accepted"]]
    if len(refused) > MOST_LISTED:
        counted = shown[f"Presses without effect: {len(refused)}"]
        assert sum(int(row[-1]) for row in counted) == len(refused)
    else:
        times = [each["wall"][11:19] for each in refused]
        assert [row[1] for row in shown.get("Presses without effect", [])] == times
    faults = [
        at | {"line": number} for number, at in enumerate(model.lines, 1) if at["event"] == "fault"
    ]
    working = [
        at | {"line": number}
        for number, at in enumerate(model.lines, 1)
        if at["event"] == "fault_cleared"
    ]
    assert shown.get("Faults", []) == [
        (
            *at(each),
            each["part"],
            each["what"],
            next((at(end)[1] for end in working if end["line"] > each["line"]), "-"),
        )
        for each in faults
    ]
    restarts = [
        (
            *at(each),
            model.wall(each["line"] - 1)[11:19],
            time(each["used"] / SECOND_NS),
            time_text(each["lost_ns"]),
        )
        for each in model.restarts
    ]
    assert [(*row[:2], *row[3:]) for row in shown.get("Restarts", [])] == restarts
    breaks = [(time(each["allowed_s"]), time(each["took_s"])) for each in data["breaks"]]
    assert [row[5:7] for row in shown.get("Breaks", [])] == breaks
    games = [
        (
            each["wall"][11:19] if each["line"] else "-",
            f"{names[each['winner']]} +{each['points']}" if each["winner"] else "-",
            f"{each['score_left']}-{each['score_right']}",
            time(each["line"] and model.length_s(each["line"], each["ended_line"])),
            f"{time(each['used_left_s'])} / {time(each['used_right_s'])}",
        )
        for each in data["games"]
    ]
    assert [row[1:6] for row in shown.get("Games", [])[:-1]] == games
    turns = [
        (
            str(e["turn"]),
            e["wall"][11:19],
            names[e["player"]],
            exact_text(round(e["length_s"] * SECOND_NS)),
        )
        for e in data["turns"]
    ]
    every = [(row[0], row[1][:8], *row[2:4]) for row in shown.get("All turns", []) if row[0]]
    assert every == turns
    for title, key, reverse, per in (
        ("Slowest turns", None, True, 5),
        ("Quickest turns", "ended_by_plunger", False, 0),
    ):
        rows = [e for e in data["turns"] if key is None or e[key]]
        rows.sort(key=lambda e: e["length_s"] * (-1 if reverse else 1))
        found = [
            str(e["turn"])
            for at_, e in enumerate(rows)
            if (at_ < 5 if not per else sum(o["player"] == e["player"] for o in rows[:at_]) < per)
        ]
        assert [row[0] for row in shown.get(title, [])] == found
    for row, player in zip(shown["Players"], Side, strict=True):
        lengths = [
            e["length_s"] for e in data["turns"] if e["player"] == player and e["ended_by_plunger"]
        ]
        average = sum(round(x * SECOND_NS) for x in lengths) // len(lengths) if lengths else None
        told_ = (
            time_text(average),
            time(sorted(lengths)[len(lengths) // 2] if lengths else None),
            time(max(lengths, default=None)),
            time_text(model.used[player]),
        )
        assert row[:6] == (names[player], str(len(lengths)), *told_)


@pytest.mark.rule("R202", "R203", "R204", "R205", "R206")
@pytest.mark.parametrize("share", rest_slow(range(SHARES)))
def test_a_report_says_what_the_model_says(share: int) -> None:
    for seed in range(share, SHARES * MATCHES, SHARES):
        check(random_logs(seed, is_busy=True))
