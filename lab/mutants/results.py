"""What became of each fault: a file in the user's cache, and the table of lab/proof.md."""

import json
import os
import tomllib
from collections import Counter
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
HEADS = ("made", "not tried", "noticed", "survive with a reason", "survive without")


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


def table(made: Iterable[Fault], results: Results, before: str = "") -> str:
    """Return what became of the faults of each package, and of all of them.

    A row of the table `before` is kept if fewer of its faults were left untried: it may come from
    the cache of another computer.
    """
    why, rows = reasons(), dict[str, Counter[str]]()
    for fault in made:
        row = rows.setdefault("/".join(fault.path.split("/")[:-1][:2]), Counter())
        result = results.of(fault)
        if result is None:
            row["not tried"] += 1
        else:
            explained = "survive with a reason" if reason(fault, why) else "survive without"
            row["noticed" if result.noticed_by else explained] += 1
        row["made"] += 1
    for line in before.splitlines():
        name, *cells = line.strip("| ").split(" | ")
        if name in rows and int(cells[1]) < rows[name]["not tried"]:
            rows[name] = Counter(dict(zip(HEADS, map(int, cells), strict=True)))
    rows["all"] = sum(rows.values(), Counter())
    lines = (
        f"| {name} | {' | '.join(str(row[head]) for head in HEADS)} |" for name, row in rows.items()
    )
    return "\n".join(
        [f"| package | {' | '.join(HEADS)} |", f"|---|{'--:|' * len(HEADS)}", *lines, ""]
    )


def write_table(made: Iterable[Fault], results: Results) -> None:
    """Put the table between its marks in lab/proof.md."""
    above, _, rest = PAGE.read_text("utf-8").partition(BEGIN)
    before, _, below = rest.partition(END)
    PAGE.write_text(f"{above}{BEGIN}\n{table(made, results, before)}{END}{below}", "utf-8")
