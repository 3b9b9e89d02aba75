"""The director's offer of the next match, from the file of the link to the log.

The whole program runs on real files, with simulated buttons and in virtual time.
"""

import os
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import click.testing
import pytest

from clock.eventlog.replay import replay
from clock.match.types import Pair, Phase
from clock.ui.dialogue import CodePage, MenuPage, PresetPage
from gammonclock.__main__ import main
from lab.support.boxes import RoomClock
from lab.support.offers import OfferDesk
from tests.stories.test_presets import CONFIRM, EVENT, WIN

PLAIN = "[match]\nlength = 1\n"
CODED = f'{PLAIN}[director]\ncode = "LRRL"\n'
PLAYED = CONFIRM + WIN
NAMES = ["Cid", "Dora"]
PEOPLE = Pair("Cid", "Dora")
WAIT = "3 wait"


@pytest.fixture
def board(tmp_path: Path) -> Iterator[RoomClock]:
    """A clock that waits for both players to confirm the settings of its file."""
    with RoomClock(tmp_path) as clock:
        yield clock


@pytest.fixture
def made(tmp_path: Path) -> Iterator[Callable[[str], RoomClock]]:
    """Makes clocks with a settings file of their own."""
    with ExitStack() as opened:
        yield lambda text: opened.enter_context(RoomClock(tmp_path, text))


# --- the whole way ----------------------------------------------------------------------------


@pytest.mark.rule("R134")
def test_an_offer_comes_with_the_result_and_is_played(board: RoomClock) -> None:
    """The result stays until the players ask for the next match; then they confirm as always."""
    board.do(PLAYED)
    assert board.legend == "hold: TD"
    board.offer()
    assert board.state.phase is Phase.FINISHED
    assert board.legend == "TD: match"
    board.do("1 press centre")
    assert board.offered == (Phase.REVIEW, "offer-001", 7, PEOPLE)
    assert (board.shown, board.legend) == ("From the TD", "hold: no")
    board.do(CONFIRM)
    assert board.offered == (Phase.READY, "offer-001", 7, PEOPLE)
    [offered] = board.logged("offered")
    assert (offered["offer"], offered["settings"]["names"]) == ("offer-001", NAMES)
    assert [line.get("offer") for line in board.logged("match_opened")] == [None, "offer-001"]
    assert board.refusals() == []


@pytest.mark.rule("R131", "R134")
def test_an_offer_is_given_up_when_another_match_is_taken_up(board: RoomClock) -> None:
    """R131: the log of the match that was adjourned says so."""
    board.do(CONFIRM).do("1 press right\n5 press centre").choose("put_aside")
    board.offer().choose("take_up")
    assert board.offered[0] is Phase.STOPPED
    assert board.refusals() == [("offer-001", "players", "another match was begun")]
    for log in board.logs.glob("2*.jsonl"):
        assert replay(log.read_bytes().splitlines())


@pytest.mark.rule("R134")
def test_an_offer_replaces_a_match_that_nobody_has_confirmed(board: RoomClock) -> None:
    """As a change of the file does, and as a later offer does."""
    board.offer()
    assert board.offered == (Phase.REVIEW, "offer-001", 7, PEOPLE)
    board.offer("offer-002", length=5)
    assert board.offered == (Phase.REVIEW, "offer-002", 5, Pair("Left", "Right"))
    board.do("1 press left").offer("offer-003", length=3)
    assert board.offered == (Phase.REVIEW, "offer-002", 5, Pair("Left", "Right"))
    assert board.do("1 press right\n1 press centre").offered[0] is Phase.READY


@pytest.mark.rule("R134")
def test_a_change_of_the_file_leaves_an_offered_match_alone(board: RoomClock) -> None:
    """The players confirm what the director offered; a new number of the table is logged."""
    board.offer()
    board.write("[match]\nlength = 3\n")
    assert board.do(WAIT).offered == (Phase.REVIEW, "offer-001", 7, PEOPLE)
    board.write('[match]\nboard = "9"\n')
    assert board.do(WAIT).offered == (Phase.REVIEW, "offer-001", 7, PEOPLE)
    assert board.logged("match_opened")[-1]["board"] == "9"
    assert board.refusals() == []


@pytest.mark.rule("R134")
def test_holding_the_centre_refuses_an_offer(made: Callable[[str], RoomClock]) -> None:
    """No code is asked for. The match of the file comes, and the offer does not come again."""
    board = made(CODED).offer()
    board.do("1 hold centre")
    assert board.offered == (Phase.REVIEW, "", 1, Pair("Left", "Right"))
    assert board.refusals() == [("offer-001", "players", "")]
    assert board.offer().offered[1] == ""
    assert board.offer("offer-002").offered[1] == "offer-002"
    assert board.refusals() == [("offer-001", "players", "")]


@pytest.mark.rule("R134")
def test_once_a_player_has_confirmed_holding_calls_the_director(
    made: Callable[[str], RoomClock],
) -> None:
    board = made(CODED).offer().do("1 press left\n1 hold centre")
    assert isinstance(board.runtime.session.dialogue.page, CodePage)
    board.do("1 press left\n1 press right\n1 press right\n1 press left")
    assert isinstance(board.runtime.session.dialogue.page, MenuPage)
    board.choose("new_match")
    assert board.offered == (Phase.REVIEW, "", 1, Pair("Left", "Right"))
    assert board.refusals() == [("offer-001", "players", "another match was begun")]


