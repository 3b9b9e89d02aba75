"""All boards: events in, boards that have changed out."""

from collections import Counter, deque
from operator import methodcaller
from random import Random
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st
from msgspec.structs import replace

from clock.eventlog.codec import LogLine, decode
from clock.match import inputs
from clock.units import SECOND_NS
from lab.support.boards import BOOT, FILE, LOG, PORT, RUNNING, Hall, finished_log, named
from lab.support.examples import examples
from lab.support.last_run import match_in
from lab.support.logs import forged, renamed
from room.boards.board import Board
from room.boards.fields import make_board
from room.boards.register import Register
from room.boards.results import result_of
from room.boards.signs import SILENCE_NS, Signs
from room.boards.watched_place import SEEN_NS, WatchedPlace
from room.lines.events import ClockHeard, LinesRead, MatchBegan, SourceEvent, TroubleChanged
from room.lines.inbox import line_of
from tests.eventlog.test_links import TWO
from tests.room.boards.test_results import result as result_at


@given(st.integers(0, 10**9))
@hypothesis_settings(max_examples=examples(40))
def test_a_serial_line_is_complete_after_any_disturbance(seed: int) -> None:
    """Lines lost, spoilt and repeated: after the backlog came again, everything is as it was."""
    random, hall = Random(seed), Hall()
    for _ in range(random.randrange(4)):
        begin = random.randrange(len(LOG))
        part = [line for line in LOG[:begin] if random.random() < 0.9]
        cuts = [random.randrange(len(line)) if random.random() < 0.1 else None for line in part]
        hall.lines(PORT, [line[:cut] for line, cut in zip(part, cuts, strict=True)])
    board = hall.lines(PORT, LOG).heard(PORT, 0, len(LOG)).board()
    assert hall.stored() == LOG
    assert (board.seq, board.certain, board.damage) == (len(LOG), True, None)


def test_joining_in_the_middle_shows_what_the_latest_line_says() -> None:
    """A clock on a plain serial line does not know that somebody listens now; it is played at."""
    hall = Hall()
    hall.register.taken_out |= {PORT.key, FILE.key}
    board = hall.lines(PORT, [LOG[RUNNING - 1]]).heard(PORT, 0, RUNNING).board()
    assert hall.lines(FILE, [b"noise"]).lines(FILE, LOG[:1]).register.taken_out == {FILE.key}
    assert hall.lines(PORT, LOG[:RUNNING]).put_back == [PORT.key]
    assert (board.state, board.turn is None, board.certain) == ("RUNNING", False, False)
    assert board.damage == f"lines 1 to {RUNNING - 1} are missing"


def test_a_line_on_its_way_makes_a_board_uncertain() -> None:
    """A heartbeat or a later line named it, or the next match; the latest press may be in it."""
    hall = Hall().lines(PORT, LOG[:5]).heard(PORT, 0, 6)
    assert not hall.board().certain
    assert hall.lines(PORT, LOG[5:6]).board().certain
    assert not hall.lines(PORT, LOG[7:8]).lines(PORT, LOG[6:7]).board().certain
    assert hall.lines(PORT, LOG[7:8]).board().certain
    assert not hall.tell(ClockHeard(PORT, 0, BOOT, 0, "next", 2)).board().certain
    assert hall.tell(ClockHeard(PORT, 0, BOOT, 0)).board().certain  # it names none
    assert not hall.tell(ClockHeard(PORT, 0, BOOT, 0, "next", 2)).board().certain
    assert hall.tell(MatchBegan(PORT, "play-1")).board().certain
    assert not hall.tell(ClockHeard(PORT, 0, BOOT, 0, "next", 2)).board().certain
    assert not hall.lines(PORT, renamed(LOG[:1], "next")).board().certain
    assert hall.lines(PORT, renamed(LOG[:2], "next")).board().certain


def test_the_backlog_alone_is_uncertain() -> None:
    hall = Hall().lines(PORT, LOG[:RUNNING], live=False)
    assert not hall.board().certain
    assert hall.heard(PORT, 10**12, RUNNING).board().certain
    assert not hall.tell(ClockHeard(PORT, 0, "next boot", 0, "play-1", RUNNING)).board().certain


