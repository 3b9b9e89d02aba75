"""The driver of Textual's app for a real terminal, which may go away."""

import asyncio
import select
import signal
import sys
from contextlib import suppress
from threading import Thread
from typing import Any

from textual.app import App
from textual.drivers.linux_driver import LinuxDriver

END_SIGNALS = (signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT)


class _LossyFile:
    """A text file that takes everything: nothing fails when the terminal has gone."""

    def __init__(self, file: Any) -> None:
        self._file = file

    def write(self, text: str) -> None:
        with suppress(OSError):
            self._file.write(text)

    def flush(self) -> None:
        with suppress(OSError):
            self._file.flush()

    def fileno(self) -> int:
        return int(self._file.fileno())


class TerminalDriver(LinuxDriver):
    """Ends the app when the terminal has gone, and at the signals that end a program.

    A window that is closed is not always told by SIGHUP: `make` does not pass it on.
    """

    def __init__(self, app: App[Any], **options: Any) -> None:
        """See `LinuxDriver`; called in the app's event loop."""
        super().__init__(app, **options)
        self._file: Any = _LossyFile(self._file)
        loop = asyncio.get_running_loop()
        for number in END_SIGNALS:
            loop.add_signal_handler(number, app.exit)
        watch = Thread(target=_end_with_terminal, args=(loop, app), daemon=True)
        watch.start()

    def run_input_thread(self) -> None:
        """Read keys until the app ends or the terminal has gone."""
        with suppress(OSError):
            super().run_input_thread()


def _end_with_terminal(loop: asyncio.AbstractEventLoop, app: App[Any]) -> None:
    poll = select.poll()
    poll.register(sys.__stdin__ or 0, 0)  # a hang-up or an error is reported in any case
    while not any(what & (select.POLLHUP | select.POLLERR) for _, what in poll.poll()):
        pass
    with suppress(RuntimeError):  # the app has ended
        loop.call_soon_threadsafe(app.exit)
