"""Entries: one of several, a number, a time; turned by plungers, entered by the centre."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clock.match.durations import clock_text
from clock.ui.forms import LONGEST_NS, TIME_PLACES, Change, Choice, Entry, Number, Option, Time
from clock.units import MINUTE_NS, SECOND_NS

ENTRIES: st.SearchStrategy[Entry] = st.one_of(
    st.builds(
        lambda count, at: Choice("c", tuple(Option(n, f"={n}") for n in range(count)), at % count),
        st.integers(1, 9),
        st.integers(0, 8),
    ),
    st.builds(
        lambda lowest, span, by: Number("n", lowest + by % (span + 1), lowest, lowest + span),
        st.integers(0, 5),
        st.integers(0, 99),
        st.integers(0, 99),
    ),
    st.builds(
        lambda seconds, cursor: Time.of("t", seconds * SECOND_NS)._replace(cursor=cursor),
        st.integers(0, LONGEST_NS // SECOND_NS),
        st.integers(0, 4),
    ),
    st.builds(
        Change,
        st.just("c"),
        st.integers(1, 3599).filter(lambda s: s % 60),
        st.booleans(),
        st.sampled_from((0, 1, 2)),
    ),
)


@given(ENTRIES, st.sampled_from([1, -1]))
def test_turning_back_undoes_turning(entry: Entry, step: int) -> None:
    assert entry.turned(step).turned(-step) == entry


def round_of(entry: Entry) -> list[object]:
    """All values that the right plunger leads through, up to the first again."""
    values = [entry.value]
    turned = entry.turned(1)
    while turned.value != entry.value:
        values.append(turned.value)
        turned = turned.turned(1)
    return values


@given(ENTRIES)
def test_turning_leads_through_all_values(entry: Entry) -> None:
    """And after the last to the first again; none comes twice."""
    values = round_of(entry)
    match entry:
        case Choice(options=options):
            assert sorted(map(str, values)) == sorted(str(option.value) for option in options)
        case Number(lowest=lowest, highest=highest):
            assert set(values) == set(range(lowest, highest + 1))
        case Change(place=place):
            assert len(values) == (120, 6, 10)[place]
        case Time(cursor=cursor):
            assert len(values) == TIME_PLACES[cursor] + 1
    assert len(values) == len(set(values))


@pytest.mark.parametrize(
    ("time_ns", "digits"),
    [
        (12 * MINUTE_NS + 40 * SECOND_NS + 1, (0, 1, 2, 4, 1)),
        (99 * 60 * MINUTE_NS, (9, 5, 9, 5, 9)),
        (-SECOND_NS, (0, 0, 0, 0, 0)),
    ],
)
def test_a_time_begins_as_it_is_displayed(time_ns: int, digits: tuple[int, ...]) -> None:
    """H:MM:SS, a part of a second counting as one; what is too long begins at the longest."""
    assert Time.of("t", time_ns).digits == digits


@given(st.integers(0, LONGEST_NS))
def test_a_time_has_the_value_it_shows(time_ns: int) -> None:
    """What the director sees at the beginning is the reserve that the panel shows."""
    assert clock_text(Time.of("t", time_ns).value) == clock_text(time_ns)


@given(st.tuples(*(st.integers(0, most) for most in TIME_PLACES)))
def test_every_time_can_be_entered(digits: tuple[int, ...]) -> None:
    entry = Time.of("t", 0)
    for place, digit in enumerate(digits):
        for _ in range(digit):
            entry = entry.turned(1)
        following = entry.next_place()
        assert (following is None) == (place == len(digits) - 1)
        entry = following or entry
    assert entry.digits == digits
    assert entry.value == Time("t", digits).value


def places(entry: Time | Change | None) -> list[tuple[str, str]]:
    """What is shown at each place, and the step there."""
    seen = []
    while entry is not None:
        seen.append((entry.text(), clock_text(entry.step_ns)))
        entry = entry.next_place()
    return seen


def test_the_digit_under_the_cursor_is_marked() -> None:
    assert places(Change.of("c", -83 * SECOND_NS)) == [
        ("[-1]: 23 ", "1:00"),
        (" -1 :[23]", "0:10"),
        (" -1 :[23]", "0:01"),
    ]
    assert places(Time.of("t", 83 * MINUTE_NS + 45 * SECOND_NS)) == [
        ("[1]: 2  3 : 4  5 ", "1:00:00"),
        (" 1 :[2] 3 : 4  5 ", "10:00"),
        (" 1 : 2 [3]: 4  5 ", "1:00"),
        (" 1 : 2  3 :[4] 5 ", "0:10"),
        (" 1 : 2  3 : 4 [5]", "0:01"),
    ]


@pytest.mark.parametrize(
    ("begin_s", "step", "shown"),
    [
        (1, -1, "+0 :[00] -0 :[01] -0 :[02]"),
        (-1, 1, "+0 :[00] +0 :[01] +0 :[02]"),
        (3598, 1, "+59 :[59] +59 :[59]"),
        (-3598, -1, "-59 :[59] -59 :[59]"),
        (60, -1, "+0 :[59] +0 :[58]"),
    ],
)
def test_a_plunger_that_is_held_counts_in_seconds(begin_s: int, step: int, shown: str) -> None:
    """Through 0 to the other sign, up to an hour; what then is turned are the seconds."""
    entry = Change.of("c", begin_s * SECOND_NS)
    counted = [(entry := entry.counted_on(step)).text().strip() for _ in range(shown.count(":"))]
    assert " ".join(counted) == shown


@pytest.mark.parametrize("entry", [Choice("c", (Option(1, "=1"),)), Number("n", 1, 0, 2)])
def test_the_centre_completes_an_entry(entry: Entry) -> None:
    assert entry.next_place() is None


def test_below_0_each_digit_of_a_time_begins_with_its_largest() -> None:
    entry: Time | None = Time.of("time", 0)
    for largest in (9, 5, 9, 5, 9):
        assert entry is not None
        assert entry.turned(-1).digits[entry.cursor] == largest
        entry = entry.next_place()
