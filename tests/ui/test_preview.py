"""What a press is said to do is what it does."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from clock.match.inputs import CentrePressed, MatchWanted
from clock.match.types import Phase
from clock.ui.dialogue import FormPage
from clock.ui.i18n import LANGUAGES
from clock.ui.menu import items
from clock.ui.preview import describe, preview
from tests.support.desk import (
    MOVES,
    STILL,
    TABLES,
    C,
    Desk,
    Move,
)
from tests.support.examples import examples


@pytest.mark.slow
@settings(max_examples=examples(400))
@given(TABLES, MOVES, st.sampled_from(LANGUAGES))
def test_what_is_said_to_happen_happens(table: Desk, moves: list[Move], language: str) -> None:
    """What the right panel says before the press is what the record of the press tells."""
    table.language = language
    for move in moves:
        move.at(table)
        said = foretold(table)
        if said is None:
            continue
        shown = table.faces().right.lines
        assert all(line in shown for line in said[1:])
        table.down(C).up(C)
        if isinstance(table.given[-1], MatchWanted):
            continue
        (record,) = table.own
        assert describe(record.event, table.view) == said


@pytest.mark.parametrize("phase", STILL)
@pytest.mark.parametrize("language", LANGUAGES)
def test_every_item_says_what_it_would_do(phase: Phase, language: str) -> None:
    """At least a line on the right panel, before anything is done; and then that happens."""
    for name in [item.name for item in items(STILL[phase]().state)]:
        table = STILL[phase]().open_item(name).through()
        table.language = language
        said = foretold(table)
        assert said
        right = table.faces().right
        assert tuple(line for line in right.lines if line) == said
        table.down(C).up(C)
        if name != "new_match":
            assert describe(table.own[0].event, table.view) == said


def foretold(table: Desk) -> tuple[str, ...] | None:
    """What the panels say that the centre would do; None if they do not say it."""
    page = table.dialogue.page
    if isinstance(page, FormPage) and page.entry is None:
        return preview(table.view, table.proposed())
    if page is None and table.state.phase is Phase.STOPPED and not table.state.held:
        return preview(table.view, CentrePressed(table.now_ns))
    return None
