"""The log directory, its space, and how soon it is synced."""

import errno
import os
import tempfile
from pathlib import Path
from typing import NoReturn

import pytest

from hardware.diagnostics import check_log
from hardware.diagnostics.finding import Verdict
from lab.support.findings import FAULT, NOTE, OK, SKIPPED, file, read_only, verdict_of

MS = 1_000_000


@pytest.fixture(autouse=True)
def only_the_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Make writing anywhere else fail: another disk may be faster, and have links."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "nowhere"))


def test_the_log_directory(tmp_path: Path) -> None:
    """It exists, can be created, is a file, or would be inside a file."""
    assert verdict_of(check_log.directory(tmp_path)) is OK
    assert "will create it" in check_log.directory(tmp_path / "a" / "b").found
    path = file(tmp_path, "file")
    path.chmod(0o755)  # a program, too
    assert verdict_of(check_log.directory(path)) is FAULT
    assert verdict_of(check_log.directory(path / "log")) is FAULT


def test_a_log_directory_of_another_user(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "access", read_only)
    users = {tmp_path.stat().st_uid: "ada"}
    monkeypatch.setattr(Path, "owner", lambda path: users[path.stat().st_uid])
    finding = check_log.directory(tmp_path)
    assert finding.advice.endswith("sudo -u ada gammonclock doctor")
    users.clear()
    deleted = check_log.directory(tmp_path).advice
    assert deleted.endswith(f"sudo -u '#{tmp_path.stat().st_uid}' gammonclock doctor")
    assert verdict_of(finding) is FAULT
    assert "sudo install -d" in check_log.directory(tmp_path / "new").advice


def test_a_log_directory_inside_a_closed_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whether it exists is unknown: a fault, and no traceback."""

    def denied(*_: object, **__: object) -> NoReturn:
        raise PermissionError(errno.EACCES, "Permission denied")

    monkeypatch.setattr(Path, "stat", denied)
    monkeypatch.setattr(Path, "is_dir", denied)
    finding = check_log.directory(tmp_path)
    assert (finding.verdict, finding.found) == (FAULT, f"{tmp_path}: Permission denied")
    assert finding.advice.endswith("sudo -u gammonclock gammonclock doctor")
    space = check_log.space(tmp_path, 8_000_000, denied)
    assert (space.verdict, space.found) == (SKIPPED, "unknown: Permission denied")


@pytest.mark.parametrize(("free", "verdict"), [(8_000_000, OK), (7_999_999, FAULT)])
def test_the_log_needs_free_space(tmp_path: Path, free: int, verdict: Verdict) -> None:
    """A match needs 8 MB, to the byte, where the directory is or will be created."""
    missing = tmp_path / "not" / "there"
    space = check_log.space(missing, 8_000_000, lambda where: free if where == tmp_path else 0)
    assert verdict_of(space) is verdict
    assert space.found == f"{free // 1_000_000} MB free; a match needs 8 MB"


@pytest.mark.parametrize(
    ("took_ms", "verdict"),
    [([50] * 39 + [1000], OK), ([51] * 40, NOTE), ([1] * 39 + [1001], NOTE)],
    ids=["ok", "slow", "at-worst"],
)
def test_a_slow_card_is_noted(tmp_path: Path, took_ms: list[int], verdict: Verdict) -> None:
    """By the median and the worst of forty lines of 400 bytes; no file is left."""
    instants = iter([at for took in took_ms for at in (0, took * MS)])
    sizes = []

    def fsync(descriptor: int) -> None:
        sizes.append(os.fstat(descriptor).st_size)

    assert verdict_of(check_log.sync(tmp_path, lambda: next(instants), fsync)) is verdict
    assert sizes == [400 * number for number in range(1, 41)]
    assert list(tmp_path.iterdir()) == []


def test_a_sync_that_fails_is_a_fault(tmp_path: Path) -> None:
    def fsync(_: int) -> None:
        raise OSError(errno.EIO, "Input/output error")

    finding = check_log.sync(tmp_path, lambda: 0, fsync)
    assert (verdict_of(finding), finding.found) == (FAULT, "Input/output error")


def test_a_file_system_without_links_is_a_note(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The clock works without; nothing is left behind."""
    assert check_log.links(tmp_path) is None

    def refuse(*_: object, **__: object) -> NoReturn:
        raise PermissionError(errno.EPERM, "Operation not permitted")

    monkeypatch.setattr(os, "symlink", refuse)
    finding = check_log.links(tmp_path)
    assert finding is not None
    assert verdict_of(finding) is NOTE
    assert "current.jsonl will name the log instead" in finding.found
    assert list(tmp_path.iterdir()) == []
