"""The commands: exit codes and messages; none ends in a traceback."""

import errno
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import click.testing
import pytest

from clock import __version__
from clock.apps import appliance_start, doctor, simulator
from clock.eventlog.codec import Chain, DamagedError
from clock.eventlog.head import Shown, head_text, qr_text
from clock.extras import INSTALL
from clock.match.events import Stamps, Writer
from clock.match.machine import open_match
from clock.match.profiles import PROFILES
from clock.match.types import Pair
from clock.runtime.handover import NewRequest
from clock.runtime.loop import UiOptions
from clock.storage.journal import JournalError
from gammonclock.__main__ import main
from gammonclock.console import DAMAGED, NO_HARDWARE, WRONG_USAGE
from hardware.gpio.factories import HardwareError
from tests.support.doctor_box import Patient
from tests.support.logs import forged, separate
from tests.support.paths import DATA
from tests.support.world import match_settings

LOG, SCRIPT, CONFIG = (str(DATA / f"ebf.{kind}") for kind in ("jsonl", "script", "toml"))
COMMANDS = {  # with what their help must name
    "run": ("--config", "--simulate"),
    "check-config": ("FILE",),
    "doctor": ("--config", "--no-input", "FAULT", "systemctl stop"),
    "profiles": ("profile =",),
    "play": ("SCRIPT", "--config", "--log", "power cut", "hold centre", "wait"),
    "verify": ("LOG...", "--head", "current.jsonl"),
    "report": (
        "LOG...",
        "--chart",
        "docs/laptop.md",
        "current.jsonl",
        "--turns",
        "--json",
        "--csv",
        "--language",
        "docs/report.md",
    ),
    "watch": ("SOURCE...", "--port", "--database", "--pace", "docs/laptop.md", "docs/watch.md"),
    "hub": ("--config", "--keys", "--database", "--port"),
    "link": ("--config", "--logs", "--offers"),
    "room-join": ("FILE", "NetworkManager"),
    "room-cards": ("ROOM.TOML", "DIR", "gammonclock-room.toml", "docs/room.md"),
    "logs": ("DIR", "--older-than", "--delete", "/var/lib/gammonclock"),
}


@pytest.fixture(autouse=True)
def _alone(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Ignore configuration and logs of the person who runs the tests."""
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
from gammonclock.__main__ import main
from clock.apps import appliance_start
appliance_start.run_appliance = lambda *_: print(*sys.modules)
main(["run"])
"""


@pytest.mark.slow
def test_an_appliance_imports_only_what_it_uses() -> None:
    """The first picture waits for no module that it does not need."""
    done = subprocess.run(
        [sys.executable, "-c", LOADED], capture_output=True, text=True, check=True
    )
    loaded = set(done.stdout.split())
    assert "clock.apps.appliance" in loaded
    unused = {"serial", "segno", "clock.config.fallback", "clock.report"}
    assert loaded.isdisjoint({*unused, "matplotlib", "rich", "textual"})


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
    assert set(COMMANDS) == set(main.commands)
    for name, listed in main.commands.items():
        assert f"\n  {name} " in result.stdout
        assert listed.get_short_help_str(62) == main.load(name).get_short_help_str(62)
    assert __version__ in said("--version").stdout


def test_the_script_in_the_help_can_be_played(tmp_path: Path) -> None:
    """Its log can be verified."""
    lines = said("play", "--help").stdout.splitlines()
    acts = [line for line in lines if line.strip()[:1].isdigit()]
    assert len(acts) == 10
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
        ("verify", "--heed", "b"),
    ],
    ids=" ".join,
)
def test_wrong_usage_is_exit_code_2_and_names_help(arguments: tuple[str, ...]) -> None:
    """Exit code 2."""
    result = said(*arguments)
    assert result.exit_code == WRONG_USAGE
    assert "--help" in result.output


TAKES_FILE = [("verify",), ("play",), ("check-config",), ("play", SCRIPT, "--config")]


