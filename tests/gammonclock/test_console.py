"""Commands cannot hurt: nothing is written over, nothing hangs, and there are no tracebacks."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from io import BytesIO, TextIOWrapper
from pathlib import Path
from typing import Any

import click.testing
import pytest

from clock.apps import doctor
from clock.eventlog.verification import verify
from gammonclock.__main__ import main
from gammonclock.console import DAMAGED, NO_HARDWARE, WRONG_USAGE
from gammonclock.group import READER_GONE
from tests.support.doctor_box import Patient
from tests.support.logs import body, forged, sealed
from tests.support.paths import DATA

LOG, SCRIPT, CONFIG = (DATA / f"ebf.{kind}" for kind in ("jsonl", "script", "toml"))
LIMIT_S = 120  # of a command that hangs


@pytest.fixture(autouse=True)
def _alone(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Ignore configuration and logs of the person who runs the tests."""
    monkeypatch.delenv("GAMMONCLOCK_CONFIG", raising=False)
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.setattr("clock.config.loader.PLACES", ())


def said(*arguments: str | Path, charset: str = "utf-8") -> click.testing.Result:
    """Return what a command says; any error but a plain exit is a traceback."""
    result = click.testing.CliRunner(charset=charset).invoke(main, list(map(str, arguments)))
    assert result.exception is None or isinstance(result.exception, SystemExit)
    return result


def refused(*arguments: str | Path) -> str:
    """Return the message of a command that refuses to write."""
    result = said(*arguments)
    assert (result.exit_code, result.stdout) == (WRONG_USAGE, "")
    return result.stderr


# --- what a log says --------------------------------------------------------------------------

HOSTILE = "\x1b[2J\nx: undamaged\r\u009b1A;=2+3\u2028"


def hostile_log(path: Path) -> Path:
    """Return a log of which every text is hostile; its hashes are right."""

    def spoil(fields: dict[str, Any]) -> None:
        fields |= {"version": HOSTILE, "clock": HOSTILE, "board": HOSTILE, "wall": HOSTILE}
        fields["settings"]["names"] = [HOSTILE, f"={HOSTILE}"]

    lines = forged(LOG.read_bytes().splitlines(), 0, spoil)
    wall = b'"wall":' + json.dumps(HOSTILE, ensure_ascii=False).encode()
    bodies = (re.sub(rb'"wall":"[^"]*"', lambda _: wall, body(line)) for line in lines)
    path.write_bytes(b"".join(line + b"\n" for line in sealed(bodies)))
    return path


@pytest.mark.parametrize(
    "arguments",
    [
        ("verify",),
        ("verify", "--head"),
        ("report",),
        ("report", "--turns"),
        ("report", "--json"),
        ("report", "--csv"),
        ("report", "--csv", "--turns"),
        ("logs",),
    ],
    ids=" ".join,
)
def test_texts_of_a_log_make_no_lines_and_move_no_cursor(
    tmp_path: Path, arguments: tuple[str, ...]
) -> None:
    """Whatever is shown of a log is printable, and no cell is a formula to a spreadsheet."""
    command, *options = arguments
    log = hostile_log(tmp_path / "match.jsonl")
    if options == ["--head"]:
        options.append(verify(log.read_bytes().splitlines()).lines[-1].head)
    result = said(command, tmp_path if command == "logs" else log, *options)
    assert (result.exit_code, result.stderr) == (0, "")
    shown = result.stdout_bytes.decode().replace("\r\n", "\n").split("\n")
    assert all(line.isprintable() for line in shown)
    assert not any(line.startswith("x: undamaged") for line in shown)
    if "--csv" in options:
        cells = [cell for line in shown for part in line.split(",") for cell in part.split(";")]
        assert not any(cell.strip('"').startswith(("=", "+", "@")) for cell in cells)


def test_what_is_wrong_with_a_log_is_one_printable_line(tmp_path: Path) -> None:
    """Also if the damage says something itself."""
    log = hostile_log(tmp_path / "match.jsonl")
    lines = log.read_bytes().splitlines()
    lines[1:] = sealed([body(lines[1]).replace(b"play-1", b"\\u001b[2J\\nx: undamaged")])
    log.write_bytes(b"\n".join(lines))
    result = said("verify", log)
    assert (result.exit_code, result.stdout) == (DAMAGED, "")
    assert result.stderr.count("\n") == 1
    assert result.stderr[:-1].isprintable()


