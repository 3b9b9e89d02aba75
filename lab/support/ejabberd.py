"""The clustered broker ejabberd as docs/room.md sets it up, all nodes on this computer.

Nothing of an installed ejabberd's own files is used, and no daemon of Erlang is left behind.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

from lab.bench.closing import Closing
from lab.support.broker_node import BrokerNode, node_address, page_block
from lab.support.mosquitto import Room
from lab.support.room_hall import PROBE
from room.simulation.broker import PROGRAM_PATH, free_port

LIBRARIES = sorted(Path("/usr/lib").glob("*/ejabberd-*"))  # of Debian, by processor
MISSING = "the broker ejabberd is missing. On Debian: sudo apt install ejabberd"
READY = "ready"


def configuration(room: Room, address: str) -> str:
    """The configuration of the page for a node at an address; the probe has the hub's rights."""
    text = page_block("yaml")
    for old, new in {
        "ROOM": room.settings.room.name,
        "HOST": room.hub.host,
        "/etc/ejabberd": str(room.folder / "broker"),
        "port: 8883": f'port: {room.hub.port}\n    ip: "{address}"',
        "user: hub": f"user: [hub, {PROBE}]",
    }.items():
        assert old in text
        text = text.replace(old, new)
    return text


def users(room: Room) -> str:
    """The users as the page makes them, and the probe."""
    command = [sys.executable, "-c", page_block("python", "urn:xmpp:pie:0")]
    made = subprocess.run(command, cwd=room.folder.parent, capture_output=True, check=True)
    probe = f"<user name='{PROBE}' password='{room.hub.password}'/></host>"
    return made.stdout.decode().replace("</host>", probe)


class Node(BrokerNode):
    """A node of the cluster."""

    def __init__(self, room: Room, folder: Path, number: int, port: int) -> None:
        """Start it; it joins the first one, which has the users from the beginning.

        Args:
            room: with the name of the broker, and its port.
            folder: new, for its files.
            number: from 1 on.
            port: on which the nodes speak to each other.
        """
        super().__init__(node_address(number), READY)
        folder.mkdir()
        self._folder, self._port = folder, port
        self._config = folder / "ejabberd.yml"
        self._config.write_text(configuration(room, self.address))
        if number == 1:
            imported = folder / "users.xml"
            imported.write_text(users(room))
            self.start(f'ok = ejabberd_piefxis:import_file(<<"{imported}">>)')
        else:
            self.start(f"ok = ejabberd_cluster:join('ejabberd@{node_address(1)}')")

    def _command(self, first: str) -> list[str]:
        """What `ejabberdctl` starts, without epmd; an expression; and a word when it is done."""
        program = shutil.which("erl", path=PROGRAM_PATH)
        assert program is not None, MISSING
        interface = "{" + self.address.replace(".", ",") + "}"
        command = [program, "-noinput", "-name", f"ejabberd@{self.address}", "-setcookie", "test"]
        command += ["-start_epmd", "false", "-erl_epmd_port", str(self._port)]
        command += ["-kernel", "inet_dist_use_interface", interface, "net_ticktime", "5"]
        command += ["-mnesia", "dir", f'"{self._folder / "mnesia"}"', "-s", "ejabberd"]
        return [*command, "-eval", f'{first}, io:put_chars("{READY}\\n").']

    def start(self, first: str = "ok") -> None:
        """See `BrokerNode`."""
        assert LIBRARIES, MISSING
        environ = {
            "EJABBERD_CONFIG_PATH": str(self._config),
            "EJABBERD_LOG_PATH": str(self._folder / "ejabberd.log"),
            "ERL_CRASH_DUMP_SECONDS": "0",
            "HOME": str(self._folder),
            "ERL_LIBS": str(LIBRARIES[-1].parent),
        }
        self.launch(self._command(first), os.environ | environ, self._folder)


class Cluster(Closing):
    """Some nodes, which know each other."""

    def __init__(self, room: Room, folder: Path, count: int) -> None:
        """Start them; return when clients can connect to each."""
        port, self.nodes = free_port(node_address(1)), list[Node]()
        try:
            for number in range(1, count + 1):
                self.nodes.append(Node(room, folder / f"node-{number}", number, port))
                self.nodes[-1].wait_ready()
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """Kill all."""
        for node in self.nodes:
            node.close()
