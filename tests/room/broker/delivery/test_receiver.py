"""Whatever is lost, late or restarted: in the end the hub has all, and no ack lies."""

from functools import lru_cache
from random import Random

import pytest

from lab.support.delivery import BRANCHES, LOG, A, B, C, Database, batches, connected, point
from lab.support.logs import renamed
from room.broker.delivery import receiver, sender
from room.broker.delivery.receiver import Receiver
from room.broker.delivery.sender import PATIENCE_NS, REPEAT_NS, Sender
from room.broker.topics import MAX_PAYLOAD, Ack, Inventory, LinkHeartbeat, LoggedLines
from room.lines.inbox import Point
from room.lines.quota import Allowance, Quota


class World:
    """A clock, a hub, and two channels that lose, repeat and reorder."""

    def __init__(self, random: Random) -> None:
        self.random, self.now_ns = random, 0
        self.files: dict[str, list[bytes]] = {}
        self.plans = {"a": A, "b": B, "c": C}  # what each file is going to say
        self.match = ""
        self.sender, self.disk = Sender(), Database()
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
        if (inventory := self.sender.inventory(self.now_ns)) is not None:
            self.to_hub.append(inventory)
        while (batch := self.sender.batch()) is not None:
            self.to_hub.append(batch)

    def beat(self) -> None:
        latest = self.sender.latest()
        self.to_hub.append(LinkHeartbeat("boot", 0, self.sender.match, latest.seq))

    def wait(self) -> None:
        self.now_ns += PATIENCE_NS
        self.send()

    # --- the hub ------------------------------------------------------------------------------

    def restart_hub(self) -> None:
        """Lose what is in its memory."""
        self.receiver = self.disk.receiver()
        self.see_hub()

    def replace_disk(self) -> None:
        """Start the hub with another database."""
        self.disk = Database(f"{self.disk.store}s")
        self.restart_hub()

    def see_hub(self) -> None:
        self.sender.connect(self.disk.store, self.now_ns)
        self.send()

    def lose_hub(self) -> None:
        self.sender.connect(None, self.now_ns)

    def commit(self) -> None:
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
        return 0 if self.random.random() < 0.8 else self.random.randrange(count)

    def lose(self) -> None:
        self.to_hub = [each for each in self.to_hub if self.random.random() < 0.5]
        self.to_clock = [each for each in self.to_clock if self.random.random() < 0.5]

    def repeat(self) -> None:
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


@pytest.mark.slow
@pytest.mark.usefixtures("remembered")
@pytest.mark.parametrize("acts", [5, 20, 80])
def test_the_hub_has_everything_in_the_end(acts: int) -> None:
    """Messages are lost, repeated and reordered; hub, disk, link and card fail at any moment."""
    for seed in range(400):
        run(seed, acts)


@pytest.mark.slow
@pytest.mark.usefixtures("remembered")
@pytest.mark.parametrize("part", range(2))
def test_thousands_of_histories(part: int) -> None:
    """The same, longer: what takes three mishaps comes ten times as often in the same time."""
    for seed in range(1_000):
        run(1_000_000 * (part + 1) + seed, seed % 160)


# --- single rules ---------------------------------------------------------------------------------


def test_a_lost_message_is_asked_for_once_and_at_once() -> None:
    """Each line after the gap would ask; one question is enough."""
    sender, receiver = connected(A[:1], Database())
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
    _, receiver = connected(A[:3], Database())
    receiver.lines(b"\n".join(A[:3]))
    beat = LinkHeartbeat("boot", 0, "a", 5)
    assert receiver.heartbeat(beat) == []
    assert receiver.heartbeat(beat) == [Ack("s", {"a": Point()}, 4)]
    receiver.lines(A[3])
    assert receiver.heartbeat(beat) == []
    receiver.lines(A[4])
    assert [receiver.heartbeat(beat) for _ in range(2)] == [[], []]


