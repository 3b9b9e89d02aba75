"""The presets of an event, from the file to the log: chosen, confirmed, played, kept.

The whole program runs on real files, with simulated buttons and in virtual time.
"""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click.testing
import pytest

from clock.apps.playback import NullPanels
from clock.apps.script import parse
from clock.config.loader import load_settings, parse_settings
from clock.config.settings import Settings
from clock.match.types import Phase
from clock.runtime.adapters import ConfiguredMatch, HealthAggregator, TeeLog
from clock.runtime.loop import Runtime, UiOptions
from clock.runtime.offer_folder import OfferFolder
from clock.runtime.ports import Drained, Ports
from clock.runtime.resume_match import ResumableLogs
from clock.runtime.startup import find_match
from clock.storage.disk import DISK, Disk
from clock.storage.unfinished import HANDED
from clock.ui.dialogue import ButtonMoved, PresetPage, offered_items
from clock.ui.i18n import sayer
from clock.units import SECOND_NS
from clock.virtual import VirtualTime
from gammonclock.__main__ import main
from lab.support import journals

EVENT = """
[match]
length = 9
[[preset]]
name = "Final"
length = 1
time_per_point = "2:30"
[[preset]]
name = "Fast"
profile = "nbgf-hurtig"
length = 5
"""
CONFIRM = "1 press left\n1 press right\n1 press centre\n"
WIN = """1 press right
20 press centre
1 press right
1 press centre
1 press left
1 press centre
"""
FINAL = "1 press right\n1 press centre\n"  # from the page's first choice
CODES = {
    name: preset.match.code
    for name, preset in zip(
        ("", "Final", "Fast"), parse_settings(EVENT, "event.toml").choices, strict=True
    )
}


def played(folder: Path, script: str, config: str = EVENT) -> list[dict[str, Any]]:
    """The records of the command `play`, over all matches."""
    (folder / "script").write_text(script, encoding="utf-8")
    (folder / "event.toml").write_text(config, encoding="utf-8")
    command = ["play", str(folder / "script"), "--config", str(folder / "event.toml")]
    done = click.testing.CliRunner().invoke(main, command)
    assert done.exit_code == 0, done.output
    return [json.loads(line) for line in done.stdout.splitlines()]


def opened(records: list[dict[str, Any]]) -> list[tuple[str | None, str]]:
    """The presets of the matches opened, and their settings codes."""
    found = [record for record in records if record["event"] == "match_opened"]
    return [(record.get("preset"), record["code"]) for record in found]


@pytest.mark.rule("R104")
def test_a_preset_is_played_and_the_players_begin_the_next_match(tmp_path: Path) -> None:
    """Choose, confirm, play, win; then the players choose another preset and confirm it."""
    config = f'{EVENT}[director]\ncode = "LRRL"\n'
    other = "1 press centre\n1 press right\n1 press centre\n"
    records = played(tmp_path, FINAL + CONFIRM + WIN + other + CONFIRM, config)
    assert opened(records) == [
        (None, CODES[""]),
        ("Final", CODES["Final"]),
        ("Fast", CODES["Fast"]),
    ]
    over = next(record for record in records if record["event"] == "match_over")
    assert (over["winner"], over["score"]) == ("left", [1, 0])
    last = records[-1]
    assert (last["phase"], last["left_ns"], last["right_ns"]) == ("READY", *[300 * SECOND_NS] * 2)


# --- on a card --------------------------------------------------------------------------------


