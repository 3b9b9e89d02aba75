"""The logs of a place: what is stored of them, and which have ended."""

import pytest

from clock.match import inputs
from clock.match.inputs import PLAYERS
from clock.match.types import Side
from lab.support.boards import FILE, FORK, LOG, PORT, Hall, finished_log, stored_log
from lab.support.last_run import Written, match_in
from lab.support.logs import forged, renamed
from room.boards.effects import Effects, NewLine
from room.boards.followed_log import StoredLog
from room.boards.offers import Refusal
from room.boards.place_logs import MOST_EARLIER, PlaceLogs, UnfinishedError
from room.boards.results import result_of
from room.lines.events import EarlierLinesRead, LinesRead, MatchBegan

OTHER = renamed(LOG, "other")


def test_both_branches_of_a_fork_are_stored() -> None:
    """A card lost what the room had, or somebody forged a log; the board shows the later one."""
    hall = Hall().lines(FILE, LOG[:10]).lines(FILE, FORK[:9])
    assert {each.line for each in hall.new} == {*LOG[:10], *FORK[:9]}
    assert (hall.stored(), hall.board().seq) == (FORK[:9], 9)


def test_a_fork_is_counted_in_the_result() -> None:
    over = finished_log()
    fork = forged(over, 6, lambda fields: fields.update(wall="2030-01-01T00:00:00+00:00"))
    result = result_of(Hall().lines(FILE, over).lines(FILE, fork).ended[-1])
    assert result is not None
    assert (result.forks, result.complete) == (1, True)


def test_the_forks_that_an_earlier_run_found_count_on() -> None:
    """They are in the database; more may come."""
    hall = Hall(stored=StoredLog(LOG[:10], 2)).lines(FILE, LOG[:10]).lines(FILE, FORK[:10])
    hall.tell(EarlierLinesRead(FILE, "old", tuple(LOG[:10])))
    hall.tell(LinesRead(FILE, "next", (LOG[0],), 0, live=True))  # which ends the one before
    assert [each.forks for each in hall.ended] == [2, 3]


def test_the_next_match_takes_the_place_of_the_last() -> None:
    hall = Hall().lines(PORT, LOG[:9]).lines(PORT, OTHER[:3])
    assert (hall.board().match, hall.board().seq) == ("other", 3)
    assert [(each.match, len(each.lines)) for each in hall.ended] == [("play-1", 9)]


def test_an_earlier_log_is_stored_and_has_no_board() -> None:
    hall = Hall().tell(EarlierLinesRead(FILE, "old", tuple(LOG)))
    assert hall.register.refresh(0).boards == []
    assert (hall.stored(), [each.match for each in hall.ended]) == (LOG, ["old"])
    again = Hall(stored=StoredLog(LOG)).tell(EarlierLinesRead(FILE, "old", tuple(LOG[:9])))
    assert again.ended == hall.ended  # a card has lost the end: the result stays


def test_a_damaged_file_is_stored_byte_for_byte() -> None:
    """The evidence is the file, not what replays of it; read again, nothing of it is new."""
    damaged = [*LOG[:5], b"noise", LOG[5].replace(b"wall", b"mall", 1), *LOG[6:8]]
    hall = Hall().lines(FILE, damaged).lines(FILE, damaged)
    assert [each.line for each in hall.new] == hall.stored() == damaged
    again = Hall(stored=StoredLog(damaged)).lines(FILE, damaged)
    assert (again.new, again.board().damage) == ([], hall.board().damage)


@pytest.mark.parametrize(("at", "is_known"), [(2, False), (0, True), (2, True), (4, True)])
def test_a_file_that_is_spoilt_is_damaged_and_keeps_its_result(at: int, *, is_known: bool) -> None:
    """Of the present match and of an earlier one; the lines that the hub knew before count."""
    over = match_in("FINISHED").lines
    whole, stored = Hall().lines(FILE, over).board(), StoredLog(over * is_known)
    changed = over[at].replace(b'"wall":"2', b'"wall":"3', 1)
    for instead in ([changed], [b"noise"], [b""], [over[at]] * 2, *([[]] if at < 4 else [])):
        spoilt = (*over[:at], *instead, *over[at + 1 :])
        present = Hall(stored=stored).tell(LinesRead(FILE, "m", spoilt, 0, live=False, first=0))
        earlier = Hall(stored=stored).tell(EarlierLinesRead(FILE, "m", spoilt))
        board = present.board()
        assert (board.state, board.winner) == (whole.state, whole.winner)
        assert (board.damage or "").startswith(f"line {at + max(1, len(instead))}")
        for result in (result_of(each.ended[-1]) for each in (present, earlier)):
            assert result is not None
            assert (result.complete, result.winner) == (True, whole.winner)
            assert result.damage == board.damage


