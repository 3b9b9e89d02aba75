"""`clock/ui/ruling.py`: what can be proposed is what the buttons can enter, and does the same."""

import pytest

from clock.match.inputs import NamesSet
from clock.match.state import MatchState
from clock.match.types import Pair, Phase
from clock.ui.forms import UNSET, Change, Choice, Number, Time
from clock.ui.menu import CHANGE_NO_MATCH, items
from clock.ui.ruling import RulingError, answer_of, answered, check_ruling, proposable
from clock.units import SECOND_NS
from lab.support.phases import PHASES
from lab.support.rows import row

STILL = [phase for phase in Phase if phase not in (Phase.RUNNING, Phase.FREE_TURN)]


def entered(state: MatchState, name: str) -> list[object]:
    """The first possible answer to each question of an item, as JSON."""
    answers: list[object] = []
    while (entry := answered(state, name, answers).entry) is not None:  # type: ignore[arg-type]
        value = entry.options[-1].value if isinstance(entry, Choice) else entry.value
        answers.append(answer_of(value))
    return answers


@pytest.mark.rule("R218")
@pytest.mark.parametrize("phase", STILL)
def test_each_item_can_be_proposed_with_answers_that_it_offers(phase: Phase) -> None:
    """The ruling is that of the item with these values; an answer more is refused."""
    state = PHASES[phase].state
    assert {each.kind for each in items(state)} - {*CHANGE_NO_MATCH} == {
        each.kind for each in proposable(state)
    }
    for item in proposable(state):
        with row(item.name):
            answers = entered(state, item.name)
            found = answered(state, item.name, answers)  # type: ignore[arg-type]
            assert found.ruling(state) == item.ruling(state, state.at_ns, found.values)
            for wrong in ([*answers, 0], ["nothing", *answers[1:]]):
                with pytest.raises(RulingError):
                    check_ruling(state, item.name, wrong)  # type: ignore[arg-type]
            for at in range(len(answers)):
                entry = answered(state, item.name, answers[:at]).entry  # type: ignore[arg-type]
                beyond: list[object] = [("Bodil", "Ada")]
                if isinstance(entry, Number | Time | Change):
                    for bound in (entry.lowest, entry.highest):
                        answered(state, item.name, [*answers[:at], bound])  # type: ignore[list-item]
                    beyond += [entry.lowest - SECOND_NS, entry.highest + SECOND_NS, True]
                elif entry is not None:
                    beyond = [None] * (UNSET in entry.options) + beyond * (not entry.of_names)
                for each in beyond:
                    with pytest.raises(RulingError, match="not possible now"):
                        answered(state, item.name, [*answers[:at], each])  # type: ignore[list-item]


@pytest.mark.rule("R218", "R223")
def test_names_are_written_in_the_room() -> None:
    """Whatever a settings file could have, besides those that the box offers."""
    state = PHASES[Phase.READY].state
    ruling = check_ruling(state, "names", [("Bodil", "Ada")]).ruling(state)
    assert ruling == NamesSet(state.at_ns, Pair("Bodil", "Ada"))
    for wrong in (("Bodil",), ("Bodil", " "), ("Bodil", 7), ("Bodil", "A" * 41), "AB", 7, ("", "")):
        with pytest.raises(RulingError, match="not possible now"):
            check_ruling(state, "names", [wrong])
    with pytest.raises(RulingError, match="change nothing"):
        check_ruling(state, "names", [tuple(state.names)])
    with pytest.raises(RulingError, match="change nothing"):  # the clock would refuse it
        check_ruling(state, "overtime", ["left", 0, None])


@pytest.mark.rule("R218")
@pytest.mark.parametrize("phase", [Phase.RUNNING, Phase.FREE_TURN])
def test_there_is_no_menu_while_a_turn_is_played(phase: Phase) -> None:
    assert items(PHASES[phase].state) == ()
