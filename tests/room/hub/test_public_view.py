"""What everybody may see: late, and with the names that the director wants."""

import asyncio
from contextlib import closing

import msgspec
import pytest

from clock.match.types import Side
from clock.units import SECOND_NS
from lab.support.logs import monkey_logs
from room.boards.board import Player
from room.boards.register import Register
from room.hub.hub import Hub
from room.hub.public_view import Gone, PublicView, initials
from tests.room.web.test_access import OneMatch


@pytest.mark.parametrize(
    ("name", "short"),
    [("Ada", "A."), ("Anna Berg", "A. B."), ("jean-luc", "J. L."), ("Øystein", "Ø."), ("", "")],
)
def test_initials(name: str, short: str) -> None:
    assert initials(name) == short


def test_changes_are_shown_in_their_order() -> None:
    """Each after the delay; the latest state counts, and a board that is gone is gone."""
    with closing(OneMatch()) as room:
        room.hear(tuple(monkey_logs(1)[0][:5]))
        [board] = room.hub.register.boards.values()
    nameless = msgspec.structs.replace(board, players=dict.fromkeys(Side, Player(None, 0)))
    (view := PublicView("initials")).add([nameless], 0)
    view.show(0)
    assert view.boards == {board.id: nameless}
    view = PublicView("full", 10)
    later = msgspec.structs.replace(board, seq=99)
    for now_s, change in ((0, board), (3, later), (5, Gone(board.id))):
        view.add([change], now_s * SECOND_NS)
    seen, sent = [], list[bytes]()
    for now_s in range(17):
        view.show(now_s * SECOND_NS)
        seen.append(view.boards[board.id].seq if board.id in view.boards else None)
        sent += view.feed.since(len({*sent}), None)
    assert seen == [None] * 10 + [board.seq] * 3 + [99] * 2 + [None] * 2
    assert [each.split()[3] for each in sent] == [b"board", b"board", b"gone"]


def test_readers_are_woken_when_something_is_shown() -> None:
    view = PublicView()

    async def run() -> None:
        reader = asyncio.create_task(view.feed.wait(0, None, 3600))
        await asyncio.sleep(0)
        view.add([Gone("7")], 0)
        view.show(0)
        await reader

    asyncio.run(run())


def test_changes_that_wait_have_a_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    """States in between are left out; the newest of each board is shown, late, never early."""
    monkeypatch.setattr("room.hub.public_view.MOST_CHANGES", 3)
    with closing(OneMatch()) as room:
        room.hear(tuple(monkey_logs(1)[0][:5]))
        [board] = room.hub.register.boards.values()
    view, seen = PublicView("full", 10), []
    for now_s in range(40):
        states = [msgspec.structs.replace(board, id=id_, seq=now_s) for id_ in "ab"]
        view.add(states if now_s < 20 else [], now_s * SECOND_NS)
        view.show(now_s * SECOND_NS)
        assert len(view._waiting) <= 3
        assert len(view._over) <= 2
        shown = {id_: each.seq for id_, each in view.boards.items()}
        assert all(seq <= now_s - 10 for seq in shown.values())
        seen.append(shown)
    assert seen[9:12] == [{}, {"a": 0, "b": 0}, {"a": 1, "b": 0}]
    assert seen[-1] == {"a": 19, "b": 19}


def test_results_of_an_earlier_run_are_shown_at_once() -> None:
    with closing(OneMatch(delay_s=30)) as first:
        first.hear()
        [result] = first.store.results()
        hub = Hub(Register(0), first.store, lambda: 0, view := PublicView("initials", 30))
    assert hub.public is view
    assert [each.players[Side.LEFT] for each in view.results()] == ["A."]
    for lines in (0, 9):  # an earlier version counted none
        view = PublicView("full", 30)
        view.begin([msgspec.structs.replace(result, lines=lines)])
        assert view.readable(result.key) == (lines or None)
    assert result.players[Side.LEFT] == "Ada"
