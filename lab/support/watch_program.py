"""`gammonclock watch` as a program of its own."""

import subprocess
import sys
from collections.abc import Sequence

from lab.bench.closing import Closing
from lab.support.paths import ROOT

MODULE = (sys.executable, "-m", "gammonclock")  # the program without its installed command


class WatchProgram(Closing):
    """A running `gammonclock watch` on a free port."""

    def __init__(self, *arguments: object, program: Sequence[str] = MODULE) -> None:
        """Start it; return when its pages can be opened.

        Args:
            arguments: sources and options.
            program: the command before "watch".

        Raises:
            LookupError: it has ended at once.
        """
        command = [*program, "watch", *map(str, arguments), "--port", "0"]
        self._process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=ROOT)
        said = self._process.stdout.readline() if self._process.stdout else ""
        if not said:
            raise LookupError("gammonclock watch did not start")
        self.address = said.split()[0].removesuffix("room")  # ends with "/"

    @property
    def process(self) -> int:
        """The id of its process."""
        return self._process.pid

    def close(self) -> None:
        """End it, and wait until it has ended."""
        self._process.terminate()
        self._process.communicate()
