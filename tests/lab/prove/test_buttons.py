"""The search of the three buttons: its faults."""

import subprocess
import sys

from lab.prove.buttons import BUTTONS


def test_what_is_proved_is_what_runs() -> None:
    """The searches load no module of the clock that the appliance does not load, too."""
    program = """
import sys
def of_the_clock():
    return {name for name in sys.modules if name.partition(".")[0] in {"clock", "hardware"}}
import clock.apps.appliance_start, clock.apps.pins
appliance = of_the_clock()
import lab.prove.__main__
assert "clock.session" in appliance
print(*sorted(of_the_clock() - appliance))
"""
    done = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True)
    assert done.stdout.split() == []


def test_the_quick_search_has_the_buttons() -> None:
    """So each change is searched: players, the director's pages, offers."""
    assert sum(search.quick for search in BUTTONS.searches) >= 3
