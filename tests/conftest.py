"""Hypothesis profiles, the garbage collector, and a word about tests that were left out.

No test has a time limit but the half hour after which it hangs (pyproject.toml): a busy computer is
no fault. What was not run is said at the end, so that it is not taken for passed.
"""

import gc
from pathlib import Path

import hypothesis
import pytest

from lab.support import needs

pytest.register_assert_rewrite("tests.docs.director_page")

APART = {  # directories whose tests need more than Python; they are run when they are named
    "bench": "the bench (tests/bench), which needs a kernel of its own. To run it:"
    " make test IN=bench",
    "emulated": "the installation on emulated 64-bit ARM (tests/emulated), as root. To run it:"
    " make test IN=emulated",
    "browser": "the pages in a browser (tests/browser). To run them: make test IN=browser",
}
LEFT_OUT = pytest.StashKey[list[str]]()

hypothesis.settings.register_profile("ci", deadline=None, max_examples=30)
hypothesis.settings.register_profile("dev", deadline=None, max_examples=10)
hypothesis.settings.load_profile("ci")


# Tests make a lot and keep little, so that few collections find anything.
gc.set_threshold(100_000, 20, 20)


def pytest_configure(config: pytest.Config) -> None:
    """Judge each skip of a test."""
    config.pluginmanager.register(needs)


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Leave out a directory that needs more than Python, unless it is asked for by its path."""
    if collection_path.parent != Path(__file__).parent or collection_path.name not in APART:
        return None
    asked = [Path(argument.split("::")[0]).resolve() for argument in config.args]
    if any(path.is_relative_to(collection_path) for path in asked):
        return None
    config.stash.setdefault(LEFT_OUT, []).append(collection_path.name)
    return True


def pytest_collection_finish() -> None:
    """Spare the garbage collector thousands of tests, which live to the end, again and again."""
    gc.freeze()


def pytest_terminal_summary(
    terminalreporter: pytest.TerminalReporter, config: pytest.Config
) -> None:
    """Say what was left out."""
    for name in config.stash.get(LEFT_OUT, []):
        terminalreporter.write_line(f"Not run: {APART[name]}")
