"""From the events of a log back to the inputs that caused them."""

from clock.eventlog.event_inputs import _INPUTS
from clock.match.events import MatchOpenedEvent
from tests.support.logs import OWN


def test_every_event_has_its_input() -> None:
    """For each event but the first there is a function that makes its input."""
    assert {*_INPUTS, MatchOpenedEvent} == set(OWN)
