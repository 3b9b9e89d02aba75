"""Programs of the operating system that no wheel brings, and rights that not every user has.

A test that needs one is left out where it is missing, and the last lines of the run say for what,
and how to get it. With CI=true or REQUIRE_ALL=1 a test that needs a program fails; a right is not
to be had everywhere, in a container least of all. A test that is skipped for any other reason
always fails.
"""

import os
import pwd
import re
import shutil
from collections import Counter
from collections.abc import Generator, Iterable
from pathlib import Path
from typing import Never

import pytest

from lab.bare_system import may_be_apart

PACKAGES = {  # program: its package of Debian, Ubuntu and Raspberry Pi OS
    "chromium": "chromium",
    "mcopy": "mtools",
    "mkfs.vfat": "dosfstools",
    "mosquitto": "mosquitto",
    "npm": "npm",
    "openscad": "openscad",
    "systemctl": "systemd",
    "systemd-analyze": "systemd",
    "systemd-sysusers": "systemd",
    "tesseract": "tesseract-ocr",
    "userdel": "passwd",
}
RIGHTS = {  # what not every machine grants: how to get it
    "root": "run the tests as root, in a container with its usual rights",
    "unshare": "run the tests as root, in a container with --privileged",
    "an ordinary user": "run the tests as a user of /etc/passwd, or as root beside one",
}
DOCKER = 0xA80425FB  # the capabilities of root in a container of Docker: 14 bits, as the kernel's
PATH = os.pathsep.join((os.environ.get("PATH", ""), "/usr/sbin", "/sbin"))
DEMAND = ("CI", "REQUIRE_ALL")
PREFIX = "Skipped: needs "


def needs(program: str) -> str:
    """Return the path of a program; without it, leave the test out."""
    found = shutil.which(program, path=PATH)
    return found if found is not None else _leave_out(program)


def needs_root() -> None:
    """Leave the test out unless root runs it, with the rights that a container leaves to root."""
    status = Path("/proc/self/status")
    found = re.search(r"CapEff:\s*(\w+)", status.read_text() if status.exists() else "")
    if os.geteuid() != 0 or (found and DOCKER & ~int(found[1], 16)):
        _leave_out("root")


def needs_unshare() -> None:
    """Leave the test out unless a program may have mounts and processes of its own."""
    if not may_be_apart():
        _leave_out("unshare")


def needs_ordinary_user() -> str | None:
    """Return a user for a program that root may not run, None if root does not run the test."""
    names = {each.pw_uid: each.pw_name for each in pwd.getpwall()}
    ordinary = [name for number, name in names.items() if number != 0]
    if os.geteuid() in names and os.geteuid() != 0:
        return None
    return ordinary[0] if ordinary and os.geteuid() == 0 else _leave_out("an ordinary user")


def _leave_out(what: str) -> Never:
    pytest.skip(f"needs {what}: {to_get([what])}")


def to_get(missing: Iterable[str]) -> str:
    """Return how to get what is missing."""
    names = set(missing)
    packages = {PACKAGES[each] for each in names - RIGHTS.keys()}
    install = [f"sudo apt install {' '.join(sorted(packages))}"] if packages else []
    return ", and ".join([*install, *(RIGHTS[each] for each in sorted(names & RIGHTS.keys()))])


def is_demanded() -> bool:
    """Return whether no test may be left out for a program."""
    return any(os.environ.get(name, "").lower() not in {"", "0", "false"} for name in DEMAND)


# --- hooks of pytest: conftest.py registers this module -----------------------------------------


def missing(report: pytest.TestReport | pytest.CollectReport) -> str | None:
    """Return the program or right for which a test was left out; None: it was something else."""
    assert isinstance(report.longrepr, tuple)
    _, is_needed, reason = str(report.longrepr[2]).partition(PREFIX)
    name = reason.partition(":")[0]
    return name if is_needed and name in {*PACKAGES, *RIGHTS} else None


def judge(report: pytest.TestReport | pytest.CollectReport) -> None:
    """Make a skip a failure, unless it is for a missing right, or a program not demanded."""
    if not report.skipped or hasattr(report, "wasxfail"):
        return
    name = missing(report)
    if name is None or (name not in RIGHTS and is_demanded()):
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
    """Say at the very end how many tests were left out for what, and how to get it."""
    yield
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    if reporter is None:  # this is a process of pytest-xdist, whose reports another one has
        return
    counts = Counter(filter(None, map(missing, reporter.stats.get("skipped", []))))
    if counts:
        said = ", ".join(f"{count} for {each}" for each, count in sorted(counts.items()))
        reporter.write_line(f"Left out, because it is missing: {said}.")
        reporter.write_line(f"To run these tests too: {to_get(counts)}")
