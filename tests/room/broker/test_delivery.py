"""Whatever is lost, late or restarted: in the end the hub has all, and no ack lies."""

from collections.abc import Iterable
from functools import lru_cache
from random import Random

import pytest

from clock.eventlog.codec import stated_hash
from room.broker.delivery import receiver, sender
from room.broker.delivery.receiver import Receiver
from room.broker.delivery.sender import MAX_MESSAGE, PATIENCE_NS, WINDOW, Sender
from room.broker.topics import MAX_LOGS, Ack, Inventory, LinkHeartbeat, LoggedLines
from room.lines.inbox import Point, envelope_of
from tests.support.logs import body, forged, monkey_logs, renamed, sealed

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


class Disk:
    """The hub's database: what is committed, and what waits for that."""

    def __init__(self, store: str = "s") -> None:
        self.store = store
        self.logs: dict[str, list[bytes]] = {}
        self.had: set[bytes] = set()  # lines that were ever committed
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
            self.had.update(lines)
        return list(dict.fromkeys(match for match, _ in waiting))

    def receiver(self) -> Receiver:
        """A hub that has just started with this database."""
        self.waiting = []
        return Receiver(self.store, self.saved, self.recall)


def put(log: list[bytes], lines: Iterable[bytes]) -> None:
    """Continue a log with lines that follow it, or a line of it."""
    for line in lines:
        envelope = envelope_of(line)
        assert envelope is not None
        assert envelope.seq <= len(log) + 1
        log[envelope.seq - 1 :] = [line]


class World:
    """A clock, a hub, and two channels that lose, repeat and reorder."""

    def __init__(self, random: Random) -> None:
        self.random, self.now_ns = random, 0
        self.files: dict[str, list[bytes]] = {}
        self.plans = {"a": A, "b": B, "c": C}  # what each file is going to say
        self.match = ""
        self.sender, self.disk = Sender(), Disk()
        self.receiver = self.disk.receiver()
        self.to_hub: list[bytes | Inventory | LinkHeartbeat] = []
        self.to_clock: list[Ack] = []
        self.write()

    # --- the clock ----------------------------------------------------------------------------

    def write(self) -> None:
        """Write the next line of the match, or the first of the next one."""
        lines = self.files.get(self.match, [])
        if not self.match or len(lines) == len(self.plans[self.match]):
            if len(self.files) == len(self.plans):
                return
            self.match = list(self.plans)[len(self.files)]
            lines = self.files[self.match] = []
        line = self.plans[self.match][len(lines)]
        lines.append(line)
        self.sender.add([line], self.now_ns, is_present=True)

    def restart_link(self) -> None:
        """Read the directory anew, the present log first and the earlier ones from the latest."""
        self.sender, self.to_clock = Sender(), []
        for match in reversed(self.files):
            self.sender.add(self.files[match], self.now_ns, is_present=match == self.match)

    def lose_lines(self) -> None:
        """Let the card lose the end of the log; the clock goes on otherwise from there."""
        lines = self.files[self.match]
        kept = self.random.randrange(1, len(lines) + 1)
        if kept < len(self.plans[self.match]):
            self.plans[self.match] = BRANCHES[self.match][kept]
            if self.plans[self.match][:kept] != lines[:kept]:  # it was on another branch already
                self.plans[self.match] = lines[:kept]
            del lines[kept:]
        if self.random.random() < 0.5:
            self.sender.add(lines, self.now_ns, is_present=True)  # the file was read again
        else:
            self.restart_link()

    def send(self) -> None:
        """Send all that is due."""
        if (inventory := self.sender.inventory(self.now_ns)) is not None:
            self.to_hub.append(inventory)
        while (batch := self.sender.batch()) is not None:
            self.to_hub.append(batch)

    def beat(self) -> None:
        """Send a heartbeat."""
        latest = self.sender.latest()
        self.to_hub.append(LinkHeartbeat("boot", 0, self.sender.match, latest.seq))

    def wait(self) -> None:
        """Let time pass."""
        self.now_ns += PATIENCE_NS
        self.send()

    # --- the hub ------------------------------------------------------------------------------

    def restart_hub(self) -> None:
        """Lose what is in its memory."""
        self.receiver = self.disk.receiver()
        self.see_hub()

    def replace_disk(self) -> None:
        """Start the hub with another database."""
        self.disk = Disk(f"{self.disk.store}s")
        self.restart_hub()

    def see_hub(self) -> None:
        """Connect to it."""
        self.sender.connect(self.disk.store, self.now_ns)
        self.send()

    def lose_hub(self) -> None:
        """Have no hub."""
        self.sender.connect(None, self.now_ns)

    def commit(self) -> None:
        """Write to the disk."""
        for match in self.disk.commit():
            self.to_clock.append(self.receiver.committed(match, self.disk.saved(match)))

    # --- the channels -------------------------------------------------------------------------

    def hub_takes(self) -> None:
        """Deliver a message of the clock."""
        if self.to_hub:
            self.deliver(self.to_hub.pop(self.choice(len(self.to_hub))))

    def deliver(self, message: bytes | Inventory | LinkHeartbeat) -> None:
        """Deliver a message of the clock; answers are on their way then."""
        if isinstance(message, Inventory):
            self.to_clock += self.receiver.inventory(message)
        elif isinstance(message, LinkHeartbeat):
            self.to_clock += self.receiver.heartbeat(message)
        else:
            incoming, acks = self.receiver.lines(message)
            self.disk.waiting += [(each.match, each.lines) for each in incoming]
            self.to_clock += acks

    def clock_takes(self) -> None:
        """Deliver a message of the hub."""
        if self.to_clock:
            self.acknowledge(self.to_clock.pop(self.choice(len(self.to_clock))))

    def acknowledge(self, ack: Ack) -> None:
        """Deliver a message of the hub, and look whether it says more than is true."""
        self.sender.acknowledge(ack, self.now_ns)
        if self.sender._store == self.disk.store:
            for log in self.sender._logs.values():
                assert all(line in self.disk.had for line in log.lines[: log.saved])
        self.send()

    def choice(self, count: int) -> int:
        """The first message, mostly."""
        return 0 if self.random.random() < 0.8 else self.random.randrange(count)

    def lose(self) -> None:
        """Lose messages."""
        self.to_hub = [each for each in self.to_hub if self.random.random() < 0.5]
        self.to_clock = [each for each in self.to_clock if self.random.random() < 0.5]

    def repeat(self) -> None:
        """Repeat messages."""
        self.to_hub += self.to_hub[:2]
        self.to_clock += self.to_clock[:2]

    def is_whole(self) -> bool:
        """Whether the hub has all files; of one that has lost its end it may have more."""
        logs = self.disk.logs
        return all(logs.get(match, [])[: len(file)] == file for match, file in self.files.items())

    # --- the end ------------------------------------------------------------------------------

    def settle(self) -> None:
        """Lose nothing any more, until all is there."""
        self.see_hub()
        for _ in range(12):
            self.beat()
            while self.to_hub or self.to_clock:
                while self.to_hub:
                    self.deliver(self.to_hub.pop(0))
                self.commit()
                while self.to_clock:
                    self.acknowledge(self.to_clock.pop(0))
            if self.sender.is_complete and self.is_whole():
                return
            self.wait()
        raise AssertionError({match: len(lines) for match, lines in self.disk.logs.items()})