def test_only_boards_of_which_something_was_reported_are_looked_at() -> None:
    """What time alone changes waits for the look at all of them; a room of 500 is cheap so."""
    hall = Hall().lines(PORT, LOG[:5]).heard(PORT, 0, 5).lines(FILE, LOG[:4])
    assert len(hall.register.refresh_touched(0).boards) == 2
    assert hall.register.refresh_touched(0).boards == []
    hall.ns = SILENCE_NS
    (changed,) = hall.lines(FILE, LOG[4:5]).register.refresh_touched(hall.ns).boards
    assert changed.source == FILE.source
    (silent,) = hall.register.refresh(hall.ns).boards
    assert (silent.source, "not_heard" in silent.attention) == (PORT.source, True)
    assert hall.register.refresh_touched(hall.ns).boards == []


def test_a_board_is_made_again_only_if_it_may_differ(monkeypatch: pytest.MonkeyPatch) -> None:
    """Not because its clock was heard once more: a room of 500 is cheap so."""
    hall, made = Hall().lines(PORT, LOG[:5]).heard(PORT, 0, 5), list[str]()

    def make(id_: str, *others: Any) -> Board:
        made.append(id_)
        return make_board(id_, *others)

    monkeypatch.setattr("room.boards.register.make_board", make)
    for hall.ns, lines in ((0, []), (SECOND_NS, []), (2 * SECOND_NS, LOG[5:6])):
        hall.lines(PORT, lines).heard(PORT, hall.ns, 5).register.refresh(hall.ns)
    assert len(made) == 2


def test_a_line_is_decoded_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """However often it is looked at, so that all who look see the same."""
    decoded = Counter[bytes]()

    def count(raw: bytes, number: int) -> LogLine:
        decoded[raw] += 1
        return decode(raw, number)

    monkeypatch.setattr("room.lines.inbox.decode", count)
    monkeypatch.setattr("clock.eventlog.replay.decode", count)
    line_of.cache_clear()
    Hall().lines(PORT, LOG).lines(PORT, LOG[-9:])
    assert decoded == Counter(LOG)


@given(st.integers(0, 10**9))
@hypothesis_settings(max_examples=examples(10))
def test_a_look_at_all_boards_finds_what_a_new_register_would_show(seed: int) -> None:
    """Boards that time has not changed are not made again, and no change is missed."""
    random, hall, events = Random(seed), Hall(), list[SourceEvent]()
    is_timed = random.random() < 0.8
    lines = deque(enumerate(LOG[:30], 1))
    while lines:
        sent_ns = msgspec.json.decode(lines[0][1])["at_ns"]
        hall.ns = max(hall.ns, sent_ns) + random.randrange(20 * SECOND_NS)
        for _ in range(random.randrange(3)):
            seq, line = lines.popleft() if lines else (0, b"")
            heard = ClockHeard(PORT, hall.ns, BOOT, sent_ns, "play-1", seq + random.randrange(2))
            others = [ClockHeard(PORT, hall.ns), *([heard] if is_timed else [])]
            few = random.sample(others, random.randrange(len(others) + 1))
            own = LinesRead(PORT, "", (line,), hall.ns, live=is_timed)
            hall.tell(own, *few)
            events += [own, *few]
        if random.random() < 0.2:
            hall.register.taken_out ^= {PORT.key}
            hall.register.touch([PORT.key])
        hall.register.refresh(hall.ns)
        new = Hall().tell(*events)
        new.register.taken_out |= hall.register.taken_out
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
    assert hall.register.refresh(SILENCE_NS - 1).boards == []
    (silent,) = hall.register.refresh(SILENCE_NS).boards
    assert ("not_heard" in silent.attention, silent.heard_ns) == (True, 0)
    hall.ns = SILENCE_NS + SECOND_NS
    assert hall.register.refresh(hall.ns).boards == []
    (heard,) = hall.heard(PORT, hall.ns, 5).register.refresh(hall.ns).boards
    assert "not_heard" not in heard.attention
    hall.ns += SILENCE_NS
    assert len(hall.register.refresh(hall.ns).boards) == 1
    (reached,) = hall.tell(ClockHeard(PORT, hall.ns, alive=True)).register.refresh(hall.ns).boards
    assert "not_heard" not in reached.attention


