"""Logs of matches in which everything happens that can happen: random, the same for the same seed.

Inputs go to the machine itself, so that rulings are reached that a script of presses seldom finds.
"""

from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from random import Random

from msgspec.structs import replace

from clock.eventlog.codec import Chain
from clock.eventlog.salvage import continue_in_new_log, salvage
from clock.match import inputs
from clock.match.events import PressedEvent, Writer
from clock.match.inputs import TAKEN_UP, Input
from clock.match.machine import advance, restore_match
from clock.match.profiles import PROFILES
from clock.match.rules import DiceTaken, Recorded, Ruler, RulingReason
from clock.match.scoring import game_kinds
from clock.match.types import Button, Crawford, NextDelay, Pair, Phase, ResumeWith, Side
from clock.units import MINUTE_NS, SECOND_NS
from lab.support.last_run import Written
from lab.support.world import match_settings

BEGIN = datetime.fromisoformat("2026-05-01T22:00:00+02:00")
TRIES = 9  # to do something that has an effect
PAUSES = (0, 1, SECOND_NS // 3, 5 * SECOND_NS, 12 * SECOND_NS, 31 * SECOND_NS, 6 * MINUTE_NS)
WHY = (RulingReason.LATE.value, RulingReason.CONDUCT.value, RulingReason.SLOW_PLAY.value, "bonus")

ENDS = ("time", "gin", "late", "forfeit")
RECORDS = ((), (), (Recorded.WHO,), (Recorded.CUBE,), tuple(Recorded))

PARTS = {Side.LEFT: "log", Side.RIGHT: "serial"}

Make = Callable[[Random, int, Side], Input]
INPUTS: tuple[Make, ...] = (
    lambda r, at, side: inputs.TimeSet(at, side, r.randint(0, 60) * SECOND_NS, "director"),
    lambda r, at, side: inputs.OvertimeGranted(at, side, 30 * SECOND_NS),
    lambda r, at, side: inputs.FlagSet(at, side, r.randint(0, 2)),
    lambda r, at, side: inputs.DelayRuled(
        at, side, r.choice((NextDelay.FULL, NextDelay.SKIP)), r.random() < 0.5
    ),
    lambda r, at, side: inputs.BanksReset(at),
    *[lambda r, at, side: inputs.TurnResumed(at, side, r.choice(list(ResumeWith)))] * 3,
    *[lambda r, at, side: inputs.AbsenceNoted(at, side, r.choice((0, 11)) * MINUTE_NS)] * 2,
    lambda r, at, side: inputs.LatenessWaived(at, side),
    *[lambda r, at, side: inputs.BreakGranted(at, side)] * 2,
    lambda r, at, side: inputs.AbsentClockStarted(at, side),
    lambda r, at, side: inputs.SidesSwapped(at),
    lambda r, at, side: inputs.NamesSet(at, Pair(*r.sample(("Ada", "Bo", "Cy"), len(Side)))),
    lambda r, at, side: inputs.Approved(at),
    *[
        lambda r, at, side: inputs.PointsAwarded(
            at, side, r.randint(0, 2), r.choice(WHY), r.random() < 0.3
        )
    ]
    * 2,
    *[
        lambda r, at, side: inputs.ScoreSet(
            at, side, r.randint(0, 4), r.choice((None, None, *Crawford)), r.random() < 0.3
        )
    ]
    * 3,
    lambda r, at, side: inputs.LengthSet(at, r.randint(1, 7), r.random() < 0.5),
    lambda r, at, side: inputs.MatchShortened(at),
    lambda r, at, side: inputs.CrawfordSet(at, r.choice(list(Crawford))),
    lambda r, at, side: inputs.BreaksSet(at, side, 0),
    lambda r, at, side: inputs.ClockRemoved(at),
    lambda r, at, side: inputs.MatchEnded(at, side, r.choice(ENDS)),
    lambda r, at, side: inputs.MatchEnded(at, r.choice((side, None)), "director"),
    *[lambda r, at, side: inputs.Reopened(at)] * 3,
    lambda r, at, side: inputs.TimesBegun(at),
    lambda r, at, side: inputs.HoldLifted(at),
    lambda r, at, side: inputs.Adjourned(at),
)
BESIDE: tuple[Make, ...] = (  # what the result does not depend on
    lambda r, at, side: inputs.Noted(at, Button(side.value)),
    lambda r, at, side: inputs.FaultSeen(at, PARTS[side], "full"),
    lambda r, at, side: inputs.FaultCleared(at, PARTS[side]),
)
DIRECTED = {  # how often the next input is a ruling of the director
    Phase.REVIEW: 0.25,
    Phase.READY: 0.3,
    Phase.STOPPED: 0.15,
    Phase.GAME_OVER: 0.1,
    Phase.BREAK: 0.5,
    Phase.NO_CLOCK: 0.3,
    Phase.FINISHED: 0.6,
}


class _Played(Written):
    """A match that somebody plays at random, with the logs of it that are complete."""

    def __init__(self, random: Random, *, is_busy: bool) -> None:
        length = random.choice((1, 3, 3, 5))
        score = (0, 0) if length < 3 else random.choice(((0, 0), (1, 0), (2, 2)))
        times = {"time_per_point_ns": random.choice((20, 60)) * SECOND_NS, "time_per_match_ns": 0}
        settings = match_settings(
            random.choice(list(PROFILES)),
            length=length,
            score=score,
            best_of_three=random.random() < 0.3,
            bank_step_ns=1,
            record=random.choice(RECORDS),
            **times,
            **_rules(random) if is_busy else {},
        )
        limit = random.choice(("flag", "flag", "pace", "practice"))
        rules = settings.rules.at_pace() if limit == "pace" else settings.rules
        settings = replace(settings, rules=rules, practice=limit == "practice")
        self.is_busy, self.booted_ns = is_busy, 0  # when the raw clock was 0
        self.open("match", settings)
        self.random, self.at_ns, self.logs = random, 0, list[list[bytes]]()

    def wall(self, at_ns: int) -> str:
        """The computer's clock is right."""
        return (BEGIN + timedelta(microseconds=(self.booted_ns + at_ns) // 1000)).isoformat()

    def step(self) -> None:
        """Something happens."""
        self.at_ns += self.random.choice(PAUSES)
        phase = self.state.phase
        if phase is Phase.PUT_ASIDE and self.random.random() < 0.6:
            self._resume_match()
        elif self.random.random() < (0.6 if phase is Phase.PUT_ASIDE else 0.03):
            self._cut()
        elif self.random.random() < 0.04:
            side = self.random.choice(list(Side))
            self.give(self.random.choice(BESIDE)(self.random, self.at_ns, side))
        elif self.state.done is not None and self.random.random() < 0.2:
            self.give(inputs.Undone(self.at_ns))
        else:
            tries = (self._input(phase) for _ in range(TRIES if self.is_busy else 0))
            self.give(next(filter(self._has_effect, tries), None) or self._input(phase))

    def _has_effect(self, happened: Input) -> bool:
        _, records = advance(self.state, happened)
        *_, last = (record.event for record in records) if records else (None,)
        refused = isinstance(last, PressedEvent) and not last.accepted
        return self.random.random() < 0.1 if refused else last is not None

    def _input(self, phase: Phase) -> Input:
        if self.random.random() >= DIRECTED.get(phase, 0):
            return self._press(phase)
        side = self.random.choice(list(Side))
        happened = self.random.choice(INPUTS)(self.random, self.at_ns, side)
        who = self.random.choice(list(Ruler)) if self._asks(Recorded.WHO) else None
        return replace(happened, ruled_by=who)

    def _press(self, phase: Phase) -> Input:
        side, at_ns = self.random.choice(list(Side)), self.at_ns
        if phase is Phase.READY and self.random.random() < 0.2:
            return inputs.BreakTaken(at_ns, Pair(1, 0).put(side, 1))
        if phase in (Phase.RUNNING, Phase.FREE_TURN) and self.state.turn:
            side = side if self.random.random() < 0.1 else self.state.turn.side
            centre = self.random.random() < 0.15
        else:
            centre = self.random.random() < (0.1 if phase is Phase.READY else 0.4)
        kinds = game_kinds(self.state) if phase is Phase.GAME_OVER else ()
        if centre and kinds and self._asks(Recorded.CUBE):
            cube, gammon = self.random.choice(kinds)
            return inputs.GameScored(at_ns, cube=cube, gammon=gammon)
        return inputs.CentrePressed(at_ns) if centre else inputs.Pressed(at_ns, side)

    def _asks(self, what: Recorded) -> bool:
        return self.state.phase is not Phase.REVIEW and what in self.state.settings.rules.record

    def _cut(self) -> None:
        """The power goes and comes back, or only the program."""
        self.give(inputs.TimePassed(self.at_ns))
        turn = self.state.turn
        used_ns = None if turn is None else turn.elapsed_ns(self.at_ns)
        same_boot = self.random.random() < 0.3
        if not same_boot:
            self._boot((0, 7, MINUTE_NS))
            self.chain = self.chain._replace(boot=f"{self.chain.boot}+")
        self.give(inputs.Restored(self.at_ns, SECOND_NS, used_ns, same_boot=same_boot))

    def _boot(self, instants: Sequence[int]) -> None:
        """A computer starts, some seconds later, and goes on at an instant of its raw clock."""
        now_ns = self.booted_ns + self.at_ns + 20 * SECOND_NS
        self.at_ns = self.random.choice(instants)
        self.booted_ns = now_ns - self.at_ns

    def _resume_match(self) -> None:
        """Go on in another log, on another clock."""
        salvaged = salvage(self.lines, None)
        self.logs.append(self.lines)
        name = f"match-{len(self.logs)}"
        self._boot((3, MINUTE_NS))
        recovery = continue_in_new_log(salvaged, TAKEN_UP, name, self.at_ns)
        if recovery.restored is None or recovery.origin is None:
            raise RuntimeError("a match that was adjourned goes on")
        restored = (recovery.match.state, recovery.restored, recovery.origin, Writer("test"))
        self.state, record = restore_match(*restored)
        self.chain, self.lines = Chain(name, name), []
        self.write(record)


def _rules(random: Random) -> dict[str, object]:
    overtime_ns = random.choice((0, 0, 9 * SECOND_NS))
    return {"dice_taken": random.choice(list(DiceTaken)), "overtime_ns": overtime_ns}


def random_logs(seed: int, steps: int = 120, *, is_busy: bool = False) -> list[list[bytes]]:
    """Return the logs of a random match, of which each continues the one before.

    In a busy one few presses have no effect, and there are overtime and free turns.
    """
    played = _Played(Random(seed), is_busy=is_busy)
    for _ in range(steps):
        played.step()
    played.give(inputs.TimePassed(played.at_ns))  # a match that is decided ends
    return [*played.logs, played.lines]
