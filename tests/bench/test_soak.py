"""Hours and days of play: what the clock counts is what has passed, and nothing grows.

Time travels, but the kernel, the program and its threads do all that they would do in that time.
"""

from itertools import pairwise
from pathlib import Path

from bench.board import Board, Made
from bench.logbook import Logbook
from bench.match_hands import all_moves
from bench.match_long import TOML, played, settings_of
from bench.match_turns import delays_ns, paused_ns, reserves, turns
from match_scripts import Author

from clock.match.rules import SECOND_NS, MatchSettings, Reason
from clock.match.sides import Side

HOUR_NS = 3600 * SECOND_NS
REST_NS = 5 * SECOND_NS  # after a match, for all to come to rest
MATCHES, WARM = 24, 12
# The drawing's caches fill, and the heap's holes: 450 KiB in the first matches, then a page now and
# then, 52 KiB over twelve hours, then nothing. What this finds is 100 bytes kept for each of the
# 3,600 seconds that are shown in these hours, or 300 for each line of the log.
GROWTH = 256 << 10  # bytes, over twelve hours
# The issue asks for 30 s on a computer that does nothing else, and `make bench` measures that. What
# fails here is a clock that polls, for which time does not travel at all.


def half_a_game(author: Author, pause: float) -> None:
    """Eight turns of some 15 s, and a stop."""
    author.turns(8, pace=13)
    author.stop_for(Reason.UNSPECIFIED, pause)


def an_hour(author: Author) -> str:
    """A match with two long stops; then the director begins the next one."""
    author.confirm()
    author.do("press left", 15)
    for end in (1500, 3000):
        half_a_game(author, max(60, end - author.at_ns / SECOND_NS))
    author.turns(4, pace=13)
    author.end_game(Side.LEFT, 3)
    author.do("wait", 3590 - author.at_ns / SECOND_NS)
    author.direct("new_match")
    return author.script


def accounted(log: Logbook, settings: MatchSettings) -> int:
    """How long a match took: what both players used, of bank and delay, and all pauses.

    That is what its instants say, to the nanosecond, and both oracles.
    """
    log.verified()
    rules, made = settings.rules, turns(log.records)
    bank_ns = rules.time_per_match_ns + settings.length * rules.time_per_point_ns
    first, last = log.records[0], log.records[-1]
    left = (last["left_ns"], last["right_ns"])
    assert left == reserves(made, rules.delay_ns, bank_ns)[-1]
    used_ns = 2 * bank_ns - sum(left)
    passed_ns = used_ns + delays_ns(made, rules.delay_ns) + paused_ns(log.records)
    assert passed_ns == last["at_ns"] - first["at_ns"]
    return passed_ns


def stamped_in_time(log: Logbook, made: list[Made]) -> None:
    """No stamp of the log is off the instants at which lines were moved: the raw clock is one."""
    turns_begun = [each for each in log.of("pressed") if each["phase"] == "RUNNING"]
    assert turns_begun
    for record in (*turns_begun, *log.of("confirmed", "stopped")):
        assert any(each.holds(record["at_ns"]) for each in made), record


def test_a_day_of_matches(tmp_path: Path) -> None:
    """24 matches of an hour: no nanosecond is lost, and nothing is kept that is not needed."""
    settings = settings_of(tmp_path, 3)
    figures, logs = [], tmp_path / "log"
    with Board(TOML.format(length=3), tmp_path, time_travel=True) as board:
        begun = board.figures()
        for number in range(MATCHES):
            made = board.play(all_moves(an_hour(Author(settings, number))))
            board.wait(REST_NS)
            figures.append(board.figures())
            over, _ = sorted(logs.glob("*-*.jsonl"))[-2:]
            log = Logbook(over.read_text(encoding="utf-8"))
            assert log.of("match_over")
            stamped_in_time(log, made)
            accounted(log, settings)
        assert not board.log().of("fault")
    assert figures[-1]["at_ns"] - begun["at_ns"] >= MATCHES * HOUR_NS
    assert len([*logs.glob("*-*.jsonl")]) == MATCHES + 1
    for name in ("descriptors", "threads"):
        assert {each[name] for each in figures} == {begun[name]}
    memory = [each["memory_bytes"] for each in figures]
    assert memory[-1] - memory[WARM - 1] <= GROWTH, [b - a for a, b in pairwise(memory)]


def test_a_match_of_three_hours(tmp_path: Path) -> None:
    """To 25 points, with breaks; `make bench ARGS=whole_clock` says how soon it is over."""
    settings = settings_of(tmp_path, 25)
    log = played(tmp_path, settings)
    assert accounted(log, settings) > 3 * HOUR_NS
    assert not log.of("fault")
