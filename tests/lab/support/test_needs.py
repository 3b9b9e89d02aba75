"""Tests are left out only for a missing program or right; the last lines say so.

CI demands the programs.
"""

import re

import pytest

from lab.support import needs
from lab.support.paths import ROOT, TESTS

pytest_plugins = "pytester"

CONFTEST = """
from lab.support import needs
needs.PATH = "/nowhere"
def pytest_configure(config):
    config.pluginmanager.register(needs)
"""
FOR_A_PROGRAM = """
import pytest
from lab.support.needs import needs
@pytest.mark.parametrize("number", [1, 2])
def test_broker(number): needs("mosquitto")
@pytest.fixture
def browser(): return needs("chromium")
def test_page(browser): pass
def test_of_nothing(): pass
"""
FOR_A_RIGHT = """
import os
import pytest
from lab.support import needs
def test_root(monkeypatch):
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    needs.needs_root()
def test_apart(monkeypatch):
    monkeypatch.setattr(needs, "may_be_apart", lambda: False)
    needs.needs_unshare()
@pytest.mark.parametrize("user", [0, 4242])
def test_server(monkeypatch, user):
    monkeypatch.setattr(os, "geteuid", lambda: user)
    monkeypatch.setattr(needs.pwd, "getpwall", lambda: [needs.pwd.getpwuid(0)])
    needs.needs_ordinary_user()
"""
FOR_ANOTHER_REASON = """
import pytest
def test_skip(): pytest.skip("not today")
@pytest.mark.skipif(True, reason="needs patience")
def test_mark(): pass
def test_import(): pytest.importorskip("no_such_module")
"""
LAST_LINES = [
    "Left out, because it is missing: 1 for chromium, 2 for mosquitto.",
    "To run these tests too: sudo apt install chromium mosquitto",
]


@pytest.fixture
def run(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> pytest.Pytester:
    """Return a project with the hooks, where nothing is demanded and no program found."""
    for name in ("CI", "REQUIRE_ALL"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(needs, "PATH", "/nowhere")  # and back: a run in this process shares it
    pytester.makeconftest(CONFTEST)
    return pytester


@pytest.mark.parametrize("options", [(), pytest.param(("-n", "2"), marks=pytest.mark.slow)])
def test_the_last_lines_say_what_was_left_out(
    run: pytest.Pytester, options: tuple[str, ...]
) -> None:
    """With one command that brings every missing program; the run succeeds."""
    run.makepyfile(FOR_A_PROGRAM)
    result = run.runpytest_inprocess(*options)
    assert result.outlines[-2:] == LAST_LINES
    assert (result.ret, result.parseoutcomes()) == (0, {"passed": 1, "skipped": 3})


@pytest.mark.parametrize("name", ["CI", "REQUIRE_ALL"])
def test_what_is_demanded_fails(
    run: pytest.Pytester, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.setenv(name, "true")
    run.makepyfile(FOR_A_PROGRAM)
    result = run.runpytest_inprocess()
    result.stdout.fnmatch_lines("*needs mosquitto: sudo apt install mosquitto")
    assert result.ret == 1
    assert "skipped" not in result.parseoutcomes()


def test_a_right_is_never_demanded(run: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
    """What a container does not grant to root is no fault of the code; the last lines name it."""
    monkeypatch.setenv("CI", "true")
    run.makepyfile(FOR_A_RIGHT)
    result = run.runpytest_inprocess()
    assert (result.ret, result.parseoutcomes()) == (0, {"skipped": 4})
    assert result.outlines[-2] == (
        "Left out, because it is missing: 2 for an ordinary user, 1 for root, 1 for unshare."
    )


def test_few_tests_are_left_out_for_a_right() -> None:
    """Each is one that an ordinary user or a container cannot run."""
    texts = [path.read_text("utf-8") for path in TESTS.rglob("test_*.py")]
    calls = sum(
        len(re.findall(r"^ +needs_(?:root|unshare)\(\)", text, re.MULTILINE)) for text in texts
    )
    assert calls == 3


def test_a_skip_for_another_reason_fails(run: pytest.Pytester) -> None:
    run.makepyfile(FOR_ANOTHER_REASON)
    run.runpytest_inprocess().assert_outcomes(failed=2, errors=1)
    run.makepyfile("import pytest; pytest.skip(allow_module_level=True)")
    assert run.runpytest_inprocess().parseoutcomes().keys() >= {"errors"}


def test_continuous_integration_installs_all_of_it() -> None:
    """Or a new machine would stop at the first test that demands it."""
    said = (ROOT / ".ci" / "run").read_text("utf-8")
    assert set(needs.PACKAGES.values()) <= set(re.findall(r":([a-z-]+)\b", said))
