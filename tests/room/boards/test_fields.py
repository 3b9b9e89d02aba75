"""A board says what the clock's own state says, and never shows as certain what it cannot know."""

import msgspec
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from clock.eventlog.replay import replay_lines
from clock.match import inputs
from clock.match.rules import Reason
from clock.match.state import MatchState
from clock.match.types import Pair, Side
from clock.ui.face import delay_ahead_ns
from clock.ui.i18n import LANGUAGES, texts
from clock.units import SECOND_NS
from lab.support.boards import LOG, RUNNING, tracks
from lab.support.examples import examples
from lab.support.last_run import Written, match_in
from lab.support.logs import forged, monkey_logs, sealed
from room.boards.board import UNKNOWN, Board, Player, Reserve
from room.boards.fields import make_board
from room.boards.sanitized import SAFE_NS
from room.boards.signs import Signs
from room.lines.track import Track
from tests.room.boards.test_signs import OFFSET_NS, signs


def board_of(track: Track, known: Signs) -> Board:
    """The board of a track; what a page gets, read back from JSON."""
    board = make_board("7", "source", "match", track, known)
    return msgspec.json.decode(msgspec.json.encode(board), type=Board)


def shown_ns(board: Board, side: Side, now_ns: int) -> tuple[int, int]:
    """Reserve and delay as a page computes them."""
    reserve, turn = board.reserves[side], board.turn
    if turn is None or turn.side is not side:
        return reserve.reserve_ns, reserve.delay_ns
    passed_ns = now_ns - turn.since_ns
    used_ns = max(0, passed_ns - turn.delay_ns)
    lowest = 0 if board.limit == "flag" else -(2**60)
    return max(lowest, reserve.reserve_ns - used_ns), max(0, turn.delay_ns - passed_ns)


def says_the_same(board: Board, state: MatchState, clock_ns: int) -> bool:
    """Whether a board shows what the machine computes at an instant of the clock."""
    return all(
        shown_ns(board, side, clock_ns + OFFSET_NS)
        == (state.reserve_ns(side, clock_ns), delay_ahead_ns(state, side, clock_ns))
        and board.players[side].points == state.score[side]
        and board.reserves[side].flagged == (state.players[side].flag is not None)
        for side in Side
    )


@given(st.integers(0, 10**6), st.lists(st.integers(0, 900 * SECOND_NS), min_size=1, max_size=2))
@hypothesis_settings(max_examples=examples(25))
def test_a_board_says_what_the_machine_says(seed: int, later_ns: list[int]) -> None:
    """Times, score and flags are the machine's own, after each line and at any later instant."""
    for lines in monkey_logs(seed, 150):
        for track, step in zip(tracks(lines), replay_lines(lines), strict=True):
            state = step.match.state
            for each_ns in later_ns:
                now_ns = state.at_ns + each_ns
                board = board_of(track, signs(now_ns + OFFSET_NS))
                assert board.certain
                assert board.state == state.phase
                assert (board.turn and board.turn.side) == state.running
                assert says_the_same(board, state, now_ns)


def test_every_key_has_words() -> None:
    """A page finds the words for whatever a board says, in each language."""
    known = set.intersection(*(set(texts(language)) for language in LANGUAGES))
    for seed in range(examples(10)):
        for lines in monkey_logs(seed, 200):
            for track in tracks(lines):
                board = board_of(track, signs(0))
                notes = [board.reserves[side].note for side in Side]
                assert {*board.says, *filter(None, notes)} <= known


def test_a_damaged_board_shows_what_later_lines_state() -> None:
    damaged = [*LOG[:3], LOG[3].replace(b'"at_ns":', b'"at_ns":1', 1), *LOG[4:RUNNING]]
    board = board_of(tracks(damaged)[-1], signs(0))
    assert (board.damage or "").startswith("line 4: ")
    assert board.turn is not None
    assert board.turn.side is tracks(LOG[:RUNNING])[-1].state.running  # type: ignore[union-attr]


def test_nothing_readable_is_an_unknown_board() -> None:
    board = board_of(tracks([b"<html>", b"\xff\xfe", b""])[-1], signs(0))
    assert (board.state, board.certain, board.turn) == (UNKNOWN, False, None)
    assert (board.board, board.clock, board.settings_code, board.game) == (None, None, None, 1)
    none = Reserve(0, 0, flagged=False, flag=None, reserve_off=False, note="")
    assert board.reserves == dict.fromkeys(Side, none)


def test_a_line_alone_is_a_board_with_its_times() -> None:
    """Those who join a serial line in the middle see the reserves and whose clock runs."""
    track = tracks([b"damaged", *LOG[:RUNNING]])[-1]
    record, board = track.record, board_of(track, signs(0))
    assert record is not None
    assert board.turn is not None
    times = {side: (each.reserve_ns, each.delay_ns) for side, each in board.reserves.items()}
    delays_ns = {record.running: record.delay_ns}
    assert times == {
        Side.LEFT: (record.left_ns, delays_ns.get(Side.LEFT, 0)),
        Side.RIGHT: (record.right_ns, delays_ns.get(Side.RIGHT, 0)),
    }
    assert (board.turn.side, board.turn.delay_ns) == (record.running, record.delay_ns)


