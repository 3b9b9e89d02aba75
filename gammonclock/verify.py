"""`gammonclock verify`."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import click

from clock import __version__
from clock.eventlog import verification
from clock.eventlog.codec import DamagedError
from clock.eventlog.fingerprint import FingerprintError, Shown
from clock.eventlog.links import GivenLog, links
from clock.eventlog.verification import Verdict
from clock.match.types import Phase
from clock.text import quoted
from clock.ui.descriptions import Say
from clock.ui.i18n import sayer
from gammonclock.console import WRONG_USAGE, complain, fail, show
from gammonclock.options import FILE_PATH, has_record, language_option, log_files, logs_argument

if TYPE_CHECKING:
    from clock.report.published import Fingerprints, Published


@click.command()
@logs_argument
@language_option("what the verdict means")
@click.option(
    "--head",
    help="A log code from a score sheet, such as 7KQ2-M9XT-4WDA, or the text of a QR code: say at"
    " which line it was shown.",
)
@click.option(
    "--results",
    metavar="FILE",
    type=FILE_PATH,
    help="Compare the log code of LOG with a list of results, CSV or JSON.",
)
def verify(logs: tuple[Path, ...], language: str, head: str | None, results: Path | None) -> None:
    """Verify that LOG is undamaged and consistent.

    The first line is the verdict on all that was given, of which the worst counts:

    \b
    PROVEN        a log code or a list from outside was given, and the log matches
                  it, up to the line that is named. Exit code 0.
    CONSISTENT    hashes, sequence and replay are right, and nothing from
                  outside was given: somebody who knows the format could have
                  invented such a log. Exit code 0.
    NOT PROVEN    nothing is wrong, but something that is claimed stands in no
                  file at hand. Exit code 5.
    CONTRADICTED  damaged, changed, or denied by what was given. Exit code 4.

    The panels show a log code when a game is scored, when the director is called and at the end of
    the match. With --head, the log code from the score sheet or the photograph is compared with
    those of the log. With --results, log codes, names, score and winner are compared with a list of
    results, as report and a room export it.

    Of several logs it is said which one continues which. Two copies of one log, such as that of a
    card and that of a hub, are compared line by line.

    \b
    Example:  gammonclock verify /var/lib/gammonclock/current.jsonl
              gammonclock verify match.jsonl --head 7KQ2-M9XT-4WDA
              gammonclock verify monday.jsonl thursday.jsonl
              gammonclock verify *.jsonl --results results.csv
    """
    try:
        shown = None if head is None else verification.parse_shown(head)
    except FingerprintError as error:
        fail(WRONG_USAGE, f"--head: {error}")
    published = None if results is None else _published(results)
    told = _Told()
    verified = [_verify(told, log, shown, published) for log in logs]
    _verify_links(told, verified)
    if shown is not None and not any(each.shows for each in verified):
        for each in (each for each in verified if not each.log.is_damaged):
            told.deny(f"{each.path}: {verification.NEVER_SHOWN}")
    if published is not None:
        told.lines += [f"line {line} of {results} is no result" for line in published.others]
        missing = sorted({*published} - {each.match for each in verified})
        if missing:
            told.judge(Verdict.NOT_PROVEN)
            named = [quoted(match, 60) for match in missing[:MOST_NAMED]]
            named += ["..."] * (len(missing) > MOST_NAMED)
            absent = f"{len(missing)} ({', '.join(named)})"
            told.lines.append(f"matches of the results whose logs were not given: {absent}")
    told.end(sayer(language))


MOST_NAMED = 5  # of the logs that are missing


class _Told:
    """What is said of all logs: the verdict comes first."""

    def __init__(self) -> None:
        self.verdict = Verdict.PROVEN
        self.lines: list[str] = []
        self._objections: list[str] = []

    def judge(self, verdict: Verdict) -> None:
        """Take a verdict of a log into account: the worst counts."""
        self.verdict = max(self.verdict, verdict)

    def deny(self, why: str) -> None:
        """Say why a log is contradicted."""
        self.judge(Verdict.CONTRADICTED)
        self._objections.append(why)

    def end(self, say: Say) -> None:
        """Print everything, and end with the exit code of the verdict."""
        show(f"{self.verdict}: {say(f'report_verdict_{self.verdict.name.lower()}')}.", *self.lines)
        for objection in self._objections:
            complain(objection)
        if self.verdict.exit_code:
            sys.exit(self.verdict.exit_code)


def _published(file: Path) -> "Published":
    from clock.report.published import PublishedError, read_fingerprints

    try:
        return read_fingerprints(file.read_bytes())
    except (OSError, PublishedError) as error:
        why = error.strerror if isinstance(error, OSError) else error
        fail(WRONG_USAGE, f"--results: {file}: {why}")


class _Verified(NamedTuple):
    """What was found of a log."""

    path: Path
    log: GivenLog
    match: str = ""
    shows: bool = False  # it has the fingerprint that was given


def _verify(
    told: _Told, path: Path, fingerprint: str | Shown | None, published: "Fingerprints | None"
) -> _Verified:
    name, read = click.format_filename(path), log_files(path)
    lines = list(read.lines)
    sizes = ((path.parent / file.name, file.stat().st_size) for file in read.files)
    beside = [f"  read: {click.format_filename(file)}, {size:,} bytes" for file, size in sizes]
    beside += [f"  note: {note}" for note in read.notes]
    if not has_record(lines):
        told.deny(f"{path} is not a log: name the file of a match, such as current.jsonl")
        return _Verified(path, GivenLog("", [], is_damaged=True))
    if read.contradicted:
        told.deny(f"{path}: a later part has another line {read.contradicted}: one was changed")
    try:
        found = verification.verify(lines)
    except DamagedError as damaged:
        told.deny(f"{path}, {damaged}. {verification.advice(lines, __version__)}")
        told.lines += [f"{name}: damaged or changed", *beside]
        return _Verified(path, GivenLog(name, lines[: damaged.line - 1], is_damaged=True))
    first, *rest = verification.description(found, verification.writers(lines))
    told.lines += [f"{name}: {first}", *(f"  {line}" for line in rest)]
    shown = None if fingerprint is None else verification.shown_text(found, fingerprint)
    told.lines += [f"  {shown}"] if shown is not None else []
    confirmed = published is not None and _compare(told, path, found, published, lines)
    told.judge(Verdict.PROVEN if shown or confirmed else Verdict.CONSISTENT)
    told.lines += beside
    return _Verified(path, GivenLog(name, lines), found.match.chain.match, shown is not None)


def _verify_links(told: _Told, logs: list[_Verified]) -> None:
    """Say how the logs continue one another, and judge whether each does as it says (R131)."""
    found = links([each.log for each in logs if each.log.lines])
    told.lines += found.remarks
    if found.unproven:
        told.judge(Verdict.NOT_PROVEN)
    for objection in found.objections:
        told.deny(objection)


def _compare(
    told: _Told,
    path: Path,
    log: verification.VerifiedLog,
    published: "Fingerprints",
    lines: list[bytes],
) -> bool:
    """Say what the list says of a log; return whether it confirms it."""
    from clock.report.build import summary
    from clock.report.published import compare

    confirmed, objections = compare(log, published, lines)
    told.lines += [f"  {line}" for line in confirmed]
    for objection in objections:
        told.deny(f"{path}: {objection}")
    if confirmed or objections:
        return bool(confirmed)
    found = summary(lines)
    if (found.is_begun or found.origin is not None) and found.phase is not Phase.PUT_ASIDE:
        told.judge(Verdict.NOT_PROVEN)
        told.lines.append("  the results do not have this match, which is not over in this log")
    return False
