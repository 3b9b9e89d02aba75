"""`gammonclock doctor`."""

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from clock import __version__
from gammonclock.console import NO_HARDWARE, WRONG_USAGE, fail, show
from gammonclock.options import FILE_PATH, config_file, config_option, force_option
from gammonclock.output_file import OutputFile

if TYPE_CHECKING:
    from hardware.diagnostics.finding import Finding


@click.command()
@config_option
@click.option("--no-input", is_flag=True, help="Do not ask for button presses.")
@click.option("--report", type=FILE_PATH, help="Write all that was found to this file.")
@click.option(
    "--wire",
    type=click.IntRange(0, 27),
    metavar="PIN",
    help="Measure stamps: a wire joins this free BCM pin to that of the left plunger.",
)
@force_option
def doctor(
    config: Path | None, report: Path | None, wire: int | None, *, no_input: bool, force: bool
) -> None:
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
    A file to send to whoever helps you:
              gammonclock doctor --report box.txt
    """
    if sys.platform != "linux":
        fail(NO_HARDWARE, "doctor tests the hardware of a clock; start it on the Raspberry Pi")
    from clock.apps.doctor import Doctor, probe_computer, read_settings
    from clock.apps.doctor import report as written
    from hardware.diagnostics.finding import has_fault, line, summary

    settings, file = read_settings(config_file(config))
    output = OutputFile("--report", filter(None, [config_file(config)]), force=force)
    if report is not None:
        output.check(report)
    _show(f"gammonclock {__version__}\n\n{line(file)}")
    probe = probe_computer()
    findings = Doctor(settings, probe, _show, ask=not no_input, wire=wire).run()
    for finding in _room():
        _show(line(finding))
        findings.append(finding)
    _show(f"\n{summary([file, *findings])}")
    if report is not None:
        text = written(settings, [file, *findings], probe.root)
        output.write(report, f"{text}\n".encode())
        _show(f"\nAll of this is in {report}, to send to whoever helps you.")
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
