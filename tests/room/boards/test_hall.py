"""Boards of other halls."""

import msgspec
import pytest

from clock.match.types import Side
from room.boards.board import RunningTurn
from room.boards.fields import make_board
from room.boards.hall import board_of_hall
from room.boards.liveness import HubClock
from room.boards.register import Register
from room.boards.signs import Signs
from room.lines.events import HallBoard, Place
from room.lines.track import Track
from tests.room.boards.test_results import result

HUB = HubClock(began_ns=1000)
SEVEN = Place("@hall/red-7", "hall: red-7", hint="7", hall="hall")
SHOWN = msgspec.structs.replace(
    make_board("7", "red-7", "m", Track(), Signs(50, 0, 40, complete=True)),
    turn=RunningTurn(Side.LEFT, 60, 12),
    attention=["call", "settings"],
    attention_ns=45,
    certain=True,
    result=result("m", "7", ""),
)
SEEN = HallBoard(SEVEN, msgspec.json.encode(SHOWN), offset_ns=3000)


@pytest.mark.rule("R146")
def test_instants_are_those_of_this_hub_and_silence_is_said() -> None:
    """The other hub's instant 0 is 3,000 on the raw clock, and 2,000 here."""
    board = board_of_hall(SEEN, HUB)
    assert board is not None
    assert (board.board, board.turn) == ("7", RunningTurn(Side.LEFT, 2060, 12))
    assert (board.attention_ns, board.heard_ns, board.certain) == (2045, 2040, True)
    assert board.result is not None
    assert (board.result.source, board.result.hall) == ("@hall/red-7", "hall")
    silent = board_of_hall(SEEN._replace(silent_ns=3070), HUB)
    assert silent is not None
    assert (silent.certain, silent.heard_ns) == (False, 2040)
    assert (silent.attention, silent.attention_ns) == (["call", "not_heard", "settings"], 2045)
    for heard_ns in (100, None):  # the hub has heard its clock later than this one has heard it
        calm = msgspec.structs.replace(SHOWN, attention=["settings"], heard_ns=heard_ns)
        unheard = board_of_hall(SEEN._replace(shown=msgspec.json.encode(calm), silent_ns=3070), HUB)
        assert unheard is not None
        assert (unheard.attention, unheard.attention_ns) == (["not_heard", "settings"], 2070)
        assert unheard.heard_ns == 2070
    one = {Side.LEFT: SHOWN.players[Side.LEFT]}
    over = msgspec.structs.replace(result("m", "7", ""), players={Side.LEFT: "Ann"})
    halves = [
        msgspec.json.encode(msgspec.structs.replace(SHOWN, **{part: half}))
        for part, half in (("players", one), ("reserves", {}), ("result", over))
    ]
    for shown in (b"{}", b"", SEEN.shown.replace(b"red-7", b"\xff"), b"[" * 9999, *halves):
        assert board_of_hall(SEEN._replace(shown=shown), HUB) is None
    earlier = SEEN.shown.replace(b',"taken_out":false', b"")  # of an earlier version
    assert board_of_hall(SEEN._replace(shown=earlier), HUB) == board
    held = msgspec.structs.replace(SHOWN, attention=[], attention_ns=None, taken_out=True)
    out = board_of_hall(SEEN._replace(shown=msgspec.json.encode(held), silent_ns=3070), HUB)
    assert out is not None
    assert (out.certain, out.attention, out.attention_ns) == (False, [], None)
    assert (board.source, board.account, board.hall) == ("hall: red-7", "@hall/red-7", "hall")
    break_ = msgspec.structs.replace(SHOWN, turn=None, result=None, board="7 b", until_ns=99)
    seen = board_of_hall(SEEN._replace(shown=msgspec.json.encode(break_)), HUB)
    assert seen is not None
    assert (seen.turn, seen.result, seen.board, seen.until_ns) == (None, None, "7 b", 2099)


@pytest.mark.rule("R146")
def test_boards_of_two_halls_with_one_name_are_two_and_no_conflict() -> None:
    """Each has the hall in its address; one that is gone goes."""
    register = Register(1000)
    other = SEEN._replace(place=SEVEN._replace(key="@b/red-7", hall="b"))
    for event in (SEEN, other):
        register.handle(event)
    register.refresh(5000)
    assert {name: board.hall for name, board in register.boards.items()} == {
        "hall-7": "hall",
        "b-7": "b",
    }
    assert all(not board.conflicts for board in register.boards.values())
    register.handle(other)
    assert register.refresh(5500).boards == []
    register.handle(SEEN._replace(shown=b""))
    assert [register.refresh(at_ns).gone for at_ns in (6000, 6001)] == [["hall-7"], []]
