"""Hours and days of play: the times in the log are exact, and memory does not grow.

In time travel the kernel, the program and its threads do all that they would do in real time.
"""

from itertools import pairwise
from pathlib import Path
from statistics import median

from clock.match.rules import MatchSettings
from clock.units import SECOND_NS
from lab.bench.board import Board, MadeEdge
from lab.bench.logbook import Logbook
from lab.bench.match_long import TOML, one_hour_script, play_three_hours, settings_of
from lab.bench.match_script import all_moves
from lab.bench.match_turns import delays_ns, paused_ns, reserves, turns
from lab.support.match_scripts import Author

HOUR_NS = 3600 * SECOND_NS
SETTLE_NS = 5 * SECOND_NS  # after a match, until the panels and the log are up to date
MATCHES, WARM = 24, 12
# The caches of drawing fill: by 450 KiB in the first twelve matches, then by 4 to 22 KiB in each,
# and after the 55th by nothing. This limit is three times that; it finds a leak of 18 bytes for
# each of the 3,600 seconds that are shown in a match, or of 600 bytes for each line of the log.
GROWTH = 64_000  # bytes in a match, median of twelve: a leak grows in each of them
# Once in a while the heap grows by a block of up to 1 MiB, mostly on a busy computer.
HEAP = 2 << 20  # bytes, over these twelve matches
# How long these matches take is measured by `make bench`: at most 30 s on an idle computer. A clock
# that polls would not end here at all, because time cannot travel while a program polls.


def check_time_used(log: Logbook, settings: MatchSettings) -> int:
    """Return how long a match took: all bank, delay and pauses that were used.

    Check that this is the time between the first and the last record, to the nanosecond, and that
    both oracles agree with the reserves.
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


def check_stamps(log: Logbook, made: list[MadeEdge]) -> None:
    """Check that each stamp of the log is the instant at which a line was moved."""
    turns_begun = [each for each in log.of("pressed") if each["phase"] == "RUNNING"]
    assert turns_begun
    for record in (*turns_begun, *log.of("confirmed", "stopped")):
        assert any(each.holds(record["at_ns"]) for each in made), record


def test_a_day_of_matches(tmp_path: Path) -> None:
    """In 24 matches of an hour no nanosecond is lost, and memory, files and threads do not grow."""
    settings = settings_of(tmp_path, 3)
    figures, logs = [], tmp_path / "log"
    with Board(TOML.format(length=3), tmp_path, time_travel=True) as board:
        begun = board.figures()
        for number in range(MATCHES):
            made = board.play(all_moves(one_hour_script(Author(settings, number))))
            board.wait(SETTLE_NS)
            figures.append(board.figures())
            over, _ = sorted(logs.glob("*-*.jsonl"))[-2:]
            log = Logbook(over.read_text(encoding="utf-8"))
            assert log.of("match_over")
            check_stamps(log, made)
            check_time_used(log, settings)
        assert not board.log().of("fault")
    assert figures[-1]["at_ns"] - begun["at_ns"] >= MATCHES * HOUR_NS
    assert len([*logs.glob("*-*.jsonl")]) == MATCHES + 1
    for name in ("descriptors", "threads"):
        assert {each[name] for each in figures} == {begun[name]}
    memory = [each["memory_bytes"] for each in figures]
    grown = [after - before for before, after in pairwise(memory[WARM - 1 :])]
    assert median(grown) <= GROWTH, grown
    assert sum(grown) <= HEAP, grown


def test_a_match_of_three_hours(tmp_path: Path) -> None:
    """The times in a match to 25 points with breaks are exact, and there is no fault."""
    settings = settings_of(tmp_path, 25)
    log = play_three_hours(tmp_path, settings)
    assert check_time_used(log, settings) > 3 * HOUR_NS
    assert not log.of("fault")
