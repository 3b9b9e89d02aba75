"""Time across boots, and players instead of sides."""

import pytest

from clock.eventlog.salvage import salvage
from clock.match import inputs
from clock.match.inputs import TAKEN_UP
from clock.match.types import Phase
from clock.report.build import summary
from clock.units import SECOND_NS
from lab.support.last_run import continued, match_in

S = SECOND_NS


@pytest.mark.rule("R131")
def test_the_time_for_which_a_match_was_put_aside_is_left_out() -> None:
    """The other clock has another raw clock; that is no power cut."""
    lines = match_in("STOPPED").give(inputs.Adjourned(20 * S)).lines
    added = (inputs.CentrePressed(6), inputs.CentrePressed(5 * S + 6))
    of = summary(lines, continued(salvage(lines, None), TAKEN_UP, "second", *added))
    assert (of.match, of.later) == ("match", ("second",))
    assert of.last.at_ns == 25 * S + 1
    assert [cut.reboot for cut in of.restorations] == [False]
    alone = summary(continued(salvage(lines, None), TAKEN_UP, "second", *added))
    assert [cut.reboot for cut in alone.restorations] == [False]


def test_a_match_that_goes_on_in_another_log_was_interrupted() -> None:
    """In each phase, also where a restart in the same log would be none of the match."""
    for phase in Phase:
        taken_up = continued(salvage(match_in(phase.name).lines, None), TAKEN_UP, "second")
        assert len(summary(taken_up).restorations) == 1
