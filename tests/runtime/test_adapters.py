"""The adapters between the parts of a clock and the ports of the loop."""

from pathlib import Path

from clock.config.loader import load_settings, parse_settings
from clock.config.reader import ConfigError
from clock.config.settings import Settings
from clock.match.faults import PARTS, Fault
from clock.match.types import Button
from clock.runtime.adapters import ConfiguredMatch, HealthAggregator, PlungerButtons, TeeLog
from clock.runtime.ports import Drained
from clock.ui.dialogue import ButtonMoved
from lab.support.last_run import match_in

TABLE_7 = '[match]\nboard = "7"\nlength = 3'


class Fingers:
    """Plungers that return what a test has set."""

    def __init__(self) -> None:
        self.waited: list[int | None] = []
        self.moved: list[tuple[str, bool, int]] = []
        self.reports: list[tuple[str, str | None]] = []

    def wait(self, until_ns: int | None) -> None:
        self.waited.append(until_ns)

    def drain(self, now_ns: int) -> tuple[list[tuple[str, bool, int]], int]:
        return self.moved, now_ns - 1

    def begun(self) -> list[tuple[str, int]]:
        return [("right", 8)]

    def faults(self) -> list[tuple[str, str | None]]:
        reports, self.reports = self.reports, []
        return reports


class Kept:
    """A log that keeps what is written to it."""

    def __init__(self) -> None:
        self.done: list[object] = []

    def begin(self, match: str) -> str:
        self.done.append(match)
        return f"{match}-2"

    def append(self, line: bytes) -> None:
        self.done.append(line)

    def checkpoint(self, *sign: object) -> None:
        self.done.append(sign)

    def late_ns(self) -> int | None:
        return 17


def test_names_of_the_hardware_become_buttons() -> None:
    fingers = Fingers()
    fingers.moved = [("left", True, 5), ("centre", False, 7)]
    buttons = PlungerButtons(fingers)
    buttons.wait(9)
    assert fingers.waited == [9]
    assert buttons.drain(20) == Drained(
        [ButtonMoved(Button.LEFT, True, 5), ButtonMoved(Button.CENTRE, False, 7)], 19
    )
    assert buttons.begun() == [ButtonMoved(Button.RIGHT, True, 8)]


def test_reports_of_the_plungers_become_faults() -> None:
    fingers = Fingers()
    fingers.reports = [("buttons", "left: chatters"), ("buttons", None)]
    buttons = PlungerButtons(fingers)
    assert buttons.faults() == [Fault("buttons", "left: chatters"), Fault("buttons", None)]
    assert buttons.faults() == []


def test_a_tee_log_copies_its_lines() -> None:
    kept, seen = Kept(), list[bytes]()
    log = TeeLog(kept, seen.append, lambda: kept.done.append("a new match"))
    assert log.begin("match") == "match-2"
    log.append(b"line\n")
    state = match_in("READY").state
    log.checkpoint(1, 2, "boot", state)
    assert kept.done == ["a new match", "match", b"line\n", (1, 2, "boot", state)]
    assert seen == [b"line\n"]
    assert log.late_ns() == 17


def test_an_unusable_configuration_is_a_fault_and_the_latest_one_stays() -> None:
    first, second = parse_settings("", "f.toml"), parse_settings(TABLE_7, "f.toml")
    answers: list[Settings | None] = [None, second, None]

    def load() -> Settings:
        answer = answers.pop(0)
        if answer is None:
            raise ConfigError("f.toml", "match.length", "0", "1 to 99")
        return answer

    following = ConfiguredMatch(first, load)
    assert (following.settings(), following.board) == (first.match, "")
    [fault] = following.faults()
    assert (fault.part, "match.length" in str(fault.what)) == ("config", True)
    assert fault.part in PARTS  # so that the panels have a word for it
    assert (following.settings(), following.board) == (second.match, "7")
    assert (following.settings(), following.board) == (second.match, "7")
    assert [each.what is None for each in following.faults()] == [True, False]
    assert list(following.faults()) == []


def test_a_settings_file_that_is_not_read_is_a_fault_until_it_is_gone(tmp_path: Path) -> None:
    """The panels warn on their first page, and the log names the file."""
    file, copy = tmp_path / "my.toml", tmp_path / "my (1).toml"
    for path in (file, copy):
        path.write_text(TABLE_7)
    following = ConfiguredMatch(load_settings(file), lambda: load_settings(file))
    following.settings()
    copy.unlink()
    following.settings()
    found, gone = following.faults()
    assert (found.part, gone) == ("config", Fault("config", None))
    assert f"{copy}: not read" in str(found.what)


def test_a_recovery_without_a_fault_is_not_reported() -> None:
    rows = [[Fault("log", None), Fault("log", "full")], [Fault("serial", "gone")]]
    parts = HealthAggregator(lambda: rows[0], lambda: rows[1])
    assert parts.drain() == [Fault("log", "full"), Fault("serial", "gone")]
    as_told = HealthAggregator(parts=[lambda: [("chart", "torn")]])
    assert as_told.drain() == [Fault("chart", "torn")]
    rows[:] = [[Fault("log", None), Fault("log", None)], []]
    assert parts.drain() == [Fault("log", None)]


def test_invalid_text_in_a_fault_is_escaped() -> None:
    """The name of a file may be invalid text, but a log line may not."""
    parts = HealthAggregator(lambda: [Fault("config", "/boot/\udcff.toml: gone")])
    assert parts.drain() == [Fault("config", "/boot/\\udcff.toml: gone")]


def test_a_lasting_fault_is_reported_once_and_again_when_it_changes() -> None:
    """A wrong file that is read every two seconds causes only one line in the log."""
    rows = [Fault("config", what) for what in ("a", "a", "b", "b", None)]
    assert HealthAggregator(lambda: rows).drain() == [rows[0], rows[2], rows[4]]
