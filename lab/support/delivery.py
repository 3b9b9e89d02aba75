"""The two sides of the delivery: a clock, and a hub with its database."""

from collections.abc import Iterable

from clock.eventlog.codec import stated_hash
from lab.support.logs import forged, monkey_logs, renamed
from room.broker.delivery.receiver import Receiver
from room.broker.delivery.sender import Sender
from room.lines.inbox import Point, envelope_of
from room.lines.quota import Allowance, Quota

LOG = max(monkey_logs(3, 120), key=len)
A, B, C = (renamed(LOG[:7], name) for name in ("a", "b", "c"))
BRANCHES = {  # what a card goes on with that has lost lines
    name: [forged(lines, at, lambda fields: fields.update(wall="2030")) for at in range(7)]
    for name, lines in (("a", A), ("b", B), ("c", C))
}


def point(lines: list[bytes], seq: int | None = None) -> Point:
    """A line of a log, by default the latest."""
    seq = len(lines) if seq is None else seq
    return Point(seq, stated_hash(lines[seq - 1]) or "") if seq else Point()


class Database:
    """The hub's database: what is committed, and what waits for that."""

    def __init__(self, store: str = "s") -> None:
        self.store = store
        self.logs: dict[str, list[bytes]] = {}
        self.waiting: list[tuple[str, tuple[bytes, ...]]] = []

    def saved(self, match: str) -> Point:
        """See `Receiver`."""
        return point(self.logs.get(match, []))

    def recall(self, match: str) -> list[bytes]:
        """See `Receiver`."""
        lines = list(self.logs.get(match, []))
        for name, fresh in self.waiting:
            if name == match:
                put(lines, fresh)
        return lines

    def commit(self) -> list[str]:
        """Write what waits; return which logs that changes."""
        waiting, self.waiting = self.waiting, []
        for match, lines in waiting:
            put(self.logs.setdefault(match, []), lines)
        return list(dict.fromkeys(match for match, _ in waiting))

    def receiver(self, allowance: Allowance | None = None) -> Receiver:
        """A hub that has just started with this database."""
        self.waiting = []
        return Receiver(self.store, self.saved, self.recall, allowance or Allowance(Quota(60, 64)))


def put(log: list[bytes], lines: Iterable[bytes]) -> None:
    """Continue a log with lines that follow it, or a line of it."""
    for line in lines:
        envelope = envelope_of(line)
        assert envelope is not None
        assert envelope.seq <= len(log) + 1
        log[envelope.seq - 1 :] = [line]


def connected(lines: list[bytes], hub: Database) -> tuple[Sender, Receiver]:
    """A clock whose inventory the hub has answered."""
    sender, receiver = Sender(), hub.receiver()
    sender.add(lines, 0, is_present=True)
    sender.connect(hub.store, 0)
    inventory = sender.inventory(0)
    assert inventory is not None
    for ack in receiver.inventory(inventory):
        sender.acknowledge(ack, 0)
    return sender, receiver


def batches(sender: Sender) -> list[bytes]:
    """All that can be sent now."""
    return list(iter(sender.batch, None))
