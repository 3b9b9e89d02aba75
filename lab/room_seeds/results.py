"""What the rooms have shown so far, for lab/proof.md."""

from pathlib import Path

import msgspec

from lab.room_seeds.faults import FAULTS, Seen

FILE = Path(__file__).with_name("results.json")


class Search(msgspec.Struct, frozen=True, kw_only=True):
    """Rooms that were played, without a law that did not hold."""

    rooms: int
    hours: float
    """Of simulated time."""
    lines: int
    """That clocks wrote."""
    checks: int
    """How often a law was asked."""
    incidents: dict[str, int]
    seconds: float
    """Of processor time."""


class Results(msgspec.Struct, frozen=True, kw_only=True):
    """What is noted."""

    search: Search
    faults: list[Seen]


def noted() -> Results:
    """Return what was found, the faults in their order."""
    known = msgspec.json.decode(FILE.read_bytes(), type=Results)
    order = [fault.name for fault in FAULTS]
    faults = sorted(
        (seen for seen in known.faults if seen.name in order),
        key=lambda seen: order.index(seen.name),
    )
    return Results(search=known.search, faults=faults)


def note(results: Results) -> None:
    """Note what was found."""
    FILE.write_bytes(msgspec.json.format(msgspec.json.encode(results), indent=1) + b"\n")
