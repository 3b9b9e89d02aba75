"""How a hub is, for programs that watch it."""

from typing import Literal

import msgspec

from clock.units import SECOND_NS
from room.lines.backlog import Backlog

HealthStatus = Literal["ok", "trouble", "waiting"]


class Health(msgspec.Struct, frozen=True):
    """How a hub is, at `/health`."""

    status: HealthStatus
    """waiting: for its database."""
    troubles: list[str]
    """What is wrong, in words; for the director alone."""
    lines_waiting: int
    """Lines and messages between the clocks and the disk."""
    oldest_s: float
    """How old the oldest of them is, about."""
    version: str


def health_of(troubles: list[str], backlog: Backlog, version: str) -> Health:
    """Return how a hub is that has these troubles and this backlog."""
    oldest_s = round(backlog.oldest_ns / SECOND_NS, 1)
    return Health("trouble" if troubles else "ok", troubles, backlog.lines, oldest_s, version)
