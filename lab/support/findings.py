"""What the tests of the doctor's checks share: the system's files, and a finding's verdict."""

import os
from pathlib import Path

from hardware.diagnostics.finding import Finding, Verdict

OK, NOTE, FAULT, SKIPPED = Verdict


def file(root: Path, name: str, content: str = "") -> Path:
    """Write a file of the kernel's or of the system's."""
    path = root / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content, "utf-8", "surrogateescape")
    return path


def read_only(_: Path, mode: int) -> bool:
    """Stand for `os.access` of a user who may read and search everything, and write nothing."""
    return not mode & os.W_OK


def verdict_of(finding: Finding) -> Verdict:
    """Return a finding's verdict; every note and fault must have advice."""
    assert bool(finding.advice) is (finding.verdict in {NOTE, FAULT})
    return finding.verdict
