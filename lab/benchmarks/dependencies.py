"""Weigh what a clock is installed with: time and memory to import each package, and its files.

What a package itself needs is counted with it, so the figures do not add up. On a Zero 2 W an
import takes several times as long; files and memory are about the same.
"""

import subprocess
import sys
import tomllib
from collections.abc import Iterator
from importlib.metadata import distribution
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from lab.benchmarks.measure import Figure, at_most
from lab.support.paths import ROOT

MODULES = {  # what the clock imports of a package, where that has another name
    "inotify-simple": "inotify_simple",
    "luma.core": "luma.core.interface.serial",
    "luma.oled": "luma.oled.device",
    "pillow": "PIL.Image",
    "pyserial": "serial",
    "rich": "rich.table",
    "textual": "textual.app",
}
IMPORT = """
import resource, sys, time
def memory():
    return int(open("/proc/self/statm").read().split()[1]) * resource.getpagesize()
before, begin_ns = memory(), time.perf_counter_ns()
__import__(sys.argv[1])
print((time.perf_counter_ns() - begin_ns) / 1e6, (memory() - before) / 1e6)
"""
ROUNDS = 5


def figures() -> Iterator[Figure]:
    """Yield the weight of each package that the clock needs, or its link to a room."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    for requirement in (*project["dependencies"], *project["optional-dependencies"]["link"]):
        name = Requirement(requirement).name
        weights = [_imported(MODULES.get(name, name)) for _ in range(ROUNDS)]
        yield at_most(f"{name}: to import", [time_ms for time_ms, _ in weights], "ms", 500)
        yield at_most("memory", [memory_mb for _, memory_mb in weights], "MB", 30)
        yield at_most("files", [sum(map(_files_mb, _with_needed(name)))], "MB", 30)


def _imported(module: str) -> tuple[float, float]:
    """Return how long a new process imports a module, in ms, and the memory for it, in MB."""
    command = [sys.executable, "-c", IMPORT, module]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    time_ms, memory_mb = map(float, done.stdout.split())
    return time_ms, memory_mb


def _with_needed(name: str) -> set[str]:
    """Return the names of a package and of all that it needs here, extras left out."""
    found, left = set[str](), [name]
    while left:
        each = canonicalize_name(left.pop())
        if each in found:
            continue
        found.add(each)
        needed = map(Requirement, distribution(each).requires or ())
        left += [one.name for one in needed if not one.marker or one.marker.evaluate({"extra": ""})]
    return found


def _files_mb(name: str) -> float:
    """Return the size of a package's files, without what Python compiles of them."""
    files = [file for file in distribution(name).files or () if file.suffix != ".pyc"]
    paths = [path for file in files if (path := Path(file.locate())).is_file()]
    return sum(path.stat().st_size for path in paths) / 1e6
