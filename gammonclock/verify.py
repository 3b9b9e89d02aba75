"""`gammonclock verify`."""

# ruff: noqa: D301 (click keeps the lines of a paragraph that begins with a real backspace)

import sys
from pathlib import Path

import click

from clock import __version__
from clock.eventlog import verification
from clock.eventlog.codec import DamagedError
from clock.eventlog.head import HeadError, Shown
from gammonclock.console import DAMAGED, WRONG_USAGE, complain, fail, show
from gammonclock.options import log_lines, logs_argument


@click.command()
@logs_argument
@click.option(
    "--head",
    help="A head from a score sheet, such as 7KQ2-M9XT-4WDA, or the text of a QR code: say at which"
    " line it was shown.",
)
@click.option(
    "--against",
    metavar="HUB",
    help="Compare LOG with what a hub heard: the address of its pages, or its database.",
)
def verify(logs: tuple[Path, ...], head: str | None, against: str | None) -> None:
    """Verify that LOG is undamaged and consistent.

    Checked are its hashes and its sequence, and the match is replayed: the same presses must give
    the same times, flags and score. If a line is damaged or does not follow, the message names the
    first such line and what is wrong with it, and the exit code is 4.

    That alone does not prove that nothing was changed: a program that knows the format could write
    another consistent log. The head does. The panels show it when a game is scored, when the
    director is called and at the end of the match. With --head, the head from the score sheet or
    the photograph is compared with those of the log; if the log never showed it, the exit code
    is 4.

    A hub is a second witness: it has each line as it came. With --against, the message names the
    first line that differs from what the hub heard, and the exit code is 4.

    \b
    Example:  gammonclock verify /var/lib/gammonclock/current.jsonl
              gammonclock verify match.jsonl --head 7KQ2-M9XT-4WDA
              gammonclock verify match.jsonl --against room.sqlite
    """
    try:
        shown = None if head is None else verification.parse_shown(head)
    except HeadError as error:
        fail(WRONG_USAGE, f"--head: {error}")
    results = [_verify(log, shown) for log in logs]
    if against is not None:
        results += [_verify_against(log, against) for log in logs]
    if not all(results):
        sys.exit(DAMAGED)


def _verify(path: Path, head: str | Shown | None) -> bool:
    """Verify one log, and return whether it is consistent and showed the head."""
    lines = log_lines(path)
    try:
        found = verification.verify(lines)
    except DamagedError as damaged:
        complain(f"{path}, {damaged}. {verification.advice(lines, __version__)}")
        return False
    writers = verification.writers(lines)
    first, *rest = verification.description(found, writers)
    show(f"{click.format_filename(path)}: {first}", *(f"  {line}" for line in rest))
    if head is None:
        return True
    shown = verification.shown_text(found, head)
    if shown is None:
        complain(f"{path}: {verification.NEVER_SHOWN}")
        return False
    show(f"  {shown}")
    return True


def _verify_against(path: Path, hub: str) -> bool:
    """Compare a log with what a hub heard, and return whether they agree."""
    from room.store.witness import WitnessError, testify

    try:
        found = testify(log_lines(path), hub)
    except WitnessError as error:
        fail(WRONG_USAGE, f"--against: {error}")
    if found.objection:
        complain(f"{path}{found.objection}")
    for remark in found.remarks:
        show(f"  {remark}")
    return not found.objection