ACTS = {
    World.write: 8,
    World.hub_takes: 8,
    World.clock_takes: 6,
    World.send: 3,
    World.commit: 4,
    World.wait: 2,
    World.lose: 1,
    World.repeat: 1,
    World.see_hub: 2,
    World.lose_hub: 1,
    World.beat: 1,
    World.restart_hub: 1,
    World.replace_disk: 1,
    World.restart_link: 1,
    World.lose_lines: 1,
}
CHOICES = [act for act, weight in ACTS.items() for _ in range(weight)]


def run(seed: int, acts: int) -> None:
    """One history at random."""
    random = Random(seed)
    world = World(random)
    world.see_hub()
    for act in random.choices(CHOICES, k=acts):
        act(world)
    world.settle()


@pytest.fixture
def remembered(monkeypatch: pytest.MonkeyPatch) -> None:
    """The same few lines come again and again: hash each of them once."""
    for name in ("receive", "envelope_of"):
        cached = lru_cache(None)(getattr(receiver, name))
        for module in (receiver, sender):
            monkeypatch.setattr(module, name, cached)


@pytest.mark.usefixtures("remembered")
@pytest.mark.parametrize("acts", [5, 20, 80])
def test_the_hub_has_everything_in_the_end(acts: int) -> None:
    """Messages are lost, repeated and reordered; hub, disk, link and card fail at any moment."""
    for seed in range(400):
        run(seed, acts)


@pytest.mark.slow
@pytest.mark.usefixtures("remembered")
@pytest.mark.parametrize("part", range(4))
def test_a_hundred_thousand_histories(part: int) -> None:
    """The same, of all lengths up to 24 acts."""
    for seed in range(25_000):
        run(1_000_000 * (part + 1) + seed, seed % 25)


# --- single rules ---------------------------------------------------------------------------------