@pytest.mark.parametrize(
    "arguments", TAKES_FILE, ids=lambda arguments: arguments[-1].split("/")[-1]
)
def test_a_missing_file_is_named(tmp_path: Path, arguments: tuple[str, ...]) -> None:
    """Exit code 2; a directory in its place, too."""
    for path, why in ((tmp_path / "missing", "No such file"), (tmp_path, "Is a directory")):
        message = failed(WRONG_USAGE, *arguments, str(path))
        assert str(path) in message
        assert why in message


def test_a_binary_file_is_named(tmp_path: Path) -> None:
    """As what it should have been: a log 4, all else 2."""
    path = tmp_path / "binary"
    path.write_bytes(bytes(range(256)) * 40)
    assert f"{path} is not a log" in failed(DAMAGED, "verify", str(path))
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


def test_a_message_has_no_control_characters(tmp_path: Path) -> None:
    """A file's name or its content may."""
    path = tmp_path / "\x1b[31m\x07\x9b\u202e.script"
    for content in ("", "\x1b]0;title\x07\x9b\u202e"):
        for command in ("play", "verify", "check-config"):
            assert said(command, str(path)).stderr.replace("\n", "").isprintable()
        path.write_text(content)


# --- what they do -----------------------------------------------------------------------------


@pytest.mark.slow
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
    """R83: how the match stands, which version wrote it, and the heads that the panels showed."""
    lines = [json.loads(line) for line in Path(LOG).read_bytes().splitlines()]
    games = [line for line in lines if line["event"] == "game_over"]
    end = "FINISHED, score 2-6 of 7, left 0:00, right 12:24"
    assert said("verify", LOG).stdout.splitlines() == [
        f"{LOG}: undamaged and consistent. {len(lines)} records, {end}",
        f"  written by version {__version__}",
        "  clock 00000000, board not named",
        *(
            f"  head {head_text(game['hash'])} at line {game['seq']}, a game scored:"
            f" {game['score'][0]}-{game['score'][1]}"
            for game in games
        ),
        f"  head {head_text(lines[-1]['hash'])} at line {len(lines)}, the end",
    ]
    assert len(games) == 4


def test_verify_says_which_clock_wrote_a_log_at_which_board(tmp_path: Path) -> None:
    """As its first line names them; a script has no clock."""
    log = tmp_path / "match.jsonl"
    first = {"clock": "3fa91c02", "board": "7\x1b[2J"}
    lines = forged(Path(LOG).read_bytes().splitlines(), 0, lambda fields: fields.update(first))
    log.write_bytes(b"".join(line + b"\n" for line in lines))
    assert "  clock 3fa91c02, board 7?[2J\n" in said("verify", str(log)).stdout


def test_verify_takes_several_logs(tmp_path: Path) -> None:
    """Each is judged; one bad log gives exit code 4, and the others are verified all the same."""
    bad = tmp_path / "bad.jsonl"
    bad.write_bytes(b"{}\n")
    result = said("verify", str(bad), LOG)
    assert result.exit_code == DAMAGED
    assert f"{bad} is not a log" in result.stderr
    assert f"{LOG}: undamaged and consistent" in result.stdout


def head_at(seq: int) -> tuple[str, str]:
    """Return the head of a line as text and as the text of a QR code."""
    line = json.loads(Path(LOG).read_bytes().splitlines()[seq - 1])
    return head_text(line["hash"]), qr_text(Shown(line["hash"], seq, Pair(*line["score"])))


@pytest.mark.parametrize("seq", [1, 41, 57, 113])
def test_verify_says_at_which_line_a_head_was_shown(seq: int) -> None:
    """However it was copied: as on the panels, without hyphens, in lower case, or scanned."""
    head, code = head_at(seq)
    for given in (head, head.lower().replace("-", ""), code, f" {code.lower()}"):
        result = said("verify", LOG, "--head", given)
        assert result.exit_code == 0
        assert f"the head matches: it was shown at line {seq}," in result.stdout
        covered = "" if seq == 113 else f"; the {113 - seq} after it are not covered"
        assert result.stdout.endswith(f"those that the clock showed{covered}\n")


