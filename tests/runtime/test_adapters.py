"""The parts of a clock, joined: names become buttons, troubles become faults, a match goes on."""

from logs import monkey_settings
from test_recovery import written
from world import match_settings

from clock.runtime.adapters import AllParts, ConfiguredMatch, PlungerButtons, SeenLog
from clock.config.loader import ConfigError
from clock.ui.dialogue import ButtonMoved
from clock.runtime.ports import PARTS, Drained, Fault
from clock.match.rules import MatchSettings
from clock.match.sides import Button


class Fingers:
    """Plungers that say what a test has put there."""

    def __init__(self) -> None:
        self.waited: list[int | None] = []
        self.moved: list[tuple[str, bool, int]] = []
        self.trouble: list[tuple[str, str | None]] = []

    def wait(self, until_ns: int | None) -> None:
        """Remembered."""
        self.waited.append(until_ns)

    def drain(self, now_ns: int) -> tuple[list[tuple[str, bool, int]], int]:
        """All of it, and a horizon."""
        return self.moved, now_ns - 1

    def faults(self) -> list[tuple[str, str | None]]:
        """All of it, once."""
        trouble, self.trouble = self.trouble, []
        return trouble


class Kept:
    """A log that keeps what it is given."""

    def __init__(self) -> None:
        self.done: list[object] = []

    def begin(self, match: str) -> str:
        """Under another name."""
        self.done.append(match)
        return f"{match}-2"

    def append(self, line: bytes) -> None:
        """Kept."""
        self.done.append(line)

    def checkpoint(self, *sign: object) -> None:
        """Kept."""
        self.done.append(sign)

    def late_ns(self) -> int | None:
        """Asked."""
        return 17


def test_names_become_buttons() -> None:
    """The hardware knows words; the game knows buttons."""
    fingers = Fingers()
    fingers.moved = [("left", True, 5), ("centre", False, 7)]
    buttons = PlungerButtons(fingers)
    buttons.wait(9)
    assert fingers.waited == [9]
    assert buttons.drain(20) == Drained(
        [ButtonMoved(Button.LEFT, True, 5), ButtonMoved(Button.CENTRE, False, 7)], 19
    )


def test_buttons_are_well_again_when_all_of_them_are() -> None:
    """One part on the displays, whichever button it is."""
    fingers = Fingers()
    fingers.trouble = [("left", "chatters"), ("right", "lost"), ("left", None)]
    buttons = PlungerButtons(fingers)
    assert buttons.faults() == [
        Fault("buttons", "left: chatters"),
        Fault("buttons", "right: lost"),
    ]
    fingers.trouble = [("right", None), ("right", None)]
    assert buttons.faults() == [Fault("buttons", None)]


def test_whoever_looks_at_a_log_sees_its_lines() -> None:
    """The same bytes, after they were given to the log."""
    kept, seen = Kept(), list[bytes]()
    log = SeenLog(kept, seen.append)
    assert log.begin("match") == "match-2"
    log.append(b"line\n")
    state = written("READY").state
    log.checkpoint(1, 2, "boot", state)
    assert kept.done == ["match", b"line\n", (1, 2, "boot", state)]
    assert seen == [b"line\n"]
    assert log.late_ns() == 17


def test_a_configuration_that_cannot_be_used_is_a_fault_and_the_last_one_stays() -> None:
    """The next match is played under the latest usable settings."""
    answers: list[MatchSettings | None] = [None, match_settings("us"), None]

    def load() -> MatchSettings:
        answer = answers.pop(0)
        if answer is None:
            raise ConfigError("f.toml", "match.length", "0", "1 to 99")
        return answer

    first = monkey_settings(1)
    following = ConfiguredMatch(first, load)
    assert following.settings() == first
    [fault] = following.faults()
    assert (fault.part, "match.length" in str(fault.what)) == ("config", True)
    assert fault.part in PARTS  # so that the panels have a word for it
    assert following.settings() == match_settings("us")
    assert following.settings() == match_settings("us")
    assert [each.what is None for each in following.faults()] == [True, False]
    assert list(following.faults()) == []


def test_the_recovery_of_what_had_not_failed_is_no_news() -> None:
    """Faults of all parts in one row."""
    rows = [[Fault("log", None), Fault("log", "full")], [Fault("serial", "gone")]]
    parts = AllParts(lambda: rows[0], lambda: rows[1])
    assert parts.drain() == [Fault("log", "full"), Fault("serial", "gone")]
    rows[:] = [[Fault("log", None), Fault("log", None)], []]
    assert parts.drain() == [Fault("log", None)]


def test_what_the_system_says_is_made_a_text() -> None:
    """The name of a file need not be one; a log line must."""
    parts = AllParts(lambda: [Fault("config", "/boot/\udcff.toml: gone")])
    assert parts.drain() == [Fault("config", "/boot/\\udcff.toml: gone")]


def test_a_fault_that_lasts_is_told_once_and_told_anew_when_it_changes() -> None:
    """A file that is read every two seconds and stays wrong is one line of the log."""
    rows = [Fault("config", "a"), Fault("config", "a"), Fault("config", "b"), Fault("config", None)]
    assert AllParts(lambda: rows).drain() == [rows[0], rows[2], rows[3]]