# --- what must not be written over ------------------------------------------------------------


def same(path: Path) -> Path:
    """Return the path itself."""
    return path


def link(path: Path) -> Path:
    """Return a link to a file."""
    new = path.with_name(f"link{path.suffix}")
    new.symlink_to(path.name)
    return new


def link_to_a_link(path: Path) -> Path:
    """Return a link to a link."""
    new = path.with_name(f"second{path.suffix}")
    new.symlink_to(link(path))
    return new


def second_name(path: Path) -> Path:
    """Return another name of the same file."""
    new = path.with_name(f"other{path.suffix}")
    new.hardlink_to(path)
    return new


def roundabout(path: Path) -> Path:
    """Return the path in another spelling."""
    return path.parent / ".." / path.parent.name / "." / path.name


SPELLINGS = [same, link, link_to_a_link, second_name, roundabout]
Spelling = Callable[[Path], Path]
FORCE = [(), ("--force",)]


@pytest.mark.parametrize("force", FORCE)
@pytest.mark.parametrize("spelling", SPELLINGS)
def test_play_never_writes_over_what_it_reads(
    tmp_path: Path, spelling: Spelling, force: tuple[str, ...]
) -> None:
    """Neither over its script nor over its configuration."""
    for each in (SCRIPT, CONFIG):
        folder = tmp_path / each.suffix[1:]
        folder.mkdir()
        script, config = folder / "my.script", folder / "my.toml"
        script.write_bytes(SCRIPT.read_bytes())
        config.write_bytes(CONFIG.read_bytes())
        log = spelling(folder / f"my{each.suffix}")
        message = refused("play", script, "--config", config, "--log", log, *force)
        assert f"--log: {log} is the same file as {folder}/my{each.suffix}" in message
        assert script.read_bytes() == SCRIPT.read_bytes()
        assert config.read_bytes() == CONFIG.read_bytes()