def test_verify_says_that_a_head_was_never_shown() -> None:
    """Exit code 4, also for a QR code with another line number or score."""
    _, code = head_at(57)
    begins, hash_, _, score = code.split(":")
    for given in ("7KQ2-M9XT-4WDA", f"{begins}:{hash_}:58:{score}", f"{begins}:{hash_}:57:9-9"):
        result = said("verify", LOG, "--head", given)
        assert result.exit_code == DAMAGED
        assert f"{LOG}: this log never showed that head" in result.stderr


@pytest.mark.rule("R83")
def test_verify_compares_a_log_with_the_list_on_the_wall(tmp_path: Path) -> None:
    """R83: exit code 4 for a log that was cut or is not in it, 2 for what is no list."""
    results, cut = tmp_path / "results.csv", tmp_path / "cut.jsonl"
    results.write_text(said("report", LOG, "--csv").stdout)
    good = said("verify", LOG, "--results", str(results))
    assert (good.exit_code, good.stderr) == (0, "")
    assert f"  the results have the head {head_at(113)[0]} of line 113, the end\n" in good.stdout
    cut.write_bytes(b"".join(Path(LOG).read_bytes().splitlines(keepends=True)[:-1]))
    refused = said("verify", str(cut), "--results", str(results))
    assert (refused.exit_code, "which this log never showed" in refused.stderr) == (DAMAGED, True)
    assert "no list of results" in failed(WRONG_USAGE, "verify", LOG, "--results", CONFIG)


@pytest.mark.parametrize("head", ["", "7KQ2", "7KQ2-M9XT-4WDU", "GC2:"])
def test_what_is_no_head_is_wrong_usage(head: str) -> None:
    """Exit code 2; the message says what a head looks like."""
    assert "--head: " in failed(WRONG_USAGE, "verify", LOG, "--head", head)


@pytest.mark.rule("R83")
def test_verify_names_the_first_bad_line(tmp_path: Path) -> None:
    """R83: exit code 4; the file stays as it is."""
    path, lines = tmp_path / "match.jsonl", Path(LOG).read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join([*lines[:9], *lines[10:]]))
    before = path.read_bytes()
    assert failed(DAMAGED, "verify", str(path)) == (
        f"gammonclock: {path}, line 10: the hash is wrong: the line was changed, moved or torn."
        " The lines before it are undamaged and consistent.\n"
    )
    assert path.read_bytes() == before


def test_who_stamped_the_presses_is_in_the_log(tmp_path: Path) -> None:
    """Said where it was software; a log of the kernel's stamps is as it always was."""
    log = tmp_path / "my.jsonl"
    choices: tuple[Stamps, ...] = ("kernel", "software")
    for stamps in choices:
        _, record = open_match(match_settings(), 0, Writer("test", stamps=stamps))
        _, line = Chain("match", "boot").append(record, "2026-05-01T10:00:00+02:00")
        log.write_bytes(line)
        by_software = stamps == "software"
        assert (b'"version":"test","stamps":"software"' in line) is by_software
        assert (b"stamps" in line) is by_software
        assert ("stamped by software" in said("verify", str(log)).stdout) is by_software
        reported = " ".join(said("report", str(log)).stdout.split())  # a table may wrap it
        assert ("STAMPED BY SOFTWARE" in reported) is by_software


@pytest.mark.parametrize("profile", PROFILES)
def test_check_config_says_what_a_file_sets(profile: str) -> None:
    """Effective values, both banks, the code."""
    result = said("check-config", str(DATA.parent.parent / "config" / f"{profile}.toml"))
    assert result.exit_code == 0
    assert profile in result.stdout
    assert "code" in result.stdout


