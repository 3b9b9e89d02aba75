"""All boards: messages in, boards and lines to be kept out."""

from collections import deque
from collections.abc import Iterable
from random import Random

import msgspec
import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st
from msgspec.structs import replace

from clock.units import SECOND_NS
from room.boards.board import SILENCE_NS, Board
from room.boards.register import MOST_EARLIER, Kept, Known, Register
from room.boards.results import result_of
from room.lines.inbox import Verdict
from room.sources.events import (
    ClockHeard,
    EarlierLinesRead,
    EarlierLogRead,
    LinesRead,
    MatchBegan,
    Place,
    SourceEvent,
    TroubleChanged,
)
from room.store.tables import Log, Row, arranged
from tests.support.examples import examples
from tests.support.logs import forged, monkey_logs, renamed

LOG = max(monkey_logs(3, 120), key=len)
FORK = forged(LOG, 6, lambda fields: fields.update(wall="2030-01-01T00:00:00+00:00"))
BOOT = msgspec.json.decode(LOG[0])["boot"]
RUNNING = next(at for at, line in enumerate(LOG, 1) if b'"running":null' not in line)
FILE = Place("file", "/logs", hint="7")
PORT = Place("port", "/dev/ttyUSB0", is_file=False)


def named(lines: list[bytes], **names: str) -> list[bytes]:
    """A log of a board or a match with another name."""
    for name, value in names.items():
        lines = forged(lines, 0, lambda fields, n=name, v=value: fields.update({n: v}))  # type: ignore[misc]
    return lines


class Hall:
    """A register with a time."""

    def __init__(self, boot: str = "", **options: object) -> None:
        self.register = Register(0, boot, **options)  # type: ignore[arg-type]
        self.ns = 0

    def tell(self, *messages: SourceEvent) -> "Hall":
        """Take messages."""
        for message in messages:
            self.register.take(message)
        return self

    def lines(self, place: Place, lines: Iterable[bytes], *, live: bool = True) -> "Hall":
        """Take lines that arrive now."""
        match = "m" if place.is_file else ""
        return self.tell(LinesRead(place, match, tuple(lines), self.ns, live=live))

    def heard(self, place: Place, sent_ns: int, seq: int = 0, match: str = "play-1") -> "Hall":
        """Take a heartbeat that arrives now."""
        return self.tell(ClockHeard(place, self.ns, BOOT, sent_ns, match, seq))

    def board(self) -> Board:
        """The only board."""
        self.register.refresh(self.ns)
        (board,) = self.register.boards.values()
        return board


def kept_log(kept: Iterable[Kept]) -> list[bytes]:
    """The log that the kept lines make."""
    rows = (Row(at, each.seq, each.verdict, each.line) for at, each in enumerate(kept))
    return arranged(Log([], []), rows).lines


@given(st.integers(0, 10**9))
@hypothesis_settings(max_examples=examples(80))
def test_a_serial_line_is_complete_after_any_disturbance(seed: int) -> None:
    """Lines lost, spoilt and repeated: after the backlog came again, everything is as it was."""
    random, hall = Random(seed), Hall()
    for _ in range(random.randrange(4)):
        begin = random.randrange(len(LOG))
        part = [line for line in LOG[:begin] if random.random() < 0.9]
        cuts = [random.randrange(len(line)) if random.random() < 0.1 else None for line in part]
        spoilt = [line[:cut] for line, cut in zip(part, cuts, strict=True)]
        hall.lines(PORT, spoilt)
    hall.lines(PORT, LOG)
    hall.heard(PORT, 0, len(LOG))
    assert kept_log(hall.register.take_kept()) == LOG
    assert hall.board().seq == len(LOG)
    assert hall.board().certain
    assert hall.board().damage is None


def test_a_gap_is_damage_until_the_lines_come() -> None:
    """The board shows what the later lines state, and says that it is not certain."""
    hall = Hall().lines(PORT, [*LOG[:5], *LOG[7:9]]).heard(PORT, 0, 9)
    assert hall.board().damage == "line 6: lines 6 to 7 are missing"
    assert not hall.board().certain
    assert hall.board().seq == 9
    hall.lines(PORT, LOG[:9]).heard(PORT, 0, 9)
    assert (hall.board().damage, hall.board().certain) == (None, True)


def test_joining_in_the_middle_shows_what_the_latest_line_says() -> None:
    """A clock on a plain serial line does not know that somebody listens now."""
    board = Hall().lines(PORT, [LOG[RUNNING - 1]]).heard(PORT, 0, RUNNING).board()
    assert (board.state, board.turn is None, board.certain) == ("RUNNING", False, False)
    assert board.damage == f"line 1: lines 1 to {RUNNING - 1} are missing"


