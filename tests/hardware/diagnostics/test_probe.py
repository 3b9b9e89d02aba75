"""What the doctor asks of this computer."""

import io
import os
import sys
import time
from importlib.metadata import PackageNotFoundError
from pathlib import Path
from types import SimpleNamespace

import pytest

from hardware.diagnostics import probe
from hardware.diagnostics.edge_queue import EdgeQueue
from lab.support.findings import file


def test_a_computer_is_probed_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """This one, and without systemd; the clock of its processor stood still while it slept."""
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(time, "monotonic_ns", lambda: 5)
    monkeypatch.setattr(time, "clock_gettime_ns", {time.CLOCK_BOOTTIME: 7}.__getitem__)
    found = probe.probe_computer()
    assert found.slept_ns == 2
    assert (found.root, found.service, found.user) == (Path("/"), "", probe.user_name())


def test_the_versions_of_packages_are_found() -> None:
    def version_of(name: str) -> str:
        if name == "rpi-lgpio":
            return "0.6"
        raise PackageNotFoundError(name)

    assert probe.installed(version_of) == {"RPi.GPIO": None, "rpi-lgpio": "0.6"}


def test_systemd_is_asked_for_the_service(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A computer without systemd is no error, and one that gives no answer is not waited for."""
    command = file(tmp_path, "systemctl", '#!/bin/sh\necho "$@"\nexit 3\n')
    command.chmod(0o755)
    assert probe.service_state(str(command)) == "is-active gammonclock.service"
    assert probe.service_state(str(tmp_path / "none")) == ""
    file(tmp_path, "systemctl", "#!/bin/sh\necho active\nexec sleep 9\n")
    monkeypatch.setattr(probe, "TIMEOUT_S", 0)
    assert probe.service_state(str(command)) == ""


def test_a_closed_standard_input_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", None)
    edges = EdgeQueue(keyboard := probe.keyboard())
    assert edges.wait(None) is True
    edges.close()
    os.close(keyboard)


def test_a_user_without_a_name_has_a_number(monkeypatch: pytest.MonkeyPatch) -> None:
    """A group without a name is left out."""
    monkeypatch.setattr(os, "geteuid", lambda: 4_000_000)
    assert probe.user_name() == "4000000"
    monkeypatch.setattr(os, "getegid", lambda: 4_000_000)
    monkeypatch.setattr(os, "getgroups", lambda: [0])
    assert probe.user_groups() == ["root"]


def test_a_person_sees_the_question_before_they_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    """Yes begins with y; all else is no, and so is the end of the input or none at all."""
    screen, seen = io.BytesIO(), list[bytes]()
    typed = iter(["y\n", " Yes\n", "n\n", "\n", ""])

    def readline() -> str:
        seen.append(screen.getvalue())
        return next(typed)

    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(screen))
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(readline=readline))
    answers = [probe.confirm("Lit? ") for _ in range(5)]
    assert (answers, seen) == ([True, True, *[False] * 3], [b"Lit? " * n for n in range(1, 6)])
    monkeypatch.setattr(sys, "stdin", None)
    assert not probe.confirm("Lit? ")
