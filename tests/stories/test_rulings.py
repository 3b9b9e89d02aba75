"""A ruling that the director proposes from the room, from the file of the link to the log.

The whole program runs on real files, with simulated buttons and in virtual time.
"""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from clock.config.offer import LatestLine, offer_key
from clock.eventlog.replay import replay
from clock.match.inputs import Approved, MatchEnded, MatchWanted
from clock.match.rules import Answer
from clock.match.state import MatchState
from clock.match.types import Phase
from clock.runtime.offer_folder import MOST_RULINGS
from clock.text import message
from clock.ui.dialogue import CodePage, FormPage, MenuPage
from clock.ui.ruling import proposable
from clock.units import SECOND_NS
from lab.support.boxes import RoomClock
from lab.support.offers import MASTER
from tests.stories.test_offers import CODED, WAIT
from tests.stories.test_presets import CONFIRM
from tests.ui.test_ruling import entered

STOPPED = CONFIRM + "1 press right\n20 press centre"
OPEN = "1 hold centre"
CARRY_OUT = "1 press centre"
NOT_NOW, NO_ANSWER = "this is not possible now", "this answer is not possible now"
MORE: tuple[Answer, ...] = ("left", 72 * SECOND_NS, ("restored", None))


class Ruled(RoomClock):
    """A clock in a room whose director proposes rulings."""

    def propose(self, line: bytes | None = None) -> "Ruled":
        """A ruling lies where the clock looks, if none is given 1:12 more for the left player."""
        self.desk.put(line or self.desk.ruling("add_time", *MORE))
        self.do(WAIT)
        return self

    @property
    def reserve_s(self) -> float:
        return self.state.players.left.account.left_ns / SECOND_NS

    @property
    def stands(self) -> str:
        """The id of the ruling that the panels announce."""
        found = self.state.proposal
        return "" if found is None else found.id

    @property
    def texts(self) -> str:
        """All that both panels show."""
        return " | ".join(" ".join((face.status, *face.lines, *face.keys)) for face in self.faces)


@pytest.fixture
def board(tmp_path: Path) -> Iterator[Ruled]:
    """A board whose clock is stopped."""
    with Ruled(tmp_path) as board:
        yield board.do(STOPPED)


@pytest.mark.rule("R218")
def test_a_ruling_is_shown_opened_and_carried_out_once(board: Ruled) -> None:
    """The network changes nothing: a hold opens it filled in, the centre carries it out."""
    before = board.reserve_s
    board.propose()
    assert (board.stands, board.reserve_s) == ("ruling-01", before)
    assert "TD proposes: hold" in board.texts
    board.do(OPEN)
    assert "TD: Eva" in board.texts
    assert "refuse" in board.texts
    board.do(CARRY_OUT)
    assert (board.stands, board.reserve_s) == ("", before + 72)
    [proposed] = board.logged("proposed")
    [ruling] = board.logged("adjusted")
    assert (proposed["by"], ruling["carries_out"]) == ("Eva", proposed["proposal"])
    for _ in range(3):
        board.do(f"{WAIT}\n{OPEN}\n1 hold centre")
    assert (len(board.logged("proposed", "adjusted")), board.refusals()) == (2, [])
    replay([line.rstrip() for line in board.all_lines])


@pytest.mark.rule("R218")
def test_its_page_says_why(board: Ruled) -> None:
    """The reason too, which at the box is seen as it is entered; and the list marks a reason."""
    marked = board.faces.left
    board.propose(board.desk.ruling("add_time", *MORE[:2], ("director", "mistake")))
    found = board.faces.left
    assert (found.lines, found.selected) == (marked.lines, marked.selected)
    board.do(OPEN)
    assert "Mistake" in board.texts


@pytest.mark.rule("R218")
@pytest.mark.parametrize("plunger", ["left", "right"])
def test_a_plunger_refuses_it(board: Ruled, plunger: str) -> None:
    before = board.reserve_s
    board.propose().do(f"{OPEN}\n1 press {plunger}\n{WAIT}")
    assert (board.stands, board.reserve_s) == ("", before)
    assert board.refusals() == [("ruling-01", "director", "")]
    assert board.state.phase is Phase.STOPPED


@pytest.mark.rule("R218")
def test_the_code_is_asked_first(tmp_path: Path) -> None:
    board = Ruled(tmp_path, CODED)
    board.do(STOPPED)
    board.propose().do(OPEN)
    assert isinstance(board.runtime.view().dialogue.page, CodePage)
    board.do("1 press left\n1 press right\n1 press right\n1 press left")
    assert isinstance(board.runtime.view().dialogue.page, FormPage)
    board.do(CARRY_OUT)
    assert len(board.logged("adjusted")) == 1
    board.close()


@pytest.mark.rule("R218")
def test_what_happens_at_the_box_first_makes_it_void(board: Ruled) -> None:
    """The director enters something else; a clock is started. Turning to a reason does not."""
    board.propose()
    board.do("1 press right")
    assert board.stands == "ruling-01"
    board.runtime.apply_input(Approved(board.state.at_ns))
    assert board.stands == ""
    board.propose(board.desk.ruling("add_time", *MORE, id_="ruling-02"))
    assert board.stands == "ruling-02"
    board.do("1 press left\n1 press centre")
    assert (board.state.phase, board.stands) == (Phase.RUNNING, "")
    assert board.logged("adjusted") == []


