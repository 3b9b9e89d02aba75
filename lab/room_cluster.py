"""Kill nodes of a clustered broker, the hub and links again and again while clocks write.

    python -m lab.room_cluster KILLS [CLOCKS [SEED]]    5 kills at least

The broker is ejabberd, of this computer, and then RabbitMQ, of a tree of Debian 13 that root makes.
The broker's name has the addresses of all nodes, and the clocks are spread over them. In the end
the database must have every log byte for byte, and no line twice.
"""

import os
import shutil
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from statistics import median, quantiles
from tempfile import TemporaryDirectory

import click

from lab.bare_system import APART, make_system
from lab.room_kills import Hall, deal
from lab.support import ejabberd, rabbitmq
from lab.support.broker_node import BrokerNode, node_address
from lab.support.hosts import seeing, write_hosts
from lab.support.mosquitto import Peer, Room
from lab.support.room_hall import HubProgram, Probe, link_program
from room.broker.topics import hub_topic

HOST, HOSTS = "broker.test", Path("/etc/hosts")
NODES = 3
KINDS = {"node": 6, "two nodes": 2, "hung node": 1, "hub": 1, "links": 1}  # by weight
LINES = 300  # of which each is timed
BASE = "gammonclock/1/test"
NO_LOGIN = {"Not authorized", "Bad user name or password"}
SUITE, PACKAGE = "trixie", "rabbitmq-server"
TREE = "ROOM_CLUSTER_TREE"  # of the program that runs with RabbitMQ: where the tree is
NOT_RUN = "NOT RUN: RabbitMQ. To run it: sudo apt install mmdebstrap; sudo make room-cluster\n"


class ClusterHall(Hall):
    """A room at a cluster, of which at least one node runs at each instant."""

    def __init__(
        self, folder: Path, tree: Path | None, clocks: int, seed: int, opened: ExitStack
    ) -> None:
        """Start all of it; with a tree, RabbitMQ of that."""
        super().__init__(folder, clocks, seed, HOST, node_address(1))
        self.nodes: list[BrokerNode] = []
        if tree is None:
            self.nodes += opened.enter_context(ejabberd.Cluster(self.room, folder, NODES)).nodes
        else:
            cluster = rabbitmq.Cluster(self.room, folder, NODES, tree)
            self.nodes += opened.enter_context(cluster).nodes
        check_rules(self.room)
        with Peer(
            self.login, client_id=self.login.username
        ) as peer:  # links come later, and some nodes have not retained it
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
    with Peer(room.hub, client_id="hub") as hub:
        assert hub.subscribe(f"{BASE}/#") == "Granted QoS 1"
        for topic in ("c2/log", "c1/ack", "c1/other", "hub"):
            with Peer(login, client_id="c1") as clock:
                assert clock.publish(f"{BASE}/{topic}", b"forged", retain=True) != "Success"
        for topic in ("#", f"{BASE}/#", f"{BASE}/+/ack", f"{BASE}/c2/offer"):
            with Peer(login, client_id="c1") as clock:
                assert not clock.subscribe(topic).startswith("Granted")
        with Peer(login, client_id="c1") as clock:
            assert clock.publish(f"{BASE}/c1/log", b"own") == "Success"
        assert hub.next() == (f"{BASE}/c1/log", b"own")
    for name, password in (("", None), ("c1", "wrong"), ("c2", None), ("hub", None)):
        with Peer(login, username=name, password=password, client_id="c1") as stranger:
            assert stranger.connected in NO_LOGIN


def run(folder: Path, tree: Path | None, kills: int, clocks: int, seed: int) -> None:
    """Run, and say what was done."""
    with ExitStack() as opened:
        hall = ClusterHall(folder, tree, clocks, seed, opened)
        times_ms = hall.times_ms()
        broker = "ejabberd" if tree is None else "RabbitMQ"
        click.echo(
            f"{broker}, {NODES} nodes, {clocks} clocks: {LINES} lines acknowledged after"
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


def run_apart(folder: Path, tree: Path | None, within: Sequence[str] = ()) -> None:
    """Run where the broker's name is known, and see that it succeeds."""
    hosts = folder / "hosts"
    write_hosts(hosts, HOST, [node_address(number + 1) for number in range(NODES)])
    command = [*within, *seeing(hosts), sys.executable, "-m", __spec__.name, *sys.argv[1:]]
    environ = os.environ | ({TREE: str(tree)} if tree else {})
    subprocess.run(command, env=environ, check=True)


def main() -> None:
    """Run with both brokers."""
    with TemporaryDirectory() as name:
        folder = Path(name)
        if HOST in HOSTS.read_text(encoding="utf-8"):
            kills, clocks, seed = map(int, (*sys.argv[1:], *("40", "30", "1")[len(sys.argv) - 1 :]))
            tree = os.environ.get(TREE)
            run(folder, Path(tree) if tree else None, kills, clocks, seed)
            return
        run_apart(folder, None)
        if os.geteuid() != 0 or shutil.which("mmdebstrap") is None:
            sys.stdout.write(NOT_RUN)
            return
        make_system(SUITE, [PACKAGE], folder / "tree")
        run_apart(folder, folder / "tree", APART)  # Erlang's daemons end with it


if __name__ == "__main__":
    main()