def test_an_earlier_match_comes_in_parts_and_has_no_board() -> None:
    """The board stays; the log has ended when it is whole, and only once."""
    hall = Hall().lines(PORT, LOG)
    for part, is_whole in ((OTHER[:5], False), (OTHER[3:9], False), (OTHER[9:], True)):
        hall.tell(EarlierLinesRead(PORT, "other", tuple(part), is_whole))
    assert hall.board().match == "play-1"
    (ended,) = [each for each in hall.ended if each.match == "other"]
    assert ended.lines == tuple(OTHER)
    assert stored_log(each for each in hall.new if each.match == "other") == OTHER


def test_an_earlier_match_becomes_the_present_one() -> None:
    """What came of it before is known, though it is not in the database yet."""
    hall = Hall().lines(PORT, LOG)
    hall.tell(EarlierLinesRead(PORT, "other", tuple(OTHER[:4]), is_whole=False))
    hall.tell(MatchBegan(PORT, "other")).tell(LinesRead(PORT, "", (OTHER[4],), 0, live=True))
    assert (hall.board().match, hall.board().seq, hall.board().damage) == ("other", 5, None)


def test_a_late_message_makes_no_gap() -> None:
    """Of a clock whose heartbeat names no match, as it did before, lines come as earlier ones."""
    hall = Hall().lines(PORT, LOG[:2])
    hall.tell(EarlierLinesRead(PORT, "play-1", tuple(LOG[2:6]), is_whole=False))
    hall.lines(PORT, LOG[6:])
    assert (hall.stored(), hall.board().seq, hall.board().damage) == (LOG, len(LOG), None)


def test_a_match_that_the_database_knows_is_shown_at_once() -> None:
    """After a restart of the hub nothing more may come of a match that is over."""
    hall = Hall(stored=StoredLog(LOG)).tell(MatchBegan(PORT, "play-1"))
    assert (hall.board().match, hall.board().seq, hall.new) == ("play-1", len(LOG), [])


def test_a_place_with_endless_earlier_matches_is_bounded() -> None:
    """A clock may name as many as it likes; what is dropped here is in the database."""
    logs = {f"m{number}": renamed(LOG[:2], f"m{number}") for number in range(50)}
    place = PlaceLogs(PORT, lambda match, source: StoredLog(known.get(match, ())))
    known: dict[str, list[bytes]] = {}
    for match, lines in logs.items():
        place.add_earlier(EarlierLinesRead(PORT, match, (lines[0],), is_whole=False))
        known[match] = lines[:1]
    assert len(place.earlier) == MOST_EARLIER
    last = EarlierLinesRead(PORT, "m0", (logs["m0"][1],), is_whole=True)
    assert [each.lines for each in place.add_earlier(last).ended] == [tuple(logs["m0"])]
    assert "m0" not in place.earlier


def test_a_database_that_cannot_be_read_loses_nothing() -> None:
    """The event is handled again, and what had happened before the error is returned then."""
    database: list[NewLine] = []
    broken = [False, True]  # at the first match; at the second

    def recall(match: str, source: str) -> StoredLog:
        if broken and broken.pop(0):
            raise LookupError
        return StoredLog(stored_log(each for each in database if each.match == match))

    place = PlaceLogs(PORT, recall)
    event = LinesRead(PORT, "", (*LOG[:3], *OTHER[:2], *LOG[3:5]), 0, live=True)
    with pytest.raises(LookupError):
        place.add(event)
    database += place.add(event).lines
    assert stored_log(each for each in database if each.match == "play-1") == LOG[:5]
    assert stored_log(each for each in database if each.match == "other") == OTHER[:2]


