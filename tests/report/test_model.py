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
from lab.support.report_model import BY_POINTS, ReportModel, of_both
from lab.support.rows import rest_slow
from room.boards.effects import EndedLog
from room.boards.results import result_of
from room.lines.events import Place
from room.lines.track import Track, follow

CHANGES = ("adjusted", "corrected", "overtime", "penalty", "reopened", "undone")
SHARES, MATCHES = 4, 15  # processes can share them; more of them reach no other line
RARE = (1, 3, 6, 18, 22, 39)  # in which something happens that is seldom: tried first


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
    check_interventions(of, data, model)
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
    """What each case is about, and what the rulings of it changed; they stand in their order."""
    order = [case["line"] for case in data["cases"]]
    assert order == sorted(order)
    betweens = [each for each in data["cases"] if not is_of_stop(each, model)]
    betweens = [each for each in betweens if not model.reopens(each["line"])]
    assert len({(each["about"], each["ended_line"]) for each in betweens}) == len(betweens)
    for case in betweens:
        assert not case["called"]
        assert {model.about(ruling, None, [ruling]) for ruling in case["rulings"]} <= {
            case["about"]
        }
    stops = {case["line"]: case["called"] for case in data["cases"] if is_of_stop(case, model)}
    assert stops == {at: called for at, (called, ruled) in model.calls().items() if called or ruled}
    told_to = 0  # line up to which turns and flags stand in the case of a stop
    for case in data["cases"]:
        assert case["game"] in (None, *(game["game"] for game in data["games"]))
        check_subject(case, model)
        names = [data[player] for player in model.concerned(case["about"], case["lines"])]
        whom = f": {names[0]}" if len(names) == 1 else ""
        assert case["text"] == f"{sayer('en')(case['about'])}{whom}"
        check_evidence(case, model, told_to)
        told_to = (is_of_stop(case, model) and case["ended_line"]) or told_to
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


def is_of_stop(case: dict[str, Any], model: ReportModel) -> bool:
    """Whether a case is that of a stop: a game that is reopened there has one of its own."""
    return model.lines[case["line"] - 1]["phase"] == "STOPPED" and not model.reopens(case["line"])


def check_evidence(case: dict[str, Any], model: ReportModel, told_to: int) -> None:
    """Of a stop the turn and the flags, of a result how it came about; when and whose it was."""
    begun, lines = case["line"], dict(enumerate(model.lines, 1))
    playing = [at for at in lines if lines[at]["running"] or lines[at]["phase"] == "FREE_TURN"]
    evidence = [at for at in case["lines"] if at < begun]
    flags = [at for at in evidence if lines[at]["event"] == "flag_fell"]
    undone = [at for at, line in model.events("undone") if at > begun]
    back = [at for at in undone if model.taken_back(at, lines[at]["undone"]) == begun]
    assert not model.reopens(begun) or not back or max(case["lines"]) <= back[0]
    if is_of_stop(case, model):
        player = next(each["player"] for each in model.stops if each["line"] == begun)
        ends = [at for at in lines if lines[at]["phase"] not in ("STOPPED", "PUT_ASIDE")]
        turn = max((each["line"] for each in model.all_turns if each["line"] < begun), default=-1)
        refused = (at for at, _ in model.events("pressed", accepted=False) if turn < at < begun)
        wrong = [at for at in refused if lines[at]["why"] in ("not_on_move", "must_wait")]
        expected = [at for at in (turn, *wrong) if at >= told_to]
        fell = {at for at, _ in model.events("flag_fell") if told_to < at < begun}
        known = [each for each in model.flags if each["line"] < begun and each["player"]]
        down = {each["line"] for each in known if (each["cleared_line"] or begun) >= begun}
        assert down & fell <= set(flags) <= (fell if down else set())
    else:
        player, ends = None, playing
        since = max((at for at in playing if at < begun), default=0)
        expected = model.ends(since, begun)
        if not model.reopens(begun):
            expected = expected[-1:] if case["about"] == "what_score" else []
        if case["about"] == "why_late":
            pauses = [at for at, _ in model.events("break_started") if at < begun][-1:]
            expected = [
                at
                for at in pauses
                if {lines[each]["phase"] for each in range(at, begun)} == {"BREAK"}
            ]
        assert not flags or case["about"] == "event_ended"
    check_own_lines(case, lines, playing, is_reopened=model.reopens(begun))
    assert [at for at in evidence if at not in flags] == expected
    ended = next((at for at in ends if at >= begun), None)
    assert (case["player"], case["ended_line"]) == (player, ended)


FOLLOWS = {"flag_claimed", "flag_fell", "late", "restored", "break_ended", "match_over"}


