"""The web server's bounds."""

import logging
import socket
import subprocess
import sys
from contextlib import ExitStack
from pathlib import Path
from resource import RLIMIT_NOFILE, getrlimit, setrlimit
from urllib.request import urlopen

import pytest

from room.watch.server import OncePerSecond
from tests.bench.closing import Closing
from tests.support.paths import ROOT

WAIT_S = 60
HALF_SENT, ALLOWED, KEPT_FREE = 1200, 1024, 256  # connections; descriptors
START = f"""
import resource, room.watch.server, runpy, sys
resource.setrlimit(resource.RLIMIT_NOFILE, ({ALLOWED}, {ALLOWED}))
room.watch.server.HEAD_S = float(sys.argv[2])
sys.argv = ["gammonclock", "watch", sys.argv[1], "--port", "0"]
runpy.run_module("gammonclock", run_name="__main__")
"""


class Pages(Closing):
    """A program that serves pages, with few descriptors."""

    def __init__(self, folder: Path, head_s: str) -> None:
        (folder / "logs").mkdir()
        self._ending, self.said = ExitStack(), folder / "said"
        soft, hard = getrlimit(RLIMIT_NOFILE)
        setrlimit(RLIMIT_NOFILE, (min(4096, hard), hard))
        self._ending.callback(setrlimit, RLIMIT_NOFILE, (soft, hard))
        with self.said.open("wb") as said:
            command = [sys.executable, "-c", START, str(folder / "logs"), head_s]
            program = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=said)
        self._ending.callback(program.communicate)
        self._ending.callback(program.terminate)
        assert program.stdout is not None
        self.address = program.stdout.readline().decode().partition("room")[0]
        self.descriptors = Path(f"/proc/{program.pid}/fd")

    def send_half(self) -> socket.socket:
        """Send the first line of a request."""
        port = int(self.address.rpartition(":")[2].strip("/"))
        half = socket.create_connection(("127.0.0.1", port), WAIT_S)
        self._ending.callback(half.close)
        half.sendall(b"GET / HTTP/1.1\r\n")
        return half

    def close(self) -> None:
        """End it."""
        self._ending.close()


@pytest.mark.slow
def test_half_sent_requests_take_no_page_away(tmp_path: Path) -> None:
    """Nor the descriptors that broker and database need, nor the journal."""
    with Pages(tmp_path, "3600") as pages:
        for _ in range(HALF_SENT):
            pages.send_half()
        with urlopen(f"{pages.address}api/boards", timeout=WAIT_S) as answer:  # noqa: S310
            assert answer.status == 200
        assert len(list(pages.descriptors.iterdir())) <= ALLOWED - KEPT_FREE
    assert pages.said.stat().st_size < 10_000


@pytest.mark.slow
def test_a_head_has_to_come_in_time(tmp_path: Path) -> None:
    """A connection that sends half of one is closed."""
    with Pages(tmp_path, "0.1") as pages:
        assert pages.send_half().recv(1) == b""


def test_a_message_of_a_kind_is_said_once_a_second() -> None:
    """The next one says how many were left out."""
    once, said = OncePerSecond(), []
    for at_s in (100.0, 100.1, 100.9, 101.1):
        record = logging.makeLogRecord({"msg": f"full\n{at_s}", "created": at_s})
        if once.filter(record):
            said.append(record.getMessage())
    assert said == ["full\n100.0", "full\n101.1 (2 more of these were left out)"]