@pytest.mark.rule("R104")
def test_check_config_compares_several_files(tmp_path: Path) -> None:
    """All of them are shown and compared; one that is wrong is named."""
    texts = {"a": "", "b": "[match]\nboard = '7'\n", "c": "[match]\nlength = 13\n", "d": "x"}
    for name, text in texts.items():
        (tmp_path / name).write_text(text)
    a, b, c, d = (str(tmp_path / name) for name in texts)
    good = said("check-config", a, b, c)
    assert good.exit_code == 0
    assert good.stdout.count("\nsettings code ") == 3
    compared = good.stdout[good.stdout.index("The same rules") :].splitlines()
    assert compared[:2] == [f"The same rules: {a}, {b}", f"Other rules than {a}: {c}"]
    assert compared[2] == "  match.length is 13 points, not 11 points"
    wrong = said("check-config", d, a, c)
    assert wrong.exit_code == WRONG_USAGE
    assert f"{d}: line 1" in wrong.stderr
    assert f"Other rules than {a}: {c}" in wrong.stdout


@pytest.mark.rule("R104")
def test_check_config_lists_presets_on_80_columns(tmp_path: Path) -> None:
    """Name, both starting banks and the settings code of each."""
    path = tmp_path / "event.toml"
    path.write_text('[[preset]]\nname = "Last chance!"\nlength = 45\n')
    lines = said("check-config", str(path)).stdout.splitlines()
    [line] = [line for line in lines if "Last chance!" in line]
    assert "left bank 1:30:00, right 1:30:00, settings code " in line
    assert len(line) <= 80


def test_profiles_lists_all_of_them() -> None:
    """By the names that a configuration has."""
    assert [line.split()[0] for line in said("profiles").stdout.splitlines()[1:]] == list(PROFILES)


def test_run_without_hardware_suggests_the_simulation(monkeypatch: pytest.MonkeyPatch) -> None:
    """Exit code 3, and what was tried."""

    def no_pins(*_: object) -> None:
        raise HardwareError("no pins through gpiod: no chip")

    monkeypatch.setattr(appliance_start, "run_appliance", no_pins)
    message = failed(NO_HARDWARE, "run")
    assert (
        "no pins through gpiod: no chip. To try the clock without: gammonclock run --simulate"
        in message
    )


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


