"""`gammonclock doctor`."""

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from clock import __version__
from gammonclock.console import NO_HARDWARE, WRONG_USAGE, fail, show
from gammonclock.options import config_file, config_option

if TYPE_CHECKING:
    from hardware.diagnostics.finding import Finding


@click.command()
@config_option
@click.option("--no-input", is_flag=True, help="Do not ask for button presses.")
def doctor(config: Path | None, *, no_input: bool) -> None:
    """Test the hardware of a clock.

    Tested are the computer, pins, buttons, panels, I2C bus, log and serial port. Each line begins
    with ok, note or FAULT, or with - if the part was not tested; what to do follows at the end. The
    exit code is 0 without faults, 3 with faults, and 2 if only the configuration is wrong.

    \b
    Example:  gammonclock doctor
    As the user that the clock runs as:
              sudo -u gammonclock gammonclock doctor
    Stop the clock before the test, and start it again afterwards:
              sudo systemctl stop gammonclock
    """
    if sys.platform != "linux":
        fail(NO_HARDWARE, "doctor tests the hardware of a clock; start it on the Raspberry Pi")
    from clock.apps.doctor import Doctor, probe_computer, read_settings
    from hardware.diagnostics.finding import has_fault, line, summary

    settings, file = read_settings(config_file(config))
    _show(f"gammonclock {__version__}\n\n{line(file)}")
    findings = Doctor(settings, probe_computer(), _show, ask=not no_input).run()
    for finding in _room():
        _show(line(finding))
        findings.append(finding)
    _show(f"\n{summary([file, *findings])}")
    if has_fault(findings):
        sys.exit(NO_HARDWARE)
    if has_fault([file]):
        sys.exit(WRONG_USAGE)


def _room() -> "Iterator[Finding]":
    """Check the files of a room, of which most clocks have none."""
    from clock.apps.doctor import file_fault
    from hardware.diagnostics.finding import Finding, Verdict
    from room.cards.join import KEY_FILE, pending
    from room.settings.link import PATH, link_fault

    if waiting := pending(KEY_FILE):
        yield Finding("room", waiting.found, Verdict.FAULT, waiting.advice)
    if error := link_fault(PATH):
        yield file_fault("link", error)


def _show(text: str) -> None:
    show(*text.split("\n"))
