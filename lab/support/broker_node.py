"""A node of a clustered broker, all of whose nodes run on this computer."""

import re
import signal
import subprocess
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path

from lab.bench.closing import Closing
from lab.support.mosquitto import WAIT_S
from lab.support.paths import ROOT

PAGE = (ROOT / "docs" / "room.md").read_text(encoding="utf-8")


def node_address(number: int) -> str:
    """The address of a node; all are equally near to 127.0.0.1, and none is tried before others."""
    return f"127.1.0.{number}"


def page_block(language: str, word: str = "") -> str:
    """The one block of docs/room.md in a language; with a word, the one that has it."""
    blocks = re.findall(rf"^```{language}\n(.*?)^```", PAGE, re.DOTALL | re.MULTILINE)
    [found] = [block for block in blocks if word in block]
    return str(found)


class BrokerNode(Closing):
    """A node, whose program says when clients can connect."""

    def __init__(self, address: str, ready: str) -> None:
        """Start nothing yet.

        Args:
            address: where clients connect.
            ready: is in the line that the program says then.
        """
        self.address, self._ready = address, ready

    def start(self) -> None:
        """Begin to start it."""
        raise NotImplementedError

    def restart(self) -> None:
        """Start it again after `close`; return when clients can connect."""
        self.start()
        self.wait_ready()

    def launch(
        self, command: Sequence[str], environ: Mapping[str, str], folder: Path | None = None
    ) -> None:
        """Start its program."""
        self._said: list[str] = []
        self._is_ready = threading.Event()
        self._process = subprocess.Popen(
            command,
            env=environ,
            cwd=folder,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",  # of its own data in reports of errors
        )
        self._reader = threading.Thread(target=self._read)
        self._reader.start()

    def wait_ready(self) -> None:
        """Wait until clients can connect."""
        assert self._is_ready.wait(2 * WAIT_S), "".join(self._said)
        assert self._process.poll() is None, "".join(self._said)

    def _read(self) -> None:
        """Read what it says, or it would stop when the pipe is full."""
        assert self._process.stdout is not None
        with self._process.stdout as said:
            for line in said:
                self._said.append(line)
                if self._ready in line:
                    self._is_ready.set()
        self._process.wait()
        self._is_ready.set()

    def stop(self) -> None:
        """Let it hang: it ends no connection, and answers nothing."""
        self._process.send_signal(signal.SIGSTOP)

    def close(self) -> None:
        """Kill it, and wait until it has ended."""
        self._process.kill()
        self._reader.join()
