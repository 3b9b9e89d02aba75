"""Files that commands read: a message names each that cannot be used; none is waited for."""

import os
from pathlib import Path

import pytest

from gammonclock import options
from gammonclock.console import DAMAGED, WRONG_USAGE
from lab.support.commands import SCRIPT, failed, program, refused, said

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


def test_a_language_that_there_is_not_is_refused() -> None:
    for language in ("xx", "EN"):
        assert "is not one of 'en', 'de', 'da', 'nb'" in refused(
            "verify", SCRIPT, "--language", language
        )
    assert "Of what the verdict means; default: en." in said("verify", "--help").stdout


def test_a_binary_file_is_named(tmp_path: Path) -> None:
    """As what it should have been: a log 4, all else 2."""
    path = tmp_path / "binary"
    path.write_bytes(bytes(range(256)) * 40)
    said_of = said("verify", str(path))
    assert (said_of.exit_code, said_of.stderr) == (
        DAMAGED,
        f"gammonclock: {path} is not a log: name the file of a match, such as current.jsonl\n",
    )
    for arguments in TAKES_FILE[1:]:
        message = failed(WRONG_USAGE, *arguments, str(path))
        assert str(path) in message
        assert "UTF-8" in message


def test_an_empty_file_may_have_been_a_log(tmp_path: Path) -> None:
    path = tmp_path / "match.jsonl"
    path.touch()
    said_of = said("verify", str(path))
    assert said_of.exit_code == DAMAGED
    message = said_of.stderr
    assert "the log is empty" in message
    assert "hash" not in message
    assert "is not a log" not in message


def test_a_wrong_configuration_names_its_key(tmp_path: Path) -> None:
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


READS = {
    "verify": ("verify", "{}"),
    "report": ("report", "{}"),
    "play": ("play", "{}"),
    "play with a file": ("play", str(SCRIPT), "--config", "{}"),
    "check-config": ("check-config", "{}"),
    "run, simulated": ("run", "--simulate", "--config", "{}"),
}


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


def test_a_log_or_script_without_an_end_is_not_read(tmp_path: Path) -> None:
    path = tmp_path / "large"
    with path.open("wb") as file:
        file.truncate(1 << 40)
    for command in ("verify", "report", "play"):
        assert f"{path}: larger than" in refused(command, path)


@pytest.mark.rule("R131")
def test_the_logs_of_other_clocks_lie_beside_the_configuration(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """On a clock, the card's boot partition; without a file nobody knows where."""
    assert options.handed_over(Path("boot/my.toml")) == Path("boot/matches")
    monkeypatch.setattr(options, "find_config", lambda *_: None)
    assert options.handed_over(None) is None
