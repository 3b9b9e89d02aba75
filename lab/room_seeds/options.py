"""What a seed stands for: how large the room is, and what goes wrong in it."""

from random import Random
from typing import Literal

import msgspec

Mode = Literal["safety", "liveness"]

# What happens to the whole of a part, with the seconds between two of them in a room, about.
INCIDENTS = {
    "broker restarts": 90.0,
    "broker forgets what it retains": 60.0,
    "broker forgets a subscription": 45.0,
    "connection lost": 12.0,
    "partition": 30.0,
    "hub killed": 60.0,
    "hub forgets an hour": 240.0,
    "database fails": 40.0,
    "power cut": 30.0,
    "clock killed": 40.0,
    "link killed": 30.0,
    "card fails": 40.0,
    "card is full": 60.0,
    "card lies": 60.0,
}
SMALL = (1, 2, 3, 4, 6)  # boards
MINUTES = (2.0, 4.0, 8.0)
PACES = (1.0, 3.0, 10.0)


class Options(msgspec.Struct, frozen=True, kw_only=True):
    """What is simulated."""

    seed: int
    mode: Mode
    """safety: faults to the end; liveness: they stop, and all must be well a minute later."""
    boards: int
    minutes: float
    """How long the faults go on."""
    pace: float
    """Of the players; 2: twice as fast as people."""
    latency_s: float
    """The longest way of a message between a client and the broker, without faults."""
    drop: float
    """The chance of each message to be lost."""
    repeat: float
    """The chance of each message to come twice."""
    late: float
    """The chance of each message to come seconds later, after others."""
    scan_s: float
    """How long at most a link does not look at the logs, and a clock not at its checkpoint."""
    incidents: dict[str, float]
    """What happens, and the seconds between two of them, about."""

    @property
    def shown(self) -> str:
        """All of it in a line."""
        rest = msgspec.structs.asdict(self)
        incidents = rest.pop("incidents")
        words = [f"{name}={value}" for name, value in rest.items()]
        return " ".join(words) + f" incidents: {', '.join(incidents) or 'none'}"


def options_of(seed: int) -> Options:
    """Return the options of a seed: each fault is there in half of all rooms."""
    random = Random(f"options of {seed}")
    return Options(
        seed=seed,
        mode="safety" if random.random() < 0.25 else "liveness",
        boards=random.choice(SMALL),
        minutes=random.choice(MINUTES),
        pace=random.choice(PACES),
        latency_s=random.choice((0.005, 0.05, 0.3)),
        drop=random.choice((0.0, 0.0, 0.01, 0.1)),
        repeat=random.choice((0.0, 0.0, 0.01, 0.1)),
        late=random.choice((0.0, 0.0, 0.01, 0.1)),
        scan_s=random.choice((2.0, 4.0)),
        incidents={name: s for name, s in INCIDENTS.items() if random.random() < 0.5},
    )


def quiet(seed: int, boards: int, minutes: float) -> Options:
    """Return a room in which nothing fails."""
    return Options(
        seed=seed,
        mode="liveness",
        boards=boards,
        minutes=minutes,
        pace=1.0,
        latency_s=0.05,
        drop=0.0,
        repeat=0.0,
        late=0.0,
        scan_s=9.0,
        incidents={},
    )
