"""`gammonclock run`: what it passes on, and why it cannot start."""

import shlex
import shutil
import sys
from pathlib import Path

import click.testing
import pytest

from clock.apps import appliance_start, pins, simulator
from clock.eventlog.codec import DamagedError
from clock.runtime.handover import NewRequest, ResumeRequest
from clock.runtime.loop import UiOptions
from clock.runtime.startup import ResumeError
from clock.storage.journal import JournalError
from gammonclock import static_pages
from gammonclock.console import DAMAGED, NO_HARDWARE, WRONG_USAGE
from hardware.gpio.factories import HardwareError
from lab.support.commands import LOG, failed, said
from room.web import page_files


def test_run_without_hardware_suggests_the_simulation(monkeypatch: pytest.MonkeyPatch) -> None:
    def no_pins(*_: object) -> None:
        raise HardwareError("no pins through gpiod: no chip")

    monkeypatch.setattr(appliance_start, "run_appliance", no_pins)
    message = failed(NO_HARDWARE, "run")
    assert (
        "no pins through gpiod: no chip. To try the clock without: gammonclock run --simulate"
        in message
    )


def test_run_without_hardware_reports_an_error_in_the_file_first(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Exit code 2, and the message is the same as everywhere: nothing waits for a right file."""

    def no_pins(_: str) -> None:
        raise HardwareError("no pins")

    monkeypatch.setattr(pins, "pin_factory", no_pins)
    path = tmp_path / "my.toml"
    path.write_text("[match]\nlength = 0\n")
    message = failed(WRONG_USAGE, "run", "--config", str(path))
    assert message == said("check-config", str(path)).stderr


def test_a_terminals_keys_are_stamped_by_software(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[UiOptions] = []
    monkeypatch.setattr(simulator, "run_simulated", lambda _, options, *__: seen.append(options))
    said("run", "--simulate")
    assert [options.stamps for options in seen] == ["software"]


@pytest.mark.parametrize("options", [("--new",), ("--simulate", "--new", "--resume", LOG)])
def test_a_new_match_is_only_begun_in_a_simulation(options: tuple[str, ...]) -> None:
    """On a clock the director's menu does that, and --resume names another match."""
    assert "--new needs --simulate, and no --resume" in failed(WRONG_USAGE, "run", *options)


@pytest.mark.parametrize("option", [(), ("--new",)])
def test_new_is_passed_on(monkeypatch: pytest.MonkeyPatch, option: tuple[str, ...]) -> None:
    seen: list[object] = []
    monkeypatch.setattr(simulator, "run_simulated", lambda *given: seen.append(given[-2]))
    said("run", "--simulate", *option)
    assert seen == [NewRequest() if option else None]


@pytest.mark.rule("R134")
@pytest.mark.parametrize("option", [(), ("--offers", "/run/gammonclock-link")])
def test_the_directory_of_offers_is_passed_on(
    monkeypatch: pytest.MonkeyPatch, option: tuple[str, ...]
) -> None:
    """To the simulated clock and to the one in its box; by default there is none."""
    seen: list[object] = []
    monkeypatch.setattr(simulator, "run_simulated", lambda *given: seen.append(given[-1].offers))
    monkeypatch.setattr(
        appliance_start, "run_appliance", lambda source, *_: seen.append(source.offers)
    )
    said("run", "--simulate", *option)
    said("run", *option)
    assert seen == [Path(option[1]) if option else None] * 2


def test_a_user_without_a_home_is_told_what_to_set(monkeypatch: pytest.MonkeyPatch) -> None:
    """As in a container, where a number is all that is known of the user."""

    def home() -> Path:
        raise RuntimeError

    monkeypatch.delenv("XDG_STATE_HOME")
    monkeypatch.setattr(Path, "home", home)
    assert "no home directory for the logs: set HOME" in failed(WRONG_USAGE, "run", "--simulate")


@pytest.mark.parametrize("has_program", [True, False])
def test_at_the_end_the_terminal_has_the_log_and_its_report(
    monkeypatch: pytest.MonkeyPatch, *, has_program: bool
) -> None:
    """The command can be copied, also where `gammonclock` is not found."""
    program = "gammonclock" if has_program else f"{shlex.quote(sys.executable)} -m gammonclock"
    monkeypatch.setattr(simulator, "run_simulated", lambda *_: Path("/logs/it is.jsonl"))
    monkeypatch.setattr(shutil, "which", lambda _: program if has_program else None)
    monkeypatch.setattr(click.testing._NamedTextIOWrapper, "isatty", lambda _: True)
    result = said("run", "--simulate")
    assert result.stdout.splitlines() == [
        "log of the match: /logs/it is.jsonl",
        f"to see what happened: {program} report '/logs/it is.jsonl'",
    ]


@pytest.mark.parametrize(("log", "is_terminal"), [(None, True), (Path("a.jsonl"), False)])
def test_without_a_log_or_a_terminal_nothing_is_said_at_the_end(
    monkeypatch: pytest.MonkeyPatch, log: Path | None, is_terminal: bool
) -> None:
    monkeypatch.setattr(simulator, "run_simulated", lambda *_: log)
    monkeypatch.setattr(click.testing._NamedTextIOWrapper, "isatty", lambda _: is_terminal)
    assert said("run", "--simulate").stdout == ""


@pytest.mark.parametrize(
    ("error", "code", "why"),
    [
        (JournalError("logs: cannot be used"), WRONG_USAGE, "logs: cannot be used"),
        (ResumeError("that match is over"), WRONG_USAGE, "that match is over"),
        (DamagedError(7, "torn"), DAMAGED, "m.jsonl: the match cannot be resumed: line 7: torn"),
    ],
)
def test_run_reports_why_it_cannot_start(
    monkeypatch: pytest.MonkeyPatch, error: Exception, code: int, why: str
) -> None:
    """No place for the log: 2. A log to resume that tells nothing: 4, and what to do instead."""

    def fail(*_: object) -> None:
        raise error

    monkeypatch.setattr(simulator, "run_simulated", fail)
    message = failed(code, "run", "--simulate", "--resume", "m.jsonl")
    assert why in message
    assert ("director's menu" in message) == (code == DAMAGED)


def test_a_clock_on_a_page_is_a_simulation(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It needs no terminal, and no clock is told to run on a page instead of its box."""
    monkeypatch.setattr(page_files, "BROWSER_PAGES", tmp_path / "pages")
    assert "--browser needs --simulate" in failed(WRONG_USAGE, "run", "--browser")
    assert "make browser" in failed(WRONG_USAGE, "run", "--simulate", "--browser")

    (tmp_path / "pages").mkdir()  # `make browser` has begun
    assert "make browser" in failed(WRONG_USAGE, "run", "--simulate", "--browser")

    (tmp_path / "pages" / "files.json").touch()  # and ended
    served: list[Path] = []
    monkeypatch.setattr(static_pages, "serve", served.append)
    said("run", "--simulate", "--browser")
    assert served == [tmp_path / "pages"]


def test_another_match_is_only_abandoned_for_one_to_resume(tmp_path: Path) -> None:
    """--instead alone would abandon a match for nothing."""
    assert "--instead needs --resume LOG" in failed(WRONG_USAGE, "run", "--instead")
    with pytest.MonkeyPatch.context() as patched:
        seen: list[object] = []
        patched.setattr(simulator, "run_simulated", lambda *given: seen.append(given[-2]))
        for option in ((), ("--instead",)):
            said("run", "--simulate", "--resume", tmp_path / "a.jsonl", *option)
    log = tmp_path / "a.jsonl"
    assert seen == [ResumeRequest(log, instead=False), ResumeRequest(log, instead=True)]
