"""What commands say: printable, whatever a log or the name of a file holds."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from clock.config.reader import ConfigError
from clock.eventlog.codec import stated_hash
from clock.eventlog.fingerprint import fingerprint_text
from gammonclock.console import DAMAGED, complain, needs_extra
from lab.support.commands import LOG, said
from lab.support.logs import body, forged, sealed


def test_a_message_has_no_control_characters(tmp_path: Path) -> None:
    path = tmp_path / "\x1b[31m\x07\x9b\u202e.script"
    for content in ("", "\x1b]0;title\x07\x9b\u202e"):
        for command in ("play", "verify", "check-config"):
            assert said(command, str(path)).stderr.replace("\n", "").isprintable()
        path.write_text(content)


def test_an_error_may_have_lines_and_a_text_has_one(capsys: pytest.CaptureFixture[str]) -> None:
    complain("a\nb")
    complain(ConfigError("f.toml", "match.length", "0", "1 to 99\nor so"))
    text, error = capsys.readouterr().err.split("gammonclock: ")[1:]
    assert text == "a?b\n"
    assert error.count("\n") > 1


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
        options.append(fingerprint_text(stated_hash(log.read_bytes().splitlines()[-1]) or ""))
    result = said(command, tmp_path if command == "logs" else log, *options)
    if command == "verify":  # its wall times are none, which only an error can say
        assert (result.exit_code, result.stderr.count("\n")) == (DAMAGED, 1)
        assert "its wall time" in result.stderr
    else:
        assert (result.exit_code, result.stderr) == (0, "")
    assert result.stderr[:-1].isprintable()
    shown = result.stdout_bytes.decode().replace("\r\n", "\n").split("\n")
    assert all(line.isprintable() for line in shown)
    assert not any(line.startswith("x: undamaged") for line in shown)
    if "--csv" in options:
        cells = [cell for line in shown for part in line.split(",") for cell in part.split(";")]
        assert not any(cell.strip('"').startswith(("=", "+", "@")) for cell in cells)


def test_what_is_wrong_with_a_log_is_one_printable_line(tmp_path: Path) -> None:
    log = hostile_log(tmp_path / "match.jsonl")
    lines = log.read_bytes().splitlines()
    lines[1:] = sealed([body(lines[1]).replace(b"play-1", b"\\u001b[2J\\nx: undamaged")])
    log.write_bytes(b"\n".join(lines))
    result = said("verify", log)
    assert (result.exit_code, result.stdout.partition(":")[0]) == (DAMAGED, "CONTRADICTED")
    assert result.stderr.count("\n") == 1
    assert result.stderr[:-1].isprintable()


@pytest.mark.parametrize(("name", "is_extra"), [("segno.encoder", True), ("room.hub", False)])
def test_a_missing_part_of_the_program_is_no_missing_extra(name: str, *, is_extra: bool) -> None:
    """To install an extra would not help."""
    with pytest.raises(SystemExit if is_extra else ModuleNotFoundError), needs_extra("x", "room"):
        raise ModuleNotFoundError(name=name)