def test_a_heartbeat_that_names_more_lines_makes_it_uncertain() -> None:
    """The latest press is still on its way, or lost."""
    hall = Hall().lines(PORT, LOG[:5]).heard(PORT, 0, 6)
    assert not hall.board().certain
    assert hall.lines(PORT, LOG[5:6]).board().certain


def test_the_backlog_alone_is_uncertain() -> None:
    """Its lines may have been written an hour ago."""
    hall = Hall().lines(PORT, LOG[:RUNNING], live=False)
    assert not hall.board().certain
    assert hall.heard(PORT, 10**12, RUNNING).board().certain


def test_only_boards_of_which_something_was_told_are_looked_at() -> None:
    """What time alone changes waits for the look at all of them; a room of 500 is cheap so."""
    hall = Hall().lines(PORT, LOG[:5]).heard(PORT, 0, 5).lines(FILE, LOG[:4])
    assert len(hall.register.refresh_told(0)) == 2
    assert hall.register.refresh_told(0) == []
    hall.ns = SILENCE_NS
    (told,) = hall.lines(FILE, LOG[4:5]).register.refresh_told(hall.ns)
    assert told.source == FILE.source
    (silent,) = hall.register.refresh(hall.ns)
    assert (silent.source, "not_heard" in silent.attention) == (PORT.source, True)
    assert hall.register.refresh_told(hall.ns) == []


@given(st.integers(0, 10**9))
@hypothesis_settings(max_examples=examples(40))
def test_a_look_at_all_boards_finds_what_a_new_register_would_show(seed: int) -> None:
    """Boards that time has not changed are not made again, and no change is missed."""
    random, hall, told = Random(seed), Hall(), list[SourceEvent]()
    is_timed = random.random() < 0.8
    lines = deque(enumerate(LOG[:50], 1))
    while lines:
        sent_ns = msgspec.json.decode(lines[0][1])["at_ns"]
        hall.ns = max(hall.ns, sent_ns) + random.randrange(20 * SECOND_NS)
        for _ in range(random.randrange(3)):
            seq, line = lines.popleft() if lines else (0, b"")
            heard = ClockHeard(PORT, hall.ns, BOOT, sent_ns, "play-1", seq + random.randrange(2))
            others = [ClockHeard(PORT, hall.ns), *([heard] if is_timed else [])]
            own = LinesRead(PORT, "", (line,), hall.ns, live=is_timed)
            few = random.sample(others, random.randrange(len(others) + 1))
            news: list[SourceEvent] = [own, *few]
            hall.tell(*news)
            told += news
        hall.register.refresh(hall.ns)
        new = Hall().tell(*told)
        new.register.refresh(hall.ns)
        assert [_undated(each) for each in hall.register.boards.values()] == [
            _undated(each) for each in new.register.boards.values()
        ]


def _undated(board: Board) -> Board:
    """A board without what depends on when it was looked at."""
    return replace(board, heard_ns=None, attention_ns=None)


def test_a_clock_is_heard_or_not() -> None:
    """After 15 s of silence the board says so once; heard again, it says that."""
    hall = Hall().lines(PORT, LOG[:5]).heard(PORT, 0, 5)
    hall.register.refresh(0)
    hall.ns = SILENCE_NS - 1
    assert hall.register.refresh(hall.ns) == []
    hall.ns += 1
    (silent,) = hall.register.refresh(hall.ns)
    assert ("not_heard" in silent.attention, silent.heard_ns) == (True, 0)
    hall.ns += SECOND_NS
    assert hall.register.refresh(hall.ns) == []
    (heard,) = hall.heard(PORT, hall.ns, 5).register.refresh(hall.ns)
    assert "not_heard" not in heard.attention


def test_a_directory_is_heard_while_no_clock_runs() -> None:
    """That it can be read says nothing of a running clock."""
    hall = Hall().lines(FILE, LOG[: RUNNING - 1], live=False)
    hall.ns = 10 * SILENCE_NS
    assert hall.tell(ClockHeard(FILE, hall.ns)).board().certain
    hall.lines(FILE, LOG[RUNNING - 1 : RUNNING], live=False)
    hall.ns += SILENCE_NS
    assert "not_heard" in hall.tell(ClockHeard(FILE, hall.ns)).board().attention


