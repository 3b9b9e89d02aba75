"""What the doctor asks of this computer."""

import os
import sys
from importlib.metadata import PackageNotFoundError
from pathlib import Path

import pytest

from hardware.diagnostics import probe
from hardware.diagnostics.edge_queue import EdgeQueue
from lab.support.findings import file


def test_a_computer_is_probed_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """This one, and without systemd."""
    monkeypatch.setenv("PATH", str(tmp_path))
    found = probe.probe_computer()
    assert (found.root, found.service, found.user) == (Path("/"), "", probe.user_name())


def test_the_versions_of_packages_are_found() -> None:
    def version_of(name: str) -> str:
        if name == "rpi-lgpio":
            return "0.6"
        raise PackageNotFoundError(name)

    assert probe.installed(version_of) == {"RPi.GPIO": None, "rpi-lgpio": "0.6"}


def test_systemd_is_asked_for_the_service(tmp_path: Path) -> None:
    """A computer without systemd is no error."""
    command = file(tmp_path, "systemctl", '#!/bin/sh\necho "$@"\nexit 3\n')
    command.chmod(0o755)
    assert probe.service_state(str(command)) == "is-active gammonclock.service"
    assert probe.service_state(str(tmp_path / "none")) == ""


def test_a_closed_standard_input_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", None)
    edges = EdgeQueue(keyboard := probe.keyboard())
    assert edges.wait(None) is True
    edges.close()
    os.close(keyboard)


def test_a_user_without_a_name_has_a_number(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 4_000_000)
    assert probe.user_name() == "4000000"
