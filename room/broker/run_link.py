"""Run links until they are ended."""

import asyncio
import logging
import shutil
import signal
import subprocess
import threading
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from room.broker.connection import log_no_losses
from room.broker.link import Link
from room.broker.topics import MAX_LOGS
from room.lines.events import SourceEvent
from room.settings.link import LinkSettings
from room.sources.directories import Directories
from room.sources.raw_clock import now_ns

UNIT = "gammonclock.service"
ASK_S = 5.0  # how long to wait for the service manager


async def clock_service() -> tuple[str, str]:
    """Return the state of the clock's service and what it says of itself; empty: not known."""
    systemctl = shutil.which("systemctl")
    if systemctl is None:
        return "", ""
    command = (systemctl, "show", "--property=ActiveState,StatusText", UNIT)
    try:
        asked = await asyncio.to_thread(
            subprocess.run, command, capture_output=True, timeout=ASK_S, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return "", ""
    lines = asked.stdout.decode(errors="replace").splitlines()
    found = dict(line.partition("=")[::2] for line in lines)
    return found.get("ActiveState", ""), found.get("StatusText", "")


def run_link(settings: LinkSettings, logs: Path, offers: Path) -> None:
    """Serve a log directory until the program is ended by a signal."""
    logging.basicConfig(format="%(message)s")
    link = Link(settings, offers, now_ns, clock_service)
    with suppress(asyncio.CancelledError):
        asyncio.run(run_links({logs: link}))


async def run_links(links: Mapping[Path, Link]) -> None:
    """Serve log directories, each by its own link, until cancelled or ended by a signal."""
    loop, main = asyncio.get_running_loop(), asyncio.current_task()
    log_no_losses(loop)
    by_source = {str(directory): link for directory, link in links.items()}
    if main is not None and threading.current_thread() is threading.main_thread():
        loop.add_signal_handler(signal.SIGTERM, main.cancel)

    def emit(event: SourceEvent) -> None:
        loop.call_soon_threadsafe(by_source[event.place.source].handle, event)

    source = Directories(list(links), now_ns, most_earlier=MAX_LOGS)
    source.start(emit)
    try:
        async with asyncio.TaskGroup() as tasks:
            for link in links.values():
                tasks.create_task(link.run())
    finally:
        source.close()
