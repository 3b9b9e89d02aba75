"""Whole matches on the whole clock: every line of the log, every reserve, every picture.

In time travel; what is pressed are lines, what is seen is on glass.
"""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from bench.board import LEFT, RIGHT, Board
from bench.logbook import Logbook, Record
from bench.match_hands import Hands
from bench.match_turns import reserves, turns
from bench.match_twin import Twin
from bench.panel_faces import shift
from bench.serial_line import DEVICE
from generate_matches import DATA, script_of, settings_of
from match_scripts import Author

from clock.config.loader import load_settings
from clock.ui.face import Face
from clock.match.rules import SECOND_NS, Reason
from clock.match.sides import Pair, Side

HEARD_S = 20.0  # within which what was sent is heard, in real time
NEAR_NS = SECOND_NS // 5  # a stop may end 10 ms later, when the centre comes up; there are a few
CHAIN = ("match", "boot", "wall", "crc")  # what differs between two logs of the same match
TOML = '[match]\nlength = 7\n[rules]\nprofile = "ebf"\n[log]\nserial = "{serial}"\n'


def facts(record: Record) -> Record:
    """What a record says of the match."""
    return {name: value for name, value in record.items() if name not in CHAIN}


def watched(board: Board, script: str, twin: Twin) -> Iterator[Pair[Face]]:
    """Play a script; both panels show the twin's faces each time that somebody looks."""
    hands, known = Hands(board, script), 1
    for now_ns in hands.looks():
        records = board.log().records
        faces = twin.follow(hands.stamped(records[known:]), now_ns)
        known = len(records)
        for side in Side:
            assert shift(board.panel(side).picture, faces[side]) is not None, (side, faces)
        yield faces


def played(board: Board, profile: str) -> Logbook:
    """A known match, watched; its log is the twin's to the nanosecond, and replays."""
    twin = Twin(settings_of(profile), board.log().records[0]["at_ns"])
    assert len([*watched(board, script_of(profile), twin)]) > 100
    log = board.log()
    log.verified()
    expected = Logbook(twin.text)
    assert [*map(facts, log.records)] == [*map(facts, expected.records)]
    return log


def near(ours: Any, known: Any, name: str = "") -> bool:
    """Whether a value is the known one; a duration, if it is near."""
    if isinstance(known, dict):
        return ours.keys() == known.keys() and all(
            near(ours[key], known[key], key) for key in known
        )
    if isinstance(known, list):
        return len(ours) == len(known) and all(map(near, ours, known))
    if isinstance(known, int) and (abs(known) >= SECOND_NS or name.endswith("_ns")):
        return bool(abs(ours - known) < NEAR_NS)
    return bool(ours == known)


@pytest.mark.parametrize("profile", ["ebf", "nbgf", "jbs"])
def test_a_known_match(tmp_path: Path, profile: str) -> None:
    """The script of a match that is kept with its log gives, pressed by hands, that log."""
    toml = (DATA / f"{profile}.toml").read_text(encoding="utf-8")
    with Board(toml, tmp_path, time_travel=True) as board:
        log = played(board, profile)
    known = Logbook((DATA / f"{profile}.jsonl").read_text(encoding="utf-8"))
    assert len(log) == len(known)
    for ours, theirs in zip(log.records[1:], known.records[1:], strict=True):
        offset_ns = log.records[1]["at_ns"] - known.records[1]["at_ns"]
        shifted = facts(ours) | {"at_ns": ours["at_ns"] - offset_ns}
        assert near(shifted, facts(theirs)), (shifted, theirs)


def a_match(author: Author) -> str:
    """To 7 points: turns of all lengths, stops, a break, presses out of turn; no flag."""
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


def test_a_whole_match(tmp_path: Path) -> None:
    """Each reserve is both oracles', on the log as on the glass; the serial line heard it all."""
    toml = TOML.format(serial=DEVICE)
    (tmp_path / "match.toml").write_text(toml, encoding="utf-8")
    settings = load_settings(tmp_path / "match.toml").match
    with Board(toml, tmp_path, time_travel=True) as board:
        twin = Twin(settings, board.log().records[0]["at_ns"])
        for faces in watched(board, a_match(Author(settings, 7)), twin):
            for side in Side:
                assert board.panel(side).reserve == faces[side].reserve
        log = board.log()
        log.verified()
        assert log.last["event"] == "match_over"
        assert [*map(facts, log.records)] == [*map(facts, Logbook(twin.text).records)]
        made = turns(log.records)
        rules = settings.rules
        expected = reserves(made, rules.delay_ns, 7 * rules.time_per_point_ns)
        assert [(each.last["left_ns"], each.last["right_ns"]) for each in made] == expected
        assert len(made) > 40
        last = [*map(json.loads, log.text.splitlines())][-1]
        assert board.serial.wait_for(last["crc"], HEARD_S)
        assert board.serial.heard == log.text
        for button, ns in zip((LEFT, RIGHT), expected[-1], strict=True):
            minutes, seconds = divmod(-(-ns // SECOND_NS), 60)
            assert board.panel(button).reserve == f"{minutes}:{seconds:02}"
