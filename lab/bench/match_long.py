"""Matches of an hour and of three hours, played on a board in time travel."""

from pathlib import Path

from clock.config.loader import load_settings
from clock.match.rules import MatchSettings, Reason
from clock.match.types import Side
from clock.units import SECOND_NS
from lab.bench.board import Board
from lab.bench.logbook import Logbook
from lab.bench.match_script import all_moves
from lab.support.match_scripts import Author

TOML = '[match]\nlength = {length}\n[rules]\ntime_per_match = "1:00:00"\n'


def settings_of(folder: Path, length: int) -> MatchSettings:
    """Return the settings of such a match to `length` points."""
    path = folder / "match.toml"
    path.write_text(TOML.format(length=length), encoding="utf-8")
    return load_settings(path).match


def play_half_a_game(author: Author, pause: float) -> None:
    """Add eight turns of about 15 s, and a stop."""
    author.turns(8, pace=13)
    author.stop_for(Reason.UNSPECIFIED, pause)


def one_hour_script(author: Author) -> str:
    """Write a script of a match with two long stops; then the director begins the next one."""
    author.confirm()
    author.do("press left", 15)
    for end in (1500, 3000):
        play_half_a_game(author, max(60, end - author.at_ns / SECOND_NS))
    author.turns(4, pace=13)
    author.end_game(Side.LEFT, 3)
    author.do("wait", 3590 - author.at_ns / SECOND_NS)
    author.direct("new_match")
    return author.script


def three_hour_script(author: Author) -> str:
    """Write a script of eleven games of about fifteen minutes, with stops and two breaks."""
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


def play_long_match(folder: Path) -> int:
    """Play the match; return how long it took on the guest's clock, in nanoseconds."""
    records = play_three_hours(folder, settings_of(folder, 25)).records
    passed_ns: int = records[-1]["at_ns"] - records[0]["at_ns"]
    return passed_ns


def play_three_hours(folder: Path, settings: MatchSettings) -> Logbook:
    """Play the match under these settings; return its log."""
    with Board(TOML.format(length=settings.length), folder, time_travel=True) as board:
        board.play(all_moves(three_hour_script(Author(settings, 3))))
        return board.log()