def test_lines_of_another_branch_are_asked_for_from_the_first() -> None:
    """The hub has lines that the card has lost, and the clock went on otherwise."""
    disk, fork = Database(), BRANCHES["a"][3]
    disk.logs["a"] = A[:6]
    sender, receiver = connected(fork, disk)
    (whole,) = batches(sender)
    (incoming,), _ = receiver.lines(whole)
    assert (incoming.lines, incoming.forks) == (tuple(fork[3:]), True)
    assert receiver.lines(A[5]) == ([], [Ack("s", {"a": Point()}, 1)])
    assert receiver.lines(A[5]) == ([], [])
    receiver.lines(b"\n".join(A))
    assert receiver.lines(fork[5]) == ([], [Ack("s", {"a": point(A, 1)}, 1)])


def test_a_line_that_came_is_asked_for_again_of_another_branch() -> None:
    """A question is not repeated; but this one was answered."""
    _, receiver = connected(A[:1], Database())
    fork, asked = BRANCHES["a"][2], [Ack("s", {"a": Point()}, 4)]
    receiver.lines(b"\n".join(A[:3]))
    assert receiver.lines(A[4]) == ([], asked)
    receiver.lines(A[3])
    receiver.lines(fork[2])
    assert receiver.lines(fork[4]) == ([], asked)


def test_a_branch_beyond_the_window_arrives(monkeypatch: pytest.MonkeyPatch) -> None:
    """The lines before it come again; the hub says that it has them, so that the clock goes on."""
    monkeypatch.setattr(sender, "WINDOW", 2)
    disk, fork = Database(), BRANCHES["a"][5]
    disk.logs["a"] = A
    clock, hub = connected(fork, disk)
    for payload in iter(clock.batch, None):
        incoming, acks = hub.lines(payload)
        disk.waiting += [(each.match, each.lines) for each in incoming]
        for match in disk.commit():
            acks.append(hub.committed(match, disk.saved(match)))
        for ack in acks:
            clock.acknowledge(ack, 0)
    assert (disk.logs["a"], clock.is_complete) == (fork, True)


def test_lines_that_were_lost_and_come_late_do_not_stay() -> None:
    """They take the place of the present ones, which the clock knows to be on the disk."""
    disk, fork = Database(), BRANCHES["a"][3]
    sender, receiver = connected(fork, disk)
    for payload in (*batches(sender), b"\n".join(A)):
        disk.waiting += [(each.match, each.lines) for each in receiver.lines(payload)[0]]
        disk.commit()
        sender.acknowledge(receiver.committed("a", disk.saved("a")), 0)
    assert (disk.logs["a"], sender.is_complete) == (A, True)
    assert sender.inventory(REPEAT_NS - 1) is None
    inventory = sender.inventory(REPEAT_NS)
    assert inventory is not None
    for ack in receiver.inventory(inventory):
        sender.acknowledge(ack, REPEAT_NS)
    assert batches(sender) == [b"\n".join(fork)]


def test_a_branch_that_is_not_on_the_disk_is_not_said_to_be() -> None:
    disk, fork = Database(), BRANCHES["a"][3]
    disk.logs["a"] = A[:4]
    _, receiver = connected(fork, disk)
    receiver.lines(b"\n".join(fork))
    acks = receiver.inventory(Inventory((LoggedLines("a", 7, point(fork).hash),)))
    assert acks == [Ack("s", {"a": Point()})]


def test_an_earlier_log_is_whole_when_all_that_was_told_is_there() -> None:
    sender, disk = Sender(), Database()
    receiver = disk.receiver()
    sender.add(B[:2], 0, is_present=True)
    sender.add(A, 0, is_present=False)
    sender.connect("s", 0)
    inventory = sender.inventory(0)
    assert inventory is not None
    receiver.inventory(inventory)
    parts = [receiver.lines(b"\n".join(part))[0][0] for part in (A[:5], A[5:])]
    assert [(part.is_present, part.is_whole) for part in parts] == [(False, False), (False, True)]
    assert not any(part.forks for part in parts)


@pytest.mark.parametrize("payload", [b"", b"{}", b"\xff" * 9, b"\n" * 99, b"[" * 200_000])
def test_noise_is_no_line(payload: bytes) -> None:
    assert Database().receiver().lines(payload) == ([], [])