def check_own_lines(
    case: dict[str, Any], lines: dict[int, Any], playing: list[int], *, is_reopened: bool
) -> None:
    """Rulings, and what followed from them; each lateness once, with what is due in the end."""
    own = [at for at in case["lines"] if at >= case["line"]]
    events = {at: lines[at]["event"] for at in own}
    others = {each for at, each in events.items() if at not in case["rulings"]}
    assert others <= {*FOLLOWS, *(["game_over"] * is_reopened)}
    steps = [events[at] == "late" and lines[at]["by"] != "director" for at in own]
    assert (True, True) not in pairwise(steps)
    about = {lines[at].get("why") for at in own} | {lines[at].get("what") for at in own}
    assert not is_reopened or not about & {"late", "late_points"}
    decided = {at + 1 for at in case["rulings"] if lines.get(at + 1, {}).get("why") in BY_POINTS}
    assert {at for at in decided if lines[at]["event"] == "match_over"} <= set(own)
    if case["about"] in ("break", "why_late") and lines[case["line"]]["phase"] == "BREAK":
        until = case["ended_line"] or len(lines)
        over = [at for at in range(case["line"], until + 1) if lines[at]["event"] == "break_ended"]
        assert set(over[:1]) <= set(own)


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
    last = {game["match"]: (game, own) for game, own in zip(ended, model.games, strict=True)}
    for game, own in last.values():
        if own["points"] is not None:
            score = {player: game[f"score_{player}"] for player in Side}
            assert score == model.score_after(own)


def check_happenings(data: dict[str, Any], model: ReportModel) -> None:
    """Stops, flags, breaks and changes of reserves; each line has its time of day and its turn."""
    for kind, length, own in (
        ("stops", "length_s", model.stops),
        ("breaks", "took_s", model.breaks),
    ):
        lasted = [model.length_s(each["line"], each["ended_line"]) for each in own]
        same(data[kind], [each | {length: s} for each, s in zip(own, lasted, strict=True)])
    names = ("line", "player", "claimed_line", "cleared_line")
    same(data["flags"], [{name: each[name] for name in names} for each in model.flags])
    assert all(bool(each["order"]) == bool(each["player"]) for each in data["flags"])
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
    assert [of.match, *of.later] == list(dict.fromkeys(line["match"] for line in model.lines))
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
    assert data["corrections"] == sum(each["event"] in CHANGES for each in data["acts"])
    for player in Side:
        assert data[f"reserve_{player}_s"] == model.banks[player] / SECOND_NS
        assert data[f"score_{player}"] == model.score[player]
        assert data[f"matches_{player}"] == model.matches[player]
        assert data[f"flagged_{player}"] == (player in {flag["player"] for flag in model.flags})
    needed = 2 if model.best_of_three else 1
    if data["winner"]:
        assert data[f"matches_{data['winner']}"] == needed
    assert sum(data[f"matches_{player}"] == needed for player in Side) == bool(data["winner"])


def check_interventions(of: Summary, data: dict[str, Any], model: ReportModel) -> None:
    """Interventions of director and rules; each ruling stands in one case, and on the sheet."""
    same(data["acts"], model.interventions)
    rulings = sorted(line for case in data["cases"] for line in case["rulings"])
    assert rulings == model.rulings
    filed = {line for case in data["cases"] for line in case["lines"]}
    assert {at for at, _ in model.events("late")[-1:]} <= filed
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


def flag_row(flag: dict[str, Any], known: dict[str, Any], model: ReportModel) -> tuple[str, ...]:
    """What the table says of a flag: since when they had played, and what became of it."""
    line, claimed, cleared = (flag[f"{of}line"] for of in ("", "claimed_", "cleared_"))

    def at(line: int | None) -> str:
        return model.wall(line)[11:23].partition("+")[0] if line else "-"

    fate = f"claimed {at(claimed)}" if claimed else "not claimed"
    fate += f", clock ran on {exact_text(known['overrun'])}" * bool(known["overrun"])
    fate += f", cleared {at(cleared)[:8]}" * bool(cleared)
    if not flag["player"]:
        return "-", "-", "-", fate
    changes = [at for at in range(2, line) if model.running[at] != model.running[at - 1]]
    since = changes[-1] if changes and not known["entered"] else None
    until = range(line + 1, 1 + (cleared or len(model.lines)))
    halted = next((at for at in until if model.running[at] is None), None)
    return at(since)[:8], at(line), at(halted), fate


def whose_flag(flag: dict[str, Any], known: dict[str, Any], both: bool) -> str:
    """What follows the name of a player whose flag is down."""
    order = f", {sayer('en')(('flag_first', 'flag_second')[flag['order'] - 1])}" * both
    margin = "" if known["margin"] is None else f" +{exact_text(known['margin'])}"
    return order + margin + ", entered by the director" * bool(known["entered"])