class Clock:
    """A clock whose file, logs and checkpoint lie in a folder."""

    def __init__(self, folder: Path, offers: Path | None = None, disk: Disk = DISK) -> None:
        self._file, self.logs = folder / "gammonclock.toml", folder / "logs"
        self._offers, self._disk = offers, disk
        self.lines: list[bytes] = []  # of all logs, in their order
        self.time = VirtualTime()
        self._moves: list[ButtonMoved] = []
        self._end_ns = 0
        self.runtime: Runtime
        self._journal: journals.WatchedJournal | None = None

    def write(self, text: str) -> "Clock":
        """The director changes the file."""
        self._file.write_text(text, encoding="utf-8")
        return self

    def switch_on(self) -> "Clock":
        """What the program does at its start."""
        self._journal = journals.opened(self.logs, self._disk)
        startup = find_match(self._journal, self.time)
        settings = self._load()
        self.panels = NullPanels(settings.match)
        self.next_match = ConfiguredMatch(settings, self._load)
        log = TeeLog(self._journal, self.lines.append)
        resumable = ResumableLogs(self.logs, self._file.parent / HANDED, self.time)
        health = HealthAggregator(resumable.faults)
        ports = Ports(
            self.time, self, self.panels, log, health, self.next_match, resumable=resumable
        )
        if self._offers is not None:
            from_room = OfferFolder(self._offers, self.logs, self.next_match)
            ports = ports._replace(offers=from_room, rulings=from_room)
        director = settings.director
        options = UiOptions(
            sayer("en"), "test", code=director.code, players_start=director.players_start
        )
        self.runtime = Runtime(ports, options, startup.recovery, startup.preset, startup.offer)
        return self

    def _load(self) -> Settings:
        return load_settings(self._file)

    def cut(self) -> "Clock":
        """The power is gone, for ten minutes; what was logged is on the card."""
        self.close()
        self.time.reboot()
        return self

    def restart(self) -> "Clock":
        """Only the program ends and starts again."""
        self.close()
        return self.switch_on()

    def close(self) -> None:
        """The log is written."""
        if self._journal is not None:
            self._journal.close()
            self._journal = None

    def wait_for_disk(self) -> None:
        """Wait until all lines are on the disk."""
        assert self._journal is not None
        self._journal.wait()

    def choose_item(self, name: str) -> "Clock":
        """Turn the director's menu to an item, and choose it."""
        dialogue, state = self.runtime.session.dialogue, self.runtime.state
        names = [item.name for item in offered_items(dialogue, state)]
        return self.press("1 press right\n" * names.index(name) + "1 press centre")

    def press(self, script: str) -> "Clock":
        """Presses as in a script."""
        [segment] = parse(script, "script")
        begun_ns = self.time.ns
        self._moves = [move._replace(at_ns=begun_ns + move.at_ns) for move in segment.moves]
        self._end_ns = begun_ns + segment.end_ns
        while self._moves or self.time.ns < self._end_ns:
            self.runtime.turn()
        return self

    def wait(self, until_ns: int | None) -> None:
        """See `Buttons.wait`."""
        next_ns = self._moves[0].at_ns if self._moves else self._end_ns
        self.time.ns = max(self.time.ns, next_ns if until_ns is None else min(until_ns, next_ns))

    def drain(self, now_ns: int) -> Drained:
        """See `Buttons.drain`."""
        moved = [move for move in self._moves if move.at_ns <= now_ns]
        self._moves = self._moves[len(moved) :]
        return Drained(moved, now_ns)

    def begun(self) -> tuple[ButtonMoved, ...]:
        """Return nothing: contacts settle at once."""
        return ()

    def chosen(self) -> tuple[str | None, int, bool]:
        """The preset, the length, and whether the page of the presets is open."""
        page = self.runtime.session.dialogue.page
        return self.runtime.state.preset, self.runtime.state.length, isinstance(page, PresetPage)

    @property
    def shown(self) -> str:
        """The status on both panels."""
        assert self.panels.faces is not None
        [status] = {face.status for face in self.panels.faces}
        return status


@pytest.fixture
def clock(tmp_path: Path) -> Iterator[Clock]:
    """A clock at an event, switched on."""
    clock = Clock(tmp_path).write(EVENT).switch_on()
    yield clock
    clock.close()


@pytest.mark.rule("R104", "R67")
def test_the_choice_survives_a_power_cut_and_a_crash(clock: Clock) -> None:
    """The log names the preset; the page does not come again, but for the next match it does."""
    clock.press(FINAL).cut().switch_on()
    assert clock.chosen() == ("Final", 1, False)
    clock.press("1 press left").restart()
    assert clock.chosen() == ("Final", 1, False)
    assert clock.runtime.state.players.left.confirmed
    clock.press("1 press right\n1 press centre\n" + WIN)
    assert clock.runtime.state.phase is Phase.FINISHED
    clock.cut().switch_on()
    assert clock.chosen() == ("Final", 1, False)
    assert clock.press("1 press left").chosen() == (None, 9, True)