def test_run_without_hardware_reports_an_error_in_the_file_first(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Exit code 2, and the message is the same as everywhere: nothing waits for a right file."""

    def no_pins(_: str) -> None:
        raise HardwareError("no pins")

    monkeypatch.setattr(appliance_start, "pin_factory", no_pins)
    path = tmp_path / "my.toml"
    path.write_text("[match]\nlength = 0\n")
    message = failed(WRONG_USAGE, "run", "--config", str(path))
    assert message == said("check-config", str(path)).stderr


def test_a_terminals_keys_are_stamped_by_software(monkeypatch: pytest.MonkeyPatch) -> None:
    """The log of a simulation says so."""
    seen: list[UiOptions] = []
    monkeypatch.setattr(simulator, "run_simulated", lambda _, options, *__: seen.append(options))
    said("run", "--simulate")
    assert [options.stamps for options in seen] == ["software"]


@pytest.mark.parametrize("options", [("--new",), ("--simulate", "--new", "--resume", LOG)])
def test_a_new_match_is_only_begun_in_a_simulation(options: tuple[str, ...]) -> None:
    """On a clock the director's menu does that, and --resume names another match."""
    assert "--new needs --simulate, and no --resume" in failed(WRONG_USAGE, "run", *options)


@pytest.mark.parametrize("option", [(), ("--new",)])
def test_new_is_passed_on(monkeypatch: pytest.MonkeyPatch, option: tuple[str, ...]) -> None:
    """Without it no match is asked for."""
    seen: list[object] = []
    monkeypatch.setattr(simulator, "run_simulated", lambda *given: seen.append(given[-2]))
    said("run", "--simulate", *option)
    assert seen == [NewRequest() if option else None]


@pytest.mark.rule("R134")
@pytest.mark.parametrize("option", [(), ("--offers", "/run/gammonclock-link")])
def test_the_directory_of_offers_is_passed_on(
    monkeypatch: pytest.MonkeyPatch, option: tuple[str, ...]
) -> None:
    """To the simulated clock and to the one in its box; by default there is none."""
    seen: list[object] = []
    monkeypatch.setattr(simulator, "run_simulated", lambda *given: seen.append(given[-1]))
    monkeypatch.setattr(
        appliance_start, "run_appliance", lambda source, *_: seen.append(source.offers)
    )
    said("run", "--simulate", *option)
    said("run", *option)
    assert seen == [Path(option[1]) if option else None] * 2


def test_a_user_without_a_home_is_told_what_to_set(monkeypatch: pytest.MonkeyPatch) -> None:
    """As in a container, where a number is all that is known of the user."""

    def home() -> Path:
        raise RuntimeError

    monkeypatch.delenv("XDG_STATE_HOME")
    monkeypatch.setattr(Path, "home", home)
    assert "no home directory for the logs: set HOME" in failed(WRONG_USAGE, "run", "--simulate")


@pytest.mark.parametrize("has_program", [True, False])
def test_at_the_end_the_terminal_has_the_log_and_its_report(
    monkeypatch: pytest.MonkeyPatch, *, has_program: bool
) -> None:
    """The command can be copied, also where `gammonclock` is not found."""
    program = "gammonclock" if has_program else f"{shlex.quote(sys.executable)} -m gammonclock"
    monkeypatch.setattr(simulator, "run_simulated", lambda *_: Path("/logs/it is.jsonl"))
    monkeypatch.setattr(shutil, "which", lambda _: program if has_program else None)
    monkeypatch.setattr(click.testing._NamedTextIOWrapper, "isatty", lambda _: True)
    result = said("run", "--simulate")
    assert result.stdout.splitlines() == [
        "log of the match: /logs/it is.jsonl",
        f"to see what happened: {program} report '/logs/it is.jsonl'",
    ]


@pytest.mark.parametrize(
    ("error", "code"),
    [(JournalError("logs: cannot be used"), WRONG_USAGE), (DamagedError(7, "torn"), DAMAGED)],
)
def test_run_reports_why_it_cannot_start(
    monkeypatch: pytest.MonkeyPatch, error: Exception, code: int
) -> None:
    """No place for the log: 2. A log to resume that tells nothing: 4, and what to do instead."""

    def fail(*_: object) -> None:
        raise error

    monkeypatch.setattr(simulator, "run_simulated", fail)
    message = failed(code, "run", "--simulate")
    assert str(error) in message
    assert ("director's menu" in message) == (code == DAMAGED)


# --- the program itself -----------------------------------------------------------------------


def module(*arguments: str, probe: bool = False) -> subprocess.CompletedProcess[str]:
    """`python -m gammonclock`, as a person starts it."""
    environ = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path), "PYTHONUTF8": "1"}
    options = ["-X", "importtime"] if probe else []
    command = [sys.executable, *options, "-m", "gammonclock", *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False, env=environ)


@pytest.mark.slow
def test_python_m_gammonclock_is_gammonclock() -> None:
    """The same commands, names and codes."""
    result = module("verify", "missing")
    assert (result.returncode, result.stdout) == (WRONG_USAGE, "")
    assert result.stderr == "gammonclock: missing: No such file or directory\n"
    assert module("--version").stdout == f"gammonclock, version {__version__}\n"


