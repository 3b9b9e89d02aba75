"""A board says what the clock's own state says, and never shows as certain what it cannot know."""

from functools import cache

import msgspec
import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from clock.eventlog.replay import replay_lines
from clock.match.state import MatchState
from clock.match.types import Side
from clock.ui.face import delay_ahead_ns
from clock.ui.i18n import LANGUAGES, texts
from clock.units import MINUTE_NS, SECOND_NS
from room.boards.board import (
    LONGEST_TEXT,
    SAFE_NS,
    SILENCE_NS,
    UNKNOWN,
    Board,
    Signs,
    clean,
    make_board,
)
from room.lines.track import Track, follow
from tests.support.examples import examples
from tests.support.logs import forged, monkey_logs, sealed

OFFSET_NS = -7 * SECOND_NS


def tracks(lines: list[bytes]) -> list[Track]:
    """The tracks after each line."""
    found, track = [], Track()
    for line in lines:
        track = follow(track, line)
        found.append(track)
    return found


def signs(now_ns: int, **changes: object) -> Signs:
    """What is known of a clock that is heard well."""
    return Signs(now_ns, OFFSET_NS, now_ns, complete=True)._replace(**changes)  # type: ignore[arg-type]


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
    return max(0, reserve.reserve_ns - used_ns), max(0, turn.delay_ns - passed_ns)


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


# --- what a board cannot know -----------------------------------------------------------------


@cache
def running_log() -> list[bytes]:
    """A log that ends while a clock runs."""
    lines = next(
        lines
        for seed in range(99)
        for lines in monkey_logs(seed, 60)
        if tracks(lines)[-1].state.running  # type: ignore[union-attr]
    )
    assert len(lines) > 5
    return lines


def test_silence_makes_a_time_uncertain() -> None:
    """Not heard for 15 s: the board says so, and its times are marked."""
    track = tracks(running_log())[-1]
    heard = signs(20 * SECOND_NS, heard_ns=20 * SECOND_NS - SILENCE_NS + 1)
    assert board_of(track, heard).certain
    silent = board_of(track, heard._replace(now_ns=heard.now_ns + 1))
    assert not silent.certain
    assert "not_heard" in silent.attention


def test_without_an_offset_a_running_time_is_uncertain() -> None:
    """The instants of another computer say nothing before the difference is known."""
    track = tracks(running_log())[-1]
    assert not board_of(track, signs(0, offset_ns=None)).certain


def test_a_line_on_its_way_makes_a_time_uncertain() -> None:
    """A heartbeat named a line that has not come."""
    assert not board_of(tracks(running_log())[-1], signs(0, complete=False)).certain


@pytest.mark.parametrize("at", [0, 3])
def test_a_damaged_line_makes_everything_after_it_uncertain(at: int) -> None:
    """The board says which line is wrong, and shows what later lines state, uncertain."""
    lines = running_log()
    whole = tracks(lines)[-1]
    damaged = [*lines[:at], lines[at].replace(b'"at_ns":', b'"at_ns":1', 1), *lines[at + 1 :]]
    board = board_of(tracks(damaged)[-1], signs(0))
    assert (board.damage or "").startswith(f"line {at + 1}: ")
    assert not board.certain
    assert "damaged" in board.attention
    assert board.turn is not None
    assert whole.state is not None
    assert board.turn.side is whole.state.running


def test_nothing_readable_is_an_unknown_board() -> None:
    """A file of something else is damaged from its first line on."""
    board = board_of(tracks([b"<html>", b"\xff\xfe", b""])[-1], signs(0))
    assert (board.state, board.certain, board.turn) == (UNKNOWN, False, None)


def test_a_forged_line_is_damage() -> None:
    """Right hashes do not make a reserve true that replaying does not give."""
    lines = running_log()
    forgery = forged(lines, 4, lambda fields: fields.update(left_ns=fields["left_ns"] + SECOND_NS))
    board = board_of(tracks(forgery)[-1], signs(0))
    assert board.damage is not None
    assert not board.certain


@given(st.binary(max_size=300))
@hypothesis_settings(max_examples=examples(150))
def test_any_bytes_are_followed(noise: bytes) -> None:
    """Nothing that a file may hold is an error, sealed with a right hash or not."""
    lines = running_log()[:4]
    for track in (*tracks([*lines, noise]), *tracks([noise]), *tracks(sealed([noise, noise]))):
        board_of(track, signs(0))


@given(st.integers(-(10**30), 10**30), st.sampled_from(["left_ns", "at_ns", "delay_ns", "seq"]))
@hypothesis_settings(max_examples=examples(40))
def test_numbers_stay_exact_in_javascript(number: int, field: str) -> None:
    """However large the numbers of a forged log are."""
    lines = forged(running_log(), 4, lambda fields: fields.update({field: number}))
    for track in tracks(lines[4:]):
        for at_ns in (0, SAFE_NS):
            board = board_of(track, signs(at_ns))
            sent = msgspec.json.encode(board)
            assert max(map(abs, whole_numbers(msgspec.json.decode(sent)))) <= SAFE_NS


def whole_numbers(value: object) -> list[int]:
    """All integers in JSON."""
    if isinstance(value, dict):
        return whole_numbers(list(value.values()))
    if isinstance(value, list):
        return [number for each in value for number in whole_numbers(each)]
    return [value] if isinstance(value, int) else []


# --- what asks for the director ---------------------------------------------------------------


def test_low_time_is_announced_a_minute_before_the_end() -> None:
    """Also while no line comes."""
    track = next(
        track
        for seed in range(99)
        for lines in monkey_logs(seed, 60)
        for track in tracks(lines)
        if track.state is not None
        and track.state.running
        and not track.state.flags_down
        and min(track.state.reserve_ns(side, track.state.at_ns) for side in Side) > MINUTE_NS
    )
    state = track.state
    assert state is not None
    assert state.turn is not None
    reserve_ns = state.reserve_ns(state.turn.side, state.at_ns)
    low_ns = state.at_ns + state.delay_left_ns(state.at_ns) + reserve_ns - MINUTE_NS
    assert "low" not in board_of(track, signs(low_ns - 1 + OFFSET_NS)).attention
    assert "low" in board_of(track, signs(low_ns + OFFSET_NS)).attention


def test_another_settings_code_is_announced() -> None:
    """If the hub was told which code every board should have."""
    track = tracks(running_log())[-1]
    assert "settings" not in board_of(track, signs(0, expected_code=track.code)).attention
    assert "settings" in board_of(track, signs(0, expected_code="AAAA")).attention


@pytest.mark.parametrize(
    ("hostile", "harmless"),
    [
        ("<script>alert(1)</script>", "<script>alert(1)</script>"),  # pages show it as text
        ("Anna\u202etxt.exe", "Annatxt.exe"),
        ("a\x00b\nc\x1b[31m", "abc[31m"),
        ("x" * 10_000, "x" * LONGEST_TEXT),
        ("\ud800", ""),
        ("Zoë 🎲 محمد", "Zoë 🎲 محمد"),
    ],
)
def test_hostile_texts_are_cut_and_cleaned(hostile: str, harmless: str) -> None:
    """What could break a page or turn the text around it is left out; the rest stays."""
    assert clean(hostile) == harmless
