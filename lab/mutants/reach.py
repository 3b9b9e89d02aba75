"""Which tests reach which lines, measured once and kept until a test's file changes."""

import difflib
import json
from collections.abc import Collection, Iterable, Iterator
from hashlib import sha256
from itertools import accumulate
from pathlib import Path
from typing import Any, NamedTuple

from lab.mutants.faults import Fault

ROOT = Path(__file__).parents[2]
PRODUCT = ("clock", "gammonclock", "gpiozero_gpiod", "hardware", "room")
END = 100_000  # beyond the last line of a module
IMPORT_S = 0.3  # what a file costs before its first test
LAYERS = ("own file", "package", "stories", "rest")


class Test(NamedTuple):
    """A test, as far as the order matters."""

    id: str
    layer: int
    """Where it stands in `LAYERS`, seen from the module."""
    seconds: float

    @property
    def file(self) -> str:
        """Its file."""
        return self.id.partition("::")[0]


def own_tests(module: str) -> str:
    """Return the file of a module's own tests."""
    path = Path("tests", module.removeprefix("clock/"))
    return str(path.with_name(f"test_{path.name}"))


def layer(test_file: str, module: str) -> int:
    """Return where a test stands, seen from a module."""
    own = own_tests(module)
    if test_file == own:
        return 0
    if test_file.rpartition("/")[0] == own.rpartition("/")[0]:
        return 1
    return 2 if test_file.startswith("tests/stories/") else 3


def digest(path: str) -> str:
    """Return a hash of a file's content; "" if there is none."""
    file = ROOT / path
    return sha256(file.read_bytes()).hexdigest() if file.exists() else ""


class Reach:
    """The lines that each test reaches, in a file of the user's cache."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self.load()

    def load(self) -> None:
        """Read the file, without tests that are gone; bring lines to where they are now."""
        kept: dict[str, Any] = json.loads(self._file.read_text()) if self._file.exists() else {}
        hashes, tests = kept.get("hashes", {}), kept.get("tests", {})
        self._hashes: dict[str, str] = {file: hashes[file] for file in hashes if digest(file)}
        self._texts: dict[str, str] = kept.get("texts", {})
        self._tests: dict[str, dict[str, Any]] = {
            name: tests[name] for name in tests if name.partition("::")[0] in self._hashes
        }
        for path, text in self._texts.items():
            now = (ROOT / path).read_text() if (ROOT / path).exists() else ""
            if now != text:
                self._texts[path] = now
                self._move(path, moved(text.splitlines(), now.splitlines()))

    def _move(self, path: str, origins: list[int]) -> None:
        for test in self._tests.values():
            if path in test["lines"]:
                old = int(test["lines"][path], 16)
                new = sum((old >> line & 1) << at for at, line in enumerate(origins, start=1))
                test["lines"][path] = hex(new)

    def stale(self, tests: Collection[str]) -> set[str]:
        """Return the files of tests that have to be measured, and forget their tests."""
        stale = {name.partition("::")[0] for name in tests if name not in self._tests}
        files = {name.partition("::")[0] for name in tests}
        stale |= {file for file in files if self._hashes.get(file) != digest(file)}
        self._tests = {
            name: test for name, test in self._tests.items() if name.partition("::")[0] not in stale
        }
        return stale

    def add(self, test: str, seconds: float, *, passed: bool) -> None:
        """Note a test that was measured."""
        self._tests[test] = {"seconds": round(seconds, 4), "passed": passed, "lines": {}}

    def add_lines(self, path: str, lines: dict[int, list[str]]) -> None:
        """Note which tests have reached a module's lines."""
        self._texts[path] = (ROOT / path).read_text()
        masks: dict[str, int] = {}
        for line, tests in lines.items():
            for test in tests:
                masks[test] = masks.get(test, 0) | 1 << line
        for test, mask in masks.items():
            if test in self._tests:
                self._tests[test]["lines"][path] = hex(mask)

    def save(self, measured: Iterable[str]) -> None:
        """Write the file."""
        self._hashes |= {file: digest(file) for file in measured}
        kept = {"hashes": self._hashes, "texts": self._texts, "tests": self._tests}
        self._file.write_text(json.dumps(kept))

    def tests(self, path: str, first: int, last: int) -> list[Test]:
        """Return the tests that reach one of these lines: nearest first, then the cheapest."""
        wanted = (1 << last + 1) - (1 << first)
        found = [
            Test(name, layer(name.partition("::")[0], path), test["seconds"])
            for name, test in self._tests.items()
            if test["passed"] and int(test["lines"].get(path, "0"), 16) & wanted
        ]
        cheapest: dict[str, float] = {}
        for each in found:  # the tests of one file stay together, as they share what they set up
            cheapest[each.file] = min(each.seconds, cheapest.get(each.file, each.seconds))
        return sorted(found, key=lambda t: (t.layer, cheapest[t.file], t.file, t.seconds))

    def files(self, path: str, stage: int, budget_s: float) -> list[str]:
        """Return the files of tests to try on a module as a whole, of its layer `stage`.

        The last stage is all the rest: those that reach the module, the cheapest first, within a
        budget. If a module has no function, those that reach its package.
        """
        if stage < 2:
            return sorted(file for file in self._hashes if layer(file, path) == stage)
        seconds: dict[str, float] = {}
        for test in self.tests(path, 0, END) or self._of_package(path):
            if test.layer >= stage:
                seconds[test.file] = seconds.get(test.file, IMPORT_S) + test.seconds
        files = sorted(seconds, key=seconds.__getitem__)
        total = accumulate(seconds[file] for file in files)
        return [file for file, so_far in zip(files, total, strict=True) if so_far <= budget_s]

    def _of_package(self, path: str) -> list[Test]:
        package = path.rpartition("/")[0]
        modules = [each for each in self._texts if each.rpartition("/")[0] == package]
        return list(dict.fromkeys(test for each in modules for test in self.tests(each, 0, END)))

    def reaching(self, fault: Fault, budget_s: float) -> list[Test]:
        """Return the tests to try on a fault, which take no longer than a budget together."""
        return list(within(self.tests(fault.path, fault.first, fault.last), budget_s))


def within(tests: Iterable[Test], budget_s: float) -> Iterator[Test]:
    """Yield the first tests, which take no longer than a budget; all of a module's own."""
    for test in tests:
        budget_s -= test.seconds
        if budget_s < 0 and test.layer:
            return
        yield test


def moved(old: list[str], new: list[str]) -> list[int]:
    """Return for each line of a text which line it was; new ones count as the one before."""
    origins: list[int] = []
    for kind, low, high, start, end in difflib.SequenceMatcher(
        None, old, new, autojunk=False
    ).get_opcodes():
        if kind == "equal":
            origins += range(low + 1, high + 1)
        else:
            origins += [min(low + 1 + each, max(high, 1)) for each in range(end - start)]
    return origins
