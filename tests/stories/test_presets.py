"""The presets of an event, from the file to the log: chosen, confirmed, played, kept.

The whole program runs on real files, with simulated buttons and in virtual time.
"""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click.testing
import pytest

from clock.config.loader import parse_settings
from clock.match.types import Phase
from clock.units import SECOND_NS
from gammonclock.__main__ import main
from lab.support.boxes import Clock

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


@pytest.fixture
def clock(tmp_path: Path) -> Iterator[Clock]:
    """A clock at an event, switched on."""
    clock = Clock(tmp_path, EVENT)
    yield clock
    clock.close()


@pytest.mark.rule("R104", "R67")
def test_the_choice_survives_a_power_cut_and_a_crash(clock: Clock) -> None:
    """The log names the preset; the page does not come again, but for the next match it does."""
    clock.do(FINAL).cut()
    assert clock.chosen() == ("Final", 1, False)
    items = clock.do("1 press left").items
    assert clock.restart().items == items
    assert clock.chosen() == ("Final", 1, False)
    assert clock.state.players.left.confirmed
    clock.do("1 press right\n1 press centre\n" + WIN)
    assert clock.state.phase is Phase.FINISHED
    clock.cut()
    assert clock.chosen() == ("Final", 1, False)
    assert clock.do("1 press left").chosen() == (None, 9, True)


@pytest.mark.rule("R104", "R67")
def test_the_choice_of_the_files_own_settings_survives_too(clock: Clock) -> None:
    assert clock.do("1 press centre").chosen() == ("", 9, False)
    assert clock.cut().chosen() == ("", 9, False)


@pytest.mark.rule("R104")
def test_a_preset_can_be_chosen_after_a_crash_in_the_page(clock: Clock) -> None:
    clock.do("1 press right").restart()
    assert clock.chosen() == (None, 9, True)
    assert clock.do(FINAL).chosen() == ("Final", 1, False)


@pytest.mark.rule("R104")
def test_a_change_of_the_file_shows_on_the_page_and_at_review(clock: Clock) -> None:
    """Within two seconds, until a player has confirmed; the choice follows its name."""
    clock.do("1 press right").write(EVENT.replace("length = 1\n", "length = 3\n"))
    assert "EBF, 3 points" in clock.do("3 wait").faces.left.lines
    assert clock.do("1 press centre").chosen() == ("Final", 3, False)
    clock.write(EVENT.replace("length = 1\n", "length = 7\n")).do("3 wait")
    assert clock.chosen() == ("Final", 7, False)
    clock.do("1 press left").write(EVENT).do("3 wait")
    assert clock.chosen() == ("Final", 7, False)


@pytest.mark.rule("R104")
def test_a_preset_that_leaves_the_file_is_chosen_anew(clock: Clock) -> None:
    """At REVIEW the page comes again; without any preset it goes."""
    clock.do(FINAL).write(EVENT.replace("Final", "Semifinal")).do("3 wait")
    assert clock.chosen() == (None, 9, True)
    clock.write("[match]\nlength = 4\n").do("3 wait")
    assert clock.chosen() == (None, 4, False)
    assert clock.shown == "Confirm"
    clock.write(EVENT).do("3 wait")
    assert clock.chosen() == (None, 9, True)


@pytest.mark.rule("R104")
def test_a_changed_preset_applies_after_a_power_cut(clock: Clock) -> None:
    """The director changed the file while the clock was off; nobody has confirmed."""
    clock.do(FINAL).write(EVENT.replace("length = 1\n", "length = 3\n")).cut()
    assert clock.chosen() == ("Final", 3, False)
    clock.write(EVENT.replace("Final", "Semifinal")).cut()
    assert clock.chosen() == (None, 9, True)


@pytest.mark.rule("R104")
def test_presets_added_during_a_match_wait_for_the_next_one(clock: Clock) -> None:
    clock.write("[match]\nlength = 1\n").restart().do("1 press centre")
    assert clock.chosen() == (None, 1, False)
    clock.do(CONFIRM + "1 press right").write(EVENT).restart()
    assert clock.chosen() == (None, 1, False)
    assert clock.state.phase is Phase.RUNNING


@pytest.mark.rule("R104")
def test_the_page_of_the_next_match_shows_the_file_as_it_is_then(clock: Clock) -> None:
    """The match just played keeps its settings until the next one is chosen."""
    clock.do(FINAL + CONFIRM + WIN).write(EVENT.replace("length = 5", "length = 7"))
    clock.do("1 press centre\n1 press right")
    assert clock.chosen() == ("Final", 1, True)
    assert clock.state.phase is Phase.FINISHED
    assert clock.do("1 press centre").chosen() == ("Fast", 7, False)


@pytest.mark.rule("R104")
def test_presets_that_are_gone_leave_the_result(clock: Clock) -> None:
    """The page closes; the director begins the next match as without presets."""
    clock.do(FINAL + CONFIRM + WIN).write("[match]\nlength = 4\n").do("1 press centre")
    assert clock.chosen() == ("Final", 1, False)
    assert clock.do("1 hold centre\n1 press centre\n1 press centre").chosen() == (None, 4, False)


@pytest.mark.rule("R104")
def test_what_the_director_does_before_a_choice_is_done(clock: Clock) -> None:
    """They approve the settings shown; the page does not come back over them."""
    approve = "1 hold centre\n1 press centre\n1 press centre\n"
    clock.do(approve)
    assert clock.chosen() == (None, 9, False)
    assert clock.do("1 press centre").state.phase is Phase.READY
