"""How far a hub is behind the clocks."""

from clock.units import MINUTE_NS, SECOND_NS
from room.hub.health import backlog_trouble
from room.lines.backlog import LATE_NS, Backlog, Lateness, joined

MOST_LINES = 50_000
HEARD_NS = 15 * SECOND_NS


def test_a_backlog_is_told_when_it_is_old_or_full() -> None:
    """Lines that wait for a moment are none; the parts of a way add up."""
    half = Backlog(3, LATE_NS // 2)
    assert (backlog_trouble(half), half.is_full) == ("", False)
    assert backlog_trouble(joined([half, half])) == "The hub is 5 s behind the clocks: 6 lines wait"
    assert "takes no more" in backlog_trouble(Backlog(MOST_LINES, 0))
    assert backlog_trouble(Backlog(MOST_LINES - 1, 0)) == ""
    assert joined([]) == Backlog()


def test_messages_of_all_clocks_are_late_if_the_hub_is() -> None:
    found = Lateness()
    for beat in range(300):
        found.hear(f"{beat % 5}", "b", own_ns(beat), beat * 10 * SECOND_NS)
        assert found.late_ns(beat * 10 * SECOND_NS) == 0
    arrived_ns = (300 * 10 + 27) * SECOND_NS
    for beat in range(300, 320):
        found.hear(f"{beat % 5}", "b", own_ns(300), arrived_ns)
    assert 26 * SECOND_NS < found.late_ns(arrived_ns) <= 27 * SECOND_NS
    assert found.late_ns(arrived_ns + MINUTE_NS) == 0  # nothing is heard


def own_ns(beat: int) -> int:
    """The time of a clock that drifts from the hub's."""
    return beat * 10 * SECOND_NS * (1_000_000 - 50) // 1_000_000 + 10**15


def test_one_clock_that_is_late_is_not_the_hub() -> None:
    found = Lateness()
    for clock in ("near", "far"):
        found.hear(clock, "b", 0, 0)
    found.hear("far", "b", 0, 20 * SECOND_NS)
    assert 19 * SECOND_NS < found.late_ns(20 * SECOND_NS) <= 20 * SECOND_NS
    found.hear("near", "b", 20 * SECOND_NS, 20 * SECOND_NS)
    assert found.late_ns(20 * SECOND_NS) == 0


def test_a_clock_that_starts_again_is_judged_by_its_new_time_alone() -> None:
    """Whether its raw clock is behind the one of before or ahead: only what waits is late."""
    for before_ns, after_ns in ((10**15, 0), (0, 10**15)):
        found = Lateness()
        found.hear("near", "b", before_ns, 0)
        for second, waited_s, late_s in ((20, 3, 0), (30, 0, 0), (40, 7, 7)):
            sent_ns = after_ns + (second - waited_s) * SECOND_NS
            found.hear("near", "c", sent_ns, second * SECOND_NS)
            assert round(found.late_ns(second * SECOND_NS) / SECOND_NS, 2) == late_s


def test_two_clocks_drift_apart_by_a_part_in_ten_thousand() -> None:
    """By no more: what comes later than that has waited."""
    found = Lateness()
    found.hear("near", "b", 0, 0)
    found.hear("near", "b", 9_999 * SECOND_NS, 10_000 * SECOND_NS)
    assert found.late_ns(10_000 * SECOND_NS) == 0
    found.hear("near", "b", 19_998 * SECOND_NS - 1, 20_000 * SECOND_NS)
    assert found.late_ns(20_000 * SECOND_NS) == 1


def test_the_latest_twenty_heartbeats_count_while_they_are_recent() -> None:
    found = Lateness()
    for at_ns in (0, HEARD_NS - 1):
        assert found.late_ns(at_ns) == 0
        for clock in range(20):
            found.hear(f"{clock}", "b", 0, at_ns)
    assert found.late_ns(HEARD_NS - 1) > 14 * SECOND_NS
    assert found.late_ns(2 * HEARD_NS - 2) > 14 * SECOND_NS
    assert found.late_ns(2 * HEARD_NS - 1) == 0
    found, now_ns, late = Lateness(), 3 * HEARD_NS, [f"{each}" for each in range(1, 21)]
    for each in ("near", *late):
        found.hear(each, "b", 0, 0)
    for others in (late[:19], late[19:]):  # the one that is near is one of the latest twenty
        found.hear("near", "b", now_ns, now_ns)
        for each in others:
            found.hear(each, "b", 0, now_ns)
        assert found.late_ns(now_ns) == 0
    for each in late:
        found.hear(each, "b", 0, now_ns)
    assert found.late_ns(now_ns) > 0


def test_a_clock_with_many_late_heartbeats_and_boots_counts_once() -> None:
    found = Lateness()
    for clock in ("near", "far"):
        found.hear(clock, "b", 0, 0)
    now_ns = 10 * SECOND_NS
    found.hear("near", "b", now_ns, now_ns)
    for _ in range(40):
        found.hear("far", "b", 0, now_ns)
    assert found.late_ns(now_ns) == 0
    for boot in range(40):
        found.hear("far", f"{boot}", 0, now_ns)
    assert len(found._fastest) == 2
