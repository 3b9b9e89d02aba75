"""The search of the three buttons: its faults."""

from lab.prove.buttons import BUTTONS, LAWS
from lab.prove.search import NO_EXCEPTION


def test_each_law_has_a_fault_that_it_sees() -> None:
    seen = {control.law for control in BUTTONS.controls}
    assert seen == {law.__name__ for law in LAWS} | {NO_EXCEPTION}
