"""Hypothesis profiles, the garbage collector, and a word about tests that were left out.

No test has a time limit: a busy computer is no fault. What was not run is said at the end, so that
it is not taken for passed.
"""

import gc
from pathlib import Path

import hypothesis
import pytest

pytest.register_assert_rewrite("tests.docs.director_page")

BENCH = Path(__file__).parent / "bench"
LEFT_OUT = pytest.StashKey[bool]()

hypothesis.settings.register_profile("ci", deadline=None)
hypothesis.settings.register_profile("dev", deadline=None, max_examples=10)
hypothesis.settings.load_profile("ci")


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Leave out the bench, which needs a kernel of its own, unless it is asked for by its path."""
    asked = [Path(argument.split("::")[0]).resolve() for argument in config.args]
    if collection_path != BENCH or any(path.is_relative_to(BENCH) for path in asked):
        return None
    config.stash[LEFT_OUT] = True
    return True


def pytest_collection_finish() -> None:
    """Spare the garbage collector thousands of tests, which live to the end, again and again."""
    gc.freeze()


def pytest_terminal_summary(
    terminalreporter: pytest.TerminalReporter, config: pytest.Config
) -> None:
    """Say what was left out."""
    if config.stash.get(LEFT_OUT, False):
        terminalreporter.write_line(
            "Not run: the bench (tests/bench), which needs a kernel of its own. To run it:"
            " make bench-kernel bench-test"
        )
