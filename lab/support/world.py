"""A match for tests, driven by the presses of players and the rulings of a director.

There is no real time here: `wait` moves an integer.
"""

from clock.match import inputs
from clock.match.durations import parse_duration
from clock.match.events import AnyEvent, LateEvent, PressedEvent, Record, Writer
from clock.match.inputs import BreakTaken, CentrePressed, Input, Pressed, TimePassed
from clock.match.machine import advance, open_match
from clock.match.profiles import PROFILES
from clock.match.rules import Format, MatchSettings, Reason
from clock.match.state import MatchState
from clock.match.stops import offered_reasons
from clock.match.types import Button, Pair, Phase, Side
from clock.units import SECOND_NS

LEFT, RIGHT = Side.LEFT, Side.RIGHT
BANK_NS = 22 * 60 * SECOND_NS  # EBF, DBgF, NBgF and US at 11 points
DELAY_NS = 12 * SECOND_NS
TIMES_ALONE = {"nbgf-hurtig", "nbgf-lyn", "us-doubles"}  # offer what their federation's first does
OFFERING = [name for name in PROFILES if name not in TIMES_ALONE]


def match_settings(
    profile: str = "ebf",
    *,
    length: int = 11,
    score: tuple[int, int] = (0, 0),
    best_of_three: bool = False,
    **rules: object,
) -> MatchSettings:
    """Return the settings of a match under a profile, with some of its rules changed."""
    import msgspec

    return MatchSettings(
        length=length,
        score=Pair(*score),
        names=Pair("Left", "Right"),
        format=Format.BEST_OF_THREE if best_of_three else Format.SINGLE,
        rules=msgspec.structs.replace(PROFILES[profile], **rules),
    )


def refused(why: str, side: Button = Button.CENTRE) -> PressedEvent:
    """What the log says of a press, or of a ruling, without effect."""
    return PressedEvent(side, accepted=False, why=why)


def ended(side: Button) -> PressedEvent:
    """A press that counted."""
    return PressedEvent(side, accepted=True, why=None)


class World:
    """A match and its time; methods that change it return it, so that calls can be chained."""

    def __init__(self, settings: MatchSettings | None = None) -> None:
        self.now_ns = 0
        self.state: MatchState
        self.state, record = open_match(settings or match_settings(), 0, Writer("test"))
        self.records: list[Record] = [record]

    @classmethod
    def ready(cls, profile: str = "ebf", **changes: object) -> "World":
        """A match whose settings both players have confirmed: the opening roll is next."""
        world = cls(match_settings(profile, **changes))  # type: ignore[arg-type]
        return world.press(LEFT).press(RIGHT).centre()

    @classmethod
    def between_games(cls, profile: str = "ebf", **changes: object) -> "World":
        """A match at READY, after a game that LEFT won with one point."""
        return cls.ready(profile, **changes).play_game(LEFT)

    @classmethod
    def running(cls, mover: Side = LEFT, profile: str = "ebf", **changes: object) -> "World":
        """A match in which `mover`'s clock has just started."""
        return cls.ready(profile, **changes).press(mover.other)

    @classmethod
    def stopped(cls, profile: str = "ebf", **changes: object) -> "World":
        """A match that LEFT stopped 20 s into its first turn, with 8 s of their reserve used."""
        return cls.running(LEFT, profile, **changes).centre("0:20")

    def give(self, happened: Input) -> "World":
        """Give an input to the machine and keep its records."""
        self.state, records = advance(self.state, happened)
        self.records.extend(records)
        return self

    def input(self, kind: type[Input], **fields: object) -> "World":
        """Give an input of this kind now, such as a ruling of the director."""
        return self.give(kind(self.now_ns, **fields))

    def input_once(self, kind: type[Input], **fields: object) -> "World":
        """The same, checking that it leaves exactly one record, at this instant."""
        written = len(self.records)
        self.input(kind, **fields)
        assert len(self.records) == written + 1
        assert self.records[-1].at_ns == self.now_ns
        return self

    def wait(self, duration: str | int) -> "World":
        """Let time pass: "0:12", or nanoseconds; timed transitions take effect."""
        self.now_ns += duration if isinstance(duration, int) else parse_duration(duration)
        return self.give(TimePassed(self.now_ns))

    def press(self, side: Side, after: str | int = 0) -> "World":
        """Press a plunger after a while, with no other input in between."""
        self.now_ns += after if isinstance(after, int) else parse_duration(after)
        return self.give(Pressed(self.now_ns, side))

    def centre(self, after: str | int = 0) -> "World":
        """Press the centre button after a while."""
        self.now_ns += after if isinstance(after, int) else parse_duration(after)
        return self.give(CentrePressed(self.now_ns))

    def choose(self, reason: Reason) -> "World":
        """Step through the reasons with the right plunger until this one is chosen."""
        for _ in offered_reasons(self.state):
            if self.state.reason is reason:
                return self
            self.press(RIGHT)
        raise LookupError(f"{self.state.settings.rules.profile} has no reason {reason}")

    def stop_for(self, reason: Reason) -> "World":
        """Stop, choose the reason and carry it out."""
        return self.centre().choose(reason).centre()

    def score_game(self, side: Side, points: int = 1) -> "World":
        """End the game on the clock with points for a side."""
        self.stop_for(Reason.GAME_OVER)
        for _ in range(points):
            self.press(side)
        self.centre()
        return self.give(TimePassed(self.now_ns))

    def play_game(self, winner: Side, points: int = 1) -> "World":
        """Play a game from READY to its end without using any time."""
        return self.press(RIGHT).score_game(winner, points)

    def take_breaks(self, left: int, right: int) -> "World":
        """Let the players take so many of their breaks now, one after another."""
        return self.give(BreakTaken(self.now_ns, Pair(left, right)))

    def reserve_ns(self, side: Side) -> int:
        """Return the reserve that the side has now."""
        return self.state.reserve_ns(side, self.now_ns)

    def reserves(self) -> tuple[int, int]:
        """Return what both players have left now, left first."""
        return self.reserve_ns(LEFT), self.reserve_ns(RIGHT)

    def times(self) -> tuple[int, int, int]:
        """Return both reserves and the delay left."""
        return *self.reserves(), self.delay_ns

    @property
    def delay_ns(self) -> int:
        """The delay left to the turn on the clock."""
        return self.state.delay_left_ns(self.now_ns)

    @property
    def phase(self) -> Phase:
        """The phase now."""
        return self.state.phase

    def last(self) -> AnyEvent:
        """Return the latest event of the log."""
        return self.records[-1].event

    def events(self, kind: type[AnyEvent]) -> list[AnyEvent]:
        """Return all events of one kind."""
        return [record.event for record in self.records if isinstance(record.event, kind)]

    def late_events(self) -> list[tuple[int, LateEvent]]:
        """Return the events of lateness, each with its instant."""
        return [
            (record.at_ns, record.event)
            for record in self.records
            if isinstance(record.event, LateEvent)
        ]


__all__ = ["LEFT", "RIGHT", "SECOND_NS", "World", "inputs", "match_settings"]
