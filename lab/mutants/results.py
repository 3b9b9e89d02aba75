"""What became of each fault: a file in the user's cache, and the table of lab/proof.md."""

import json
import os
import re
import tomllib
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from lab.mutants.children import Outcome
from lab.mutants.faults import Fault
from lab.mutants.reach import ROOT

CACHE = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "gammonclock/mutants"
REASONS = Path(__file__).with_name("reasons.toml")
PAGE = ROOT / "lab/proof.md"
BEGIN, END = "<!-- mutants: begin -->", "<!-- mutants: end -->"


class Result(NamedTuple):
    """What became of a fault."""

    noticed_by: str
    """The first test that noticed it; "" if it survived."""
    is_hanging: bool
    is_confirmed: bool
    """Whether it survived with the product imported anew, too."""
    seconds: float


class Results:
    """All results so far, a line each, so that a run can be broken off and taken up again."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self.by_key: dict[str, Result] = {}
        self.load()

    def load(self) -> None:
        """Read what other processes have written, too."""
        lines = self._file.read_text().splitlines() if self._file.exists() else []
        for key, *result in map(json.loads, lines):
            self.by_key[key] = Result(*result)

    def add(self, fault: Fault, outcome: Outcome, *, is_confirmed: bool) -> Result:
        """Note what became of a fault."""
        noticed_by = outcome.noticed[0] if outcome.noticed else ""
        seconds = outcome.seconds + (was.seconds if (was := self.of(fault)) else 0)
        result = Result(noticed_by, outcome.is_hanging, is_confirmed, round(seconds, 2))
        self.by_key[fault.key] = result
        with self._file.open("a") as file:
            file.write(json.dumps([fault.key, *result]) + "\n")
        return result

    def forget(self, faults: Iterable[Fault]) -> None:
        """Forget what became of some faults."""
        for fault in faults:
            self.by_key.pop(fault.key, None)
        lines = (json.dumps([key, *result]) + "\n" for key, result in self.by_key.items())
        self._file.write_text("".join(lines))

    def of(self, fault: Fault) -> Result | None:
        """Return what became of a fault; None if it was not tried."""
        return self.by_key.get(fault.key)


def reasons() -> dict[tuple[str, str], str]:
    """Return why survivors are no gaps, by path and "before -> after"."""
    tables = tomllib.loads(REASONS.read_text("utf-8"))
    return {(path, change): why for path, of in tables.items() for change, why in of.items()}


def reason(fault: Fault, why: dict[tuple[str, str], str]) -> str:
    """Return why a survivor is no gap; "" if nothing says so."""
    return why.get((fault.path, f"{fault.before} -> {fault.after}"), "")


def stale(made: Iterable[Fault], why: dict[tuple[str, str], str], results: Results) -> list[str]:
    """Return the reasons for faults that cannot be made any more, or are noticed by now."""
    faults = list(made)
    paths = {fault.path for fault in faults}
    alive = {
        (fault.path, f"{fault.before} -> {fault.after}")
        for fault in faults
        if (result := results.of(fault)) is None or not result.noticed_by
    }
    return [
        f"{path}: {change}"
        for path, change in why
        if (path in paths or not (ROOT / path).exists()) and (path, change) not in alive
    ]


Row = tuple[int, ...]


def counts(made: list[Fault], results: Results) -> dict[str, Row]:
    """Return a row of the table for each module of which a fault was tried."""
    why = reasons()
    rows: dict[str, Row] = {}
    for path in sorted({fault.path for fault in made}):
        own = [fault for fault in made if fault.path == path]
        tried = [(fault, result) for fault in own if (result := results.of(fault))]
        alive = [fault for fault, result in tried if not result.noticed_by]
        open_ = sum(not reason(fault, why) for fault in alive)
        if tried:
            noticed = len(tried) - len(alive)
            rows[path] = (len(own), len(tried), noticed, len(alive) - open_, open_)
    return rows


def table(rows: dict[str, Row]) -> str:
    """Return the table of lab/proof.md, and below it the reasons of survivors."""
    total = tuple(sum(column) for column in zip(*rows.values(), strict=True))
    lines = [
        "| module | made | tried | noticed | survive with a reason | survive without |",
        "|---|--:|--:|--:|--:|--:|",
        *(
            f"| {name} | {' | '.join(map(str, row))} |"
            for name, row in (*sorted(rows.items()), ("all", total))
        ),
        "",
        *(f"- `{path}`: `{change}`: {text}" for (path, change), text in reasons().items()),
    ]
    return "\n".join(lines) + "\n"


def kept_rows(page: str) -> dict[str, Row]:
    """Return the rows that the page has: of modules that were not tried on this computer."""
    found = re.findall(r"^\| (\S+\.py) \|((?: \d+ \|){5})$", page, flags=re.MULTILINE)
    return {path: tuple(map(int, numbers.strip(" |").split(" | "))) for path, numbers in found}


def write_table(rows: dict[str, Row]) -> None:
    """Put new rows into the table between its marks in lab/proof.md."""
    page = PAGE.read_text("utf-8")
    before, _, rest = page.partition(BEGIN)
    old, _, after = rest.partition(END)
    text = table(kept_rows(old) | rows)
    PAGE.write_text(f"{before}{BEGIN}\n{text}{END}{after}", "utf-8")