GAME = {"clock.match.machine", "clock.eventlog.replay"}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("arguments", "needless"),
    [
        (
            ("--help",),
            {*GAME, "PIL", "textual", "rich", "gpiozero"},
        ),
        (
            ("check-config", CONFIG),
            {*GAME, "PIL", "textual", "rich"},
        ),
        (("verify", LOG), {"PIL", "textual", "rich", "clock.storage.journal", "gpiozero"}),
        (("play", SCRIPT), {"PIL", "textual", "rich", "clock.storage.journal", "gpiozero"}),
        (("report", LOG), {"PIL", "matplotlib", "numpy", "textual", "clock.storage.journal"}),
    ],
    ids=["help", "check-config", "verify", "play", "report"],
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


@pytest.mark.slow
@pytest.mark.rule("R83")
@pytest.mark.parametrize(
    ("suffix", "begin"),
    [(".png", b"\x89PNG"), (".svg", b"<?xml"), (".pdf", b"%PDF"), (".PNG", b"\x89PNG")],
)
def test_report_prints_tables_and_draws_a_chart(suffix: str, begin: bytes, tmp_path: Path) -> None:
    """The tables on the terminal, the chart in the format of the file's suffix."""
    file = tmp_path / f"match{suffix}"
    result = said("report", LOG, "--chart", str(file))
    assert (result.exit_code, result.stderr) == (0, "")
    assert "Slowest turns" in result.stdout
    assert file.read_bytes().startswith(begin)


@pytest.mark.parametrize("name", ["match.jpeg", "match", ".png"])
def test_report_draws_only_png_svg_and_pdf(name: str, tmp_path: Path) -> None:
    """Another suffix ends with code 2; the message names the three, and no file is written."""
    file = tmp_path / name
    message = failed(WRONG_USAGE, "report", LOG, "--chart", str(file))
    assert str(file) in message
    assert ".png, .svg, .pdf" in message
    assert not file.exists()


