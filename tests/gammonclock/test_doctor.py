"""`gammonclock doctor`: its exit codes; what it finds is tested in tests/apps."""

import os
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from clock import __version__
from clock.apps import doctor
from gammonclock.console import NO_HARDWARE, WRONG_USAGE
from lab.support.commands import refused, said
from lab.support.doctor_box import Patient


@pytest.fixture
def patient(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Patient:
    """A box in which all is well, in the place of this computer."""
    patient = Patient(tmp_path, monkeypatch)
    monkeypatch.setattr(doctor, "probe_computer", patient.probe)
    return patient


def test_doctor_exit_codes(patient: Patient, tmp_path: Path) -> None:
    """Exit code 0 when all is well, 3 when something is missing, with what to do."""
    path = tmp_path / "my.toml"
    path.write_text(f'[log]\ndirectory = "{tmp_path}"\n')
    well = said("doctor", "--config", str(path))
    assert well.exit_code == 0
    assert well.stdout.endswith("\nNo faults found.\n")
    patient.panels[0x3D].plugged = False
    missing = said("doctor", "--no-input", "--config", str(path))
    assert missing.exit_code == NO_HARDWARE
    assert "1 fault. What to do:\n\n 1  right panel: 0x3D does not answer" in missing.stdout


def test_doctor_tests_the_hardware_despite_an_error_in_the_file(
    patient: Patient, tmp_path: Path
) -> None:
    """As far as the file is right; exit code 2 if it is the only fault, else 3."""
    path = tmp_path / "my.toml"
    path.write_text(f'[match]\nlength = 0\n[log]\ndirectory = "{tmp_path}"\n')
    wrong = said("doctor", "--no-input", "--config", str(path))
    assert wrong.exit_code == WRONG_USAGE
    assert f"ok     log          {tmp_path}" in wrong.stdout
    assert "match.length is 0, but must be" in " ".join(wrong.stdout.split())
    patient.slept_ns = 5_000_000_000
    assert said("doctor", "--no-input", "--config", str(path)).exit_code == NO_HARDWARE


def test_doctor_waits_for_no_pipe(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    opened: list[object] = []
    open_file = Path.open

    def note(path: Path, *mode: Any, **options: Any) -> Any:
        opened.append(path)
        return open_file(path, *mode, **options)

    monkeypatch.setattr(Path, "open", note)
    monkeypatch.setattr(doctor, "probe_computer", Patient(tmp_path, monkeypatch).probe)
    result = said("doctor", "--no-input", "--config", pipe)
    assert "not a regular file" in " ".join(result.stdout.split())
    assert pipe not in opened


@pytest.mark.rule("R150")
def test_a_report_is_written_and_never_over_another_file(patient: Patient, tmp_path: Path) -> None:
    """With the wire's measurement; the exit code is that of the test."""
    path, report = tmp_path / "my.toml", tmp_path / "box.txt"
    path.write_text(f'[log]\ndirectory = "{tmp_path}"\n')
    asked = ("doctor", "--no-input", "--config", str(path), "--report", str(report))
    assert said(*asked, "--wire", "23").exit_code == NO_HARDWARE
    text = report.read_text("utf-8")
    assert "FAULT  wire: 0 of 100 edges of BCM 23 arrived at BCM 17" in text
    assert "ok     right panel: 0x3D, shows its test picture" in text
    refused = said(*asked)
    assert (refused.exit_code, refused.stdout, report.read_text("utf-8")) == (WRONG_USAGE, "", text)
    assert said(*asked, "--force").exit_code == 0
    assert "wire:" not in report.read_text("utf-8")


@pytest.mark.rule("R150")
@pytest.mark.usefixtures("patient")
def test_the_wire_is_at_a_pin_that_can_be_free() -> None:
    """BCM 0 to 27; a pin that has a button is refused by the test itself."""
    for pin in ("-1", "28"):
        assert f"{pin} is not in the range 0<=x<=27" in refused("doctor", "--wire", pin)
    for pin in ("0", "27"):
        assert "BCM" in said("doctor", "--no-input", "--wire", pin).stdout


def test_doctor_says_what_it_looked_at_and_where_it_wrote_it(
    patient: Patient, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The version and the file first; a clock that has not joined its room is a fault."""
    waiting = SimpleNamespace(found="a file waits", advice="start room-join")
    monkeypatch.setattr("room.cards.join.pending", lambda _: waiting)
    path, report = tmp_path / "my.toml", tmp_path / "box.txt"
    path.write_text(f'[log]\ndirectory = "{tmp_path}"\n')
    found = said("doctor", "--config", str(path), "--report", str(report))
    assert found.exit_code == NO_HARDWARE
    assert found.stdout.startswith(f"gammonclock {__version__}\n")
    assert str(path) in found.stdout.splitlines()[2]
    assert found.stdout.count("a file waits") == 2  # where it was looked at, and at the end
    assert "start room-join" in found.stdout
    assert f"All of this is in {report}" in found.stdout
    assert "a file waits" in report.read_text()
