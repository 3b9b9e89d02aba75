"""The clustered broker RabbitMQ as docs/room.md sets it up, all nodes on this computer.

Its programs are in a tree of Debian, which only root can enter. It leaves daemons of Erlang behind:
run what uses it in a process namespace of its own, `lab.bare_system.APART`.
"""

import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from lab.bench.closing import Closing
from lab.support.broker_node import BrokerNode, node_address, page_block
from lab.support.mosquitto import Room
from lab.support.room_hall import PROBE
from room.simulation.broker import free_port

ADDRESS_OF_PAGE = "rabbit@NODE"
PROGRAM = "/usr/lib/rabbitmq/bin/rabbitmq-server"
# In a tree that sees this computer's devices and processes, and a folder under its own path.
ENTER = """
mount --rbind /dev "$1/dev"
mount --rbind /proc "$1/proc"
mkdir --parents "$1$2"
mount --bind "$2" "$1$2"
exec chroot "$1" "$3"
"""


def node_name(number: int) -> str:
    """The name of a node; one program knows the ports of all, by the part before the address."""
    return f"node{number}@{node_address(number)}"


def configuration(room: Room, number: int, count: int) -> str:
    """The configuration of the page for a node."""
    text = page_block("ini")
    changes = {
        "/etc/rabbitmq/server": str(room.folder / "broker" / "server"),
        "/etc/rabbitmq/definitions": str(room.folder.parent / "definitions"),
        "ssl.default = 8883": f"ssl.default = {node_address(number)}:{room.hub.port}",
    }
    changes |= {f"{ADDRESS_OF_PAGE}{each}": node_name(each) for each in range(1, count + 1)}
    for old, new in changes.items():
        assert old in text
        text = text.replace(old, new)
    return text


def definitions(room: Room) -> str:
    """The users and their rights as the page makes them; and the probe, with the hub's rights."""
    program = page_block("python", "topic_permissions").replace("ROOM", room.settings.room.name)
    command = [sys.executable, "-c", program]
    made = subprocess.run(command, cwd=room.folder.parent, capture_output=True, check=True)
    found = json.loads(made.stdout)
    for rules in found.values():
        of_hub = [json.dumps(rule) for rule in rules if "hub" in rule.values()]
        for text in of_hub:
            own = text.replace('"hub"', f'"{PROBE}"').replace("-hubqos", f"-{PROBE}qos")
            rules.append(json.loads(own))
    return json.dumps(found)


class Node(BrokerNode):
    """A node of the cluster."""

    def __init__(self, room: Room, folder: Path, tree: Path, of: Sequence[int], port: int) -> None:
        """Start it; the nodes wait for each other.

        Args:
            room: with the name of the broker, and its port.
            folder: new, for its files.
            tree: of Debian, with RabbitMQ.
            of: its number, from 1 on, and how many there are.
            port: of the program that knows the ports of the nodes.
        """
        super().__init__(node_address(of[0]), "completed with")
        folder.mkdir()
        number, count = of
        (folder / "rabbitmq.conf").write_text(configuration(room, number, count))
        (folder / "enabled_plugins").write_text("[rabbitmq_mqtt].\n")
        cookie = folder / ".erlang.cookie"
        cookie.write_text("test")
        cookie.chmod(0o400)
        enter = ["unshare", "--mount", "sh", "-e", "-c", ENTER, "sh"]
        self._command = [*enter, str(tree), str(folder.parent), PROGRAM]
        interface = "{" + self.address.replace(".", ",") + "}"
        self._environ = {
            "PATH": "/usr/sbin:/usr/bin:/sbin:/bin",
            "HOME": str(folder),
            "detached": "yes",  # the program itself, not a shell that waits for it
            "ERL_CRASH_DUMP_SECONDS": "0",
            "ERL_EPMD_PORT": str(port),
            "ERL_EPMD_ADDRESS": ",".join(node_address(each) for each in range(1, count + 1)),
            "RABBITMQ_CONFIG_FILE": str(folder / "rabbitmq.conf"),
            "RABBITMQ_CONF_ENV_FILE": "/dev/null",
            "RABBITMQ_DIST_PORT": str(free_port(self.address)),
            "RABBITMQ_ENABLED_PLUGINS_FILE": str(folder / "enabled_plugins"),
            "RABBITMQ_LOGS": "-",
            "RABBITMQ_MNESIA_BASE": str(folder / "data"),
            "RABBITMQ_NODENAME": node_name(number),
            "RABBITMQ_PID_FILE": str(folder / "pid"),
            "RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS": f"-kernel inet_dist_use_interface {interface}",
            "RABBITMQ_USE_LONGNAME": "true",
        }
        self.start()

    def start(self) -> None:
        """Begin to start it."""
        self.launch(self._command, self._environ)


class Cluster(Closing):
    """Some nodes, which know each other."""

    def __init__(self, room: Room, folder: Path, count: int, tree: Path) -> None:
        """Start them; return when clients can connect to each."""
        (room.folder.parent / "definitions.json").write_text(definitions(room))
        port, self.nodes = free_port(node_address(1)), list[Node]()
        try:
            for number in range(1, count + 1):
                node = Node(room, folder / f"node-{number}", tree, (number, count), port)
                self.nodes.append(node)
            for node in self.nodes:
                node.wait_ready()
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """Kill all."""
        for node in self.nodes:
            node.close()
