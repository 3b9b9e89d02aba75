"""What a report has to say of a match, folded from the lines of its log and from nothing else.

It imports nothing of the program: it reads JSON. Where the log states a number (a reserve, a
score), that counts; what it does not state (turns, games, matches) is worked out here.
"""

import json
from collections.abc import Iterable, Sequence
from typing import Any

Line = dict[str, Any]
SECOND_NS = 10**9
SIDES = ("left", "right")
AT_REST = ("FINISHED", "PUT_ASIDE")
OTHER = {"left": "right", "right": "left"}
BY_POINTS = ("score", "penalty", "corrected", "shortened")
RULES_OR_DIRECTOR = ("adjusted", "corrected", "overtime", "penalty", "warned", "reopened", "late")
TIME = ("adjusted", "corrected", "overtime", "penalty", "resumed", "undone")  # may change reserves
DIRECTORS = ("adjusted", "penalty", "warned", "reopened", "put_aside", "undone")
NO_CASE = ("unspecified", "game_over", "game_decided")  # reasons that call nobody
SUBJECTS = {
    "break_started": "break",
    "confirmed": "event_approved",
    "match_over": "event_ended",
    "overtime": "item_overtime",
    "put_aside": "put_aside",
    "resumed": "why_clock",
    "undone": "event_undone",
}
ABOUT = {  # what a case is about for whose player
    "flag_claimed": "reason_time_expired",
    "late": "why_late",
    "overtime": "item_overtime",
    **dict.fromkeys(("penalty", "adjusted", "warned"), "why_{}"),
}
FOLDED = (  # what a ruling changes, and what is as before it when it is taken back
    *("swapped", "legs", "turns", "games", "breaks", "is_corrected"),
    *("length", "_turn", "_interrupted", "_game", "_over", "_winner", "_length_before"),
    *("_used", "has_pace", "names"),
)


def is_directors(line: Line) -> bool:
    """Whether a line is a ruling of the director."""
    if line["event"] == "match_over":
        return line["why"] not in BY_POINTS
    if line["event"] == "confirmed":
        return bool(line["side"] == "director")
    return line["event"] in DIRECTORS or line.get("by") == "director"


def _copied(value: Any) -> Any:
    if isinstance(value, list):
        return [_copied(each) for each in value]
    is_line = isinstance(value, dict) and "event" in value
    return dict(value) if isinstance(value, dict) and not is_line else value


def of_both(name: str, values: dict[str, int]) -> dict[str, Any]:
    """The seconds of both players, as JSON names them."""
    return {f"{name}_{player}_s": ns / SECOND_NS for player, ns in values.items()}


