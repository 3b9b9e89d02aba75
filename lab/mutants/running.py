"""Running tests on a fault: in a process that has collected them, or with fresh imports."""

import contextlib
import functools
import gc
import os
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from importlib import import_module
from importlib.util import find_spec
from itertools import zip_longest
from pathlib import Path
from types import CodeType, FunctionType
from typing import Any, NamedTuple

import pytest

from lab.mutants.children import Report, Work, end_with_parent, outcomes
from lab.mutants.faults import Fault
from lab.mutants.fresh import import_with, module_name
from lab.mutants.reach import PRODUCT, ROOT, Reach, Test

PROFILE = "mutants"
OPTIONS = [
    *("-q", "-s", "-p", "no:cacheprovider", "-p", "no:xdist"),
    f"--hypothesis-profile={PROFILE}",
    *("-W", "ignore:Module already imported:pytest.PytestAssertRewriteWarning"),
]
CACHE_TYPE = type(functools.cache(bool))
LIBRARIES = ("click", "gpiozero", "msgspec", "PIL", "rich", "starlette.testclient", "textual")


def prepare() -> None:
    """Import what all tests need but the product, and make properties give the same examples."""
    for name in LIBRARIES:
        if find_spec(name.partition(".")[0]):
            __import__(name)
    from hypothesis import Phase, settings

    settings.register_profile(
        PROFILE,
        deadline=None,
        max_examples=10,
        derandomize=True,
        database=None,
        phases=[Phase.explicit, Phase.generate],
    )


class Quick:
    """Leaves slow tests out, but for those of some files."""

    def __init__(self, slow: Collection[str]) -> None:
        self._slow = slow

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """Keep the tests that are wanted."""
        items[:] = [
            item
            for item in items
            if item.get_closest_marker("slow") is None
            or item.nodeid.partition("::")[0] in self._slow
        ]


# --- with fresh imports ---------------------------------------------------------------------------


class Watch:
    """Tells which tests begin and fail."""

    def __init__(self, report: Report) -> None:
        self._report = report

    def pytest_runtest_logstart(self, nodeid: str) -> None:
        """Tell that a test begins."""
        self._report.starts(nodeid)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Tell that a test has failed."""
        if report.failed:
            self._report.noticed(report.nodeid)


def freshly(fault: Fault, files: Sequence[str], slow: Collection[str]) -> Work:
    """Return the work of running the tests of some files, with the product imported anew."""

    def work(report: Report) -> None:
        report.starts("import", 5)
        import_with(fault.path, fault.apply((ROOT / fault.path).read_bytes()))
        code = pytest.main([*files, *OPTIONS, "-x"], plugins=[Watch(report), Quick(slow)])
        if code not in {pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED}:
            report.noticed("import")  # unless a test has failed before

    return work


# --- in a process that has collected the tests ----------------------------------------------------


class InProcess:
    """Takes over from pytest when all tests are collected."""

    def __init__(self, then: Callable[["InProcess"], None]) -> None:
        self._then, self._failed = then, False
        self.items: dict[str, pytest.Item] = {}

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """Do what is wanted with the tests, in place of running them."""
        self.items = {item.nodeid: item for item in session.items}
        self._then(self)
        return True

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Note a failure."""
        self._failed |= report.failed

    def run(self, name: str, following: str | None) -> bool:
        """Run a test; return whether it has passed."""
        self._failed, item = False, self.items[name]
        nextitem = self.items[following] if following is not None else None
        item.config.hook.pytest_runtest_protocol(item=item, nextitem=nextitem)
        return not self._failed

    def run_all(self, tests: Sequence[Test], report: Report, in_full: int) -> None:
        """Run tests in their order.

        Args:
            tests: those that reach the fault.
            report: where to tell which of them fail.
            in_full: of so many layers, run all tests; of the others, up to the first that fails.
                0: end with the first test that fails.
        """
        noticed = set[int]()
        for test, following in zip_longest(tests, tests[1:]):
            if test.layer in noticed and test.layer >= in_full:
                continue
            report.starts(test.id, test.seconds)
            if not self.run(test.id, following.id if following else None):
                report.noticed(test.id)
                noticed.add(test.layer)
                self.tear_down(test.id)
                if not in_full:
                    return

    def tear_down(self, name: str) -> None:
        """End all that tests share."""
        item = self.items[name]
        with contextlib.suppress(Exception):  # the fault may be noticed here, too
            item.config.hook.pytest_runtest_teardown(item=item, nextitem=None)

    @staticmethod
    def load(modules: Iterable[str]) -> None:
        """Import modules that tests import only while they run: a fault needs their functions."""
        for path in modules:
            with contextlib.suppress(ModuleNotFoundError):  # of an extra
                import_module(module_name(path))

    def measure(self, reach: Reach) -> None:
        """Measure in a child which lines are reached by tests whose files have changed."""
        stale = reach.stale(self.items)
        names = [name for name in self.items if name.partition("::")[0] in stale]
        if not names:
            return
        print(f"Measuring which lines {len(names)} tests of {len(stale)} files reach", flush=True)

        def work(report: Report) -> None:
            self._measure(names, reach, report)
            reach.save(stale)

        for _, outcome in outcomes([(None, work)], 1):
            print(f"  {outcome.seconds:.0f} s of processor time", *outcome.noticed[:5])
            assert not outcome.is_hanging, f"{outcome.latest} did not end"
        reach.load()

    def _measure(self, names: Sequence[str], reach: Reach, report: Report) -> None:
        from coverage import Coverage

        folders = [f"{ROOT}/{each}/*" for each in PRODUCT]
        coverage = Coverage(data_file=None, config_file=False, include=folders)
        coverage.start()
        for name, following in zip_longest(names, names[1:]):
            report.starts(name, 60)
            coverage.switch_context(name)
            before = time.process_time_ns()
            passed = self.run(name, following)
            reach.add(name, (time.process_time_ns() - before) / 10**9, passed=passed)
            if not passed:
                report.noticed(name)
        coverage.stop()
        data = coverage.get_data()
        for path in data.measured_files():
            reach.add_lines(str(Path(path).relative_to(ROOT)), data.contexts_by_lineno(path))

    def trying(self, fault: Fault, tests: Sequence[Test], in_full: int = 0) -> Work:
        """Return the work of running tests with a fault in a function."""
        product = loaded()  # before the child, so that it is made once

        def work(report: Report) -> None:
            put_in(fault, product)
            self.run_all([test for test in tests if test.id in self.items], report, in_full)

        return work


