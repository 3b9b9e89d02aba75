"""The commands: their exit codes, what they say, and that they never give a traceback."""

import json
import os
import subprocess
import sys
from pathlib import Path

import click.testing
import pytest
from doctor_box import Patient
from generate_matches import DATA
from logs import separate
from world import match_settings

from clock import __version__
from clock.apps import doctor, simulator as simulation, appliance_start as starting
from clock.cli import DAMAGED, NO_HARDWARE, WRONG_USAGE, main
from clock.eventlog.codec import Chain, DamagedError
from clock.match.events import Stamps
from clock.storage.journal import JournalError
from clock.match.machine import open_match
from clock.match.profiles import PROFILES
from clock.runtime.loop import Manner
from hardware.gpio.factories import HardwareError

LOG, SCRIPT, CONFIG = (str(DATA / f"ebf.{kind}") for kind in ("jsonl", "script", "toml"))
COMMANDS = {  # with what their help must name
    "run": ("--config", "--simulate"),
    "check-config": ("FILE",),
    "doctor": ("--config", "--no-input", "FAULT", "systemctl stop"),
    "profiles": ("profile =",),
    "play": ("SCRIPT", "--config", "--log", "power cut", "hold centre", "wait"),
    "verify": ("LOG", "current.jsonl"),
    "report": ("LOG", "--png", "--svg", "current.jsonl"),
}


@pytest.fixture(autouse=True)
def _alone(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """No configuration and no state of whoever runs the tests."""
    monkeypatch.delenv("GAMMONCLOCK_CONFIG", raising=False)
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))


def said(*arguments: str) -> click.testing.Result:
    """What a command says; any error but a plain exit is a traceback."""
    result = click.testing.CliRunner().invoke(main, list(arguments))
    assert result.exception is None or isinstance(result.exception, SystemExit)
    return result


def failed(code: int, *arguments: str) -> str:
    """The message of a command that fails."""
    result = said(*arguments)
    assert (result.exit_code, result.stdout) == (code, "")
    return result.stderr


LOADED = """
import sys
from clock import cli, starting
starting.run_box = lambda *_: print(*sys.modules)
cli.main(["run"])
"""


def test_a_box_starts_without_what_it_has_no_use_for() -> None:
    """Neither the serial line's library nor the salvage of wrong files delays the first picture."""
    done = subprocess.run(
        [sys.executable, "-c", LOADED], capture_output=True, text=True, check=True
    )
    loaded = set(done.stdout.split())
    assert "clock.box" in loaded
    assert loaded.isdisjoint({"serial", "clock.config_salvage"})


def test_the_exit_codes_are_those_of_the_contract() -> None:
    """0 done, 2 wrong usage or configuration, 3 hardware missing, 4 log damaged."""
    assert (said("profiles").exit_code, WRONG_USAGE, NO_HARDWARE, DAMAGED) == (0, 2, 3, 4)


# --- help -------------------------------------------------------------------------------------


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("flag", ["-h", "--help"])
def test_the_help_of_each_command_teaches(command: str, flag: str) -> None:
    """Its arguments, and an example to copy."""
    result = said(command, flag)
    assert result.exit_code == 0
    assert f"Example:  gammonclock {command}" in result.stdout
    for word in COMMANDS[command]:
        assert word in result.stdout
    assert max(len(line) for line in result.stdout.splitlines()) <= 80


def test_the_help_leads_to_the_commands() -> None:
    """All of them, and what to try first."""
    result = said("--help")
    assert "gammonclock run --simulate" in result.stdout
    assert set(COMMANDS) <= set(main.commands)
    for command in main.commands:
        assert f"\n  {command} " in result.stdout
    assert __version__ in said("--version").stdout


def test_the_script_in_the_help_can_be_played(tmp_path: Path) -> None:
    """Whoever copies it gets a log that is good."""
    lines = said("play", "--help").stdout.splitlines()
    acts = [line for line in lines if line.strip()[:1].isdigit()]
    assert len(acts) == 9
    script, log = tmp_path / "my.script", tmp_path / "my.jsonl"
    script.write_text("\n".join(acts))
    assert said("play", str(script), "--log", str(log)).exit_code == 0
    assert said("verify", str(log)).exit_code == 0


# --- wrong usage ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "arguments",
    [
        (),
        ("fly",),
        ("verify",),
        ("play",),
        ("check-config",),
        ("run", "--fast"),
        ("verify", "a", "b"),
    ],
    ids=" ".join,
)
def test_wrong_usage_is_exit_code_2_with_the_way_to_help(arguments: tuple[str, ...]) -> None:
    """Exit code 2."""
    result = said(*arguments)
    assert result.exit_code == WRONG_USAGE
    assert "--help" in result.output