@pytest.mark.rule("R218")
def test_hostile_late_and_foreign_rulings_leave_no_trace(board: Ruled) -> None:
    """Replayed, after another line, of another clock or key, cut, of no item, or not now."""
    lines = len(board.all_lines)
    late = board.desk.latest
    forged = board.desk.ruling("add_time", *MORE, key=offer_key(MASTER, "red-8"))
    other = board.desk.ruling(
        "add_time", *MORE, after=LatestLine(late.match, late.seq - 1, late.hash)
    )
    for each in (forged, other, forged[:-9], b"{}", b"x" * 9000):
        assert board.propose(each).stands == ""
    assert len(board.all_lines) == lines
    old = board.desk.ruling("add_time", *MORE)
    board.do("1 press centre\n5 press centre")
    assert board.propose(old).stands == ""
    board.propose().do(f"{OPEN}\n{CARRY_OUT}")
    used = board.desk.file.read_bytes()
    for each in (used, old, used):
        assert board.propose(each).stands == ""
    assert len(board.logged("adjusted")) == 1


@pytest.mark.rule("R218")
def test_a_hostile_hub_changes_nothing_and_keeps_nobody_from_playing(board: Ruled) -> None:
    """It has the keys, and proposes whatever the menu has, one thing after another."""

    def match() -> MatchState:
        return board.state.replace(at_ns=0, proposal=None)

    before, lines = match(), len(board.all_lines)
    for number, item in enumerate(proposable(before)):
        answers = entered(board.state, item.name)
        board.propose(board.desk.ruling(item.name, *answers, id_=f"hostile-{number}"))  # type: ignore[arg-type]
        assert match() == before
    assert len(board.all_lines) == lines + len(proposable(before))
    board.do("1 press centre")
    assert board.state.phase is Phase.RUNNING
    since = map(json.loads, board.all_lines[lines:])
    assert {line["event"] for line in since} == {"proposed", "offer_refused", "resumed"}


@pytest.mark.rule("R218")
@pytest.mark.parametrize("is_next", [False, True])
def test_a_hub_that_floods_does_not_fill_the_log(board: Ruled, *, is_next: bool) -> None:
    """After so many in a match nothing is shown, until the program starts again, or the next."""
    for number in range(MOST_RULINGS + 3):
        board.propose(board.desk.ruling("add_time", *MORE, id_=f"flood-{number:03}"))
    assert len(board.logged("proposed")) == MOST_RULINGS
    if is_next:
        board.runtime.apply_input(MatchEnded(board.state.at_ns, None, "director"))
        board.runtime.apply_input(MatchWanted(board.state.at_ns))
    else:
        board.restart()
    board.propose(board.desk.ruling("add_time", *MORE, id_="ruling-02"))
    assert board.stands == "ruling-02"


@pytest.mark.rule("R218")
@pytest.mark.parametrize(
    ("item", "answers", "why"),
    [
        ("new_match", (), NOT_NOW),  # the room offers matches otherwise
        ("language", ("de",), NOT_NOW),
        ("lift_hold", (None,), NOT_NOW),  # nobody has called
        ("add_time", (), "an answer is missing"),
        ("add_time", ("left", 1, ("restored", None)), f"{NO_ANSWER}: 1"),  # no whole second
        ("add_time", ("left", 10**15, ("restored", None)), f"{NO_ANSWER}: {10**15}"),
        ("add_time", ("centre", SECOND_NS, ("restored", None)), f"{NO_ANSWER}: centre"),
        ("add_time", (*MORE, 1), "more is answered than is asked"),
        ("no_such_item", (), NOT_NOW),
    ],
)
def test_only_what_the_menu_has_now_can_be_proposed(
    board: Ruled, item: str, answers: tuple[Answer, ...], why: str
) -> None:
    """The clock says why not, and shows nothing."""
    assert board.propose(board.desk.ruling(item, *answers)).stands == ""
    assert board.refusals() == [("ruling-01", "clock", why)]
    (refused,) = board.logged("offer_refused")
    assert message(refused["key"].removeprefix("error_"), **refused.get("values", {})) == why


@pytest.mark.rule("R218")
def test_a_later_ruling_takes_the_place_of_one_that_waits(board: Ruled) -> None:
    board.propose()
    board.propose(board.desk.ruling("add_time", "right", *MORE[1:], id_="ruling-02"))
    assert board.stands == "ruling-02"
    board.do(f"{OPEN}\n{CARRY_OUT}")
    [ruling] = board.logged("adjusted")
    assert (ruling["side"], ruling["carries_out"]) == ("right", "ruling-02")


@pytest.mark.rule("R218")
def test_after_a_power_cut_it_is_gone(board: Ruled) -> None:
    """The log says that the clock has started again, and the ruling is not shown twice."""
    board.propose().cut()
    board.do(WAIT)
    assert board.stands == ""
    board.do(OPEN)
    assert isinstance(board.runtime.view().dialogue.page, MenuPage)
    assert len(board.logged("proposed")) == 1
