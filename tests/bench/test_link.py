"""A clock of a room: whatever becomes of link, broker and hub, log and panels stay what they are.

The twin (`match_twin`) has no room. It is pressed at the instants of the board's log, and what it
writes must be the board's log byte for byte. What no twin can know is taken from that log: the boot
id, the id of the clock, the names of the matches and the wall clock; and which offers lay in the
link's directory that were refused.
"""

import signal
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from clock.config.loader import load_settings
from clock.config.offer import TOO_LATE
from clock.match.rules import MatchSettings, Reason
from clock.match.types import Side
from clock.runtime.offer_folder import MOST_REFUSED
from clock.storage.checkpoint import LOCK
from clock.storage.log_reader import CURRENT
from clock.storage.offer_file import KEY
from lab.bench.guest_room import (
    BROKER,
    FLOODING_LINK,
    HOSTILE_BROKER,
    HUB,
    LINK,
    LINK_MEMORY,
    OLD_OFFER,
    RoomBoard,
)
from lab.bench.match_twin import Twin, as_board_writes, play_and_compare
from lab.support.match_scripts import Author

TOML = '[match]\nlength = 3\n[rules]\ntime_per_point = "0:20"\n'
CATCH_UP = "1:00"  # longer than the longest pause of the link between two attempts to connect
OWN_FILES = {"checkpoint", LOCK, CURRENT}  # beside the logs
EVERY = 8  # acts from one trouble to the next
UNUSABLE = (
    "larger than 4096",
    "not a regular file",
    "Is a directory",
    "Too many levels of symbolic links",
    "No such device or address",
)
HOSTILE_ACTS = {"reset", "flood", "say_nothing", "flood_inside", "flood_topics"}
REASONS = {
    *(f"offer.json cannot be used: {why}" for why in UNUSABLE),
    "the offer is not complete: it does not end with a MAC",
    "the MAC is wrong: the offer is for another clock, or not from the hub",
    TOO_LATE,
}


def first_script(author: Author) -> str:
    """Write a match with stops, presses out of turn, a game with a result, and a fallen flag.

    The first press comes before the clock looks for an offer by itself, so that a link that floods
    is seen first by the turn of the loop that sees the press begin.
    """
    for act in ("press left", "press right", "press centre"):
        author.do(act, 0.8)
    author.do("press left", 17.3)
    author.turns(2, pace=9)
    author.do(f"press {author.state.running and author.state.running.other.value}", 2.1)
    author.stop_for(Reason.UNSPECIFIED, 33.3)
    author.turns(2, pace=14)
    author.end_game(Side.LEFT, 2)
    author.do("press right", 12)
    author.turns(1)
    author.do("wait", 70)
    author.stop_for(Reason.TIME_EXPIRED)
    flagged = next(side for side in Side if author.state.players[side].flag)
    author.direct("end_match", flagged.other, "time")
    author.direct("new_match")
    return author.script


def second_script(author: Author) -> str:
    """Write a match that points decide."""
    author.confirm()
    author.do("press right", 20)
    author.turns(3, pace=12)
    author.end_game(Side.RIGHT, 3)
    author.do("wait", 20)
    return author.script


class TwoMatches:
    """Two matches on a board, and the same on the twin."""

    def __init__(self, board: RoomBoard, settings: MatchSettings) -> None:
        """Begin now; the board is at its first match."""
        self._board, self._settings = board, settings
        opened = board.records()[0]
        self._twin = Twin(settings, opened["at_ns"], opened["clock"])

    def play(self, disturb: Callable[[int], object] = lambda number: None) -> None:
        """Play both; check each act, and at the end all bytes of the logs.

        Args:
            disturb: called after each check, with a number that counts.
        """
        acts = 0
        for script in (first_script, second_script):
            written = script(Author(self._settings, 5))
            for _ in play_and_compare(self._board, written, self._twin):
                acts += 1
                disturb(acts)

    def check(self) -> None:
        """Check that the logs are the twin's, and that nothing else lies beside them."""
        board = self._board
        logs, records = board.logs(), board.records()
        assert b"".join(logs.values()) == as_board_writes(self._twin.lines, records)
        events = {record["event"] for record in records}
        assert {"stopped", "flag_fell", "game_over", "match_over"} <= events
        assert not any(event.startswith("fault") for event in events)
        names = {path.name for path in (board.folder / "log").iterdir()}
        assert names - OWN_FILES - {KEY} == {f"{match}.jsonl" for match in logs}
        assert len(logs) == 2


