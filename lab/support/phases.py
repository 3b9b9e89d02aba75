"""A match in each phase, and an input of each type, for tests."""

import msgspec

from clock.match.inputs import Input
from clock.match.rules import Gammon, Offer, Proposal, Reason, Ruler, RulingReason
from clock.match.types import Button, Crawford, NextDelay, Pair, Phase, ResumeWith, Side
from clock.units import MINUTE_NS, SECOND_NS
from lab.support.world import LEFT, World, inputs, match_settings

OFFER = Offer("offer-001", match_settings(length=5))
PROPOSAL = Proposal("ruling-01", "Eva", "add_time", ("left", 72 * SECOND_NS, ("director", None)))


def kinds(base: type[Input] = Input) -> list[type[Input]]:
    """Every type of input that can happen: those without subtypes."""
    below = base.__subclasses__()
    return [kind for sub in below for kind in kinds(sub)] if below else [base]


def example(kind: type[Input], at_ns: int, side: Side = LEFT) -> Input:
    """An input of a type, with harmless values for its fields."""
    values: dict[str, object] = {
        "side": side,
        "button": Button.CENTRE,
        "accepted": True,
        "taken": 1 if kind is inputs.BreaksSet else Pair(1, 0),
        "new_ns": 90 * SECOND_NS,
        "order": 1,
        "granted_ns": MINUTE_NS,
        "delay": ResumeWith.FULL if kind is inputs.TurnResumed else NextDelay.SKIP,
        "points": 1,
        "this_turn": kind is inputs.DelayRuled,
        "reason": RulingReason.MISTAKE,
        "late_ns": 12 * MINUTE_NS,
        "length": 9,
        "names": Pair("Bodil", "Ada"),
        "adjust_banks": True,
        "crawford": Crawford.NOW,
        "winner": side,
        "lost_ns": SECOND_NS,
        "same_boot": False,
        "in_menu": True,
        "keeps": True,
        "used_ns": 0,
        "why": "test",
        "key": "error_line",
        "values": {"number": 3},
        "part": "panel",
        "what": "gone",
        "preset": "Final",
        "offer": "offer-001" if kind is inputs.OfferRefused else OFFER,
        "by": "players",
        "proposal": PROPOSAL,
        "carries_out": "",
        "ruled_by": Ruler.REFEREE,
        "cube": 2,
        "gammon": Gammon.GAMMON,
        "language": "de",
        "log": "match.jsonl",
    }
    fields = [field.name for field in msgspec.structs.fields(kind) if field.name != "at_ns"]
    return kind(at_ns, **{name: values[name] for name in fields})


def in_phase(phase: Phase) -> World:  # noqa: C901 (a case for each phase)
    """A match that has come to a phase by the usual way."""
    match phase:
        case Phase.REVIEW:
            return World()
        case Phase.READY:
            return World.ready()
        case Phase.RUNNING:
            return World.running().wait("0:03")
        case Phase.STOPPED:
            return World.running().wait("0:20").centre()
        case Phase.FREE_TURN:
            return World.running().wait("0:20").stop_for(Reason.EARLY_PICKUP)
        case Phase.GAME_OVER:
            return World.running().wait("0:20").stop_for(Reason.GAME_OVER)
        case Phase.BREAK:
            return World.ready().input(inputs.BreakTaken, taken=Pair(1, 0))
        case Phase.NO_CLOCK:
            return World.ready().input(inputs.ClockRemoved)
        case Phase.FINISHED:
            return World.ready().input(inputs.MatchEnded, winner=LEFT, why="time")
        case Phase.PUT_ASIDE:
            return World.running().wait("0:20").centre().input(inputs.Adjourned)


PHASES = {phase: in_phase(phase) for phase in Phase}


EVERY_PAIR = [(phase, kind) for phase in Phase for kind in kinds()]