def test_an_event_is_handled_in_as_many_turns_as_it_needs() -> None:
    """A line each: those of the event, and of each log that is read again for one."""
    known, ended = {"play-1": StoredLog(LOG[:3]), "other": StoredLog(OTHER[:2])}, [False]
    place = PlaceLogs(PORT, lambda match, source: known[match], lambda: ended[0])
    event, turns = LinesRead(PORT, "", (*LOG[3:5], *OTHER[2:4]), 0, live=True), 1
    whole = PlaceLogs(PORT, lambda match, source: known[match]).add(event)
    ended[0] = True
    while True:
        try:
            assert place.add(event) == whole
            break
        except UnfinishedError:
            turns += 1
    assert turns == 3 + 2 + 4


def test_noise_on_a_serial_line_is_not_stored() -> None:
    """Nor a line that names no match, or was changed on the way; what follows it is."""
    changed = LOG[3].replace(b'"wall":"2', b'"wall":"3', 1)
    noise = [b"noise", *renamed(LOG[:1], ""), changed]
    hall = Hall().lines(PORT, [*LOG[:3], *noise, *LOG[3:5]])
    assert hall.stored() == LOG[:5]
    assert len(hall.new) == 5


def test_a_match_that_is_over_ends_once() -> None:
    """And once more if another line counts since."""
    over, hall = finished_log(), Hall()
    later = forged(over, 6, lambda fields: fields.update(wall="2030-01-01T00:00:00+00:00"))
    for log, number in ((over, 1), (over[-1:], 1), (later, 2), (later[-1:], 2)):
        assert len(hall.lines(PORT, log).ended) == number


def test_matches_that_are_shown_in_turn_end_once() -> None:
    """Whatever a clock names, their results stay the same; one that is over is shown with it."""
    over = renamed(finished_log(), "other")
    logs = {"play-1": StoredLog(LOG[:9]), "other": StoredLog(over)}
    place = PlaceLogs(PORT, lambda match, source: logs[match])
    ended = [each.match for match in [*logs] * 3 for each in place.begin(match).ended]
    assert ended == ["play-1", "other", "other", "other"]
    place.add(LinesRead(PORT, "play-1", tuple(LOG[9:10]), 0, live=True))
    assert [each.lines for each in place.begin("other").ended] == [tuple(LOG[:10]), tuple(over)]


@pytest.mark.parametrize(("matches", "times"), [(MOST_EARLIER, 1), (MOST_EARLIER + 1, 3)])
def test_of_a_few_matches_is_known_with_what_they_ended(matches: int, times: int) -> None:
    """A clock that names more of them costs their results again, and no memory."""
    place = PlaceLogs(PORT, lambda match, source: StoredLog(renamed(LOG[:3], match)))
    names = [f"m{number}" for number in range(matches)]
    ended = [each.match for match in [*names * 3, "next"] for each in place.begin(match).ended]
    assert ended == names * times


def test_the_forks_of_a_match_that_comes_back_at_once_are_counted() -> None:
    hall = Hall().lines(PORT, [*LOG[:9], *FORK[6:9], *OTHER[:2], *FORK[9:11], *OTHER[2:3]])
    assert [(each.match, each.forks) for each in hall.ended] == [
        ("play-1", 1),
        ("other", 0),
        ("play-1", 1),
    ]


def test_noise_alone_begins_no_match() -> None:
    place = PlaceLogs(PORT, lambda match, source: StoredLog())
    assert place.add(LinesRead(PORT, "m", (b"noise",), 0, live=True)) == Effects()
    assert (place.present, place.match) == (None, "")


def test_a_refusal_and_a_ruling_are_told_once() -> None:
    """When its line comes: not again with that line, nor with later ones, in order or not."""
    match = Written().give(inputs.OfferRefused(1, "offer-001", PLAYERS, ""))
    ruled = inputs.ScoreSet(2, Side.LEFT, 1, carries_out="ruling-01")
    lines = match.give(ruled, inputs.Pressed(3, Side.RIGHT), inputs.Pressed(4, Side.LEFT)).lines
    place = PlaceLogs(PORT, lambda match, source: StoredLog())
    given = ([lines[0]], lines[:2], lines[3:], lines[2:3], lines[4:], lines)
    effects = [place.add(LinesRead(PORT, "", tuple(each), 0, live=True)) for each in given]
    refused = [Refusal("offer-001", PLAYERS, "")]
    assert [each.refusals for each in effects] == [[], refused, [], [], [], []]
    assert [each.carried_out for each in effects] == [[], [], [], ["ruling-01"], [], []]
