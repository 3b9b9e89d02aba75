"""The sample of `.ci/run`: faults of all packages, each with the test that has noticed it."""

import json
import tomllib
from collections import Counter
from collections.abc import Iterable
from itertools import groupby

from lab.mutants.faults import Fault
from lab.mutants.reach import Test
from lab.mutants.results import REASONS, Results

SAMPLE = REASONS.with_name("sample.toml")
HEAD = """\
# One-line faults, drawn at random from all packages, and the test that noticed each. `.ci/run` puts
# them in again: `make mutants ARGS=--kept`. Written by `make mutants ARGS="... --keep"`.
"""


def change(fault: Fault) -> str:
    """Return what a fault is called within its module."""
    return f"{fault.before} -> {fault.after}"


class Sample:
    """Stands for `Reach`: the one test of each fault is known, and nothing is measured."""

    def __init__(self, text: str) -> None:
        self._tests: dict[str, dict[str, str]] = tomllib.loads(text)

    def __len__(self) -> int:
        return sum(map(len, self._tests.values()))

    @property
    def modules(self) -> list[str]:
        """The modules that faults are put into."""
        return list(self._tests)

    @property
    def files_of_tests(self) -> list[str]:
        """The files that have the tests."""
        return sorted({_file(test) for of in self._tests.values() for test in of.values()})

    def has(self, fault: Fault) -> bool:
        """Return whether a fault is one of the sample."""
        return change(fault) in self._tests.get(fault.path, {})

    def load(self) -> None:
        """Do nothing: it does not change."""

    def reaching(self, fault: Fault, budget_s: float) -> list[Test]:  # noqa: ARG002 - as `Reach`
        """Return the test that has noticed a fault."""
        return [Test(self._tests[fault.path][change(fault)], layer=0, seconds=0)]

    def files(self, path: str, stage: int, budget_s: float) -> list[str]:  # noqa: ARG002 - as `Reach`
        """Return the files of the tests that have noticed a module's faults."""
        return [] if stage else sorted(set(map(_file, self._tests[path].values())))


def sample_of(faults: Iterable[Fault], everything: Iterable[Fault], results: Results) -> str:
    """Return the text of a sample: of some faults, those that a test has noticed.

    Faults that look the same as another one of their module are left out.
    """
    faults = sorted(faults, key=lambda fault: fault.path)
    same = Counter((fault.path, change(fault)) for fault in everything)
    lines = [HEAD]
    for path, own in groupby(faults, key=lambda fault: fault.path):
        tests = [
            f"{_quoted(change(fault))} = {_quoted(result.noticed_by)}"
            for fault in own
            if (result := results.of(fault)) and "::" in result.noticed_by
            if same[path, change(fault)] == 1 and not result.is_hanging
        ]
        if tests:
            lines += [f"[{_quoted(path)}]", *tests, ""]
    return "\n".join(lines)


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


def _file(test: str) -> str:
    return test.partition("::")[0]
