"""How a hub is, for programs that watch it."""

from typing import Literal

import msgspec

HealthStatus = Literal["ok", "trouble", "waiting"]


class Health(msgspec.Struct, frozen=True):
    """How a hub is, at `/health`."""

    status: HealthStatus
    """waiting: it stands by, or waits for its database."""
    troubles: list[str]
    """What is wrong, in words; for the director alone."""
    lines_waiting: int
    """Lines and messages between the clocks and the disk."""
    oldest_s: float
    """How old the oldest of them is, about."""
    version: str