def test_the_clock_of_this_computer_needs_no_offset() -> None:
    """The instants in its log are instants of this computer."""
    at_ns = msgspec.json.decode(LOG[RUNNING - 1])["at_ns"]
    hall = Hall(BOOT)
    hall.ns = at_ns + 5 * SECOND_NS
    board = hall.lines(FILE, LOG[:RUNNING], live=False).heard(FILE, hall.ns, RUNNING).board()
    assert board.turn is not None
    assert (board.turn.since_ns, board.certain) == (at_ns, True)


def test_an_old_log_of_this_boot_is_not_heard() -> None:
    """Its clock was switched off an hour ago, and nobody knows what is on the board."""
    hall = Hall(BOOT)
    hall.ns = 10**13
    board = hall.lines(FILE, LOG[:6], live=False).heard(FILE, 0, 6).board()
    assert "not_heard" in board.attention


# --- forks, matches, boards -------------------------------------------------------------------


def test_a_fork_is_followed_and_both_branches_kept() -> None:
    """A card lost what the room had, or somebody forged a log."""
    hall = Hall().lines(FILE, LOG[:10]).lines(FILE, FORK[:9])
    kept = hall.register.take_kept()
    assert {each.line for each in kept} == {*LOG[:10], *FORK[:9]}
    assert kept_log(kept) == FORK[:9]
    assert hall.board().seq == 9


def test_a_fork_is_counted_in_the_result() -> None:
    """The TD sees it."""
    over = next(log for seed in range(99) for log in monkey_logs(seed) if b"FINISHED" in log[-1])
    fork = forged(over, 6, lambda fields: fields.update(wall="2030-01-01T00:00:00+00:00"))
    hall = Hall().lines(FILE, over).lines(FILE, fork)
    result = result_of(hall.register.take_finished()[-1])
    assert result is not None
    assert (result.forks, result.complete) == (1, True)


def test_an_earlier_run_of_the_hub_is_remembered() -> None:
    """A log that was changed while no hub ran is found by what the database has."""
    kept = Hall().lines(FILE, LOG[:10]).register.take_kept()
    again = Hall(recall=lambda match, source: Known(kept_log(kept)))
    assert again.lines(FILE, LOG[:10]).register.take_kept() == []
    changed = Hall(recall=lambda match, source: Known(kept_log(kept))).lines(FILE, FORK[:10])
    assert changed.register.take_kept()[0].verdict is Verdict.FORK


def test_the_forks_that_an_earlier_run_found_count_on() -> None:
    """They are in the database; more may come."""
    hall = Hall(recall=lambda match, source: Known(LOG[:10], 2))
    hall.lines(FILE, LOG[:10]).lines(FILE, FORK[:10]).tell(
        EarlierLogRead(FILE, "old", tuple(LOG[:10]))
    )
    hall.tell(LinesRead(FILE, "next", (LOG[0],), 0, live=True))  # which finishes the one before
    assert [each.forks for each in hall.register.take_finished()] == [2, 3]


def test_the_next_match_takes_the_place_of_the_last() -> None:
    """The last one is finished, whatever its end."""
    hall = Hall().lines(PORT, LOG[:9]).lines(PORT, renamed(LOG, "play-9")[:3])
    assert (hall.board().match, hall.board().seq) == ("play-9", 3)
    finished = hall.register.take_finished()
    assert [(each.match, len(each.lines)) for each in finished] == [("play-1", 9)]


def test_an_archived_log_is_kept_and_has_no_board() -> None:
    """It is for the results."""
    hall = Hall().tell(EarlierLogRead(FILE, "old", tuple(LOG)))
    assert hall.register.refresh(0) == []
    assert kept_log(hall.register.take_kept()) == LOG
    assert [each.match for each in hall.register.take_finished()] == ["old"]


def test_two_boards_of_one_name_have_ids_of_their_own() -> None:
    """Two cards with the same file."""
    hall = Hall()
    for place in (FILE, PORT):
        hall.lines(place, named(LOG[:3], board="7"))
    hall.register.refresh(0)
    assert list(hall.register.boards) == ["7", "7-2"]


def test_another_clock_on_the_same_line_is_another_board() -> None:
    """The adapters were swapped: the old board is gone."""
    hall = Hall().lines(PORT, named(LOG[:3], board="7"))
    assert hall.board().id == "7"
    hall.lines(PORT, renamed(named(LOG[:3], board="9"), "play-9"))
    assert hall.board().id == "9"
    assert hall.register.take_gone() == ["7"]


@pytest.mark.parametrize("name", ["../../etc", "<b>", "a b", "\u202e", "%2e%2e", "x" * 999, "é"])
def test_an_id_is_safe_in_addresses(name: str) -> None:
    """Whatever a clock calls itself."""
    id_ = Hall().lines(PORT, named(LOG[:3], board=name)).board().id
    assert id_.replace("-", "").isascii()
    assert id_.replace("-", "").isalnum()
    assert len(id_) <= 50