@pytest.mark.rule("R134")
def test_an_offer_goes_before_the_presets(made: Callable[[str], RoomClock]) -> None:
    """Their page goes; after a refusal it comes again."""
    board = made(EVENT)
    assert isinstance(board.runtime.session.dialogue.page, PresetPage)
    board.offer(preset="Final", names=NAMES)
    assert (board.shown, board.offered) == ("From the TD", (Phase.REVIEW, "offer-001", 1, PEOPLE))
    board.do("1 hold centre")
    assert isinstance(board.runtime.session.dialogue.page, PresetPage)
    assert board.refusals() == [("offer-001", "players", "")]


@pytest.mark.rule("R134")
def test_another_preset_gives_up_an_offer(made: Callable[[str], RoomClock]) -> None:
    board = made(EVENT).do("1 press right\n1 press centre\n" + PLAYED + "1 press centre")
    assert isinstance(board.runtime.session.dialogue.page, PresetPage)
    board.offer(length=7).do("1 press centre")
    assert board.chosen() == ("Final", 1, False)
    assert board.refusals() == [("offer-001", "players", "another match was begun")]


@pytest.mark.rule("R134")
def test_a_result_that_goes_on_ends_an_offer(board: RoomClock) -> None:
    """The director reopens the match; at its end the offer is not there any more."""
    board.do(PLAYED).offer().choose("reopen")
    assert board.state.phase is not Phase.FINISHED
    assert board.state.next_offer is None


@pytest.mark.rule("R134", "R67")
def test_an_offer_survives_a_power_cut_and_a_crash(board: RoomClock) -> None:
    """Beside the result and at REVIEW; the players confirm it again."""
    board.do(PLAYED).offer()
    board.restart()
    assert board.do("1 wait").legend == "TD: match"
    board.cut()
    assert board.do("1 wait").legend == "TD: match"
    assert board.do("1 press left").offered == (Phase.REVIEW, "offer-001", 7, PEOPLE)
    board.do("1 press left").cut()
    assert board.offered == (Phase.REVIEW, "offer-001", 7, PEOPLE)
    assert board.do(CONFIRM).offered[0] is Phase.READY
    assert board.refusals() == []


@pytest.mark.rule("R134")
def test_every_log_verifies_and_is_reported(board: RoomClock) -> None:
    board.do(PLAYED).offer().do("1 press centre\n1 hold centre")
    board.offer("offer-002").do(CONFIRM)
    board.desk.put(board.desk.line("offer-003"))
    board.close()
    paths = sorted(path for path in board.logs.glob("*.jsonl") if not path.is_symlink())
    logs, runner = [str(path) for path in paths], click.testing.CliRunner()
    assert len(logs) == 4
    for log in logs:
        done = runner.invoke(main, ["verify", log])
        assert done.exit_code == 0, done.output
    said = [runner.invoke(main, ["report", log]).output for log in logs]
    assert "TD assigns next match, Match to 7" in said[0]
    assert "Assignment refused" in said[1]
    assert "assigned by the TD" in said[3]
    assert "offered by the TD" not in said[2]


# --- what is refused --------------------------------------------------------------------------

LATE = "too late: the log has gone on since the offer was made"


@pytest.mark.rule("R134")
@pytest.mark.parametrize("begun", [WAIT, PLAYED], ids=["at REVIEW", "at FINISHED"])
@pytest.mark.parametrize(
    ("put", "id_", "why"),
    [
        (lambda desk: os.mkfifo(desk.file), "", "offer.json cannot be used: not a regular file"),
        (lambda desk: desk.put(desk.line(board="8")), "offer-001", "board is an unknown key"),
    ],
)
def test_a_bad_offer_is_refused_once_and_changes_nothing(
    board: RoomClock, begun: str, put: Callable[[OfferDesk], object], id_: str, why: str
) -> None:
    """The hub learns why from the log; the next good one is shown."""
    before = board.do(begun).offered
    put(board.desk)
    assert board.do("9 wait").offered == before
    [(offer, by, said)] = board.refusals()
    assert (offer, by, said.startswith(why)) == (id_, "clock", True)
    board.desk.file.unlink()
    assert board.offer("offer-777").state.standing_offer is not None
    assert len(board.do("9 wait").refusals()) == 1


@pytest.mark.rule("R134")
def test_the_log_of_a_running_clock_is_the_same_with_and_without_offers(tmp_path: Path) -> None:
    turns = "".join(f"{7 + n % 5} press {'left' if n % 2 == 0 else 'right'}\n" for n in range(20))
    logs = []
    for name in ("quiet", "flooded"):
        (tmp_path / name).mkdir()
        board = RoomClock(tmp_path / name).do(CONFIRM + "1 press right")
        for turn in turns.splitlines():
            if name == "flooded":
                board.desk.put(board.desk.line(length=7))
            board.do(turn)
        board.close()
        logs.append(board.all_lines)
    assert logs[0] == logs[1]


@pytest.mark.rule("R134")
def test_a_taken_offer_cannot_be_replayed(board: RoomClock) -> None:
    """Its file stays where it is; the next match is another one."""
    board.offer(length=1).do(PLAYED)
    taken = board.desk.file.read_bytes()
    assert board.do(WAIT).refusals() == []
    board.restart()
    assert board.do(WAIT).state.next_offer is None
    board.offer("offer-002", length=1).do("1 press centre")
    board.desk.put(taken)
    assert board.do(WAIT).offered[1] == "offer-002"
    assert board.refusals() == [("offer-001", "clock", LATE)]