def connected(lines: list[bytes], hub: Disk) -> tuple[Sender, Receiver]:
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


def test_nothing_is_sent_before_the_hub_has_answered() -> None:
    """Without a hub no line; and none before the hub has said what it has."""
    sender = Sender()
    sender.add(A, 0, is_present=True)
    assert (sender.batch(), sender.inventory(0), sender.due_ns()) == (None, None, None)
    sender.connect("s", 0)
    assert (sender.batch(), sender.due_ns()) == (None, 0)
    assert sender.inventory(0) == Inventory((LoggedLines("a", 7, point(A).hash),))


def test_a_clock_without_a_log_has_nothing_to_tell() -> None:
    """Its first match is told as soon as it begins."""
    sender = Sender()
    sender.connect("s", 0)
    assert sender.inventory(0) is None
    assert sender.due_ns() is None
    sender.add(A[:1], 9, is_present=True)
    assert sender.inventory(9) == Inventory((LoggedLines("a", 1, point(A, 1).hash),))


def test_what_the_hub_has_is_not_sent() -> None:
    """It continues after the latest line on the hub's disk."""
    disk = Disk()
    disk.logs["a"] = A[:4]
    sender, _ = connected(A, disk)
    assert batches(sender) == [b"\n".join(A[4:])]
    assert not sender.is_complete
    sender.acknowledge(Ack("s", {"a": point(A)}), 0)
    assert sender.is_complete
    assert sender.due_ns() is None


def test_a_lost_message_is_asked_for_once_and_at_once() -> None:
    """Each line after the gap would ask; one question is enough."""
    sender, receiver = connected(A[:1], Disk())
    batches(sender)
    sent = []
    for line in A[1:]:
        sender.add([line], 0, is_present=True)
        sent += batches(sender)
    receiver.lines(A[0])
    answers = [receiver.lines(payload) for payload in sent[2:]]
    asked = [ack for _, acks in answers for ack in acks]
    assert asked == [Ack("s", {"a": Point()}, 2)]
    sender.acknowledge(asked[0], 0)
    assert batches(sender) == [b"\n".join(A[1:])]


def test_a_heartbeat_asks_for_what_has_not_come_since_the_one_before() -> None:
    """The latest lines were lost, and nothing follows that would show it."""
    _, receiver = connected(A[:3], Disk())
    receiver.lines(b"\n".join(A[:3]))
    beat = LinkHeartbeat("boot", 0, "a", 5)
    assert receiver.heartbeat(beat) == []
    assert receiver.heartbeat(beat) == [Ack("s", {"a": Point()}, 4)]
    receiver.lines(A[3])
    assert receiver.heartbeat(beat) == []


def test_lines_of_another_branch_are_asked_for_from_the_first() -> None:
    """The hub has lines that the card has lost, and the clock went on otherwise."""
    disk, fork = Disk(), BRANCHES["a"][3]
    disk.logs["a"] = A[:6]
    sender, receiver = connected(fork, disk)
    (whole,) = batches(sender)
    (incoming,), _ = receiver.lines(whole)
    assert (incoming.lines, incoming.forks) == (tuple(fork[3:]), True)
    assert receiver.lines(A[5]) == ([], [Ack("s", {"a": Point()}, 1)])


def test_a_branch_that_is_not_on_the_disk_is_not_said_to_be() -> None:
    """The disk has the old branch, the memory the new one."""
    disk, fork = Disk(), BRANCHES["a"][3]
    disk.logs["a"] = A[:4]
    _, receiver = connected(fork, disk)
    receiver.lines(b"\n".join(fork))
    acks = receiver.inventory(Inventory((LoggedLines("a", 7, point(fork).hash),)))
    assert acks == [Ack("s", {"a": Point()})]


def test_a_file_that_is_read_again_otherwise_is_sent_from_there() -> None:
    """The clock has replaced its file while the link was running."""
    sender, _ = connected(A, Disk())
    batches(sender)
    sender.acknowledge(Ack("s", {"a": point(A)}), 0)
    sender.add(BRANCHES["a"][3], 0, is_present=True)
    assert batches(sender) == [b"\n".join(BRANCHES["a"][3][3:])]


def test_the_timer_runs_from_the_last_progress() -> None:
    """Presses do not put it off, and it does not run while the hub has everything."""
    sender, _ = connected(A[:1], Disk())
    sender.acknowledge(Ack("s", {"a": point(A, 1)}), 0)
    sender.add(A[1:2], 1000, is_present=True)
    sender.add(A[2:3], PATIENCE_NS, is_present=True)
    assert sender.due_ns() == 1000 + PATIENCE_NS
    assert sender.inventory(1000 + PATIENCE_NS - 1) is None
    assert sender.inventory(1000 + PATIENCE_NS) is not None
    assert sender.due_ns() == 1000 + 2 * PATIENCE_NS


