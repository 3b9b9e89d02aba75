"""Whole matches in time travel: every line of the log, every reserve and every picture is checked.

The buttons are pressed at the GPIO lines, and the pictures are read from the displays' memory.
"""

import json
from pathlib import Path
from typing import Any

import pytest

from clock.config.loader import load_settings
from clock.match.rules import Reason
from clock.match.types import Side
from clock.units import SECOND_NS
from lab.bench.board import LEFT, RIGHT, Board
from lab.bench.logbook import Logbook, Record
from lab.bench.match_turns import reserves, turns
from lab.bench.match_twin import Twin, play_and_compare
from lab.bench.serial_line import DEVICE
from lab.docs.generate_matches import script_of, settings_of
from lab.support.match_scripts import Author
from lab.support.paths import DATA

HEARD_S = 20.0  # timeout for what is sent over the serial line, in real time
NEAR_NS = SECOND_NS // 5  # several stops may each end 10 ms later, when the centre is released
CHAIN = ("match", "boot", "wall", "hash", "clock")  # differ between two logs of one match
I2C, SPI = "", '[display]\ndriver = "{}"\ninterface = "spi"\n'
DISPLAYS = {"i2c": I2C, "spi": SPI.format("ssd1309"), "spi-sh1106": SPI.format("sh1106")}
TOML = '[match]\nlength = 7\n[rules]\nprofile = "ebf"\n[log]\nserial = "{serial}"\n'


def match_fields(record: Record) -> Record:
    """Return the fields of a record that are the same in each log of the same match."""
    return {name: value for name, value in record.items() if name not in CHAIN}


def play_known_match(board: Board, profile: str) -> Logbook:
    """Play a stored match; check that its log replays and is the twin's to the nanosecond."""
    twin = Twin(settings_of(profile), board.log().records[0]["at_ns"])
    assert len([*play_and_compare(board, script_of(profile), twin)]) > 100
    log = board.log()
    log.verified()
    expected = Logbook(twin.text)
    assert [*map(match_fields, log.records)] == [*map(match_fields, expected.records)]
    return log


def is_close(ours: Any, known: Any, name: str = "") -> bool:
    """Return whether a value is the known one; durations may differ by `NEAR_NS`."""
    if isinstance(known, dict):
        return ours.keys() == known.keys() and all(
            is_close(ours[key], known[key], key) for key in known
        )
    if isinstance(known, list):
        return len(ours) == len(known) and all(map(is_close, ours, known))
    if isinstance(known, int) and (abs(known) >= SECOND_NS or name.endswith("_ns")):
        return bool(abs(ours - known) < NEAR_NS)
    return bool(ours == known)


@pytest.mark.parametrize("profile", ["ebf", "nbgf", "jbs"])
def test_a_known_match(tmp_path: Path, profile: str) -> None:
    """A stored script, played on the board, gives the log that is stored with it."""
    toml = (DATA / f"{profile}.toml").read_text(encoding="utf-8")
    with Board(toml, tmp_path, time_travel=True) as board:
        log = play_known_match(board, profile)
    known = Logbook((DATA / f"{profile}.jsonl").read_text(encoding="utf-8"))
    assert len(log) == len(known)
    for ours, theirs in zip(log.records[1:], known.records[1:], strict=True):
        offset_ns = log.records[1]["at_ns"] - known.records[1]["at_ns"]
        shifted = match_fields(ours) | {"at_ns": ours["at_ns"] - offset_ns}
        assert is_close(shifted, match_fields(theirs)), (shifted, theirs)


def script_to_7_points(author: Author) -> str:
    """Write a script to 7 points: turns of all lengths, stops, a break, presses out of turn."""
    author.confirm()
    for number, (winner, points) in enumerate([(LEFT, 2), (RIGHT, 4), (LEFT, 1), (LEFT, 4)]):
        author.do(f"press {(LEFT, RIGHT)[number % 2].value}", 17.3)
        author.turns(6, pace=11)
        author.stop_for(Reason.UNSPECIFIED, 33.3)
        author.do(f"press {author.state.running and author.state.running.other.value}", 4.1)
        author.turns(5, pace=14)
        author.end_game(Side(winner.value), points)
        if number == 1:
            author.take_break(Side.LEFT, 290)
    return author.script


@pytest.mark.rule("R140")
@pytest.mark.parametrize("display", DISPLAYS.values(), ids=DISPLAYS)
def test_a_whole_match(tmp_path: Path, display: str) -> None:
    """Every picture and the log agree with both oracles; the serial line has all of the log."""
    toml = TOML.format(serial=DEVICE) + display
    (tmp_path / "match.toml").write_text(toml, encoding="utf-8")
    settings = load_settings(tmp_path / "match.toml").match
    with Board(toml, tmp_path, time_travel=True) as board:
        twin = Twin(settings, board.log().records[0]["at_ns"])
        *_, faces = play_and_compare(board, script_to_7_points(Author(settings, 7)), twin)
        log = board.log()
        log.verified()
        assert log.last["event"] == "match_over"
        assert [*map(match_fields, log.records)] == [*map(match_fields, Logbook(twin.text).records)]
        made = turns(log.records)
        rules = settings.rules
        expected = reserves(made, rules.delay_ns, 7 * rules.time_per_point_ns)
        assert [(each.last["left_ns"], each.last["right_ns"]) for each in made] == expected
        assert len(made) > 40
        assert board.panels.spi.resets == (1 if display else 0)
        last = [*map(json.loads, log.text.splitlines())][-1]
        assert board.serial.wait_for(last["hash"], HEARD_S)
        assert board.serial.log == log.text
        for face, ns in zip(faces, expected[-1], strict=True):
            minutes, seconds = divmod(-(-ns // SECOND_NS), 60)
            is_losers = face.qr and log.last["winner"] == Side.LEFT  # of the right panel (R209)
            assert face.reserve == ("" if is_losers else f"{minutes}:{seconds:02}")
