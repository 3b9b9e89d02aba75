"""What has to hold of the delivery of logs, whatever is lost, late, repeated or restarted."""

from collections.abc import Callable, Sequence
from typing import TypeVar

from clock.eventlog.codec import right_hash
from lab.prove.delivery_sides import PRESENT, Act, Clock, Hub, Message, log_of, place_of, point_of
from room.broker.topics import Ack

ROUNDS = 12  # of the sender's patience: then a broker that loses nothing has brought all

SideT = TypeVar("SideT", Clock, Hub)
SideLaw = Callable[[SideT, Sequence[Message], SideT], str | None]  # before, sent, after
BothLaw = Callable[[Clock, Hub], str | None]


def stored_logs_are_whole(_before: Hub, _sent: Sequence[Message], after: Hub) -> str | None:
    """Each log in the database is one that the clock wrote, from its first line and without a gap.

    Only the clock makes lines, and each carries the hash of the line before it.
    """
    for match, log in after.disk.items():
        for number, line in enumerate(log, 1):
            before = point_of(log[: number - 1]).hash
            if place_of(line) != (match, number) or right_hash(line, before) is None:
                return f"{match}: line {number} does not follow the line before it"
    return None


def stored_lines_stay(before: Hub, _sent: Sequence[Message], after: Hub) -> str | None:
    """A line leaves a database only when another line of the clock takes its place."""
    is_same = after.had >= before.had
    for match, log in before.disk.items():
        now = after.disk.get(match, ())
        if is_same and len(now) < len(log) and log[: len(now)] == now:
            return f"{match} had {len(log)} lines, and has {len(now)}"
    return None


def hub_tells_what_it_has(_before: Hub, sent: Sequence[Message], after: Hub) -> str | None:
    """The hub says of no line that it is on its disk before it is there."""
    for ack in sent:
        assert isinstance(ack, Ack)
        for match, have in ack.have.items():
            if point_of(after.disk.get(match, ())[: have.seq]) != have:
                return f"{match}: line {have.seq} is not on the disk"
    return None


def few_lines_are_on_their_way(before: Clock, sent: Sequence[Message], _after: Clock) -> str | None:
    """A clock sends lines at most a window ahead of those that the hub has on its disk."""
    saved = before.saved()
    for message in sent:
        if isinstance(message, bytes):
            match, latest = place_of(message.split(b"\n")[-1])
            ahead = latest - len(saved[match])
            if ahead > before.bounds.window:
                return f"{match}: line {latest} is {ahead} lines ahead"
    return None


def clock_forgets_only_what_is_stored(clock: Clock, hub: Hub) -> str | None:
    """A line that the clock will not send again is on the hub's disk, or was replaced there."""
    if clock.store != PRESENT:
        return None
    saved = (line for lines in clock.saved().values() for line in lines)
    lost = [line for line in saved if line not in hub.had]
    return f"{len(lost)} lines were never on the disk" if lost else None


def all_arrives_in_the_end(clock: Clock, hub: Hub) -> str | None:
    """Once the broker loses nothing any more, the database gets every log that the clock has.

    And then the clock sends no line any more.
    """
    if clock.store != PRESENT:
        clock.do(Act("find hub"))
    sent = ROUNDS
    for _ in range(ROUNDS):
        sent = _exchange(clock, hub)
    for match, branches in clock.files.items():
        log = log_of(match, branches)
        if hub.disk.get(match, ())[: len(log)] != log:
            return f"{match} has {len(log)} lines, and the database not all of them"
    return f"{sent} messages with lines are sent again and again" if sent else None


def _exchange(clock: Clock, hub: Hub) -> int:
    """Let the clock send all that it has to send; return how often it sent lines."""
    inventory = clock.do(Act("send inventory"))
    _deliver([*inventory, *clock.do(Act("send heartbeat"))], clock, hub)
    sent = 0
    while lines := clock.do(Act("send lines")):
        _deliver(lines, clock, hub)
        sent += 1
    return sent


def _deliver(messages: Sequence[Message], clock: Clock, hub: Hub) -> None:
    """Deliver messages to the hub, and its answers to the clock."""
    for message in messages:
        answers = hub.do(Act("take", message=message))
        for ack in (*answers, *hub.do(Act("write to disk"))):
            clock.do(Act("take", message=ack))


CLOCK_LAWS: tuple[SideLaw[Clock], ...] = (few_lines_are_on_their_way,)
HUB_LAWS: tuple[SideLaw[Hub], ...] = (
    stored_logs_are_whole,
    stored_lines_stay,
    hub_tells_what_it_has,
)
BOTH_LAWS: tuple[BothLaw, ...] = (clock_forgets_only_what_is_stored, all_arrives_in_the_end)
