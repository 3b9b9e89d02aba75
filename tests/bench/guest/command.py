"""A command that a person has begun at a keyboard of the guest, reads along, and presses Enter.

The one rule: what it says is kept beside what the clock says, so that a test that fails shows it.
"""

import os
import subprocess

from bench.guest.program import OUTPUT


class Command:
    """One that was begun."""

    def __init__(self, command: list[str]) -> None:
        """Begin it."""
        self._process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            cwd="/run",
        )

    def hear(self, words: str) -> str:
        """What it says until it has said these words.

        Raises:
            EOFError: it ended without them.
        """
        assert self._process.stdout is not None
        heard = b""
        while words.encode() not in heard:
            more = _kept(os.read(self._process.stdout.fileno(), 1 << 16))
            if not more:
                raise EOFError(f"it ended without {words!r}")
            heard += more
        return heard.decode()

    def enter(self) -> tuple[int, str]:
        """Press Enter, unless it has ended; its exit code, and the rest of what it says."""
        rest, _ = self._process.communicate(b"\n")
        return self._process.returncode, _kept(rest).decode()


def _kept(said: bytes) -> bytes:
    with OUTPUT.open("ab") as output:
        output.write(said)
    return said
