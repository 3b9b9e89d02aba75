"""The health of a hub, for monitoring."""

from typing import Literal

import msgspec

from clock.units import SECOND_NS
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
