"""The page on the log: its tables, its schema, and the commands and the program that it shows."""

import json
import os
import re
import shutil
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from msgspec import structs

from clock.eventlog.codec import Envelope
from clock.match.events import AnyEvent
from lab.docs.generate_log_schema import FILE, schema, text
from lab.support import jq_program
from lab.support.paths import DATA, ROOT

PAGE = (ROOT / "docs" / "event-log.md").read_text(encoding="utf-8")
LOGS = sorted(DATA.glob("*.jsonl"))
COMMANDS = re.findall(r"^```sh\n(jq .+)\n```$", PAGE, re.MULTILINE)
(PROGRAM,) = re.findall(r"^```python\n(.+?)^```$", PAGE, re.MULTILINE | re.DOTALL)
NAME = re.compile(r"`([a-z_]+)`")


def rows(heading: str) -> list[list[str]]:
    """Return the cells of the table under a heading."""
    section = PAGE.split(f"\n## {heading}\n", 1)[1].split("\n## ", 1)[0]
    lines = [line for line in section.splitlines() if line.startswith("|")][2:]
    return [[cell.strip() for cell in line.strip("|").split(" | ")] for line in lines]


# --- tables -----------------------------------------------------------------------------------


def test_the_fields_of_every_line_are_listed_in_their_order() -> None:
    """A field of the envelope has a row; the hash comes last."""
    names = [name for cells in rows("Lines") for name in NAME.findall(cells[0])]
    fields = [field.name for field in structs.fields(Envelope)]
    assert [name for name in names if name != "event"] == [*fields, "hash"]
    assert names.index("event") == names.index("phase") - 1


def test_each_event_and_each_of_its_fields_is_listed() -> None:
    """And no other; `score` is a field of every line."""
    listed: dict[str, set[str]] = {}
    for events, fields, *_ in rows("Events"):
        for event in NAME.findall(events):
            listed[event] = set(NAME.findall(fields))
    kinds = {
        kind.__struct_config__.tag: {*kind.__struct_fields__} - {"score"}
        for kind in AnyEvent.__args__
    }
    assert listed.pop("fault_cleared") == kinds["fault"]  # one row for both
    assert kinds.pop("fault_cleared") <= kinds["fault"]
    assert listed == kinds


# --- the schema -------------------------------------------------------------------------------


def test_the_schema_is_that_of_the_types() -> None:
    """`make docs` writes it again."""
    assert FILE.read_text(encoding="utf-8") == text()


def is_valid(line: dict[str, Any]) -> bool:
    """Return whether the schema accepts a line."""
    return bool(validator().is_valid(line))


@cache
def validator() -> Any:
    jsonschema.Draft202012Validator.check_schema(schema())
    return jsonschema.Draft202012Validator(schema())


@pytest.mark.slow
@pytest.mark.parametrize("log", LOGS, ids=lambda log: log.stem)
def test_the_schema_accepts_every_line(log: Path) -> None:
    """Of lines that differ by their numbers and hashes alone, the last."""
    lines = [json.loads(line) for line in log.read_bytes().splitlines()]
    unlike = {re.sub(r"\d+", "", str(line | {"hash": ""})): line for line in lines}
    assert [line for line in unlike.values() if not is_valid(line)] == []
    for line in {line["event"]: line for line in lines}.values():
        assert is_valid(line | {"more": 1}), line


@pytest.mark.parametrize(
    "change",
    [{"v": 1}, {"hash": "0123"}, {"event": "pressd"}, {"left_ns": 0.5}, {"score": [1]}],
    ids=str,
)
def test_the_schema_refuses_what_is_no_line(change: dict[str, Any]) -> None:
    line = json.loads(LOGS[0].read_bytes().splitlines()[4])
    assert is_valid(line)
    assert not is_valid(line | change)
    for name in line:
        assert not is_valid({other: line[other] for other in line if other != name}), name


# --- what can be run --------------------------------------------------------------------------


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a folder with two logs, one of them `match.jsonl`."""
    shutil.copy(DATA / "ebf.jsonl", tmp_path / "match.jsonl")
    shutil.copy(DATA / "jbs.jsonl", tmp_path)
    return tmp_path


def test_the_commands_run(folder: Path) -> None:
    jq = folder / "jq"
    jq.write_text(f'#!/bin/sh\nexec "{sys.executable}" "{jq_program.__file__}" "$@"\n')
    jq.chmod(0o755)
    environ = os.environ | {"PATH": f"{folder}:{os.environ['PATH']}"}
    said = [
        subprocess.run(  # noqa: S602 (the page's own commands, with a glob and a pipe)
            command,
            shell=True,
            cwd=folder,
            env=environ,
            check=True,
            capture_output=True,
            text=True,
        ).stdout.splitlines()
        for command in COMMANDS
    ]
    assert len(said) == 4
    results, stops, flags, changes = said
    log = [json.loads(line) for line in (folder / "match.jsonl").read_bytes().splitlines()]
    assert [row.split("\t")[1:] for row in results] == [
        ["7", "6", "left", "score"],
        ["2", "6", "right", "time"],
    ]
    stopped = [line["side"] for line in log if line["event"] == "stopped"]
    assert {tuple(row.split()) for row in stops} == {
        (str(stopped.count(side)), str(side).replace("None", "null")) for side in stopped
    }
    assert [json.loads(row)["seq"] for row in flags] == [
        line["seq"] for line in log if line["event"] == "flag_fell"
    ]
    assert {json.loads(row)["event"] for row in changes} == {"corrected"}


def test_the_program_checks_a_log(folder: Path) -> None:
    """It prints the last hash, and names the first line that is not right."""
    assert len(PROGRAM.strip().splitlines()) == 10
    log = folder / "match.jsonl"
    command = [sys.executable, "-W", "ignore", "-c", PROGRAM, str(log)]
    last = json.loads(log.read_bytes().splitlines()[-1])["hash"]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    assert done.stdout == f"undamaged; the last hash is {last}\n"
    log.write_bytes(log.read_bytes().replace(b'"seq":9,', b'"seq":8,', 1))
    failed = subprocess.run(command, check=False, capture_output=True, text=True)
    assert (failed.returncode, failed.stderr[:7]) == (1, "line 9 ")