TAKES_FILE = [("verify",), ("play",), ("check-config",), ("play", SCRIPT, "--config")]


@pytest.mark.parametrize(
    "arguments", TAKES_FILE, ids=lambda arguments: arguments[-1].split("/")[-1]
)
def test_a_file_that_is_not_there_is_named(tmp_path: Path, arguments: tuple[str, ...]) -> None:
    """Exit code 2; a directory in its place, too."""
    for path, why in ((tmp_path / "missing", "No such file"), (tmp_path, "Is a directory")):
        message = failed(WRONG_USAGE, *arguments, str(path))
        assert str(path) in message
        assert why in message


def test_a_binary_file_is_named(tmp_path: Path) -> None:
    """As what it should have been: a log 4, all else 2."""
    path = tmp_path / "binary"
    path.write_bytes(bytes(range(256)) * 40)
    assert f"{path}, line 1: the checksum is wrong" in failed(DAMAGED, "verify", str(path))
    for arguments in TAKES_FILE[1:]:
        message = failed(WRONG_USAGE, *arguments, str(path))
        assert str(path) in message
        assert "UTF-8" in message


def test_a_wrong_configuration_names_its_key(tmp_path: Path) -> None:
    """Exit code 2, whichever command reads it."""
    path = tmp_path / "my.toml"
    path.write_text("[match]\nlength = 0\n")
    for arguments in (
        ("check-config", str(path)),
        ("play", SCRIPT, "--config", str(path)),
        ("run", "--simulate", "--config", str(path)),
    ):
        message = failed(WRONG_USAGE, *arguments)
        assert str(path) in message
        assert "match.length" in message


def test_a_script_error_names_its_line(tmp_path: Path) -> None:
    """Exit code 2; nothing is written."""
    script, log = tmp_path / "my.script", tmp_path / "my.jsonl"
    script.write_text("1 wait\n1 dance\n")
    message = failed(WRONG_USAGE, "play", str(script), "--log", str(log))
    assert message.startswith(f"gammonclock: {script}, line 2: found '1 dance'; allowed is")
    assert not log.exists()


def test_a_log_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    """Exit code 2."""
    message = failed(WRONG_USAGE, "play", SCRIPT, "--log", str(tmp_path))
    assert message == f"gammonclock: {tmp_path}: Is a directory\n"


def test_a_message_holds_nothing_that_a_terminal_obeys(tmp_path: Path) -> None:
    """A file's name or its content may."""
    path = tmp_path / "\x1b[31m\x07\x9b\u202e.script"
    for content in ("", "\x1b]0;title\x07\x9b\u202e"):
        for command in ("play", "verify", "check-config"):
            assert said(command, str(path)).stderr.replace("\n", "").isprintable()
        path.write_text(content)


# --- what they do -----------------------------------------------------------------------------


def test_play_prints_the_log_or_writes_it(tmp_path: Path) -> None:
    """The same bytes."""
    log = tmp_path / "match.jsonl"
    assert said("play", SCRIPT, "--config", CONFIG, "--log", str(log)).stdout == ""
    printed = said("play", SCRIPT, "--config", CONFIG).stdout_bytes
    assert printed == log.read_bytes() == Path(LOG).read_bytes()
    assert all(json.loads(line) for line in printed.splitlines())


def test_play_writes_each_match_to_a_log_of_its_own(tmp_path: Path) -> None:
    """Each can be verified; printed, one follows the other."""
    script, log = tmp_path / "my.script", tmp_path / "my.jsonl"
    menu = "0 hold centre\n0.2 press left\n0.2 press centre\n0 press centre\n"
    script.write_text(menu * 2)
    assert said("play", str(script), "--log", str(log)).exit_code == 0
    written = [tmp_path / name for name in ("my.jsonl", "my-2.jsonl", "my-3.jsonl")]
    for path in written:
        assert said("verify", str(path)).exit_code == 0
    printed = said("play", str(script)).stdout_bytes
    assert printed == b"".join(path.read_bytes() for path in written)
    assert len(separate(printed.splitlines())) == 3
    first = len(written[0].read_bytes().splitlines())
    log.write_bytes(printed)
    assert f"line {first + 1}: another log begins here" in failed(DAMAGED, "verify", str(log))


