"""The search of what players can do: its faults, and the scripts that show what it found."""

from collections.abc import Sequence
from dataclasses import replace

import pytest

from clock.apps.playback import play
from clock.apps.script import parse
from clock.config.loader import parse_settings
from clock.match.types import Phase
from clock.runtime.loop import UiOptions
from lab.prove.machine import Act, Moment
from lab.prove.part import see
from lab.prove.players import EBF, PLAYERS, subject
from lab.prove.search import search
from lab.support.faults import MissedError


def test_a_fault_that_no_law_sees_is_told() -> None:
    fault = PLAYERS.faults[0]
    with pytest.raises(MissedError, match="not by 'another'"):
        see(fault._replace(law="another"), PLAYERS.control)
    blind = replace(PLAYERS.control(fault), laws=(), deepest=5)
    with pytest.raises(MissedError, match="not found"):
        see(fault, lambda _: blind)


def over_after_a_break_with_a_flag(before: Moment, act: Act, after: Moment) -> str | None:
    """Find a way on which much has happened."""
    players = after.state.players
    rich = after.state.phase is Phase.FINISHED and players.left.flag and players.right.breaks_taken
    return "found" if rich else None


@pytest.mark.slow
def test_a_script_leads_to_the_same_match() -> None:
    """`gammonclock play` with the settings of the script's comments ends in the same state."""
    ways: list[tuple[Moment, Sequence[Act]]] = []
    looked = subject("script", EBF, 2, 1, 1)

    def script(first: Moment, acts: Sequence[Act]) -> str:
        ways.append((first, acts))
        return looked.script(first, acts)

    found = search(replace(looked, laws=(over_after_a_break_with_a_flag,), script=script))
    assert found.violation is not None
    text = found.violation.script
    toml = "\n".join(line[2:] for line in text.splitlines()[1:] if line.startswith("# "))
    moment, acts = ways[0]
    for act in acts:
        moment = looked.step(moment, act)
    settings = parse_settings(toml, "settings")
    state = play(parse(text, "script"), settings.match, UiOptions.of(settings), lambda _: None)
    assert state.phase is Phase.FINISHED
    assert looked.canonical(Moment(state)) == looked.canonical(moment)
