"""Times of day of a log whose computer's clock is set, goes back, or was never right."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clock.report.build import summary
from clock.report.summary import Stamp
from clock.report.times_of_day import STEP_NS, Written, playing_day, times_of_day
from clock.units import MINUTE_NS, SECOND_NS
from lab.support.paths import DATA
from lab.support.reports import words

HOUR_NS = 60 * MINUTE_NS
BEGIN = datetime.fromisoformat("2026-05-01T22:00:00.000+02:00")
Said = tuple[str, int, int]  # a boot, its raw clock, and by how much the wall clock is ahead


def lines(said: Sequence[Said]) -> list[Written]:
    """Return lines; between two boots no time passes."""
    found: list[Written] = []
    begun_ns, latest_ns, boot = 0, 0, said[0][0]
    for of, at_ns, ahead_ns in said:
        if of != boot:
            boot, begun_ns = of, latest_ns - at_ns
        latest_ns = begun_ns + at_ns
        wall = (BEGIN + timedelta(microseconds=(latest_ns + ahead_ns) // 1000)).isoformat()
        found.append(Written(of, at_ns, wall))
    return found


def shown(*said: Said) -> list[tuple[str, int]]:
    return [(each.wall[11:19], each.set_ns) for each in times_of_day(lines(said))]


@pytest.mark.rule("R215")
def test_a_clock_that_is_set_moves_the_lines_before_it_and_is_told() -> None:
    for ahead_ns in (HOUR_NS, -13 * HOUR_NS):
        first = [("a", number * MINUTE_NS, ahead_ns) for number in range(2)]
        then = [("a", number * MINUTE_NS, 0) for number in range(2, 4)]
        assert shown(*first, *then) == [
            ("22:00:00", 0),
            ("22:01:00", 0),
            ("22:02:00", -ahead_ns),
            ("22:03:00", 0),
        ]


@pytest.mark.rule("R215")
def test_a_restart_that_goes_back_begins_where_the_log_ended() -> None:
    after = [("b", 7, -HOUR_NS), ("b", SECOND_NS + 7, -HOUR_NS)]
    times = ["22:00:00", "22:01:00", "22:01:00", "22:01:01"]
    for set_ns in (0, HOUR_NS):  # by which the clock was set before its last line
        before = [("a", 0, -set_ns), ("a", MINUTE_NS, 0)]
        assert shown(*before, *after) == list(zip(times, [0, set_ns, -HOUR_NS, 0], strict=True))


@pytest.mark.rule("R215")
def test_the_end_of_summer_time_is_no_step_and_changes_no_zone() -> None:
    summer, second = lines([("a", 0, 0), ("a", SECOND_NS, 0)])
    winter = second._replace(wall="2026-05-01T21:00:01.000+01:00")
    found = times_of_day([summer, winter])
    assert [(each.wall[11:], each.set_ns) for each in found] == [
        ("22:00:00+02:00", 0),
        ("22:00:01.000+02:00", 0),
    ]


COURSES = st.lists(  # whether it restarts, what passes, by how much the wall clock is ahead
    st.tuples(
        st.booleans(),
        st.integers(0, 3600).map(SECOND_NS.__mul__),
        st.integers(-9, 9).map(HOUR_NS.__mul__),
    ),
    min_size=1,
    max_size=30,
)
Course = list[tuple[bool, int, int]]


def said_in(course: Course) -> list[Said]:
    said: list[Said] = []
    boot, at_ns = 0, 0
    for restarts, passed_ns, ahead_ns in course:
        boot, at_ns = (boot + 1, 0) if restarts else (boot, at_ns + passed_ns)
        said.append((str(boot), at_ns, ahead_ns))
    return said


@pytest.mark.rule("R215")
@given(COURSES)
def test_times_of_day_never_go_back(course: Course) -> None:
    """Whatever restarts, passes and is set; within a boot they follow the raw clock exactly."""
    said = said_in(course)
    found = [datetime.fromisoformat(each.wall) for each in times_of_day(lines(said))]
    for ((one, before_ns, _), earlier), ((other, now_ns, _), later) in pairwise(
        zip(said, found, strict=True)
    ):
        passed = later - earlier
        assert passed >= timedelta(0)
        assert one != other or passed == timedelta(microseconds=(now_ns - before_ns) // 1000)


@pytest.mark.rule("R215")
@given(COURSES, COURSES, st.sampled_from(["", "1970-01-01T02:00:00+02:00"]))
def test_a_start_whose_day_is_not_known_hides_those_before_it(
    before: Course, after: Course, wall: str
) -> None:
    """Nothing of an earlier start moves it or what follows."""
    earlier, later = (
        [each._replace(boot=f"{part} {each.boot}") for each in lines(said_in(course))]
        for part, course in (("before", before), ("after", after))
    )
    odd = [Written("odd", at_ns, wall) for at_ns in (0, SECOND_NS)]
    assert times_of_day([*earlier, *odd, *later])[len(earlier) :] == times_of_day([*odd, *later])


@pytest.mark.rule("R215")
def test_what_differs_less_is_the_time_that_writing_took() -> None:
    for other, ahead_ns in (("a", STEP_NS - 1000), ("b", 1000)):
        given = lines([("a", 0, 0), (other, SECOND_NS, ahead_ns), (other, 2 * SECOND_NS, 0)])
        assert times_of_day(given) == [(each.wall, 0) for each in given]
    given = lines([("a", 0, 0), ("a", SECOND_NS, STEP_NS)])
    assert times_of_day(given)[1].set_ns == STEP_NS


@pytest.mark.rule("R215")
@pytest.mark.parametrize("wall", ["", "now", "2026-05-01T10:00:00"])
def test_a_text_that_is_no_instant_stays(wall: str) -> None:
    first, second = lines([("a", 0, 0), ("a", SECOND_NS, 0)])
    odd = first._replace(wall=wall)
    for later in (second, second._replace(boot="b")):
        assert times_of_day([odd, later]) == [(wall, 0), (second.wall, 0)]
        assert times_of_day([later, odd]) == [(second.wall, 0), (wall, 0)]


@pytest.mark.rule("R215")
@pytest.mark.parametrize("wall", ["0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59-10:00"])
def test_a_line_at_an_end_of_the_calendar_stops_no_report(wall: str) -> None:
    for boot in ("a", "b"):
        first, second = lines([("a", 0, 0), (boot, SECOND_NS, 0)])
        odd = first._replace(wall=wall)
        assert times_of_day([odd, odd]) == [(wall, 0)] * 2
        assert [len(times_of_day(each)) for each in ([odd, second], [second, odd])] == [2, 2]


@pytest.mark.rule("R215")
@pytest.mark.parametrize("wall", ["1970-01-01T01:00:00+01:00", "1969-12-31T19:00:00-05:00"])
def test_a_clock_that_nobody_has_set_knows_no_day(wall: str) -> None:
    """West of Greenwich it is still 1969."""
    first, second = lines([("a", 0, 0), ("b", 0, 0)])
    assert times_of_day([first._replace(wall=wall), second._replace(wall=wall)])[1] == (wall, 0)
    assert (playing_day(wall), Stamp(1, 0, wall).time_of_day) == ("", None)


@pytest.mark.rule("R215")
def test_a_report_says_that_the_clock_was_set() -> None:
    found = summary((DATA / "cases" / "step.jsonl").read_bytes().splitlines())
    assert "the computer's clock was set by -1:00:00 at line 48" in words(found)
    assert found.period == "2026-05-02 09:00:00 - 09:31:50"
    begun = [game.begun.time for game in found.games if game.begun]
    assert begun == sorted(begun)
