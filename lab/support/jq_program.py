"""The program jq as far as docs/event-log.md uses it: one option, a filter and files."""

import json
import sys
from collections.abc import Iterator
from pathlib import Path

import jq


def outputs(option: str, program: str, *files: str) -> Iterator[str]:
    """Return what the filter makes of the files, each output in a line.

    Args:
        option: "-r" for text without quotation marks, "-c" for JSON.
        program: the filter.
        files: lines of JSON.
    """
    for file in files:
        for value in jq.compile(program).input_text(Path(file).read_text(encoding="utf-8")):
            yield value if option == "-r" else json.dumps(value, separators=(",", ":"))


if __name__ == "__main__":
    sys.stdout.writelines(f"{line}\n" for line in outputs(*sys.argv[1:]))