@pytest.mark.rule("R83")
def test_verify_says_what_it_proved() -> None:
    """R83: how many records, how the match stands, and the checksum that seals it."""
    last = json.loads(Path(LOG).read_bytes().splitlines()[-1])
    assert said("verify", LOG).stdout == (
        f"{LOG}: good. {last['seq']} records, FINISHED, score 2-6 of 7, left 0:00, right 12:24,"
        f" last checksum {last['crc']}\n"
    )


@pytest.mark.rule("R83")
def test_verify_names_the_first_bad_line(tmp_path: Path) -> None:
    """R83: exit code 4; the file stays as it is."""
    path, lines = tmp_path / "match.jsonl", Path(LOG).read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join([*lines[:9], *lines[10:]]))
    before = path.read_bytes()
    assert failed(DAMAGED, "verify", str(path)) == (
        f"gammonclock: {path}, line 10: the checksum is wrong: the line was changed, moved or torn."
        " The lines before it are as the clock wrote them.\n"
    )
    assert path.read_bytes() == before


def test_who_stamped_the_presses_is_in_the_log(tmp_path: Path) -> None:
    """Said where it was software; a log of the kernel's stamps is as it always was."""
    log = tmp_path / "my.jsonl"
    choices: tuple[Stamps, ...] = ("kernel", "software")
    for stamps in choices:
        _, record = open_match(match_settings(), 0, "test", stamps)
        _, line = Chain("match", "boot").append(record, "2026-05-01T10:00:00+02:00")
        log.write_bytes(line)
        by_software = stamps == "software"
        assert (b'"version":"test","stamps":"software"' in line) is by_software
        assert (b"stamps" in line) is by_software
        assert ("stamped by software" in said("verify", str(log)).stdout) is by_software
        assert ("STAMPED BY SOFTWARE" in said("report", str(log)).stdout) is by_software


@pytest.mark.parametrize("profile", PROFILES)
def test_check_config_says_what_a_file_sets(profile: str) -> None:
    """Effective values, both banks, the code."""
    result = said("check-config", str(DATA.parent.parent / "config" / f"{profile}.toml"))
    assert result.exit_code == 0
    assert profile in result.stdout
    assert "code" in result.stdout


def test_profiles_lists_all_of_them() -> None:
    """By the names that a configuration has."""
    assert [line.split()[0] for line in said("profiles").stdout.splitlines()[1:]] == list(PROFILES)


def test_run_without_a_box_leads_to_the_simulation(monkeypatch: pytest.MonkeyPatch) -> None:
    """Exit code 3, and what was tried."""

    def no_pins(*_: object) -> None:
        raise HardwareError("no pins through gpiod: no chip")

    monkeypatch.setattr(starting, "run_box", no_pins)
    message = failed(NO_HARDWARE, "run")
    assert "no pins through gpiod: no chip. Without a box: gammonclock run --simulate" in message


