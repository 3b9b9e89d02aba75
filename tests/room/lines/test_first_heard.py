"""What a hub saw first of a match stays, whatever comes later."""

import msgspec
import pytest

from clock.units import MINUTE_NS
from room.lines.first_heard import Arrival, FirstHeard, heard
from room.lines.inbox import Verdict

STORED, FORK = Verdict.STORED, Verdict.FORK


@pytest.mark.rule("R83")
def test_the_greatest_line_before_a_fork_stays() -> None:
    """R83: longer branches that come later do not take its place, nor do further forks."""
    first: FirstHeard | None = None
    came = [(1, STORED), (2, STORED), (3, STORED), (2, FORK), (3, STORED), (4, STORED), (1, FORK)]
    for minute, (seq, verdict) in enumerate(came):
        first = heard(first, Arrival(seq, f"hash {minute}", verdict), f"10:0{minute}")
    assert first == FirstHeard(3, "hash 2", "10:02", fork_seq=2, fork_wall="10:03", begun="10:00")


@pytest.mark.rule("R215")
@pytest.mark.parametrize(
    ("begun", "latest", "since"),
    [
        ("2026-05-01T10:00:00+02:00", "2026-05-01T09:30:00+01:00", "2026-05-01T10:00:00+02:00"),
        ("2026-05-01T10:00:00+02:00", "2026-05-01T10:00:01+02:00", ""),  # it was read when whole
        ("2026-05-01T10:00:00+02:00", "2026-05-01T10:20:00+02:00", "2026-05-01T10:00:00+02:00"),
        ("2026-05-01T10:00:00+02:00", "2026-05-01T10:19:59+02:00", ""),  # of less than a half
        ("2026-05-01T10:00:00+02:00", "", ""),
        ("", "2026-05-01T10:30:00+02:00", ""),  # by an earlier version
    ],
)
def test_only_of_a_match_that_was_followed_the_hub_knows_when_it_began(
    begun: str, latest: str, since: str
) -> None:
    first = FirstHeard(9, "hash", latest, begun=begun)
    assert first.followed_since(40 * MINUTE_NS) == since


@pytest.mark.rule("R83")
def test_a_match_that_comes_again_was_heard_of_when_it_came_first() -> None:
    """R83: the hub had deleted its lines after their time, and the clock sends them once more."""
    first: FirstHeard | None = None
    for minute, seq in enumerate((1, 2, 1, 2)):
        first = heard(first, Arrival(seq, f"hash {seq}", STORED), f"10:0{minute}")
    assert first == FirstHeard(2, "hash 2", "10:01", begun="10:00")
    assert first.since == "10:00"
    assert msgspec.structs.replace(first, begun="").since == "10:01"  # of an earlier version