def in_collected(
    folders: Sequence[str], slow: Collection[str], then: Callable[[InProcess], None]
) -> None:
    """Collect the tests of some folders in a process of its own, and go on there."""
    sys.stdout.flush()
    if pid := os.fork():
        _, status = os.waitpid(pid, 0)
        if status:
            sys.exit("The tests could not be collected, or the tool has failed.")
        return
    end_with_parent()
    code = 1
    try:
        code = pytest.main([*folders, *OPTIONS], plugins=[InProcess(then), Quick(slow)])
    finally:
        sys.stdout.flush()
        os._exit(code)


class Loaded(NamedTuple):
    """What a fault may change in a process that has imported the product."""

    functions: dict[tuple[str, str, int], list[FunctionType]]
    """By file, name and line."""
    caches: list[Any]


@functools.cache
def loaded() -> Loaded:
    """Return all functions of the product, and those that keep what they have returned."""
    gc.unfreeze()
    everything = gc.get_objects()
    gc.freeze()
    functions = defaultdict(list)
    for each in everything:
        if isinstance(each, FunctionType) and each.__code__.co_filename.startswith(f"{ROOT}/"):
            functions[place(each.__code__)].append(each)
    caches = [each for each in everything if isinstance(each, CACHE_TYPE)]
    return Loaded(functions, [each for each in caches if each.__module__.split(".")[0] in PRODUCT])


def place(code: CodeType) -> tuple[str, str, int]:
    """Return what a function is found by."""
    return code.co_filename, code.co_qualname, code.co_firstlineno


def put_in(fault: Fault, product: Loaded) -> None:
    """Give all functions of a module the code with the fault; forget what they have returned."""
    file = ROOT / fault.path
    module = compile(fault.apply(file.read_bytes()), str(file), "exec", dont_inherit=True)
    for code in codes(module):
        for function in product.functions.get(place(code), ()):
            with contextlib.suppress(ValueError):  # it needs other cells: see the fresh imports
                function.__code__ = code
    for each in product.caches:
        each.cache_clear()


def codes(code: CodeType) -> Iterator[CodeType]:
    """Yield all code within a module's code."""
    for each in code.co_consts:
        if isinstance(each, CodeType):
            yield each
            yield from codes(each)
