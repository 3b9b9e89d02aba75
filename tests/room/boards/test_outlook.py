"""When the boards of a room are likely to end."""

import pytest

from clock.match import inputs
from clock.match.types import Side
from clock.units import MINUTE_NS, SECOND_NS
from lab.support.boards import FILE, LOG, PORT, RUNNING, Hall
from lab.support.last_run import BOOT, START, Written, match_in
from room.boards.followed_log import StoredLog
from room.boards.outlook import Ends, LongMatch, Outlook, RoomPace, SidePlayed, outlook
from room.boards.signs import SILENCE_NS
from room.forecast.round import Long, RoomTurns, RoundForecast, SideTurns, Spread
from room.lines.events import ClockHeard


def seen(hall: Hall) -> Outlook:
    """The outlook of a hall at its present instant."""
    hall.register.refresh(hall.ns)
    return outlook(hall.register.followed(), hall.ns)


def test_boards_that_play_are_forecast_and_others_are_named() -> None:
    hall = Hall().lines(FILE, LOG[:RUNNING]).heard(FILE, 0, RUNNING).lines(PORT, LOG[:RUNNING][-1:])
    said = seen(hall)
    (board,) = said.boards
    assert said.last == [board.board]
    assert (len(said.without), said.too_far) == (1, [])
    assert said.ends is not None
    assert said.ends.middle_ns - hall.ns > MINUTE_NS
    hall.ns += SILENCE_NS
    said = seen(hall)
    assert (said.boards, len(said.without)) == ([], 2)


def test_the_forecast_is_that_of_the_log_however_its_lines_came() -> None:
    """Twice, one by one, or again after a restart of the hub: nothing else counts."""
    playing = LOG[: max(at for at, line in enumerate(LOG, 1) if b'"running":null' not in line)]
    twice, singly = Hall().lines(FILE, playing), Hall()
    for line in playing:
        singly.lines(FILE, [line])
    restarted = Hall(stored=StoredLog(playing[:-9]))
    halls = (Hall(), twice, singly, restarted)
    one, *others = (seen(hall.lines(FILE, playing).heard(FILE, 0, len(playing))) for hall in halls)
    assert len(one.boards) == 1
    assert others == [one] * 3


def test_a_match_that_was_not_confirmed_or_is_over_does_not_play() -> None:
    hall = Hall().lines(FILE, LOG[:1])
    said = seen(hall)
    assert (said.ends, said.boards, said.without) == (None, [], [])
    hall.lines(PORT, LOG[:RUNNING]).heard(PORT, 0, RUNNING)
    assert len(seen(hall).boards) == 1


def test_a_board_with_more_points_to_go_than_the_forecast_knows_is_named(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    match = Written(length=9).give(*START, inputs.ScoreSet(0, Side.LEFT, 4))
    match.give(inputs.Pressed(0, Side.RIGHT))
    hall = Hall().lines(FILE, match.lines).heard(FILE, 0, match.chain.seq)
    monkeypatch.setattr("room.forecast.match.FURTHEST", 1)
    found = []
    for furthest in (8, 9):  # the one player needs five points, the other nine
        monkeypatch.setattr("room.boards.outlook.FURTHEST", furthest)
        said = seen(hall)
        assert (said.boards, len(said.without)) == ([], 1)
        found.append(said.too_far == said.without)
    assert found == [True, False]


@pytest.mark.parametrize(("phase", "wait_s"), [("BREAK", 299), ("READY", 0)])
def test_what_is_left_of_a_break_is_waited_for(
    monkeypatch: pytest.MonkeyPatch, phase: str, wait_s: int
) -> None:
    waits: list[int] = []
    monkeypatch.setattr("room.boards.outlook.standing_of", lambda *given: waits.append(given[-1]))
    match = match_in(phase)
    if phase == "READY":
        match.give(inputs.AbsenceNoted(SECOND_NS, Side.LEFT))
    hall = Hall()
    hall.ns = 2 * SECOND_NS
    hall.lines(FILE, match.lines)
    hall.tell(ClockHeard(FILE, hall.ns, BOOT, match.state.at_ns, "match", match.chain.seq))
    hall.ns += SECOND_NS
    seen(hall)
    assert waits == [wait_s * SECOND_NS]


def test_what_is_forecast_is_told_in_whole_milliseconds(monkeypatch: pytest.MonkeyPatch) -> None:
    hall = Hall().lines(FILE, LOG[:RUNNING]).heard(FILE, 0, RUNNING)
    sides = {"7": (SideTurns(Side.LEFT, 40, 12.3456, 9.8764, 0.12345),)}
    said = RoundForecast(
        None,
        {"7": Spread(1, 2, 3)},
        ("7",),
        {"7": Long(80, 120, 60)},
        RoomTurns(11.1116, 8),
        sides,
        {"7": Side.LEFT},
    )
    monkeypatch.setattr("room.boards.outlook.forecast", lambda playing: said)
    found = seen(hall)
    assert found.room == RoomPace(11112, 8000)
    (board,) = found.boards
    assert board.long == LongMatch(80, 120, 60)
    assert board.sides == [SidePlayed(Side.LEFT, 40, 12346, 9876, 0.12)]
    assert board.ends == Ends(*(hall.ns + each * SECOND_NS for each in (1, 2, 3)))