def test_a_message_has_at_most_so_many_bytes() -> None:
    """The hub drops a longer one: it is none of a clock."""
    payload = A[0].ljust(MAX_PAYLOAD, b"\n")
    assert Database().receiver().lines(payload + b"\n") == ([], [])
    (incoming,), _ = Database().receiver().lines(payload)
    assert incoming.lines == (A[0],)


# --- what an account may send -----------------------------------------------------------------

LIST = Inventory((LoggedLines("a", 7, point(A).hash),))
ASKED = Ack("s", {"a": point(A, 3)}, 4)


def limited(have: int, *, left: int, matches: int) -> Receiver:
    """A hub that has so many lines of a log, whose clock may send so many bytes and matches."""
    disk, allowance = Database(), Allowance(Quota(1, 1))
    disk.logs["a"] = A[:have]
    assert allowance.take(1_000_000 - left, begins=not matches)
    return disk.receiver(allowance)


@pytest.mark.parametrize(("left", "asked"), [(0, []), (1, [ASKED])])
def test_a_hub_asks_for_lines_while_a_byte_of_the_quota_is_left(
    left: int, asked: list[Ack]
) -> None:
    """In each of the three ways; the number of matches does not limit those under way."""
    assert limited(3, left=left, matches=0).inventory(LIST) == asked
    assert limited(3, left=left * (len(A[5]) + 1), matches=0).lines(A[5]) == ([], asked)
    hub = limited(3, left=left, matches=0)
    assert [hub.heartbeat(LinkHeartbeat("boot", 0, "a", 5)) for _ in range(2)] == [[], asked]


@pytest.mark.parametrize(("matches", "asks"), [(0, False), (1, True)])
def test_a_hub_asks_for_a_new_match_while_one_is_left(matches: int, *, asks: bool) -> None:
    hub = limited(0, left=10**5, matches=matches)
    beat = LinkHeartbeat("boot", 0, "a", 5)
    assert bool(hub.inventory(LIST)) is asks
    assert [bool(hub.heartbeat(beat)) for _ in range(2)] == [False, asks]
    assert bool(hub.lines(A[0])[0]) is asks


def test_a_match_under_way_goes_on_when_no_other_may_begin() -> None:
    """Even if none of it is on the disk yet; the database is asked for neither."""
    hub = Receiver("s", lambda match: Point(), _unread, Allowance(Quota(1, 1)))
    for line in A:
        assert [each.lines for each in hub.lines(line)[0]] == [(line,)]
    assert hub.lines(B[0]) == ([], [])


def _unread(match: str) -> list[bytes]:
    raise AssertionError(match)


def test_a_message_that_is_too_much_is_dropped() -> None:
    """Nothing of it is asked for, or the clock would send it again at once."""
    some = b"\n".join(A[:2])
    hub = limited(0, left=len(some), matches=1)
    assert hub.lines(b"\n".join(A)) == ([], [])
    (incoming,), acks = hub.lines(some)
    assert (incoming.lines, acks) == (tuple(A[:2]), [])
    hub = limited(3, left=1, matches=1)
    assert hub.lines(b"\n".join(A[3:])) == ([], [])


def test_what_is_deleted_after_its_time_is_not_asked_for_again() -> None:
    disk = Database()
    receiver = Receiver("s", lambda match: point(A), disk.recall, Allowance(Quota(60, 64)))
    assert receiver.inventory(Inventory((LoggedLines("a", 7, point(A).hash),))) == [
        Ack("s", {"a": point(A)})
    ]


def test_only_the_logs_used_last_are_held() -> None:
    disk, read = Database(), list[str]()
    disk.logs = {name: renamed(LOG[:2], name) for name in "abcde"}

    def recall(match: str) -> list[bytes]:
        read.append(match)
        return disk.recall(match)

    hub = Receiver("s", disk.saved, recall, Allowance(Quota(60, 64)))
    for name in "abcdaebd":
        hub.lines(disk.logs[name][0])
    assert read == [*"abcdeb"]
    for _ in range(2):
        hub.heartbeat(LinkHeartbeat("boot", 0, "c", 2))
    assert read == [*"abcdeb"]
