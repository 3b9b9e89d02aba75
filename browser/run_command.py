"""Run a command of `gammonclock` in a browser, on files that a page was given."""

import io
import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

FOLDER = Path("/files")
MISUSED = 2


class Ended(NamedTuple):
    """What a command printed, and its exit code."""

    output: str
    errors: str
    code: int


def run(arguments: Sequence[str], files: Mapping[str, bytes]) -> Ended:
    """Run a command in a folder that has these files and no others."""
    FOLDER.mkdir(exist_ok=True)
    for old in FOLDER.iterdir():
        old.unlink()
    for name, content in files.items():
        (FOLDER / name).write_bytes(content)
    os.chdir(FOLDER)
    before = sys.stdout, sys.stderr
    output, errors = _file(), _file()
    sys.stdout, sys.stderr = output, errors
    try:
        code = _main(arguments)
    finally:
        sys.stdout, sys.stderr = before
    return Ended(_text(output), _text(errors), code)


def _main(arguments: Sequence[str]) -> int:
    from gammonclock.__main__ import main  # noqa: PLC0415 (a second; the page is there before)

    try:
        main(list(arguments), prog_name="gammonclock")
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else MISUSED if end.code else 0
    return 0


def _file() -> io.TextIOWrapper:
    return io.TextIOWrapper(io.BytesIO(), encoding="utf-8", newline="\n", write_through=True)


def _text(file: io.TextIOWrapper) -> str:
    raw = file.buffer
    assert isinstance(raw, io.BytesIO)  # noqa: S101 (see `_file`)
    return raw.getvalue().decode("utf-8", "replace")
