"""The words in which tests tell a story: a match, two players, a director and a time that obeys.

There is no real time here: `wait` moves an integer.
"""

from clock.match import inputs
from clock.match.durations import duration_ns
from clock.match.events import AnyEvent, Record
from clock.match.inputs import CentrePressed, Input, Pressed, TimePassed
from clock.match.machine import advance, open_match
from clock.match.state import MatchState
from clock.match.phases import Phase
from clock.match.profiles import PROFILES
from clock.match.rules import SECOND_NS, Format, MatchSettings, Reason
from clock.match.sides import Pair, Side

LEFT, RIGHT = Side.LEFT, Side.RIGHT


def match_settings(
    profile: str = "ebf",
    *,
    length: int = 11,
    score: tuple[int, int] = (0, 0),
    best_of_three: bool = False,
    **rules: object,
) -> MatchSettings:
    """The settings of a match under a profile, with some of its rules changed."""
    import msgspec

    return MatchSettings(
        length=length,
        score=Pair(*score),
        names=Pair("Left", "Right"),
        format=Format.BEST_OF_THREE if best_of_three else Format.SINGLE,
        rules=msgspec.structs.replace(PROFILES[profile], **rules),
    )


class World:
    """A match at a table; every word returns the world, so that words can be chained."""

    def __init__(self, settings: MatchSettings | None = None) -> None:
        """A match freshly opened at instant 0."""
        self.now_ns = 0
        self.state: MatchState
        self.state, record = open_match(settings or match_settings(), 0, "test")
        self.records: list[Record] = [record]

    @classmethod
    def ready(cls, profile: str = "ebf", **changes: object) -> "World":
        """A match whose settings both players have confirmed: the opening roll is next."""
        world = cls(match_settings(profile, **changes))  # type: ignore[arg-type]
        return world.press(LEFT).press(RIGHT).centre()

    @classmethod
    def running(cls, mover: Side = LEFT, profile: str = "ebf", **changes: object) -> "World":
        """A match in which `mover`'s clock has just started."""
        return cls.ready(profile, **changes).press(mover.other)

    def give(self, happened: Input) -> "World":
        """Bring an input to the machine and keep its records."""
        self.state, records = advance(self.state, happened)
        self.records.extend(records)
        return self

    def act(self, kind: type[Input], **fields: object) -> "World":
        """The director does something now."""
        return self.give(kind(self.now_ns, **fields))

    def wait(self, duration: str | int) -> "World":
        """Let time pass: "0:12", or nanoseconds; what falls due meanwhile happens."""
        self.now_ns += duration if isinstance(duration, int) else duration_ns(duration)
        return self.give(TimePassed(self.now_ns))

    def press(self, side: Side, after: str | int = 0) -> "World":
        """A plunger goes down, after a while; nothing else looks at the time before."""
        self.now_ns += after if isinstance(after, int) else duration_ns(after)
        return self.give(Pressed(self.now_ns, side))

    def centre(self, after: str | int = 0) -> "World":
        """The centre button is pressed, after a while."""
        self.now_ns += after if isinstance(after, int) else duration_ns(after)
        return self.give(CentrePressed(self.now_ns))

    def choose(self, reason: Reason) -> "World":
        """Step through the reasons with the right plunger until this one is chosen."""
        for _ in self.state.settings.rules.reasons:
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

    def reserve_ns(self, side: Side) -> int:
        """What the side has left now."""
        return self.state.reserve_ns(side, self.now_ns)

    @property
    def delay_ns(self) -> int:
        """What is left of the delay of the turn on the clock."""
        return self.state.delay_left_ns(self.now_ns)

    @property
    def phase(self) -> Phase:
        """The phase now."""
        return self.state.phase

    @property
    def last(self) -> AnyEvent:
        """The latest event of the log."""
        return self.records[-1].event

    def events(self, kind: type[AnyEvent]) -> list[AnyEvent]:
        """All events of one kind."""
        return [record.event for record in self.records if isinstance(record.event, kind)]


__all__ = ["LEFT", "RIGHT", "SECOND_NS", "World", "inputs", "match_settings"]
