"""Time across boots, and players instead of sides."""

import pytest

from clock.eventlog.salvage import salvage
from clock.match import inputs
from clock.match.inputs import TAKEN_UP
from clock.match.rules import Reason
from clock.report.build import summary
from clock.units import SECOND_NS
from lab.support.last_run import continued, match_in
from lab.support.match_scripts import log_of
from lab.support.reports import printed, settings

S = SECOND_NS


def test_power_cut() -> None:
    """Time goes on across boots as far as it is known; the stop begins when the power is back."""
    begun = "1 press left\n1 press right\n1 press centre\n2 press left\n"
    of = summary(log_of(begun + "20.5 power cut\n5 press centre\n7 wait", settings()))
    (cut,) = of.restorations
    assert cut.reboot
    assert (cut.played_ns, cut.lost_ns) == (20 * S + S // 2, S)  # the sign was due just then
    assert (cut.before.at_ns, cut.stamp.at_ns) == (5 * S, 25 * S + S // 2)
    assert (of.stops[0].reason, of.stops[0].begun.at_ns) == (Reason.POWER_LOSS, 25 * S + S // 2)
    assert of.last.at_ns == 30 * S + S // 2
    assert "power cuts: 1" in printed(of)


@pytest.mark.rule("R131")
def test_the_time_for_which_a_match_was_put_aside_is_left_out() -> None:
    """The other clock has another raw clock; that is no power cut."""
    lines = match_in("STOPPED").give(inputs.Adjourned(20 * S)).lines
    acts = (inputs.CentrePressed(6), inputs.CentrePressed(5 * S + 6))
    of = summary(lines, continued(salvage(lines, None), TAKEN_UP, "second", *acts))
    assert (of.match, of.later) == ("match", ("second",))
    assert of.last.at_ns == 25 * S + 1
    assert [cut.reboot for cut in of.restorations] == [False]
    alone = summary(continued(salvage(lines, None), TAKEN_UP, "second", *acts))
    assert [cut.reboot for cut in alone.restorations] == [False]
