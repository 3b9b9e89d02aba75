"""Reports for tests: of a match that was told, as a terminal shows them, compared with a file."""

import os
from datetime import datetime, timedelta
from pathlib import Path

from rich.console import Console

from clock.eventlog.codec import Chain
from clock.match.rules import MatchSettings
from clock.report.build import summary
from clock.report.summary import Summary
from clock.report.tables import tables
from clock.ui.i18n import sayer
from clock.units import SECOND_NS
from lab.support.match_scripts import Author, log_of, named
from lab.support.paths import TESTS
from lab.support.world import World, match_settings

BANK_NS = 600 * SECOND_NS  # 5 points at 2 minutes
S = SECOND_NS
REPORTS = TESTS / "report" / "reports"


def settings(**changes: object) -> MatchSettings:
    """A short match between two people."""
    return named(match_settings(**{"length": 5, **changes}), "Anna", "Bo")  # type: ignore[arg-type]


def lines_of(world: World, wall: str = "2026-05-01T10:00:00+02:00") -> list[bytes]:
    """The log of a match told in a world, whose first line is written at a time of day."""
    chain, lines = Chain("told", "boot"), []
    begun, begun_ns = datetime.fromisoformat(wall), world.records[0].at_ns
    for record in world.records:
        passed = timedelta(microseconds=(record.at_ns - begun_ns) // 1000)
        chain, line = chain.append(record, (begun + passed).isoformat())
        lines.append(line.rstrip(b"\n"))
    return lines


def told(match: World | Author) -> Summary:
    """What the log of a match says."""
    if isinstance(match, World):
        return summary(lines_of(match))
    return summary(log_of(match.script, match.settings))


def printed(of: Summary, width: int = 120, language: str = "en") -> str:
    """The report as a terminal shows it."""
    console = Console(width=width, color_system=None, force_terminal=False)
    with console.capture() as shown:
        for table in tables(of, sayer(language)):
            console.print(table)
    return shown.get()


def words(of: Summary, language: str = "en") -> str:
    """The report on one line."""
    return " ".join(printed(of, 200, language).split())


def compare(path: Path, shown: str) -> None:
    """Compare a text with its file; with NEW_PICTURES set, keep it there instead."""
    if os.environ.get("NEW_PICTURES"):
        path.write_text(shown, encoding="utf-8")
    assert shown == path.read_text(encoding="utf-8"), (
        f"{path.name} has changed; if it should: NEW_PICTURES=1 pytest tests/report, and read it"
    )
