"""The links of log directories, and what the service manager says of the clock."""

import asyncio
import os
import signal
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from aiomqtt import MqttError

from lab.support.logs import monkey_logs, renamed
from lab.support.room_hall import LoggedClock
from room.broker.run_link import clock_service, run_link
from room.broker.topics import MAX_LOGS
from room.lines.events import EarlierLinesRead, SourceEvent
from room.settings.link import LinkBroker, LinkSettings
from room.sources.raw_clock import now_ns

LOG = max(monkey_logs(3, 60), key=len)[:2]
BROKER = LinkBroker(host="sim", ca="", password="")
SETTINGS = LinkSettings(room="test", clock="red-1", board="7", broker=BROKER)


@pytest.fixture
def manager(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The program of the service manager, which a test writes."""
    monkeypatch.setenv("PATH", str(tmp_path), prepend=os.pathsep)
    found = tmp_path / "systemctl"
    found.touch(0o755)
    return found


@pytest.mark.parametrize(
    ("script", "says"),
    [
        (rb"printf 'StatusText=ends = \377\nActiveState=active\n'", ("active", "ends = \ufffd")),
        (b"echo ActiveState=failed; echo complaint >&2; exit 3", ("failed", "")),
        (
            b"echo $* | sed 's/.*show --property=/ActiveState=/; s/ .*//'",
            ("ActiveState,StatusText", ""),
        ),
        (b"echo ActiveState=$3", ("gammonclock.service", "")),
        (b"exec tail -f /dev/null", ("", "")),
    ],
    ids=["both", "failed", "question", "unit", "silence"],
)
def test_what_the_service_manager_says(
    manager: Path,
    monkeypatch: pytest.MonkeyPatch,
    script: bytes,
    says: tuple[str, str],
    capfd: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr("room.broker.run_link.ASK_S", 0.1 if b"tail" in script else 60)
    manager.write_bytes(b"#!/bin/sh\n" + script + b"\n")
    assert asyncio.run(clock_service()) == says
    assert capfd.readouterr() == ("", "")


def test_without_a_service_manager_nothing_is_known(
    manager: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    manager.write_text("#!/missing\n")
    assert asyncio.run(clock_service()) == ("", "")
    monkeypatch.setenv("PATH", str(manager.parent / "none"))
    assert asyncio.run(clock_service()) == ("", "")


class Noted:
    """Stands for a link: it ends the program when it has heard of so many earlier logs."""

    def __init__(self, *given: object) -> None:
        self.given, self.earlier = given, list[str]()
        self._has_all = asyncio.Event()

    def handle(self, event: SourceEvent) -> None:
        """See `Link`."""
        if isinstance(event, EarlierLinesRead):
            self.earlier.append(event.match)
            if len(self.earlier) == MAX_LOGS:
                self._has_all.set()

    async def run(self) -> None:
        """See `Link`."""
        async with asyncio.timeout(60):
            await self._has_all.wait()
        loop = asyncio.get_running_loop()
        loop.call_exception_handler({"message": "lost", "exception": MqttError("lost")})
        os.kill(os.getpid(), signal.SIGTERM)
        await asyncio.Event().wait()


def test_a_link_has_what_is_in_its_directory_until_the_program_is_ended(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """The latest logs; a lost connection is no news for the log of the event loop."""
    names = [f"m{at:02}" for at in range(MAX_LOGS + 2)]
    clock, made = LoggedClock(tmp_path / "red-1", [renamed(LOG, name) for name in names]), []
    clock.write(len(names) * len(LOG))

    def make(*given: object) -> Noted:
        made.append(Noted(*given))
        return made[-1]

    monkeypatch.setattr("room.broker.run_link.Link", make)
    before = threading.active_count()
    run_link(SETTINGS, clock.directory, tmp_path)
    [link] = made
    assert link.given == (SETTINGS, tmp_path, now_ns, clock_service)
    assert link.earlier == sorted({*link.earlier}, reverse=True)
    assert len(link.earlier) == MAX_LOGS
    assert (threading.active_count(), caplog.messages) == (before, [])


def test_in_a_thread_signals_are_left_to_the_program(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ends = type("Ends", (Noted,), {"run": lambda _: asyncio.sleep(0)})
    monkeypatch.setattr("room.broker.run_link.Link", ends)
    with ThreadPoolExecutor() as threads:
        threads.submit(run_link, SETTINGS, tmp_path, tmp_path).result()