def test_a_board_without_a_number_is_called_after_its_clock() -> None:
    """A clock without a box has no id of its own to be called after."""
    for clock, name in (("00000000", "simulated"), ("1a2b3c4d", "1a2b3c4d"), ("", "dev-ttyUSB0")):
        opened = forged(named(LOG[:1], ""), 0, methodcaller("update", clock=clock))
        assert Hall().lines(PORT._replace(hint=""), opened).board().id == name


def test_a_trouble_of_the_source_is_shown() -> None:
    hall = Hall().tell(TroubleChanged(PORT, "/dev/ttyUSB0: No such file"))
    assert hall.board().faults == ["/dev/ttyUSB0: No such file"]
    assert "fault" in hall.board().attention
    assert hall.tell(TroubleChanged(PORT, "")).lines(PORT, LOG[:3]).board().faults == []
    warning = ClockHeard(PORT, 0, BOOT, 0, "play-1", 3, ("buzzer",))
    assert hall.tell(warning).board().faults == ["buzzer"]


def test_a_place_without_anything_takes_no_name() -> None:
    hall = Hall().tell(TroubleChanged(FILE, ""))
    assert hall.register.refresh(0) == ([], [])
    assert hall.lines(PORT, named(LOG[:3], "7")).board().id == "7"


def test_a_board_with_other_settings_than_the_event_asks_for_the_director() -> None:
    register = Register(0, expected_code="AAAA")
    register.handle(LinesRead(PORT, "", tuple(LOG[:3]), 0, live=True))
    [board] = register.refresh(0).boards
    assert (board.settings_expected, "settings" in board.attention) == ("AAAA", True)


def test_a_board_that_was_only_a_trouble_goes_with_it() -> None:
    hall = Hall().tell(TroubleChanged(FILE, "no log yet"))
    assert hall.board().faults == ["no log yet"]
    assert hall.tell(TroubleChanged(FILE, "")).register.refresh(0) == ([], ["7"])
    assert hall.register.boards == {}


def test_of_lines_that_arrive_together_the_latest_says_the_time() -> None:
    at_ns = msgspec.json.decode(LOG[RUNNING - 1])["at_ns"]
    hall = Hall()
    hall.ns = at_ns + 5
    board = hall.lines(PORT, LOG[:RUNNING]).board()
    assert board.turn is not None
    assert board.turn.since_ns == hall.ns
    hall.ns += SECOND_NS
    assert hall.board().turn == board.turn
    assert hall.board().certain


def test_a_result_is_shown_until_the_next_match() -> None:
    hall = Hall().lines(PORT, (over := finished_log()))
    result = result_of(hall.ended[0])
    assert result is not None
    hall.register.set_result(PORT.key, replace(result, match="other"))
    assert hall.board().result is None
    hall.register.set_result(PORT.key, result)
    assert hall.board().result == result
    assert hall.lines(PORT, over[-1:]).board().result == result  # a line comes again
    assert hall.lines(PORT, renamed(over, "next")).board().result is None


def test_a_board_says_since_when_it_asks_for_the_director() -> None:
    hall = Hall().lines(PORT, LOG[:RUNNING]).heard(PORT, 0, RUNNING)
    found = []
    for trouble in ("", "no answer", "no port"):
        hall.ns += SILENCE_NS
        board = hall.tell(TroubleChanged(PORT, trouble)).board()
        found.append((board.attention[0], board.attention_ns))
    assert found == [("not_heard", SILENCE_NS), *[("fault", 2 * SILENCE_NS)] * 2]


def test_a_match_that_is_reopened_has_no_result() -> None:
    match = match_in("FINISHED")
    hall = Hall().lines(PORT, match.lines)
    result = result_of(hall.ended[0])
    assert result is not None
    hall.register.set_result(PORT.key, result)
    assert hall.board().result == result
    hall.lines(PORT, match.give(inputs.Reopened(1)).lines[-1:])
    hall.register.set_result(PORT.key, result)  # it comes late
    assert (hall.board().state, hall.board().result) == ("READY", None)


