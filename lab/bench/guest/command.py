"""A command of the guest that is used as from a keyboard: its output is read, Enter is pressed."""

import os
import subprocess

from lab.bench.guest.program import OUTPUT


class Command:
    """A command that has been started."""

    def __init__(self, command: list[str]) -> None:
        self._process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            cwd="/run",
        )

    def hear(self, words: str) -> str:
        """Return the output up to these words.

        Raises:
            EOFError: the command ended without them.
        """
        assert self._process.stdout is not None
        heard = b""
        while words.encode() not in heard:
            more = _saved(os.read(self._process.stdout.fileno(), 1 << 16))
            if not more:
                raise EOFError(f"it ended without {words!r}")
            heard += more
        return heard.decode()

    def enter(self) -> tuple[int, str]:
        """Press Enter if the command has not ended; return its exit code and remaining output."""
        rest, _ = self._process.communicate(b"\n")
        return self._process.returncode, _saved(rest).decode()


def _saved(text: bytes) -> bytes:
    """Append a part of the output to the test's file; return it."""
    with OUTPUT.open("ab") as output:
        output.write(text)
    return text
