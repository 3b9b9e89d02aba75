"""What fingers really did to the plungers, and whether the log tells the same.

A busy computer holds the whole guest up, and with it the hand: a press may come late, or be so
short that it is none. Nothing is made of how it was meant; each press is judged by how it was made.

The one rule: no press is told of that was not made, and none that was one is left out.
"""

from collections import defaultdict
from typing import NamedTuple

from bench.board import CENTRE, Made
from bench.logbook import Logbook
from bench.plunger import MS_NS, Move

from clock.match.sides import Button

ERROR_NS = 500_000  # of a stamp on a computer with four times as much to do as it can: 0.2 ms seen
SURE_NS = 10 * MS_NS  # a level that lasted twice the settling time has settled


class Down(NamedTuple):
    """A plunger went down."""

    button: Button
    made: Made
    sure: bool  # it had been up for long enough, and then was down for long enough


def downs(moves: list[Move], made: list[Made]) -> list[Down]:
    """When plungers went down, and whether that was surely a press each time.

    Args:
        moves: as they were asked for; of each button down and up by turns.
        made: the same as they were made.
    """
    times: dict[Button, list[Made]] = defaultdict(list)
    for move, each in zip(moves, made, strict=True):
        times[move.button].append(each)
    found = [
        Down(button, down, _lasted(before, down) and _lasted(down, up))
        for button, edges in times.items()
        if button is not CENTRE
        for before, down, up in zip([None, *edges[1::2]], edges[::2], edges[1::2], strict=False)
    ]
    return sorted(found, key=lambda each: each.made)


def _lasted(begun: Made | None, ended: Made) -> bool:
    return begun is None or ended.before_ns - begun.after_ns >= SURE_NS


def check_told(log: Logbook, made: list[Down], error_ns: int = 0) -> None:
    """That the log replays, and tells of these presses, each stamped while it was made.

    Args:
        log: of all that happened.
        made: all that went down since the first of them that the log calls "pressed".
        error_ns: of a stamp, at most: the program that reads it may be held up too.
    """
    log.verified()
    pressed = [each for each in log.of("pressed") if each["side"] != CENTRE]
    for each in pressed:
        off_ns = min(
            down.made.off_ns(each["at_ns"]) for down in made if down.button == each["side"]
        )
        assert off_ns <= error_ns, (each, off_ns)
    stamps = [each["at_ns"] for each in log.records]
    sure = [down for down in made if down.sure]
    lost = [down for down in sure if min(map(down.made.off_ns, stamps)) > error_ns]
    assert not lost