def test_report_says_how_to_get_a_chart(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without matplotlib, the command ends with code 2 and says what to install."""
    monkeypatch.delitem(sys.modules, "clock.report.chart", raising=False)
    monkeypatch.delattr("clock.report.chart", raising=False)
    for name in [name for name in sys.modules if name.partition(".")[0] == "matplotlib"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    file = tmp_path / "match.png"
    message = failed(WRONG_USAGE, "report", LOG, "--chart", str(file))
    assert message.startswith(f'gammonclock: a chart needs the extra "chart": {INSTALL} in the')
    assert not file.exists()


def test_report_trusts_no_damaged_log(tmp_path: Path) -> None:
    """Exit code 4, and where the damage is."""
    log = tmp_path / "bad.jsonl"
    log.write_bytes(Path(LOG).read_bytes().replace(b'"left_ns":8', b'"left_ns":9', 1))
    assert "line 1: the hash is wrong" in failed(DAMAGED, "report", str(log))


@pytest.mark.slow
def test_report_says_where_it_cannot_draw(tmp_path: Path) -> None:
    """Exit code 2 for a picture in a folder that is not there."""
    picture = str(tmp_path / "no" / "x.png")
    assert "cannot be written" in failed(WRONG_USAGE, "report", LOG, "--chart", picture)


# --- the logs in a directory ------------------------------------------------------------------


@pytest.fixture
def shelf(tmp_path: Path) -> Path:
    """A directory with two finished matches of 2025 and the current one, which is as old."""
    logs = tmp_path / "logs"
    logs.mkdir()
    for name, board in (("2025-05-01T10-00-00-7", "7"), ("old", ""), ("now", "")):
        _, record = open_match(match_settings(), 0, Writer("test", board=board))
        _, line = Chain(name, "boot").append(record, "2025-05-01T10:00:00+02:00")
        (logs / f"{name}.jsonl").write_bytes(line)
    (logs / "old.torn").touch()
    (logs / "current.jsonl").symlink_to("now.jsonl")
    return logs


def test_logs_lists_the_matches_of_a_directory(shelf: Path) -> None:
    """A line each, and one that says what is wrong with a file that is no log."""
    (shelf / "note.jsonl").write_text("\x1b[31m")
    lines = said("logs", str(shelf)).stdout.splitlines()
    assert [line.split()[0] for line in lines] == [
        "FILE", "2025-05-01T10-00-00-7.jsonl", "note.jsonl", "now.jsonl", "old.jsonl",
    ]  # fmt: skip
    assert [" ".join(line.split()[1:]) for line in lines[1:]] == [
        "2025-05-01 10:00 7 Left, Right 0-0 of 11 not finished 2 kB undamaged",
        "1 kB not a log: line 1: it has no line",
        "2025-05-01 10:00 - Left, Right 0-0 of 11 not finished, current 2 kB undamaged",
        "2025-05-01 10:00 - Left, Right 0-0 of 11 not finished 2 kB undamaged",
    ]


def test_logs_says_which_match_is_under_way(shelf: Path) -> None:
    """One that players have confirmed and that is not over; nothing is said of any other."""
    assert said("logs", str(shelf), "--under-way").stdout == ""  # still at the review
    records = Path(LOG).read_bytes().splitlines(keepends=True)
    (shelf / "now.jsonl").write_bytes(b"".join(records))
    assert said("logs", str(shelf), "--under-way").stdout == ""  # it is over
    (shelf / "now.jsonl").write_bytes(b"".join(records[:12]))
    before = sorted(shelf.iterdir())
    found = said("logs", str(shelf), "--under-way").stdout
    assert re.fullmatch(r".+, .+  \d+-\d+ of \d+  [A-Z_]+\n", found)
    assert sorted(shelf.iterdir()) == before
    (shelf / "now.jsonl").unlink()
    assert said("logs", str(shelf), "--under-way").stdout == ""  # nothing proves a match


def test_logs_deletes_old_matches_but_never_the_current_one(shelf: Path) -> None:
    """Each file is named; what is not old stays, and so does everything without --delete."""
    before = sorted(shelf.iterdir())
    assert len(said("logs", str(shelf), "--older-than", "99999d").stdout.splitlines()) == 1
    assert len(said("logs", str(shelf), "--older-than", "0d").stdout.splitlines()) == 4
    kept = said("logs", str(shelf), "--older-than", "99999d", "--delete")
    assert (kept.exit_code, kept.stdout) == (0, "nothing to delete\n")
    assert sorted(shelf.iterdir()) == before
    deleted = said("logs", str(shelf), "--older-than", "0d", "--delete").stdout.splitlines()
    gone = ("2025-05-01T10-00-00-7.jsonl", "old.jsonl", "old.torn")
    assert deleted == [f"deleted {shelf / name}" for name in gone]
    assert {path.name for path in shelf.iterdir()} == {"now.jsonl", "current.jsonl"}


def test_logs_refuses_what_could_delete_too_much(shelf: Path, tmp_path: Path) -> None:
    """Exit code 2, and nothing is deleted."""
    before = sorted(shelf.iterdir())
    assert "--older-than" in failed(WRONG_USAGE, "logs", str(shelf), "--delete")
    for age in ("", "30", "-1d", "30h", "d"):
        message = failed(WRONG_USAGE, "logs", str(shelf), "--older-than", age, "--delete")
        assert "a number of days such as 30d" in message
    assert "No such file" in failed(WRONG_USAGE, "logs", str(tmp_path / "missing"))
    assert "Not a directory" in failed(WRONG_USAGE, "logs", str(shelf / "now.jsonl"))
    assert sorted(shelf.iterdir()) == before


def test_logs_says_which_file_could_not_be_deleted(
    shelf: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Exit code 2."""

    def refuse(path: Path, **_: object) -> None:
        raise PermissionError(errno.EACCES, "Permission denied", str(path))

    monkeypatch.setattr(Path, "unlink", refuse)
    message = failed(WRONG_USAGE, "logs", str(shelf), "--older-than", "0d", "--delete")
    assert f"{shelf / '2025-05-01T10-00-00-7.jsonl'}: not deleted: Permission denied" in message