class ReportModel:
    """The turns, games, matches, breaks, interventions and banks of a match, by players."""

    def __init__(self, logs: Sequence[Iterable[bytes]]) -> None:
        """Fold the logs of a match, of which each continues the one before."""
        self.lines: list[Line] = [json.loads(raw) for log in logs for raw in log]
        settings = self.lines[0]["settings"]
        self.best_of_three = settings["format"] == "best-of-three"
        self.counts_penalties = settings["rules"]["penalty_points_score"]
        self.length: int = settings["length"]
        self.names = dict(zip(SIDES, settings["names"], strict=True))
        self.swapped = False
        self.legs = [0, 0]  # won, by seats
        self.used, self.spent = dict.fromkeys(SIDES, 0), dict.fromkeys(SIDES, 0)
        self.turns: list[dict[str, Any]] = []
        self.games: list[dict[str, Any]] = []
        self.breaks: list[dict[str, Any]] = []
        self.reserves_before: dict[int, dict[str, int]] = {}  # each line, as it happened
        self.reserves_after: dict[int, dict[str, int]] = {}
        self.played = [0]  # up to each line, since the one before
        self.running: list[str | None] = [None]  # after each line
        self.reasons: dict[int, str] = {}  # that the panels show after each line, while stopped
        self.held = {0: False}  # after each line, until the director resumes
        self.at_ns: list[int] = [0]  # of each line, without the time that the power was off
        self.changes: list[tuple[int, str, int, int]] = []  # of reserves: line, player, old, new
        self.stops: list[dict[str, Any]] = []
        self.flags: list[dict[str, Any]] = []
        self.has_pace = settings["rules"]["pace"] is not None
        self.interventions: list[dict[str, Any]] = []  # with who ruled
        self.confirmed_line: int | None = None
        self.standings: dict[int, list[dict[str, tuple[int, int]]]] = {}  # before and after a line
        self.seats: dict[int, dict[str, str]] = {}  # who sat where when a line was written
        self.rulings: list[int] = []
        self.is_corrected = False
        self._turn: dict[str, Any] | None = None  # on the clock
        self._used = dict.fromkeys(SIDES, 0)  # since the end of the game before
        self._interrupted = 0  # used of the turn that a reason has interrupted
        self._game: dict[str, Any] | None = None
        self._leg = 1  # of the line
        self._left_before = dict.fromkeys(SIDES, 0)
        self._over: Line | None = None  # the latest end of the match
        self._winner: str | None = None  # of the match that is over
        self._length_before = self.length
        self._fold_lines()
        before = self.lines[-1]
        self.banks = self._reserves(before)
        self.score = {self.player(side): n for side, n in self._scores(before).items()}
        self.matches = {self.player(s): n for s, n in zip(SIDES, self.legs, strict=True)}

    def _fold_lines(self) -> None:
        before = self.lines[0]
        stood: dict[int, dict[str, Any]] = {}  # before each line
        for number, line in enumerate(self.lines, 1):
            legs, passed = sum(self.legs), self._passed(before, line)
            had = self._had(before, passed)
            self.at_ns.append(self.at_ns[-1] + passed)
            self._left_before = had
            self.reasons[number] = self._reason(number, before, line)
            self.held[number] = self._is_held(number, line)
            if line["event"] != "pressed":
                stood[number] = {name: _copied(getattr(self, name)) for name in FOLDED}
            self.standings[number] = [self._standing(before)]
            self.seats[number] = {side: self.player(side) for side in SIDES}
            self._fold(number, before, line, passed)
            if line["event"] == "undone":
                ruling = self.taken_back(number, line["undone"])
                vars(self).update(stood[ruling])
                self._restore_flags(ruling)
            self.standings[number].append(self._standing(line))
            self._fold_stop(number, before, line)
            if sum(self.legs) > legs and max(self.legs) < 1 + self.best_of_three:
                self._clear_flags(number, [each for each in self.flags if each["player"]])
            self.reserves_before[number], has = had, self._reserves(line)
            self.reserves_after[number] = has
            self.played.append(passed if before["running"] else 0)
            self.running.append(line["running"] and self.player(line["running"]))
            if line["event"] in TIME and sum(self.legs) == legs:
                gained = ((player, had[player], has[player]) for player in SIDES)
                self.changes += [(number, *each) for each in gained if each[1] != each[2]]
            before = line

    def events(self, event: str, **fields: object) -> list[tuple[int, Line]]:
        """Return the lines with an event, and with these fields."""
        lines = enumerate(self.lines, 1)
        return [each for each in lines if {**fields, "event": event}.items() <= each[1].items()]

    @property
    def restarts(self) -> list[Line]:
        """Where the match went on in another log, or the clock came back while it lasted."""
        return [
            {**each, "line": line, "played_ns": self.played[line]}
            | {"goes_on": each["boot"] == self.lines[line - 2]["boot"]}
            for line, each in self.events("restored")
            if "origin" in each or each["phase"] not in AT_REST
        ]

    @property
    def end(self) -> tuple[str | None, str | None]:
        """Who has won the match, and why; (None, None) if it is not over."""
        if self.lines[-1]["phase"] != "FINISHED" or self._over is None:
            return None, None
        return self._winner, self._over["why"]

    @property
    def ended_line(self) -> int:
        """The line that ended the match or put it aside, or else the last one."""
        number = len(self.lines)
        if self.lines[-1]["phase"] in AT_REST:
            while self.lines[number - 1]["event"] not in ("match_over", "put_aside"):
                number -= 1
        return number

    def _had(self, before: Line, passed: int) -> dict[str, int]:
        """Return what each player had left just before a line."""
        reserves, running = self._reserves(before), before["running"]
        if running is not None:
            player = self.player(running)
            reserves[player] -= max(0, passed - before["delay_ns"])
            flagless = self.has_pace or self.lines[0]["settings"]["practice"]
            reserves[player] = reserves[player] if flagless else max(0, reserves[player])
        return reserves

    def wall(self, number: int) -> str:
        """Return the time of day of a line."""
        return str(self.lines[number - 1]["wall"])

    def length_s(self, first: int, last: int | None) -> float | None:
        """Return the time between two lines."""
        return last and (self.at_ns[last] - self.at_ns[first]) / SECOND_NS

    def player(self, side: str) -> str:
        """Return who sits on a side."""
        return OTHER[side] if self.swapped else side

    def _reserves(self, line: Line) -> dict[str, int]:
        return {self.player(side): line[f"{side}_ns"] for side in SIDES}

    def _scores(self, line: Line) -> dict[str, int]:
        """Return the score of the match under way; at the end of a leg its line has that leg's."""
        over = line["event"] == "match_over" and line["phase"] == "READY"
        return dict(zip(SIDES, [0, 0] if over else line["score"], strict=True))

    def _standing(self, line: Line) -> dict[str, tuple[int, int]]:
        """Return the matches that each player has won, and their score."""
        seats = zip(SIDES, self.legs, strict=True)
        return {self.player(side): (legs, self._scores(line)[side]) for side, legs in seats}

    def about(self, begun: int, ended: int | None, rulings: Sequence[int]) -> str:
        """Return what a case is about, by the lines that begin and end it and its rulings.

        In a stop it is the reason for which they ruled, or with which it ended, if that calls the
        director; else it is what they did.
        """
        first = self.lines[begun - 1]
        if self.reopens(begun):
            return f"event_{first['event']}"
        within = range(begun, ended or len(self.lines) + 1) if first["phase"] == "STOPPED" else ()
        stopped = [at for at in within if self.lines[at - 1]["phase"] == "STOPPED"]
        for at in (*(ruling - 1 for ruling in rulings), *stopped[-1:]):
            if self.lines[at - 1]["phase"] == "STOPPED" and self.reasons[at] not in NO_CASE:
                return f"reason_{self.reasons[at]}"
        match self.lines[rulings[0] - 1]:
            case {"event": "corrected", "what": "late_points"} | {"event": "late"}:
                return "why_late"
            case {"event": "corrected", "what": what}:
                return f"what_{what}"
            case {"event": "match_over", "why": "late"}:
                return "why_late"
            case {"event": "penalty" | "adjusted", "why": why} | {"event": "warned", "reason": why}:
                return f"why_{why}"
            case line:
                return SUBJECTS[line["event"]]

    def calls(self) -> dict[int, tuple[bool, bool]]:
        """Return of each stop whether the panels called for the director, and whether they ruled.

        A call is a reason that only the director can end, or the one shown in the end. A stop
        after a game was reopened, without a turn in between, is a part of that case.
        """
        found, phases = {}, ["", *(line["phase"] for line in self.lines)]
        is_reopened = False
        for at, phase in enumerate(phases):
            is_reopened &= self.running[at - 1] is None and phases[at - 1] != "FREE_TURN"
            is_reopened |= at > 0 and self.reopens(at)
            if phase != "STOPPED" or phases[at - 1] in ("STOPPED", "PUT_ASIDE") or is_reopened:
                continue
            later = range(at, len(phases))
            ends = (each for each in later if phases[each] not in ("STOPPED", "PUT_ASIDE"))
            end = next(ends, len(phases))
            stop = [each for each in range(at, end) if phases[each] == "STOPPED"]
            called = any(map(self.held.get, stop)) or self.reasons[stop[-1]] == "director_called"
            found[at] = called, any(at <= each <= end for each in self.rulings)
        return found

    def _is_held(self, number: int, line: Line) -> bool:
        match line["event"]:
            case "flag_claimed" | "reason_chosen":
                return bool(line["phase"] == "STOPPED")
            case "undone":
                return self.held[self.taken_back(number, line["undone"]) - 1]
            case "corrected" if line["what"] == "held":
                return False
            case _:
                return self.held[number - 1] and line["phase"] in ("STOPPED", "PUT_ASIDE")

    def concerned(self, about: str, lines: Sequence[int]) -> set[str]:
        """Return the players whom the lines of a case name that is about this."""
        found = set()
        for number in lines:
            line = self.lines[number - 1]
            why = line.get("why") or line.get("reason")
            if ABOUT.get(line["event"], "").format(why) == about:
                side = line["beneficiary"] if why == "bonus" else line["side"] or line.get("taker")
                found |= {self.seats[number][side]} if side else set()
        return found

    def reopens(self, number: int) -> bool:
        """Return whether a line puts a game back into play, or takes its points back."""
        line = self.lines[number - 1]
        taken_back: Line = line.get("undone") or {}
        return line["event"] == "reopened" or taken_back.get("event") == "game_over"

    def ends(self, first: int, last: int) -> list[int]:
        """Return the ends of games and matches between two lines, without what was taken back."""
        found = (*self.events("game_over"), *self.events("match_over"))
        found += tuple(self.events("corrected", what="clock"))
        gone = self._gone(last)
        return sorted(at for at, _ in found if first < at < last and at not in gone)

    def score_after(self, game: Line) -> dict[str, int]:
        """Return the score after the last game of a match, with what was corrected since.

        Points of a penalty that are taken away later are those of no game.
        """
        line, gone = game["ended_line"], self._gone(len(self.lines) + 1)
        score = {player: points for player, (_, points) in self.standings[line][0].items()}
        score |= {player: score[player] + game["points"] for player in [game["winner"]] if player}
        for at, each in self.events("corrected", what="score"):
            before, after = self.standings[at]
            leg = sum(legs for legs, _ in before.values()) + (each["phase"] != "FINISHED")
            if at > line and leg == game["match"] and at not in gone:
                new = {of: score[of] + after[of][1] - before[of][1] for of in SIDES}
                score = new if min(new.values()) >= 0 else score
        return score

    def _gone(self, last: int) -> set[int]:
        """Return the lines that were taken back before a line."""
        undone = [(at, line) for at, line in self.events("undone") if at < last]
        return {self.taken_back(at, line["undone"]) for at, line in undone}

    def taken_back(self, number: int, event: Line) -> int:
        """Return the number of the latest line before another one that has an event."""
        while not event.items() <= self.lines[number - 2].items():
            number -= 1
        return number - 1

    # --- one line -------------------------------------------------------------------------------

    def _fold(self, number: int, before: Line, line: Line, passed: int) -> None:
        self._let_pass(passed, before)
        self._fold_flags(number, line)
        self._leg = 1 + sum(self.legs)
        begins = self._begins_turn(before, line)
        if self._turn is not None and (begins or self._takes_turn_away(line)):
            self._end_turn(number, before, line)
        self._fold_legs(line, before)
        self._fold_games(number, before, line, begins)
        if line["event"] == "corrected" and line["what"] == "sides":
            self._swap()
        if begins:
            self._begin_turn(number, line)
        self._follow_turn(line)
        self._fold_break(number, line)
        event = line["event"]
        if event in (*RULES_OR_DIRECTOR, "offered", "offer_refused") or is_directors(line):
            side = line.get("side") if line.get("side") in SIDES else None
            intervention = {"line": number, "event": event, "ruled_by": line.get("ruled_by")}
            self.interventions.append({**intervention, "player": side and self.player(side)})
        if is_directors(line):
            self.rulings.append(number)
        if event == "corrected" and line["what"] == "names":
            self.names = {self.player(s): name for s, name in zip(SIDES, line["new"], strict=True)}
        if event == "confirmed" and line["side"] == "centre":
            self.confirmed_line = self.confirmed_line or number

    def _passed(self, before: Line, line: Line) -> int:
        """Return the time since the line before; of a power cut, what was played."""
        if line["event"] == "restored" and before is not line:
            if before["running"] is not None and self._turn is not None:
                return int(line["used_ns"]) - int(self._turn["used"])
            if line["boot"] != before["boot"]:
                return 0
        return int(line["at_ns"]) - int(before["at_ns"])

    def _let_pass(self, passed: int, before: Line) -> None:
        if before["running"] is not None and self._turn is not None:
            for used in (self.used, self._used):
                used[self.player(before["running"])] += passed
            self._turn["used"] += passed
            self._turn["on_clock"] += passed
            spent = 0 if self.has_pace else max(0, passed - before["delay_ns"])
            self.spent[self.player(before["running"])] += spent
        if before["phase"] == "FREE_TURN" and self._turn is not None:
            self._turn["off_clock"] += passed

    def _reason(self, number: int, before: Line, line: Line) -> str:
        match line["event"]:
            case "stopped" | "reopened":
                return "unspecified"
            case "reason_shown" | "reason_chosen":
                return str(line["reason"])
            case "restored" if before["phase"] in ("RUNNING", "FREE_TURN"):
                return "power_loss"
            case "corrected" if line["what"] == "held":
                return "unspecified"
            case "undone":
                return self.reasons[self.taken_back(number, line["undone"]) - 1]
            case _:
                return self.reasons.get(number - 1, "unspecified")

    # --- turns ----------------------------------------------------------------------------------

    def _begins_turn(self, before: Line, line: Line) -> bool:
        match line["event"]:
            case "pressed":
                playing = before["phase"] in ("READY", "RUNNING", "FREE_TURN")
                return playing and line["accepted"] and line["why"] is None
            case "resumed":
                other = self._turn is None or self._turn["seat"] != line["side"]
                if line["delay"] == "rest":
                    return other
                return not (line["phase"] == "FREE_TURN" and not other and self._is_free)
            case "late":
                return line["running"] is not None
            case _:
                return False

    @property
    def _is_free(self) -> bool:
        return self._turn is not None and bool(self._turn["free"])

    def _takes_turn_away(self, line: Line) -> bool:
        return line["event"] == "game_over" or line["phase"] in ("READY", "NO_CLOCK")

    def _begin_turn(self, number: int, line: Line) -> None:
        pressed = line["event"] == "pressed"
        seat = OTHER[line["side"]] if pressed else str(line["running"] or line["side"])
        self._turn = {
            "line": number,
            "player": self.player(seat),
            "seat": seat,
            "game": 1 + len(self.games),
            "reserve_before": line[f"{seat}_ns"],
            "absent": line["event"] == "late",
            "on_clock": 0,
            "off_clock": 0,
            "used": 0,
            "free": False,
        }
        if line["event"] == "resumed" and line["delay"] == "rest":
            self._turn["used"] = self._interrupted

    def _follow_turn(self, line: Line) -> None:
        if self._turn is None:
            return
        if line["phase"] == "FREE_TURN":
            self._turn["free"] = True
        elif line["phase"] == "RUNNING":
            self._turn["free"] = False

    def _end_turn(self, number: int, before: Line, line: Line) -> None:
        turn = self._turn
        assert turn is not None
        turn["ended_line"] = number
        turn["pressed"] = line["event"] == "pressed" and not turn["free"]
        stated = line if before["running"] is not None else before
        turn["reserve_after"] = stated[f"{turn['seat']}_ns"]
        self._interrupted = turn["used"]
        self.turns.append(turn)
        self._turn = None

    def _swap(self) -> None:
        self.swapped = not self.swapped
        self.legs.reverse()
        if self._turn is not None:
            self._turn["seat"] = OTHER[self._turn["seat"]]

    @property
    def all_turns(self) -> list[dict[str, Any]]:
        """The turns, and the one under way."""
        if self._turn is None:
            return self.turns
        last = self.lines[-1][f"{self._turn['seat']}_ns"]
        over = self.lines[-1]["phase"] == "FINISHED" and self.ended_line
        ended = {"reserve_after": last, "ended_line": over or None, "pressed": False}
        return [*self.turns, {**self._turn, **ended}]

    # --- games and matches ----------------------------------------------------------------------

    def _fold_games(self, number: int, before: Line, line: Line, begins: bool) -> None:
        event = line["event"]
        if event == "reopened" and self._game is None and self.games:
            last = self.games[-1]
            if line["phase"] == "GAME_OVER" or (
                before["phase"] == "FINISHED" and last["reopens_with"] is self._over
            ):
                self._game = self.games.pop()
                for player, used in self._game["used"].items():
                    self._used[player] += used
        self._begin_game(number, line, begins)
        if event == "game_over":
            winner = line["winner"] and self.player(line["winner"])
            self._end_game(number, winner, line["points"], line)
        elif self._game is not None and self._breaks_off(before, line):
            self._end_game(number, None, None, line)
        elif event == "match_over" and self.games:
            last = self.games[-1]
            decided = last["points"] is None and last["reopens_with"]["event"] != "match_over"
            if decided and line["why"] in BY_POINTS and last["ended_line"] == number - 1:
                last["reopens_with"] = line
        if event == "corrected":
            self.is_corrected |= line["what"] == "score"
            self.has_pace &= line["what"] != "pace"

    def _begin_game(self, number: int, line: Line, begins: bool) -> None:
        starts = (begins and line["event"] != "late") or line["event"] == "free_turn"
        if starts and (self._game is None or self._game["line"] is None):
            self._game = {"line": number}
        announced = line["event"] == "reason_chosen" and line["phase"] == "GAME_OVER"
        if announced and self._game is None:
            self._game = {"line": None}  # played without a clock

    def _breaks_off(self, before: Line, line: Line) -> bool:
        if line["event"] == "match_over" or self._won_leg(before, line):
            return True
        turn_gone = before["phase"] in ("STOPPED", "GAME_OVER") and line["phase"] == "READY"
        return turn_gone and line["event"] != "reopened"

    def _end_game(self, number: int, winner: str | None, points: int | None, line: Line) -> None:
        game = self._game or {"line": None}
        ended = {"ended_line": number, "winner": winner, "points": points, "reopens_with": line}
        ended |= {"used": self._used, "match": self._leg, "left": self._left_before}
        self._used = dict.fromkeys(SIDES, 0)
        ended |= {name: line.get(name) for name in ("cube", "gammon")}
        self.games.append({**game, **ended})
        self._game = None

    def _won_leg(self, before: Line, line: Line) -> str | None:
        """Return the side that wins a match by a ruling of the director's."""
        scores = self._scores(before)
        match line["event"]:
            case "corrected" if before["phase"] == "FINISHED":
                return None
            case "corrected" if line["what"] == "score" and line["new"] >= self.length:
                return str(line["side"])
            case "corrected" if line["what"] == "length_shortened":
                leader = max(SIDES, key=lambda side: scores[side])
                return leader if scores[leader] >= line["new"] else None
            case "penalty" if self.counts_penalties or line["why"] == "bonus":
                total = scores[line["beneficiary"]] + line["points"]
                return str(line["beneficiary"]) if total >= self.length else None
            case _:
                return None

    def _fold_legs(self, line: Line, before: Line) -> None:
        event, winner = line["event"], self._won_leg(before, line)
        if event == "game_over":
            self.legs = list(line["legs"])
        elif event == "match_over" and line["why"] not in BY_POINTS and line["winner"]:
            winner = line["winner"]
        elif event == "reopened" and self._winner is not None:
            self.legs[SIDES.index(self.player(self._winner))] -= 1
            shortened = self._over is not None and self._over["why"] == "shortened"
            if shortened and max(before["score"]) >= self.length:
                self.length = self._length_before
        if winner:
            self.legs[SIDES.index(winner)] += 1
        if event == "match_over":
            self._over = line
            self._winner = line["winner"] and self.player(line["winner"])
        elif before["phase"] != "FINISHED" or event == "reopened":
            self._winner = None
        if event == "corrected" and line["what"] in ("length", "length_shortened"):
            self._length_before, self.length = self.length, line["new"]

    # --- stops and flags ------------------------------------------------------------------------

    def _fold_stop(self, number: int, before: Line, line: Line) -> None:
        was, now = before["phase"] == "STOPPED", line["phase"] == "STOPPED"
        if now and not was:
            whose = None if self._turn is None or self._turn["free"] else self._turn["player"]
            begun = {"line": number, "ended_line": None, "player": whose}
            self.stops.append(begun | of_both("reserve", self._reserves(line)))
        if now:
            self.stops[-1]["reason"] = self.reasons[number]
        elif was:
            self.stops[-1]["ended_line"] = number

    def _fold_flags(self, number: int, line: Line) -> None:
        player = self.player(line["side"]) if line.get("side") in SIDES else None
        down = [each for each in self.flags if each["player"] and not each["cleared_line"]]
        entered = line["event"] == "corrected" and line["what"] == "flag"
        if line["event"] == "corrected" and not entered:  # of both, if their banks have changed
            own = [each for each in down if self._reserves(line)[each["player"]]]
        else:
            own = [each for each in down if each["player"] == player]
        if entered or line.get("flag_cleared"):
            self._clear_flags(number, own)
        if line["event"] == "flag_fell" or (entered and line["new"]):
            self._add_flag(number, player, None)
            self.flags[-1] |= {"entered": entered, "margin": line.get("margin_ns")}
        elif line["event"] == "flag_claimed":
            if player is None:
                self._add_flag(number, None, number)
            for each in down if player else ():
                new = each["player"] == player and not each["claimed_line"]
                each["overrun"] = line["overrun_ns"] if new else each["overrun"]
                each["claimed_line"] = each["claimed_line"] or number

    def _add_flag(self, number: int, player: str | None, claimed: int | None) -> None:
        flag = {"line": number, "player": player}
        self.flags.append({**flag, "claimed_line": claimed, "cleared_line": None, "overrun": 0})

    def _clear_flags(self, number: int, flags: list[dict[str, Any]]) -> None:
        for each in flags:
            each["cleared_line"] = each["cleared_line"] or number

    def _restore_flags(self, ruling: int) -> None:
        self.flags = [each for each in self.flags if each["line"] != ruling]
        for each in self.flags:
            each["cleared_line"] = each["cleared_line"] if each["cleared_line"] != ruling else None

    # --- breaks ---------------------------------------------------------------------------------

    def _fold_break(self, number: int, line: Line) -> None:
        if line["event"] == "break_started":
            begun = {"line": number, "ended_line": None, "granted": line["by"] == "director"}
            taken = zip(map(self.player, SIDES), line["taken"], strict=True)
            begun |= {f"taken_{player}": count for player, count in taken}
            begun |= {"allowed_s": line["allowed_ns"] / SECOND_NS}
            self.breaks.append(begun | of_both("reserve", self._reserves(line)))
        elif self.breaks and line["phase"] != "BREAK":
            self.breaks[-1]["ended_line"] = self.breaks[-1]["ended_line"] or number
