"""The health of a hub, and its numbers for Prometheus (text format 0.0.4), for monitoring."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Literal

import msgspec

from clock.units import SECOND_NS
from room.boards.board import Board
from room.hub.words import hub_message
from room.lines.backlog import Backlog

HealthStatus = Literal["ok", "trouble", "waiting"]


class Health(msgspec.Struct, frozen=True):
    """The health of a hub, at `/health`."""

    status: HealthStatus
    """"waiting": the hub cannot open its database yet."""
    troubles: list[str]
    """What is wrong, in words; for the director alone."""
    lines_waiting: int
    """Lines and messages between the clocks and the disk."""
    oldest_s: float
    """How old the oldest of them is, about."""
    version: str


def health_of(troubles: list[str], backlog: Backlog, version: str) -> Health:
    """Return the health of a hub with these troubles and this backlog."""
    oldest_s = round(backlog.oldest_ns / SECOND_NS, 1)
    return Health("trouble" if troubles else "ok", troubles, backlog.lines, oldest_s, version)


def backlog_trouble(backlog: Backlog) -> str:
    """Return what is wrong with a backlog, in words; empty: nothing."""
    if not backlog.is_late:
        return ""
    late_s = backlog.oldest_ns // SECOND_NS
    return hub_message("full" if backlog.is_full else "behind", n=late_s, lines=backlog.lines)


MEDIA_TYPE = "text/plain; version=0.0.4; charset=utf-8"


def metrics(health: Health, boards: Iterable[Board]) -> str:
    """Return the numbers of a hub, without a name in them."""
    known = [board for board in boards if not board.taken_out]
    states = Counter(board.state for board in known)
    asking = Counter(kind for board in known for kind in board.attention)
    lines = [
        *_gauge("info", "The version of the hub.", {f'version="{health.version}"': 1}),
        *_gauge("trouble", "1: something is wrong with the hub.", {"": health.status != "ok"}),
        *_gauge("boards", "Boards by the state of their clocks.", _labelled("state", states)),
        *_gauge("boards_asking", "Boards by what they ask for.", _labelled("kind", asking)),
        *_gauge("lines_waiting", "Lines that are not on the disk yet.", {"": health.lines_waiting}),
        *_gauge("oldest_line_seconds", "How old the oldest of them is.", {"": health.oldest_s}),
    ]
    return "".join(f"{line}\n" for line in lines)


def _labelled(label: str, counts: Mapping[str, int]) -> dict[str, float]:
    return {f'{label}="{name}"': count for name, count in sorted(counts.items())}


def _gauge(name: str, what: str, values: Mapping[str, float]) -> Iterator[str]:
    yield f"# HELP gammonclock_{name} {what}"
    yield f"# TYPE gammonclock_{name} gauge"
    for label, value in values.items():
        labels = f"{{{label}}}" if label else ""
        yield f"gammonclock_{name}{labels} {float(value):g}"
