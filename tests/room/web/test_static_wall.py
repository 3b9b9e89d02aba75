"""`room/web/static_wall.py`: times as on the panels."""

import msgspec

from clock.match.types import Side
from clock.ui.face import reserve_shown
from clock.units import SECOND_NS
from lab.support.examples import examples
from lab.support.world import LEFT, RIGHT, World, match_settings
from room.boards.board import Board
from room.web.static_wall import shown_time
from tests.room.pages.test_time import sent, some_cases


def test_times_are_those_on_the_panels() -> None:
    """In each method, with and without flags, running or not, at any instant."""
    for state, instants in some_cases(examples(400)):
        board = msgspec.convert(sent(state), Board)
        for at_ns in instants:
            pictures = [shown_time(board, side, at_ns) for side in Side]
            assert pictures == [reserve_shown(state, side, at_ns) for side in Side]


def test_without_a_limit_the_time_used_is_shown() -> None:
    settings = match_settings()
    world = World(msgspec.structs.replace(settings, rules=settings.rules.at_pace()))
    state = world.press(LEFT).press(RIGHT).centre().press(RIGHT).press(LEFT, 734_300_000_000).state
    board = msgspec.convert(sent(state), Board)
    for at_ns in range(state.at_ns, state.at_ns + 100 * SECOND_NS, SECOND_NS // 3):
        pictures = [shown_time(board, side, at_ns) for side in Side]
        assert pictures == [reserve_shown(state, side, at_ns) for side in Side]