def test_a_board_that_was_only_a_trouble_goes_with_it() -> None:
    """An empty folder that has the logs of boards now."""
    hall = Hall().tell(TroubleChanged(FILE, "no log yet"))
    assert hall.board().faults == ["no log yet"]
    hall.tell(TroubleChanged(FILE, ""))
    assert hall.register.refresh(0) == []
    assert (hall.register.boards, hall.register.take_gone()) == ({}, ["7"])


def test_a_trouble_of_the_source_is_shown() -> None:
    """Also before a line was read."""
    hall = Hall().tell(TroubleChanged(PORT, "/dev/ttyUSB0: No such file"))
    assert hall.board().faults == ["/dev/ttyUSB0: No such file"]
    assert "fault" in hall.board().attention
    assert hall.tell(TroubleChanged(PORT, "")).lines(PORT, LOG[:3]).board().faults == []


def test_a_file_is_kept_byte_for_byte_though_it_is_damaged() -> None:
    """The evidence is the file, not what replays of it."""
    damaged = [*LOG[:5], b"noise", LOG[5].replace(b"wall", b"mall", 1), *LOG[6:8]]
    hall = Hall().lines(FILE, damaged)
    kept = hall.register.take_kept()
    assert kept_log(kept) == damaged
    assert hall.lines(FILE, damaged).register.take_kept() == []
    again = Hall(recall=lambda match, source: Known(kept_log(kept))).lines(FILE, damaged)
    assert again.register.take_kept() == []
    assert again.board().damage == hall.board().damage


def test_a_damaged_file_that_is_made_good_is_good() -> None:
    """A copy that was not complete, and is made again."""
    hall = Hall().lines(FILE, [*LOG[:5], b"noise", *LOG[6:9]]).lines(FILE, LOG[:9])
    assert kept_log(hall.register.take_kept()) == LOG[:9]
    assert hall.board().damage is None


def test_an_earlier_match_comes_in_parts_and_has_no_board() -> None:
    """The board stays; the result is asked for when the log is whole, and only once."""
    earlier = renamed(LOG, "before")
    hall = Hall().lines(PORT, LOG)
    for part, is_whole in ((earlier[:5], False), (earlier[3:9], False), (earlier[9:], True)):
        hall.tell(EarlierLinesRead(PORT, "before", tuple(part), is_whole))
    assert hall.board().match == "play-1"
    (finished,) = [each for each in hall.register.take_finished() if each.match == "before"]
    assert finished.lines == tuple(earlier)
    assert kept_log(each for each in hall.register.kept if each.match == "before") == earlier


def test_an_earlier_match_becomes_the_present_one() -> None:
    """What came of it before is known, though it is not in the database yet."""
    other = renamed(LOG, "next")
    hall = (
        Hall()
        .lines(PORT, LOG)
        .tell(EarlierLinesRead(PORT, "next", tuple(other[:4]), is_whole=False))
    )
    hall.tell(MatchBegan(PORT, "next")).tell(LinesRead(PORT, "next", (other[4],), 0, live=True))
    board = hall.board()
    assert (board.match, board.seq, board.damage) == ("next", 5, None)


def test_a_match_that_the_database_knows_is_shown_at_once() -> None:
    """After a restart of the hub nothing more may come of a match that is over."""
    hall = Hall(
        recall=lambda match, source: Known(LOG if (match, source) == ("play-1", "port") else ())
    )
    board = hall.tell(MatchBegan(PORT, "play-1")).board()
    assert (board.match, board.seq) == ("play-1", len(LOG))
    assert hall.register.take_kept() == []


def test_a_place_with_endless_earlier_matches_is_bounded() -> None:
    """A clock may name as many as it likes; what is dropped here is in the database."""
    kept: dict[str, list[bytes]] = {}
    hall = Hall(recall=lambda match, source: Known(kept.get(match, ())))
    for number in range(50):
        lines = renamed(LOG[:2], f"m{number}")
        kept[f"m{number}"] = lines[:1]
        hall.tell(EarlierLinesRead(PORT, f"m{number}", tuple(lines[:1]), is_whole=False))
    (watched,) = hall.register._places.values()
    assert len(watched.earlier) == MOST_EARLIER
    hall.tell(EarlierLinesRead(PORT, "m0", tuple(renamed(LOG[:2], "m0")[1:]), is_whole=True))
    (finished,) = hall.register.take_finished()
    assert finished.lines == tuple(renamed(LOG[:2], "m0"))