def test_a_new_match_is_sent_at_once() -> None:
    """Nobody can have any line of it; the inventory says that it is the present one."""
    sender, receiver = connected(A, Disk())
    batches(sender)
    sender.add(B[:1], 9, is_present=True)
    inventory = sender.inventory(9)
    assert inventory is not None
    assert [log.match for log in inventory.logs] == ["b", "a"]
    assert batches(sender) == [B[0]]
    receiver.inventory(inventory)
    (incoming,), _ = receiver.lines(B[0])
    assert (incoming.match, incoming.is_present, incoming.is_live) == ("b", True, False)
    (incoming,), _ = receiver.lines(B[1])
    assert incoming.is_live


def test_an_earlier_log_is_whole_when_all_that_was_told_is_there() -> None:
    """Only then its result can be computed."""
    sender, disk = Sender(), Disk()
    receiver = disk.receiver()
    sender.add(B[:2], 0, is_present=True)
    sender.add(A, 0, is_present=False)
    sender.connect("s", 0)
    inventory = sender.inventory(0)
    assert inventory is not None
    receiver.inventory(inventory)
    parts = [receiver.lines(b"\n".join(part))[0][0] for part in (A[:5], A[5:])]
    assert [(part.is_present, part.is_whole) for part in parts] == [(False, False), (False, True)]


def test_a_damaged_line_ends_what_is_sent() -> None:
    """The hub takes only lines that continue the log; what cannot be sent is said."""
    sender, _ = connected([*A[:3], A[3].replace(b"phase", b"phasf"), A[4]], Disk())
    assert batches(sender) == [b"\n".join(A[:3])]
    assert sender.damage == "a: line 4 is damaged"


def test_a_message_and_the_window_are_bounded() -> None:
    """However long the log and its lines are."""
    long = sealed(
        b'{"v":2,"seq":%d,"match":"m","text":"%b",%b' % (seq, b"x" * (seq % 7) * 900, rest)
        for seq in range(1, 500)
        for rest in [body(LOG[0]).split(b',"match":', 1)[1].split(b",", 1)[1]]
    )
    sender, _ = connected(long, Disk())
    sent = batches(sender)
    assert max(map(len, sent)) <= MAX_MESSAGE
    assert b"\n".join(sent) == b"\n".join(long[:WINDOW])
    sender.acknowledge(Ack("s", {"m": point(long, 60)}), 0)
    assert b"\n".join(batches(sender)) == b"\n".join(long[WINDOW : WINDOW + 60])


def test_the_latest_matches_only() -> None:
    """A card may have hundreds of logs."""
    sender = Sender()
    sender.add(renamed(LOG[:1], "now"), 0, is_present=True)
    for number in range(30, 0, -1):
        sender.add(renamed(LOG[:1], f"old-{number}"), 0, is_present=False)
    for number in range(2):
        sender.add(renamed(LOG[:1], f"new-{number}"), 0, is_present=True)
    sender.connect("s", 0)
    inventory = sender.inventory(0)
    assert inventory is not None
    names = [log.match for log in inventory.logs]
    assert len(names) == MAX_LOGS
    assert names[:4] == ["new-1", "new-0", "now", "old-30"]
    assert sender.damage == ""


@pytest.mark.parametrize("seq", [-1, 8, 2**62])
def test_a_hub_that_says_what_cannot_be(seq: int) -> None:
    """A clock believes nobody."""
    sender, _ = connected(A, Disk())
    batches(sender)
    sender.acknowledge(Ack("s", {"a": Point(seq, point(A).hash)}), 0)
    sender.acknowledge(Ack("s", {"b": Point(7, point(A).hash)}, 2**62), 0)
    assert (batches(sender), sender.is_complete) == ([], False)


@pytest.mark.parametrize("payload", [b"", b"{}", b"\xff" * 9, b"\n" * 99, b"[" * 200_000])
def test_noise_is_no_line(payload: bytes) -> None:
    """What an account sends beside lines is dropped."""
    assert Disk().receiver().lines(payload) == ([], [])


def test_what_is_deleted_after_its_time_is_not_asked_for_again() -> None:
    """The hub keeps its latest line longer than the log."""
    disk = Disk()
    receiver = Receiver("s", lambda match: point(A), disk.recall)
    assert receiver.inventory(Inventory((LoggedLines("a", 7, point(A).hash),))) == [
        Ack("s", {"a": point(A)})
    ]