def test_play_never_writes_over_a_configuration_that_it_finds(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By the environment."""
    config = tmp_path / "my.toml"
    config.write_bytes(CONFIG.read_bytes())
    monkeypatch.setenv("GAMMONCLOCK_CONFIG", str(config))
    assert "is the same file as" in refused("play", SCRIPT, "--log", config, "--force")
    assert config.read_bytes() == CONFIG.read_bytes()


@pytest.mark.parametrize("force", FORCE)
@pytest.mark.parametrize("spelling", SPELLINGS)
@pytest.mark.parametrize("name", ["match.jsonl", "match.JSONL", "match.torn", "match.png"])
def test_no_command_writes_over_a_log(
    tmp_path: Path, name: str, spelling: Spelling, force: tuple[str, ...]
) -> None:
    """It is known by its name or by its content."""
    log = tmp_path / name
    log.write_bytes(LOG.read_bytes() if name == "match.png" else b"")
    before, path = log.read_bytes(), spelling(log)
    assert "is a log, which no command writes over" in refused(
        "play", SCRIPT, "--log", path, *force
    )
    if name == "match.png":
        message = refused("report", LOG, "--chart", path, *force)
        assert f"--chart: {path} is a log" in message
        assert f"is the same file as {log}" in refused("report", log, "--chart", path, *force)
    assert log.read_bytes() == before


@pytest.mark.slow
def test_other_files_are_replaced_only_with_force(tmp_path: Path) -> None:
    """A chart and a log under another name; a link leads to the file that it names."""
    chart, text = tmp_path / "match.svg", tmp_path / "match.txt"
    for path in (chart, text):
        path.write_text("something else, and rather longer than nothing")
    draw = ("report", LOG, "--chart", chart)
    play = ("play", SCRIPT, "--config", CONFIG, "--log", link(text))
    for command, path in ((draw, chart), (play, text)):
        message = refused(*command)
        assert "exists; choose another name, or replace it with --force" in message
        assert path.read_text().startswith("something else")
        assert said(*command, "--force").exit_code == 0
    assert chart.read_bytes().startswith(b"<?xml")
    assert text.read_bytes() == LOG.read_bytes()


def test_of_several_logs_none_is_written_if_one_cannot_be(tmp_path: Path) -> None:
    """The name of each is checked before the first is written."""
    script, log, second = (tmp_path / name for name in ("my.script", "my.jsonl", "my-2.jsonl"))
    menu = "0 hold centre\n0.2 press left\n0.2 press centre\n0 press centre\n"
    script.write_text(menu)
    second.write_bytes(LOG.read_bytes())
    assert f"--log: {second} is a log" in refused("play", script, "--log", log)
    assert not log.exists()
    assert second.read_bytes() == LOG.read_bytes()


def test_a_link_to_nothing_is_not_followed(tmp_path: Path) -> None:
    """What it leads to may be a log that is about to be written."""
    path = tmp_path / "link.txt"
    path.symlink_to("missing.jsonl")
    assert "is a link to a file that does not exist" in refused("play", SCRIPT, "--log", path)
    assert not (tmp_path / "missing.jsonl").exists()


@pytest.mark.parametrize("force", FORCE)
def test_nothing_is_written_to_a_pipe_or_a_device(tmp_path: Path, force: tuple[str, ...]) -> None:
    """Opening a pipe would wait for a reader."""
    pipe = tmp_path / "chart.png"
    os.mkfifo(pipe)
    for command in (("play", SCRIPT, "--log"), ("report", LOG, "--chart")):
        assert f"{pipe}: not a regular file" in refused(*command, pipe, *force)
    assert "not a regular file" in refused("play", SCRIPT, "--log", "/dev/null", *force)


# --- what must not be waited for --------------------------------------------------------------

READS = {
    "verify": ("verify", "{}"),
    "report": ("report", "{}"),
    "play": ("play", "{}"),
    "play with a file": ("play", str(SCRIPT), "--config", "{}"),
    "check-config": ("check-config", "{}"),
    "run, simulated": ("run", "--simulate", "--config", "{}"),
}
HANG = """
import signal, sys
signal.alarm(int(sys.argv.pop(1)))
from gammonclock.__main__ import main
main(prog_name="gammonclock")
"""


def program(*arguments: str | Path, **options: object) -> subprocess.CompletedProcess[bytes]:
    """Run a command in a process of its own, without a terminal."""
    environ = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    environ |= options.pop("environ", {})  # type: ignore[call-overload]
    command = [sys.executable, "-c", HANG, str(LIMIT_S), *map(str, arguments)]
    standard = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    return subprocess.run(command, check=False, env=environ, **(standard | options))  # type: ignore[call-overload, no-any-return]


@pytest.mark.slow
@pytest.mark.parametrize("command", READS)
def test_no_command_waits_for_a_pipe_or_a_device(tmp_path: Path, command: str) -> None:
    """None reads without an end, either; the message names the file, and what it is."""
    pipe, circle = tmp_path / "pipe", tmp_path / "circle"
    os.mkfifo(pipe)
    circle.symlink_to(circle)
    for path in (pipe, Path("/dev/zero"), Path("/dev/null"), circle):
        arguments = [each.format(path) for each in READS[command]]
        if path == pipe:  # whoever waits for it does so for ever, so in a process of its own
            done = program(*arguments)
            code, text = done.returncode, done.stderr.decode()
        else:
            result = said(*arguments)
            code, text = result.exit_code, result.stderr
        assert (code, "Traceback" in text) == (WRONG_USAGE, False)
        assert str(path) in text
        assert "not a regular file" in text or path == circle


def test_doctor_waits_for_no_pipe(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It tests the hardware with the defaults."""
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


def test_a_log_or_script_without_an_end_is_not_read(tmp_path: Path) -> None:
    """Neither takes more memory than the longest match."""
    path = tmp_path / "large"
    with path.open("wb") as file:
        file.truncate(1 << 40)
    for command in ("verify", "report", "play"):
        assert f"{path}: larger than" in refused(command, path)


# --- where the output goes --------------------------------------------------------------------

PRINTS = {  # with the exit code of a good end
    "help": (("--help",), 0),
    "version": (("--version",), 0),
    "profiles": (("profiles",), 0),
    "check-config": (("check-config", "{tmp}/my.toml"), 0),
    "play": (("play", str(SCRIPT)), 0),
    "verify": (("verify", "{tmp}/Zoë \u2654.jsonl"), 0),
    "report": (("report", "{tmp}/Zoë \u2654.jsonl"), 0),
    "doctor": (("doctor", "--no-input"), NO_HARDWARE),
    "run": (("run", "--simulate"), WRONG_USAGE),
    "no such command": (("fly \u2654",), WRONG_USAGE),
    "no such file": (("verify", "\u2654"), WRONG_USAGE),
    "no log": (("verify", str(SCRIPT)), DAMAGED),
}


@pytest.fixture
def arguments(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], list[str]]:
    """Return what makes the words of a command; its files have names that are not ASCII."""
    monkeypatch.setattr(doctor, "probe_computer", Patient(tmp_path, monkeypatch).probe)
    names = '[match]\nnames = ["Søren", "\u2654\U0001f3b2"]\n'
    (tmp_path / "my.toml").write_text(names, encoding="utf-8")
    log = tmp_path / "Zoë \u2654.jsonl"
    assert said("play", SCRIPT, "--config", tmp_path / "my.toml", "--log", log).exit_code == 0
    return lambda name: [word.format(tmp=tmp_path) for word in PRINTS[name][0]]


