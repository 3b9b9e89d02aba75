"""`gammonclock verify`."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import click

from clock import __version__
from clock.eventlog import verification
from clock.eventlog.codec import DamagedError
from clock.eventlog.head import HeadError, Shown
from clock.eventlog.links import GivenLog, links
from gammonclock.console import DAMAGED, WRONG_USAGE, complain, fail, show
from gammonclock.options import FILE_PATH, is_log, log_lines, logs_argument

if TYPE_CHECKING:
    from clock.report.published import Heads


@click.command()
@logs_argument
@click.option(
    "--head",
    help="A head from a score sheet, such as 7KQ2-M9XT-4WDA, or the text of a QR code: say at which"
    " line it was shown.",
)
@click.option(
    "--results",
    metavar="FILE",
    type=FILE_PATH,
    help="Compare the head of LOG with a list of results, CSV or JSON.",
)
def verify(logs: tuple[Path, ...], head: str | None, results: Path | None) -> None:
    """Verify that LOG is undamaged and consistent.

    Checked are its hashes and its sequence, and the match is replayed: the same presses must give
    the same times, flags and score. If a line is damaged or does not follow, the message names the
    first such line and what is wrong with it, and the exit code is 4.

    That alone does not prove that nothing was changed: a program that knows the format could write
    another consistent log. The head does. The panels show it when a game is scored, when the
    director is called and at the end of the match. With --head, the head from the score sheet or
    the photograph is compared with those of the log.

    A match that was put aside has several logs. Give all of them: it is said which one continues
    which, and the exit code is 4 if one does not begin where the other stood, or two begin there.
    If the first one was damaged when it was continued, it is said what cannot be proven.

    A list of results that was published in time proves as much. With --results, the head of LOG is
    compared with that of its match in the list, as report and a room export it. If the log never
    showed a head, the exit code is 4.

    Two copies of one log, such as that of a card and that of a hub, are compared: if they differ,
    the message names the first such line, and the exit code is 4.

    \b
    Example:  gammonclock verify /var/lib/gammonclock/current.jsonl
              gammonclock verify match.jsonl --head 7KQ2-M9XT-4WDA
              gammonclock verify monday.jsonl thursday.jsonl
              gammonclock verify *.jsonl --results results.csv
    """
    try:
        shown = None if head is None else verification.parse_shown(head)
    except HeadError as error:
        fail(WRONG_USAGE, f"--head: {error}")
    published = None if results is None else _published(results)
    verified = [_verify(log, shown, published) for log in logs]
    good = [each.agrees for each in verified]
    if len(logs) > 1:
        good.append(_verify_links(verified))
    if shown is not None and not any(each.shows for each in verified):
        good.append(False)
        for path in (each.path for each in verified if not each.log.is_damaged):
            complain(f"{path}: {verification.NEVER_SHOWN}")
    if not all(good):
        sys.exit(DAMAGED)


def _published(file: Path) -> "Heads":
    from clock.report.published import PublishedError, read_heads

    try:
        return read_heads(file.read_bytes())
    except (OSError, PublishedError) as error:
        why = error.strerror if isinstance(error, OSError) else error
        fail(WRONG_USAGE, f"--results: {file}: {why}")


class _Verified(NamedTuple):
    """What was found of a log."""

    path: Path
    log: GivenLog
    agrees: bool = False  # it is undamaged, and agrees with the list of results
    shows: bool = False  # it has the head that was given


def _verify(path: Path, head: str | Shown | None, published: "Heads | None") -> _Verified:
    name, lines = click.format_filename(path), log_lines(path)
    if not is_log(path, lines):
        return _Verified(path, GivenLog("", [], is_damaged=True))
    try:
        found = verification.verify(lines)
    except DamagedError as damaged:
        complain(f"{path}, {damaged}. {verification.advice(lines, __version__)}")
        return _Verified(path, GivenLog(name, lines[: damaged.line - 1], is_damaged=True))
    first, *rest = verification.description(found, verification.writers(lines))
    show(f"{name}: {first}", *(f"  {line}" for line in rest))
    agrees = published is None or _compare(path, found, published)
    shown = None if head is None else verification.shown_text(found, head)
    if shown is not None:
        show(f"  {shown}")
    return _Verified(path, GivenLog(name, lines), agrees, shown is not None)


def _verify_links(logs: list[_Verified]) -> bool:
    """Say how the logs continue one another; return whether each does as it says (R131)."""
    remarks, objections = links([each.log for each in logs if each.log.lines])
    show(*remarks)
    for objection in objections:
        complain(objection)
    return not objections


def _compare(path: Path, log: verification.VerifiedLog, published: "Heads") -> bool:
    from clock.report.published import compare

    confirmed, objections = compare(log, published)
    show(*(f"  {line}" for line in confirmed))
    for objection in objections:
        complain(f"{path}: {objection}")
    return not objections