@pytest.fixture
def patient(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Patient:
    """A box in which all is well, in the place of this computer."""
    patient = Patient(tmp_path, monkeypatch)
    monkeypatch.setattr(doctor, "on_this_computer", patient.outside)
    return patient


def test_doctor_says_what_it_found(patient: Patient, tmp_path: Path) -> None:
    """Exit code 0 when all is well, 3 when something is missing, with what to do."""
    path = tmp_path / "my.toml"
    path.write_text(f'[log]\ndirectory = "{tmp_path}"\n')
    well = said("doctor", "--config", str(path))
    assert well.exit_code == 0
    assert well.stdout.endswith("\nAll is well.\n")
    patient.panels[0x3D].plugged = False
    missing = said("doctor", "--no-input", "--config", str(path))
    assert missing.exit_code == NO_HARDWARE
    assert "1 fault. What to do:\n\n 1  right panel: I2C device not found" in missing.stdout


def test_doctor_examines_a_box_with_a_wrong_file(patient: Patient, tmp_path: Path) -> None:
    """As far as the file is right; exit code 2 if it is the only fault, else 3."""
    path = tmp_path / "my.toml"
    path.write_text(f'[match]\nlength = 0\n[log]\ndirectory = "{tmp_path}"\n')
    wrong = said("doctor", "--no-input", "--config", str(path))
    assert wrong.exit_code == WRONG_USAGE
    assert f"ok     log          {tmp_path}" in wrong.stdout
    assert "match.length is 0, but must be" in " ".join(wrong.stdout.split())
    patient.slept_ns = 5_000_000_000
    assert said("doctor", "--no-input", "--config", str(path)).exit_code == NO_HARDWARE


def test_run_without_a_box_and_with_a_wrong_file_says_what_is_wrong(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Exit code 2, and the message is the same as everywhere: nothing waits for a right file."""

    def no_pins(_: str) -> None:
        raise HardwareError("no pins")

    monkeypatch.setattr(starting, "pin_factory", no_pins)
    path = tmp_path / "my.toml"
    path.write_text("[match]\nlength = 0\n")
    message = failed(WRONG_USAGE, "run", "--config", str(path))
    assert message == said("check-config", str(path)).stderr


def test_a_terminals_keys_are_stamped_by_software(monkeypatch: pytest.MonkeyPatch) -> None:
    """The log of a simulation says so."""
    manners: list[Manner] = []
    monkeypatch.setattr(simulation, "run_simulated", lambda _, manner, *__: manners.append(manner))
    said("run", "--simulate")
    assert [manner.stamps for manner in manners] == ["software"]


@pytest.mark.parametrize(
    ("error", "code"),
    [(JournalError("logs: cannot be used"), WRONG_USAGE), (DamagedError(7, "torn"), DAMAGED)],
)
def test_run_says_why_it_cannot(
    monkeypatch: pytest.MonkeyPatch, error: Exception, code: int
) -> None:
    """No place for the log: 2. A log to resume that tells nothing: 4, and what to do instead."""

    def fail(*_: object) -> None:
        raise error

    monkeypatch.setattr(simulation, "run_simulated", fail)
    message = failed(code, "run", "--simulate")
    assert str(error) in message
    assert ("director's menu" in message) == (code == DAMAGED)


# --- the program itself -----------------------------------------------------------------------


def module(*arguments: str, probe: bool = False) -> subprocess.CompletedProcess[str]:
    """`python -m clock`, as a person starts it."""
    environ = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path), "PYTHONUTF8": "1"}
    options = ["-X", "importtime"] if probe else []
    command = [sys.executable, *options, "-m", "clock", *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False, env=environ)


def test_python_m_clock_is_gammonclock() -> None:
    """The same commands, names and codes."""
    result = module("verify", "missing")
    assert (result.returncode, result.stdout) == (WRONG_USAGE, "")
    assert result.stderr == "gammonclock: missing: No such file or directory\n"
    assert module("--version").stdout == f"gammonclock, version {__version__}\n"


@pytest.mark.parametrize(
    ("arguments", "needless"),
    [
        (("--help",), {"clock.machine", "clock.replay", "PIL", "textual", "rich", "gpiozero"}),
        (("check-config", CONFIG), {"clock.machine", "clock.replay", "PIL", "textual", "rich"}),
        (("verify", LOG), {"PIL", "textual", "rich", "clock.journal", "gpiozero"}),
        (("play", SCRIPT), {"PIL", "textual", "rich", "clock.journal", "gpiozero"}),
    ],
    ids=["help", "check-config", "verify", "play"],
)
def test_a_command_imports_only_what_it_needs(
    arguments: tuple[str, ...], needless: set[str]
) -> None:
    """Each starts at once, on a Pi Zero too; and a log is read without pins and pixels."""
    result = module(*arguments, probe=True)
    assert result.returncode == 0
    imported = {line.rsplit("|", 1)[-1].strip() for line in result.stderr.splitlines()}
    assert "click" in imported
    assert not imported & needless


# --- report -----------------------------------------------------------------------------------


@pytest.mark.rule("R83")
def test_report_tells_and_draws_a_match(tmp_path: Path) -> None:
    """The tables on the terminal, the chart as PNG and SVG."""
    png, svg = tmp_path / "match.png", tmp_path / "match.svg"
    told = said("report", LOG, "--png", str(png), "--svg", str(svg))
    assert (told.exit_code, told.stderr) == (0, "")
    assert "Slowest turns" in told.stdout
    assert png.read_bytes().startswith(b"\x89PNG")
    assert svg.read_text(encoding="utf-8").startswith("<?xml")


def test_report_trusts_no_damaged_log(tmp_path: Path) -> None:
    """Exit code 4, and where the damage is."""
    log = tmp_path / "bad.jsonl"
    log.write_bytes(Path(LOG).read_bytes().replace(b'"left_ns":8', b'"left_ns":9', 1))
    assert "line 1: the checksum" in failed(DAMAGED, "report", str(log))


def test_report_says_where_it_cannot_draw(tmp_path: Path) -> None:
    """Exit code 2 for a picture in a folder that is not there."""
    picture = str(tmp_path / "no" / "x.png")
    assert "cannot be written" in failed(WRONG_USAGE, "report", LOG, "--png", picture)
