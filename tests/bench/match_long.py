"""A match of three hours, pressed on a board whose time travels.

The one rule: who plays it and who measures it play the same.
"""

from pathlib import Path

from bench.board import Board
from bench.logbook import Logbook
from bench.match_hands import all_moves
from match_scripts import Author

from clock.config.loader import load_settings
from clock.match.rules import MatchSettings, Reason
from clock.match.sides import Side

TOML = '[match]\nlength = {length}\n[rules]\ntime_per_match = "1:00:00"\n'


def settings_of(folder: Path, length: int) -> MatchSettings:
    """What such a match is played under."""
    path = folder / "match.toml"
    path.write_text(TOML.format(length=length), encoding="utf-8")
    return load_settings(path).match


def three_hours(author: Author) -> str:
    """Eleven games of some fifteen minutes, with what lies between them, and two breaks."""
    author.confirm()
    for number in range(11):
        author.do("press left", 30)
        author.turns(46, pace=12)
        author.stop_for(Reason.UNSPECIFIED, 150)
        author.turns(8, pace=12)
        author.end_game((Side.LEFT, Side.RIGHT)[number % 2], 2)
        if number in {3, 7}:
            author.take_break(Side.LEFT, 290)
    return author.script


def a_long_match(folder: Path) -> int:
    """Play it; returns how long it took there, in nanoseconds."""
    records = played(folder, settings_of(folder, 25)).records
    passed_ns: int = records[-1]["at_ns"] - records[0]["at_ns"]
    return passed_ns


def played(folder: Path, settings: MatchSettings) -> Logbook:
    """The log that it gives."""
    with Board(TOML.format(length=settings.length), folder, time_travel=True) as board:
        board.play(all_moves(three_hours(Author(settings, 3))))
        return board.log()
