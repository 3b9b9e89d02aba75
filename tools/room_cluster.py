"""Kill nodes of a clustered broker, the hub and links again and again while clocks write.

    python -m tools.room_cluster KILLS [CLOCKS [SEED]]    5 kills at least

The broker's name has the addresses of all nodes, and the clocks are spread over them. In the end
the database must have every log byte for byte, and no line twice.
"""

import subprocess
import sys
import time
from collections import Counter
from contextlib import ExitStack
from pathlib import Path
from statistics import median, quantiles
from tempfile import TemporaryDirectory

import click

from room.broker.topics import hub_topic
from tests.support.ejabberd import Cluster, node_address
from tests.support.hosts import seeing, write_hosts
from tests.support.mosquitto import Peer, Room
from tests.support.room_hall import HubProgram, Probe, link_program
from tools.room_kills import Hall, deal

HOST, HOSTS = "broker.test", Path("/etc/hosts")
NODES = 3
KINDS = {"node": 6, "two nodes": 2, "hung node": 1, "hub": 1, "links": 1}  # by weight
LINES = 300  # of which each is timed
BASE = "gammonclock/1/test"


class ClusterHall(Hall):
    """A room at a cluster, of which at least one node runs at each instant."""

    def __init__(self, folder: Path, clocks: int, seed: int, opened: ExitStack) -> None:
        """Start all of it."""
        super().__init__(folder, clocks, seed, HOST, node_address(1))
        self.nodes = opened.enter_context(Cluster(self.room, folder, NODES)).nodes
        check_rules(self.room)
        with Peer(self.room.hub) as peer:  # links come later, and some nodes have not retained it
            peer.subscribe(hub_topic("test"))
            self.hub = opened.enter_context(HubProgram(self.room, self.database))
            assert b"online" in peer.next()[1]
        assert self.hub.address()
        self.hub_at, self.moves = 0, 0  # the hub takes the first node that runs, and stays there
        self.links = []
        for at in range(NODES):
            hosts, order = folder / f"hosts-{at}", self.nodes[at:] + self.nodes[:at]
            write_hosts(hosts, HOST, [node.address for node in order])
            links = link_program(self.room, self.clocks[at::NODES], within=seeing(hosts))
            self.links.append(opened.enter_context(links))
        self.probe = opened.enter_context(Probe(self.login, "test"))

    def times_ms(self) -> list[float]:
        """How long each of some lines takes to the hub's disk, and its acknowledgement back."""
        self.write(len(self.clocks))
        self.settle()
        found = []
        for clock in self.random.choices(self.clocks, k=LINES):
            began_ns = time.perf_counter_ns()
            clock.write()
            self.probe.wait_whole([clock])
            found.append((time.perf_counter_ns() - began_ns) / 1e6)
        return found

    def disturb(self, kind: str) -> None:
        """Kill something, and start it again."""
        if kind == "hub":
            self.hub.restart()
            self.hub_at = 0
        elif kind == "links":
            self.random.choice(self.links).restart()
        else:
            numbers = self.random.sample(range(NODES), k=2 if kind == "two nodes" else 1)
            if kind == "hung node":
                self.nodes[numbers[0]].stop()
                self._go_on(12)
            self._kill(numbers)

    def _kill(self, numbers: list[int]) -> None:
        """Kill nodes at once, and start them again when clocks have written."""
        for number in numbers:
            self.nodes[number].close()
        if self.hub_at in numbers:
            self.moves += 1
            self.hub_at = next(number for number in range(NODES) if number not in numbers)
        self._go_on(3)
        for number in numbers:
            self.nodes[number].restart()

    def _go_on(self, longest_s: float) -> None:
        """Let clocks write, and wait for acknowledgements, but not for long."""
        self.write(len(self.clocks) // 2 + 1)
        self.probe.wait_more(len(self.clocks), self.random.uniform(0.5, longest_s))


def check_rules(room: Room) -> None:
    """See that a clock writes and reads its own topics alone, and strangers are refused."""
    login = room.login("c1")
    with Peer(room.hub) as hub, Peer(login) as clock:
        assert hub.subscribe(f"{BASE}/#") == "Granted QoS 1"
        for topic in ("c2/log", "c1/ack", "c1/other", "hub"):
            assert clock.publish(f"{BASE}/{topic}", b"forged", retain=True) == "Topic name invalid"
        for topic in ("#", f"{BASE}/#", f"{BASE}/+/ack", f"{BASE}/c2/offer"):
            assert clock.subscribe(topic) == "Topic filter invalid"
        assert clock.publish(f"{BASE}/c1/log", b"own") == "Success"
        assert hub.next() == (f"{BASE}/c1/log", b"own")
    for name, password in (("", None), ("c1", "wrong"), ("c2", None), ("hub", None)):
        with Peer(login, username=name, password=password) as stranger:
            assert stranger.connected == "Not authorized"


def run(folder: Path, kills: int, clocks: int, seed: int) -> None:
    """Run, and say what was done."""
    with ExitStack() as opened:
        hall = ClusterHall(folder, clocks, seed, opened)
        times_ms = hall.times_ms()
        click.echo(
            f"{NODES} nodes, {clocks} clocks: {LINES} lines acknowledged after"
            f" {median(times_ms):.1f} ms (median), {quantiles(times_ms, n=100)[-1]:.1f} ms (99 %)"
        )
        done: Counter[str] = Counter()
        for kind in deal(hall.random, KINDS, kills):
            hall.write(clocks // 5 + 1)
            hall.disturb(kind)
            done[kind] += 1
        hall.settle()
        hall.hub.close()
        click.echo(
            f"{kills} kills {dict(done)}, {hall.moves} of them of the hub's node,"
            f" {hall.check()} lines: bytes equal"
        )


def main() -> None:
    """Run where the broker's name is known."""
    with TemporaryDirectory() as folder:
        if HOST in HOSTS.read_text(encoding="utf-8"):
            kills, clocks, seed = map(int, (*sys.argv[1:], *("40", "30", "1")[len(sys.argv) - 1 :]))
            run(Path(folder), kills, clocks, seed)
        else:
            hosts = Path(folder, "hosts")
            write_hosts(hosts, HOST, [node_address(number + 1) for number in range(NODES)])
            command = [*seeing(hosts), sys.executable, "-m", __spec__.name, *sys.argv[1:]]
            sys.exit(subprocess.run(command, check=False).returncode)


if __name__ == "__main__":
    main()