@pytest.mark.slow
@pytest.mark.parametrize("name", PRINTS)
def test_letters_that_the_output_lacks_are_replaced(
    name: str, arguments: Callable[[str], list[str]]
) -> None:
    """The exit code is the usual one."""
    for charset in ("ascii", "latin-1", "cp437"):
        result = said(*arguments(name), charset=charset)
        assert result.exit_code == said(*arguments(name)).exit_code


@pytest.mark.parametrize("name", PRINTS)
def test_a_full_output_is_reported(
    name: str, arguments: Callable[[str], list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Exit code 2; where the messages cannot be written, the exit code is the usual one."""
    usual = said(*arguments(name))
    for stream in ("stdout", "stderr"):
        with Path("/dev/full").open("w") as full, monkeypatch.context() as patched:
            for each in ("stdout", "stderr"):
                patched.setattr(sys, each, full if each == stream else TextIOWrapper(BytesIO()))
            with pytest.raises(SystemExit) as ended:
                main.main(arguments(name), prog_name="gammonclock")
        prints = bool(getattr(usual, stream))
        failed = WRONG_USAGE if stream == "stdout" and prints else usual.exit_code
        assert ended.value.code == failed


@pytest.mark.slow
@pytest.mark.parametrize("command", [("profiles",), ("report", LOG), ("play", SCRIPT)])
def test_the_program_ends_well_wherever_its_output_goes(command: tuple[str | Path, ...]) -> None:
    """Also at its very end, when Python writes what is left."""
    with Path("/dev/full").open("w") as full:
        done = program(*command, stdout=full)
    message = b"gammonclock: the output cannot be written: No space left on device\n"
    assert (done.returncode, done.stderr) == (WRONG_USAGE, message)
    done = program(*command, preexec_fn=lambda: os.close(1), stdout=None)
    assert (done.returncode, done.stderr) == (0, b"")
    done = program(*command, environ={"PYTHONIOENCODING": "ascii", "LC_ALL": "C"})
    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout.isascii()


@pytest.mark.slow
@pytest.mark.parametrize("command", [("--help",), ("report", LOG), ("play", SCRIPT)])
def test_a_reader_that_has_gone_ends_the_program_quietly(command: tuple[str | Path, ...]) -> None:
    """As SIGPIPE ends others: 141 in the shell."""
    reader, writer = os.pipe()
    os.close(reader)
    done = program(*command, stdout=writer)
    os.close(writer)
    assert (done.returncode, done.stderr) == (READER_GONE, b"")


@pytest.mark.slow
def test_a_full_error_output_changes_no_exit_code() -> None:
    """Nobody can be told, but a script still sees what happened."""
    with Path("/dev/full").open("w") as full:
        assert program("verify", SCRIPT, stderr=full).returncode == DAMAGED
        assert program("verify", "missing", stderr=full).returncode == WRONG_USAGE
        assert program("fly", stderr=full).returncode == WRONG_USAGE
