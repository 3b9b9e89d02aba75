"""What becomes of a ruling that the director proposes, and when it is sent."""

from clock.config.offer import ItemAnswered, LatestLine
from clock.eventlog.codec import Chain
from clock.eventlog.replay import Match
from clock.match.events import Writer
from clock.match.inputs import CLOCK
from clock.match.machine import open_match
from clock.match.rules import Proposal
from clock.units import SECOND_NS
from lab.support.world import match_settings
from room.boards.offers import REPEAT_NS, Refusal, latest_line
from room.boards.rulings import LIMIT_NS, ProposedRuling, Rulings, RulingState

NOW_NS = 5 * SECOND_NS
PLACE = "hall/red-7"
STATE, _ = open_match(match_settings(), 0, Writer("test"))
MATCH = Match(STATE, Chain("m1", "boot"))
LINE = latest_line(MATCH)


def proposed(after: LatestLine = LINE) -> Rulings:
    rulings = Rulings(bytes(32))
    answered = ItemAnswered("warn", ("left",))
    rulings.make(PLACE, ProposedRuling("ruling-001", "red-7", after, answered, "Ann"))
    return rulings


def shown(id_: str = "ruling-001") -> Match:
    """The clock asks the players for this one."""
    proposal = Proposal(id_, "Ann", "warn", ("left",))
    return MATCH._replace(state=STATE.replace(proposal=proposal))


def becomes(rulings: Rulings, match: Match | None, now_ns: int) -> tuple[bool, RulingState]:
    """Whether it is sent at an instant, and its state then."""
    sent = rulings.update(PLACE, match, now_ns) is not None
    ruling = rulings.get(PLACE)
    assert ruling is not None
    return sent, ruling.state


def test_it_is_sent_until_the_panels_show_it() -> None:
    rulings = proposed()
    assert becomes(rulings, None, NOW_NS) == (False, RulingState.SENT)  # no log to send it after
    assert becomes(rulings, MATCH, NOW_NS + REPEAT_NS) == (True, RulingState.SENT)
    assert becomes(rulings, MATCH, NOW_NS + 2 * REPEAT_NS - 1) == (False, RulingState.SENT)
    assert becomes(rulings, MATCH, NOW_NS + 2 * REPEAT_NS) == (True, RulingState.SENT)
    assert becomes(rulings, MATCH, NOW_NS + 3 * REPEAT_NS - 1) == (False, RulingState.SENT)
    assert becomes(rulings, shown(), NOW_NS + 3 * REPEAT_NS) == (False, RulingState.SHOWN)
    assert not rulings.withdraw(PLACE)
    assert rulings.open() == [PLACE]
    rulings.carry_out(PLACE, "another")
    assert rulings.pending(PLACE) is not None
    rulings.carry_out(PLACE, "ruling-001")
    assert (rulings.pending(PLACE), rulings.open()) == (None, [])


def test_it_is_sent_at_once_and_for_ten_minutes() -> None:
    rulings = proposed()
    assert becomes(rulings, MATCH, NOW_NS) == (True, RulingState.SENT)
    last_ns = NOW_NS + LIMIT_NS
    assert becomes(rulings, MATCH, last_ns - 1) == (True, RulingState.SENT)
    assert becomes(rulings, MATCH, last_ns) == (False, RulingState.LATE)


def test_it_is_late_if_the_log_has_gone_on() -> None:
    earlier = proposed(LatestLine("m1", 1, LINE.hash))
    assert becomes(earlier, MATCH, NOW_NS) == (False, RulingState.LATE)
    assert becomes(proposed(), shown("another"), NOW_NS) == (True, RulingState.SENT)


def test_the_clock_says_why_it_refuses_one() -> None:
    rulings = proposed()
    rulings.refuse(PLACE, Refusal("another", CLOCK, "no"))
    assert rulings.pending(PLACE) is not None
    rulings.refuse(PLACE, Refusal("ruling-001", CLOCK, "no"))
    ruling = rulings.get(PLACE)
    assert ruling is not None
    assert (ruling.state, ruling.why) == (RulingState.REFUSED, "no")


def test_one_that_is_not_shown_can_be_withdrawn() -> None:
    rulings = proposed()
    assert rulings.withdraw(PLACE)
    assert rulings.withdraw("nowhere")
    rulings.carry_out("nowhere", "ruling-001")
    assert [(place, each.state) for place, each in rulings] == [(PLACE, RulingState.WITHDRAWN)]