@pytest.fixture
def settings(tmp_path: Path) -> MatchSettings:
    path = tmp_path / "match.toml"
    path.write_text(TOML, encoding="utf-8")
    return load_settings(path).match


@pytest.fixture
def board(tmp_path: Path) -> Iterator[RoomBoard]:
    """A clock of a room; nothing of the room runs yet."""
    with RoomBoard(TOML, tmp_path) as board:
        yield board


@pytest.fixture
def matches(board: RoomBoard, settings: MatchSettings) -> TwoMatches:
    return TwoMatches(board, settings)


def test_a_clock_without_a_room(tmp_path: Path, settings: MatchSettings) -> None:
    """The control: the twin writes the same log as a clock that has heard of no room."""
    with RoomBoard(TOML, tmp_path, has_room=False) as board:
        matches = TwoMatches(board, settings)
        matches.play()
        matches.check()


@pytest.mark.rule("R134")
def test_a_link_that_works(board: RoomBoard, matches: TwoMatches) -> None:
    board.launch(BROKER, HUB, LINK)
    matches.play()
    matches.check()
    assert board.kept() == board.logs()


@pytest.mark.rule("R134")
def test_a_link_that_is_stopped_and_killed(board: RoomBoard, matches: TwoMatches) -> None:
    """As if it hung, with the clock's files open; the next link sends what is missing."""
    board.launch(BROKER, HUB, LINK)

    def start_again() -> None:
        board.end_program(LINK, signal.SIGKILL)
        board.launch(LINK)

    troubles: list[Callable[[], object]] = [
        start_again,
        lambda: board.signal_program(LINK, signal.SIGSTOP),
        lambda: board.signal_program(LINK, signal.SIGCONT),
        lambda: board.signal_program(LINK, signal.SIGSTOP),
    ]

    def disturb(acts: int) -> None:
        number, rest = divmod(acts, EVERY)
        if rest == 0:
            troubles[number % len(troubles)]()

    matches.play(disturb)
    start_again()
    board.wait(CATCH_UP)
    matches.check()
    assert board.kept() == board.logs()


@pytest.mark.rule("R134")
def test_a_hostile_broker(board: RoomBoard, matches: TwoMatches) -> None:
    """The link survives each of its acts, and finds the true broker afterwards."""
    board.launch(HOSTILE_BROKER, LINK)
    matches.play()
    board.end_program(HOSTILE_BROKER, signal.SIGKILL)
    acts = Counter(board.said_by(HOSTILE_BROKER).split())
    assert set(acts) == HOSTILE_ACTS
    assert min(acts.values()) > 1
    assert board.figures_of(LINK)["memory_bytes"] <= LINK_MEMORY
    board.launch(BROKER, HUB)
    board.wait(CATCH_UP)
    matches.check()
    assert board.kept() == board.logs()


@pytest.mark.rule("R134")
def test_a_link_that_floods(board: RoomBoard, matches: TwoMatches) -> None:
    """Of what lies there for the clock it logs why it is refused, eight times a match at most."""
    board.launch(FLOODING_LINK)
    matches.play()
    matches.check()
    refused = [each for each in board.records() if each["event"] == "offer_refused"]
    assert max(Counter(each["match"] for each in refused).values()) == MOST_REFUSED
    assert {each["offer"] for each in refused} == {"", OLD_OFFER}
    assert {each["why"].partition(" bytes: it has ")[0] for each in refused} <= REASONS