@given(st.binary(max_size=300))
@hypothesis_settings(max_examples=examples(80))
def test_any_bytes_have_a_board(noise: bytes) -> None:
    """Nothing that a file may hold is an error, sealed with a right hash or not."""
    for track in (*tracks([*LOG[:4], noise]), *tracks([noise]), *tracks(sealed([noise, noise]))):
        board_of(track, signs(0))


@given(st.integers(-(10**30), 10**30), st.sampled_from(["left_ns", "at_ns", "delay_ns", "seq"]))
@hypothesis_settings(max_examples=examples(40))
def test_numbers_stay_exact_in_javascript(number: int, field: str) -> None:
    lines = forged(LOG[:9], 4, lambda fields: fields.update({field: number}))
    for track in tracks(lines[4:]):
        for at_ns in (0, SAFE_NS):
            board = board_of(track, signs(at_ns))
            sent = msgspec.json.encode(board)
            assert max(map(abs, whole_numbers(msgspec.json.decode(sent)))) <= SAFE_NS


def whole_numbers(value: object) -> list[int]:
    if isinstance(value, dict):
        return whole_numbers(list(value.values()))
    if isinstance(value, list):
        return [number for each in value for number in whole_numbers(each)]
    return [value] if isinstance(value, int) else []


def board_in(match: Written) -> Board:
    return board_of(tracks(match.lines)[-1], signs(match.state.at_ns))


def marks(match: Written) -> list[tuple[bool, str]]:
    """Whether a reserve stands still in a turn, and the note at it, left first."""
    return [(each.reserve_off, each.note) for each in board_in(match).reserves.values()]


def test_a_turn_off_the_clock_and_one_that_must_wait_are_marked() -> None:
    """At the side whose turn it is, and only while it is played."""
    usual = [(False, ""), (False, "")]
    assert (marks(match_in("RUNNING")), marks(match_in("STOPPED"))) == (usual, usual)
    free = match_in("FREE_TURN")
    assert marks(free) == [(True, ""), (False, "delay_skip")]
    waiting = match_in("STOPPED")
    while waiting.state.reason is not Reason.ILLEGAL_MOVE:
        waiting.give(inputs.Pressed(20 * SECOND_NS, Side.RIGHT))
    assert marks(waiting.give(inputs.CentrePressed(20 * SECOND_NS))) == [
        (False, ""),
        (False, "wait"),
    ]


def test_a_board_says_who_is_late_or_that_their_clock_runs() -> None:
    assert board_in(match_in("REVIEW")).says == ["review"]
    assert board_in(match_in("RUNNING")).says == []
    ready = match_in("READY").give(inputs.AbsenceNoted(0, Side.LEFT))
    board = board_in(ready)
    assert (board.says, board.until_ns, board.late) == (["ready"], OFFSET_NS, Side.LEFT)
    board = board_in(ready.give(inputs.AbsentClockStarted(0, Side.LEFT)))
    assert (board.says, board.until_ns, board.late) == (["absent"], None, None)


def test_a_board_says_which_game_is_next_and_who_plays() -> None:
    """Players without a name have none, not an empty one."""
    match = match_in("GAME_OVER")
    assert board_in(match).game == 1
    board = board_in(match.give(inputs.CentrePressed(20 * SECOND_NS)))
    assert (board.game, board.players[Side.LEFT]) == (2, Player(None, 1))


HOSTILE, CLEAN = "a\x1b\u202eb", "ab"


def test_what_a_log_names_is_on_its_board_and_harmless() -> None:
    """Board, clock, settings code and damage; what is not known is null."""
    named = tracks(LOG[:RUNNING])[-1]
    named = msgspec.structs.replace(
        named, board=HOSTILE, clock=HOSTILE, code=HOSTILE, damage=HOSTILE
    )
    board = make_board("7", HOSTILE, HOSTILE, named, signs(5), "account")
    texts_ = (board.board, board.clock, board.settings_code, board.damage, board.match)
    assert texts_ == (CLEAN,) * 5
    assert (board.source, board.account, board.fingerprint) == (CLEAN, "account", None)
    unknown = make_board("7", "source", None, Track(), signs(5))
    assert (unknown.board, unknown.clock, unknown.settings_code, unknown.damage) == (None,) * 4
    assert (unknown.length, unknown.legs, unknown.best_of_three) == (0, Pair(0, 0), False)
    assert (unknown.delay_full_ns, [each.points for each in unknown.players.values()]) == (
        0,
        [0, 0],
    )
    whole = make_board("7", "source", "match", tracks(LOG[:RUNNING])[-1], signs(5))
    assert whole.fingerprint is not None


def test_a_board_that_is_held_calls_the_director() -> None:
    match, found = match_in("STOPPED"), []
    for reason in (Reason.CLOCK_FAULTY, None):
        found.append(board_of(tracks(match.lines)[-1], signs(0)).says[0])
        while reason and match.state.reason is not reason:
            match.give(inputs.Pressed(20 * SECOND_NS, Side.RIGHT))
        match.give(inputs.CentrePressed(20 * SECOND_NS))
    assert found == ["stopped", "call_director"]
