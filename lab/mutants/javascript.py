"""Put one-line faults into the pages' JavaScript that needs no browser; see which the tests notice.

python -m lab.mutants.javascript [time.js ...]

The tests are those that run a module of the pages in an engine. What needs a browser is not tried.
"""

import re
import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path
from typing import NamedTuple

import pytest

from lab.mutants.children import Report, Work, outcomes
from lab.mutants.running import OPTIONS, Watch, prepare
from tests.room.pages import engine

TESTS = ("tests/room/pages", "tests/room/hub/test_words.py", "tests/room/web/test_result_words.py")
MODULE = re.compile(r'(?<!PAGES / )"(\w+\.js)"')  # as a test names it that runs it
SIGNS = {
    "===": "!==",
    "!==": "===",
    "<=": "<",
    "<": "<=",
    ">=": ">",
    ">": ">=",
    "+=": "-=",
    "-=": "+=",
    "+": "-",
    "-": "+",
    "*": "/",
    "/": "*",
    "%": "*",
    "&&": "||",
    "||": "&&",
    "??": "&&",
    "!": "",
}
WORDS = {
    "true": "false",
    "false": "true",
    "null": "0",
    "min": "max",
    "max": "min",
    "some": "every",
    "every": "some",
    "floor": "ceil",
    "ceil": "floor",
}
TOKEN = re.compile(
    # What stays as it is: comments, texts, regular expressions, imports.
    r"""/\*.*?\*/|//[^\n]*|"[^"\n]*"|`[^`]*`|(?<=[(,] )/[^/\n]+/|^import[^;]*;|=>"""
    r"|(?P<number>\b\d[\d_]*(?:\.\d+)?(?:e\d+)?\b)"
    rf"|(?P<word>\b(?:{'|'.join(WORDS)})\b)|(?P<sign>{'|'.join(map(re.escape, SIGNS))})",
    re.MULTILINE | re.DOTALL,
)
STATEMENT = re.compile(r"(?<=[;{}]\n) +(?:return )?[\w.#]+(?:\(| [-+]?= )[^;{}]*;", re.MULTILINE)


class Fault(NamedTuple):
    """A piece of a module, and what stands there instead."""

    name: str
    start: int
    end: int
    text: str

    def apply(self) -> str:
        """Return the module with the fault."""
        source = (engine.PAGES / self.name).read_text("utf-8")
        return source[: self.start] + self.text + source[self.end :]

    def __str__(self) -> str:
        """Show where it is, and what is changed."""
        source = (engine.PAGES / self.name).read_text("utf-8")
        line, low = source.count("\n", 0, self.start) + 1, source.rfind("\n", 0, self.start) + 1
        piece = " ".join(source[self.start : self.end].split())
        return (
            f"{self.name}:{line}  {source[low:].splitlines()[0].strip()}  :  {piece} -> {self.text}"
        )


def faults(name: str) -> Iterator[Fault]:
    """Yield the faults of a module: another operator or number, or a statement less."""
    source = (engine.PAGES / name).read_text("utf-8")
    for found in TOKEN.finditer(source):
        if found["number"]:
            yield Fault(name, *found.span(), f"({found['number']} + 1)")
        elif found["word"] or found["sign"]:
            yield Fault(name, *found.span(), (WORDS | SIGNS)[found.group()])
    yield from (Fault(name, *found.span(), ";") for found in STATEMENT.finditer(source))


def tested() -> list[str]:
    """Return the names of the modules that the tests run."""
    files = (file for path in map(Path, TESTS) for file in (path, *path.glob("test_*.py")))
    found = (MODULE.findall(file.read_text("utf-8")) for file in files if file.is_file())
    return sorted({name for names in found for name in names})


def trying(fault: Fault) -> Work:
    """Return the work of running the tests with a fault."""

    def work(report: Report) -> None:
        report.starts("import", 5)
        pages = Path(tempfile.mkdtemp()) / "pages"
        shutil.copytree(engine.PAGES, pages)
        (pages / fault.name).write_text(fault.apply(), "utf-8")
        engine.PAGES = pages
        pytest.main([*TESTS, *OPTIONS, "-x", "-m", "not slow"], plugins=[Watch(report)])

    return work


def main(names: list[str]) -> None:
    """Try all faults of some modules and print those that no test noticed."""
    prepare()
    with redirect_stdout(StringIO()):  # what the tests import stays imported
        code = pytest.main([*TESTS, *OPTIONS, "--collect-only"])
    if code:
        sys.exit("The tests could not be collected.")
    todo = [fault for name in names for fault in faults(name)]
    alive = 0
    for fault, outcome in outcomes(((each, trying(each)) for each in todo), 2):
        if not outcome.noticed:
            alive += 1
            print(fault, flush=True)
    print(f"{len(todo)} faults in {len(names)} modules: {alive} not noticed")


if __name__ == "__main__":
    main(sys.argv[1:] or tested())
