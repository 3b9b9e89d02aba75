"""The reserves over a match as lines: flat while a delay runs, then falling, never below 0.

The one rule: a line has a corner exactly where the reserve began or ceased to fall.
"""

from collections.abc import Sequence

from clock.match.events import AdjustedEvent, CorrectedEvent, OvertimeEvent
from clock.report.timeline import Moment
from clock.match.sides import Pair, Side
from clock.report.summary import Jump, Point

GIVEN = (AdjustedEvent, CorrectedEvent, OvertimeEvent)  # they give or take time


def curves(history: Sequence[Moment]) -> Pair[tuple[Point, ...]]:
    """Each player's reserve from the first line of the log to the last."""
    return Pair(_curve(history, Side.LEFT), _curve(history, Side.RIGHT))


def jumps(history: Sequence[Moment]) -> tuple[Jump, ...]:
    """Where the director or the clock gave time or took it."""
    return tuple(
        Jump(player, moment.stamp, moment.reserves[player], moment.after.reserves[player])
        for moment in history
        if isinstance(moment.event, GIVEN)
        for player in Side
        if moment.reserves[player] != moment.after.reserves[player]
    )


def _curve(history: Sequence[Moment], player: Side) -> tuple[Point, ...]:
    points: list[Point] = []
    for moment in history:
        corners = _fall(moment) if moment.before.running is player else []
        old_ns, new_ns = moment.reserves[player], moment.after.reserves[player]
        if old_ns != new_ns or moment is history[-1]:
            corners.append(Point(moment.stamp.at_ns, old_ns))
            corners.append(Point(moment.stamp.at_ns, new_ns))
        for corner in corners or [Point(moment.stamp.at_ns, new_ns)] * (not points):
            _append(points, corner)
    return tuple(points)


def _fall(moment: Moment) -> list[Point]:
    """Where the mover's reserve begins to fall and where it ceases to; nothing if it does not."""
    turn, mover = moment.turn, moment.before.running
    if turn is None or mover is None or moment.spent_ns == 0:
        return []
    left_ns = moment.before.reserves[mover]
    begins_ns = moment.since.at_ns + max(0, turn.delay_ns - moment.before.elapsed_ns)
    fallen_ns = min(left_ns, moment.spent_ns)
    return [Point(begins_ns, left_ns), Point(begins_ns + fallen_ns, left_ns - fallen_ns)]


def _append(points: list[Point], corner: Point) -> None:
    """Add a corner, unless it only makes the last stretch longer."""
    if points and points[-1] == corner:
        return
    if len(points) > 1 and _straight(points[-2], points[-1], corner):
        points.pop()
    points.append(corner)


def _straight(first: Point, middle: Point, last: Point) -> bool:
    return (middle.at_ns - first.at_ns) * (last.left_ns - middle.left_ns) == (
        last.at_ns - middle.at_ns
    ) * (middle.left_ns - first.left_ns)