def check_tables(of: Summary, data: dict[str, Any], model: ReportModel) -> None:
    """The tables have the rows of JSON: lines, times of day, turns, players and lengths."""
    say, turns = sayer("en"), data["turns"]
    heading, *listed = sheets(of, say, every_turn=True)
    shown = {each.title: each.rows for each in listed}
    names = dict(zip(Side, with_names(of, say).names, strict=True))

    def rows(title: str, *columns: int) -> list[tuple[str, ...]]:
        return [tuple(row[at] for at in columns) for row in shown.get(title, [])]

    def at(line: int | None) -> tuple[str, str]:
        return str(line), model.wall(line)[11:19] if line else "-"

    def time(seconds: float | None) -> str:
        return time_text(None if seconds is None else round(seconds * SECOND_NS))

    assert rows("Stops", 0, 1, 2, 5) == [
        (*at(each["line"]), str(each["turn"]), time(each["length_s"])) for each in data["stops"]
    ]
    assert rows("Director's rulings, lateness", 0, 1, 2, 3) == [
        (*at(each["line"]), str(each["turn"]), each["text"]) for each in data["acts"]
    ]
    flags = list(zip(data["flags"], model.flags, strict=True))
    assert rows("Flags", 0, 1, 3, 4, 5, 6) == [
        (str(each["line"]), str(each["turn"]), *flag_row(each, known, model))
        for each, known in flags
    ]
    both = any(each["order"] > 1 for each, _ in flags)
    assert rows("Flags", 2) == [
        (names[each["player"]] + whose_flag(each, known, both),)
        if each["player"]
        else (say("event_no_flag"),)
        for each, known in flags
    ]
    refused = [line for line, _ in model.events("pressed", accepted=False)]
    if len(refused) > MOST_LISTED:
        counted = shown[f"{say('report_refused')}: {len(refused)}"]
        assert sum(int(row[-1]) for row in counted) == len(refused)
    else:
        assert rows(say("report_refused"), 0, 1) == [at(line) for line in refused]
    faults = [
        (at(line), each["part"], each["what"], model.events("fault_cleared", part=each["part"]))
        for line, each in model.events("fault")
    ]
    assert shown.get("Faults", []) == [
        (*begun, *what, at(next((end for end, _ in ends if end > int(begun[0])), None))[1])
        for begun, *what, ends in faults
    ]
    assert shown.get("Restarts", []) == [
        (
            *at(each["line"]),
            say("report_program_stopped" if each["goes_on"] else f"restored_{each['why']}"),
            at(each["line"] - 1)[1],
            *(time_text(each[name]) for name in ("played_ns", "lost_ns")),
        )
        for each in model.restarts
    ]
    assert rows("Breaks", 5, 6) == [
        (time(each["allowed_s"]), time(each["took_s"])) for each in data["breaks"]
    ]
    assert rows("Games", 1, 2, 3, 4, 5)[:-1] == [
        (
            at(each["line"])[1],
            f"{names[each['winner']]} +{each['points']}" if each["winner"] else "-",
            f"{each['score_left']}-{each['score_right']}",
            time(each["line"] and model.length_s(each["line"], each["ended_line"])),
            f"{time(each['used_left_s'])} / {time(each['used_right_s'])}",
        )
        for each in data["games"]
    ]
    given = {(row[1][:8], row[5]) for row in shown.get("All turns", []) if not row[0]}
    assert given <= {(at(each["line"])[1], each["text"]) for each in data["acts"]}
    every = [(row[0], row[1][:8], *row[2:4]) for row in shown.get("All turns", []) if row[0]]
    lengths = {each["turn"]: round(each["length_s"] * SECOND_NS) for each in turns}
    assert every == [
        (str(turn), at(each["line"])[1], names[each["player"]], exact_text(lengths[turn]))
        for turn, each in zip(lengths, turns, strict=True)
    ]
    slowest = sorted(turns, key=lambda each: -lengths[each["turn"]])
    of_each = [[each for each in slowest if each["player"] == player][:5] for player in Side]
    assert rows("Slowest turns", 0) == [
        (str(each["turn"]),) for each in slowest if each in of_each[0] + of_each[1]
    ]
    pressed = [each for each in slowest[::-1] if each["ended_by_plunger"]]
    quickest = sorted(pressed, key=lambda each: (lengths[each["turn"]], each["turn"]))[:5]
    assert rows("Quickest turns", 0) == [(str(each["turn"]),) for each in quickest]
    for row, player in zip(shown["Players"], Side, strict=True):
        own = sorted(lengths[each["turn"]] for each in pressed if each["player"] == player)
        mean, median = (sum(own) // len(own), own[len(own) // 2]) if own else (None, None)
        times = (mean, median, max(own, default=None), model.used[player])
        assert row[:6] == (names[player], str(len(own)), *map(time_text, times))
        reserve = () if model.has_pace else (model.spent[player], model.banks[player])
        assert row[6:] == (*map(time_text, reserve),)
    cuts = [each for each in model.restarts if not each["goes_on"] and "origin" not in each]
    (date,) = (row[1] for row in heading.rows if row[0] == say("report_date"))
    assert f"power cuts: {len(cuts)}" in date


@pytest.mark.rule("R122", "R202", "R203", "R204", "R205", "R206")
@pytest.mark.parametrize("share", rest_slow(range(SHARES)))
def test_a_report_says_what_the_model_says(share: int) -> None:
    seeds = sorted(range(SHARES * MATCHES), key=lambda seed: seed not in RARE)
    for seed in seeds[share * MATCHES : (share + 1) * MATCHES]:
        check(random_logs(seed, is_busy=True))
