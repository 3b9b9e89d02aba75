"""`room/hub/notices.py`."""

import pytest
from msgspec import structs

from clock.match.types import Side
from clock.ui.i18n import LANGUAGES, texts
from lab.support.boards import FILE, LOG, RUNNING, Hall
from room.boards.board import Board, Player
from room.hub.notices import KINDS, Noticed
from room.hub.words import page_words
from room.settings.tables import USUAL


@pytest.fixture
def board() -> Board:
    """A board with named players that asks for nothing."""
    hall = Hall().lines(FILE, LOG[:RUNNING])
    hall.register.refresh(hall.ns)
    (board,) = hall.register.boards.values()
    players = {side: Player(name, 0) for side, name in zip(Side, ("Anna", "Bob"), strict=True)}
    return structs.replace(board, id="7", players=players, attention=[], says=[])


def asking(board: Board, *kinds: str) -> dict[str, Board]:
    """Return boards of which one asks for the director."""
    says = ["call_director", "reason_illegal_move"]
    return {"7": structs.replace(board, attention=list(kinds), says=says, damage="Anna")}


def test_what_is_new_is_told_once_and_again_when_it_is_new_again(board: Board) -> None:
    """The most important first; what the director does not want to hear of is not told."""
    noticed = Noticed(USUAL, page_words("en"), names=True)
    first = noticed.news(asking(board, "low", "not_heard"), ["no disk"])
    assert [(each.kind, each.board) for each in first] == [("not_heard", "7"), ("hub", "")]
    (call,) = noticed.news(asking(board, "call", "not_heard"), ["no disk"])
    assert call.text == "Board 7: the players call the director: Illegal move"
    assert call.players == ("Anna", "Bob")
    assert noticed.news(asking(board, "call"), []) == []
    no_boards: dict[str, Board] = {}
    told = [noticed.news(each, []) for each in (asking(board), asking(board, "call"), no_boards)]
    assert [len(notices) for notices in told] == [0, 1, 0]
    assert [each.kind for each in noticed.news(asking(board, "call"), ["no disk"])] == [
        "call",
        "hub",
    ]


def test_notices_speak_the_language_of_the_room(board: Board) -> None:
    """Each kind has a text in it; the reason of a call is the one that the panels show."""
    for language, begin in zip(
        LANGUAGES, ("Board 7: the", "Tisch 7: die", *2 * ["Bord 7: "]), strict=True
    ):
        noticed = Noticed(KINDS, page_words(language), names=True)
        call, *others = (each.text for each in noticed.news(asking(board, *KINDS[:-1]), []))
        assert call.startswith(begin)
        assert call.endswith(f": {texts(language)['reason_illegal_move']}")
        assert len({text for text in others if not text.endswith(": ")}) == len(KINDS) - 2


@pytest.mark.rule("R145")
def test_no_notice_has_a_name_if_names_are_hidden(board: Board) -> None:
    told = Noticed(KINDS, page_words("en"), names=False).news(asking(board, *KINDS[:-1]), [])
    assert len(told) == len(KINDS) - 1
    assert "Anna" not in str(told)


@pytest.mark.parametrize(
    ("names", "told"),
    [((None, None), ()), (("Anna", None), ("Anna", "")), ((None, "Bob"), ("", "Bob"))],
)
def test_a_notice_has_the_names_that_are_known(
    board: Board, names: tuple[str | None, ...], told: tuple[str, ...]
) -> None:
    """Each at its side; none at all if there are none."""
    players = {side: Player(name, 0) for side, name in zip(Side, names, strict=True)}
    boards = asking(structs.replace(board, players=players), "call")
    [notice] = Noticed(KINDS, page_words("en"), names=True).news(boards, [])
    assert notice.players == told