@pytest.mark.rule("R131")
def test_a_result_that_continues_a_log_is_a_rival_of_a_board_that_does() -> None:
    """R131: the hub has it from another computer, or read it before it was started anew."""
    hall = Hall().lines(PORT, TWO[:3])
    assert hall.board().rivals == []
    hall.register.set_result("elsewhere", result_at("rival", "8", "", continues="match"))
    [board] = hall.register.refresh_touched(hall.ns).boards
    assert board.rivals == ["rival"]


def test_time_alone_has_only_those_boards_looked_at_that_it_may_change(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A calm board says nothing before its clock is silent; nor does a rival concern each board."""
    hall, looked = Hall().lines(PORT, LOG[:5]), list[str]()
    hall.lines(FILE, LOG[:3], live=False).tell(ClockHeard(FILE, 0, alive=True))
    hall.register.refresh(0)
    _count_looks(monkeypatch, looked)
    sent_ns = msgspec.json.decode(LOG[4])["at_ns"]
    hall.heard(PORT, sent_ns + SEEN_NS - 1, 5).register.refresh(1)  # it was less long on its way
    assert looked == []
    hall.heard(PORT, sent_ns + SEEN_NS, 5).heard(FILE, 0, 3).register.refresh(1)
    assert looked == [PORT.key, FILE.key]  # the time of the other clock was not known
    looked.clear()
    hall.register.refresh(SILENCE_NS)
    assert looked == [PORT.key, FILE.key]
    looked.clear()
    hall.lines(PORT, TWO[:3]).register.refresh(SILENCE_NS)
    hall.register.note_continuation("rival", "match")
    hall.register.refresh_touched(SILENCE_NS)
    assert looked == [PORT.key] * 2


def _count_looks(monkeypatch: pytest.MonkeyPatch, looked: list[str]) -> None:
    """Note which places are looked at."""
    look = WatchedPlace.signs

    def signs(found: WatchedPlace, now_ns: int) -> Signs:
        looked.append(found.place.key)
        return look(found, now_ns)

    monkeypatch.setattr(WatchedPlace, "signs", signs)


def test_a_board_without_a_log_names_no_match() -> None:
    """It is null for programs, not a match without a name."""
    hall = Hall().tell(TroubleChanged(PORT, "no answer"))
    assert (hall.board().match, hall.register.clock_log(PORT.key)) == (None, None)
    for lines in ([], forged(LOG, 4, lambda fields: fields.update(left_ns=1))):
        assert hall.lines(PORT, lines).register.match(PORT.key) is None


def test_a_place_that_was_only_heard_has_a_board() -> None:
    assert Hall().tell(ClockHeard(PORT, 0, alive=True)).board().attention == []
    for lines, attention in ((LOG[:RUNNING], ["not_heard"]), (LOG[:3], [])):  # of a file
        hall = Hall().lines(FILE, lines, live=False).tell(ClockHeard(FILE, 0))
        assert hall.board().attention == attention


def test_what_asks_again_asks_since_then() -> None:
    """Not since it asked first, also if its place had no board meanwhile."""
    for hall, calm in ((Hall().lines(PORT, LOG[:5]).heard(PORT, 0, 5), [None]), (Hall(), [])):
        since = list[list[int | None]]()
        for hall.ns, trouble in ((1, "no answer"), (2, ""), (3, "no answer")):
            hall.tell(TroubleChanged(PORT, trouble)).register.refresh(hall.ns)
            since.append([board.attention_ns for board in hall.register.boards.values()])
        assert since == [[1], calm, [3]]


def test_a_clock_of_unknown_time_that_is_heard_again_is_no_news() -> None:
    """Nor is its time, when it says it: nothing runs."""
    hall = Hall().lines(PORT, LOG[:3], live=False).tell(ClockHeard(PORT, 0, alive=True))
    assert len(hall.register.refresh(0).boards) == 1
    for hall.ns, sent_ns in ((1, None), (2, 0)):
        hall.tell(ClockHeard(PORT, hall.ns, BOOT, sent_ns, "play-1", 3, alive=True))
        assert hall.register.refresh(hall.ns).boards == []