@pytest.mark.rule("R104", "R67")
def test_the_choice_of_the_files_own_settings_survives_too(clock: Clock) -> None:
    assert clock.press("1 press centre").chosen() == ("", 9, False)
    assert clock.cut().switch_on().chosen() == ("", 9, False)


@pytest.mark.rule("R104")
def test_a_preset_can_be_chosen_after_a_crash_in_the_page(clock: Clock) -> None:
    clock.press("1 press right").restart()
    assert clock.chosen() == (None, 9, True)
    assert clock.press(FINAL).chosen() == ("Final", 1, False)


@pytest.mark.rule("R104")
def test_a_change_of_the_file_shows_on_the_page_and_at_review(clock: Clock) -> None:
    """Within two seconds, until a player has confirmed; the choice follows its name."""
    clock.press("1 press right").write(EVENT.replace("length = 1\n", "length = 3\n"))
    assert clock.press("3 wait").panels.faces is not None
    assert "EBF, 3 points" in clock.panels.faces.left.lines  # type: ignore[union-attr]
    assert clock.press("1 press centre").chosen() == ("Final", 3, False)
    clock.write(EVENT.replace("length = 1\n", "length = 7\n")).press("3 wait")
    assert clock.chosen() == ("Final", 7, False)
    clock.press("1 press left").write(EVENT).press("3 wait")
    assert clock.chosen() == ("Final", 7, False)


@pytest.mark.rule("R104")
def test_a_preset_that_leaves_the_file_is_chosen_anew(clock: Clock) -> None:
    """At REVIEW the page comes again; without any preset it goes."""
    clock.press(FINAL).write(EVENT.replace("Final", "Semifinal")).press("3 wait")
    assert clock.chosen() == (None, 9, True)
    clock.write("[match]\nlength = 4\n").press("3 wait")
    assert clock.chosen() == (None, 4, False)
    assert clock.shown == "Confirm"
    clock.write(EVENT).press("3 wait")
    assert clock.chosen() == (None, 9, True)


@pytest.mark.rule("R104")
def test_a_changed_preset_applies_after_a_power_cut(clock: Clock) -> None:
    """The director changed the file while the clock was off; nobody has confirmed."""
    clock.press(FINAL).cut().write(EVENT.replace("length = 1\n", "length = 3\n")).switch_on()
    assert clock.chosen() == ("Final", 3, False)
    clock.cut().write(EVENT.replace("Final", "Semifinal")).switch_on()
    assert clock.chosen() == (None, 9, True)


@pytest.mark.rule("R104")
def test_presets_added_during_a_match_wait_for_the_next_one(clock: Clock) -> None:
    clock.close()
    clock.write("[match]\nlength = 1\n").switch_on().press("1 press centre")
    assert clock.chosen() == (None, 1, False)
    clock.press(CONFIRM + "1 press right").write(EVENT).restart()
    assert clock.chosen() == (None, 1, False)
    assert clock.runtime.state.phase is Phase.RUNNING


@pytest.mark.rule("R104")
def test_the_page_of_the_next_match_shows_the_file_as_it_is_then(clock: Clock) -> None:
    """The match just played keeps its settings until the next one is chosen."""
    clock.press(FINAL + CONFIRM + WIN).write(EVENT.replace("length = 5", "length = 7"))
    clock.press("1 press centre\n1 press right")
    assert clock.chosen() == ("Final", 1, True)
    assert clock.runtime.state.phase is Phase.FINISHED
    assert clock.press("1 press centre").chosen() == ("Fast", 7, False)


@pytest.mark.rule("R104")
def test_presets_that_are_gone_leave_the_result(clock: Clock) -> None:
    """The page closes; the director begins the next match as without presets."""
    clock.press(FINAL + CONFIRM + WIN).write("[match]\nlength = 4\n").press("1 press centre")
    assert clock.chosen() == ("Final", 1, False)
    assert clock.press("1 hold centre\n1 press centre\n1 press centre").chosen() == (None, 4, False)


@pytest.mark.rule("R104")
def test_what_the_director_does_before_a_choice_is_done(clock: Clock) -> None:
    """They approve the settings shown; the page does not come back over them."""
    approve = "1 hold centre\n1 press centre\n1 press centre\n"
    clock.press(approve)
    assert clock.chosen() == (None, 9, False)
    assert clock.press("1 press centre").runtime.state.phase is Phase.READY
