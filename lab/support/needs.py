"""Programs of the operating system that no wheel brings.

A test that needs one is left out where it is missing, and the last lines of the run say for which
program, and how to get it. With CI=true or REQUIRE_ALL=1 such a test fails. A test that is skipped
for any other reason always fails.
"""

import os
import shutil
from collections import Counter
from collections.abc import Generator, Iterable
from typing import Never

import pytest

PACKAGES = {  # program: its package of Debian, Ubuntu and Raspberry Pi OS
    "chromium": "chromium",
    "groff": "groff-base",
    "mcopy": "mtools",
    "mkfs.vfat": "dosfstools",
    "mosquitto": "mosquitto",
    "systemctl": "systemd",
    "systemd-sysusers": "systemd",
    "tesseract": "tesseract-ocr",
    "userdel": "passwd",
}
ROOT = "root"
PATH = os.pathsep.join((os.environ.get("PATH", ""), "/usr/sbin", "/sbin"))
DEMAND = ("CI", "REQUIRE_ALL")
PREFIX = "Skipped: needs "


def needs(program: str) -> str:
    """Return the path of a program; without it, leave the test out."""
    found = shutil.which(program, path=PATH)
    return found if found is not None else _leave_out(program)


def needs_root() -> None:
    """Leave the test out unless root runs it."""
    if os.geteuid() != 0:
        _leave_out(ROOT)


def _leave_out(what: str) -> Never:
    pytest.skip(f"needs {what}: {to_get([what])}")


def to_get(missing: Iterable[str]) -> str:
    """Return how to get what is missing."""
    packages = {PACKAGES[each] for each in missing if each != ROOT}
    install = [f"sudo apt install {' '.join(sorted(packages))}"] if packages else []
    return ", and ".join([*install, *(["run the tests as root"] if ROOT in missing else [])])


def is_demanded() -> bool:
    """Return whether no test may be left out."""
    return any(os.environ.get(name, "").lower() not in {"", "0", "false"} for name in DEMAND)


# --- hooks of pytest: conftest.py registers this module -----------------------------------------


def missing(report: pytest.TestReport | pytest.CollectReport) -> str | None:
    """Return the missing program for which a test was left out; None: it was for another reason."""
    assert isinstance(report.longrepr, tuple)
    _, is_needed, reason = str(report.longrepr[2]).partition(PREFIX)
    program = reason.partition(":")[0]
    return program if is_needed and program in {*PACKAGES, ROOT} else None


def judge(report: pytest.TestReport | pytest.CollectReport) -> None:
    """Make a skip a failure, unless it is for a missing program that is not demanded."""
    if not report.skipped or hasattr(report, "wasxfail"):
        return
    if missing(report) is None or is_demanded():
        assert isinstance(report.longrepr, tuple)
        file, line, reason = report.longrepr
        report.outcome = "failed"
        report.longrepr = f"{file}:{line}: no test may be skipped for this: {reason}"


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_makereport() -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Judge the skip of a test."""
    report = yield
    judge(report)
    return report


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_make_collect_report() -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    """Judge the skip of a file."""
    report = yield
    judge(report)
    return report


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_sessionfinish(session: pytest.Session) -> Generator[None]:
    """Say at the very end how many tests were left out for which program, and how to get it."""
    yield
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    if reporter is None:  # this is a process of pytest-xdist, whose reports another one has
        return
    counts = Counter(filter(None, map(missing, reporter.stats.get("skipped", []))))
    if counts:
        said = ", ".join(f"{count} for {each}" for each, count in sorted(counts.items()))
        reporter.write_line(f"Left out, because it is missing: {said}.")
        reporter.write_line(f"To run these tests too: {to_get(counts)}")
