"""Compare the presses in a log with the edges that were really made.

A busy computer holds up the whole guest, and with it the agent that moves the lines: a press may
come late, bounce for longer, or be too short to count. So these checks go by the instants at which
the edges were made, not by those that were asked for: the log must have every press that was made,
and no other.
"""

from collections import defaultdict
from itertools import pairwise, product
from typing import NamedTuple

from clock.config.schema import ButtonsTable
from clock.match.types import Button
from hardware.buttons.debounce import HAND_NS
from lab.bench.board import CENTRE, LEFT, STAMP_ERROR_NS, Board, MadeEdge
from lab.bench.logbook import Logbook
from lab.bench.plunger import MS_NS, PAUSE_NS, PlungerMove, pressed

SETTLE_NS = ButtonsTable().settle_ms * MS_NS
HELD_UP = 40  # times the usual error: the largest error of a stamp while the guest is held up
EXACT_TENTHS = 9  # of ten stamps, at least so many have the usual error
SURE_NS = 45 * MS_NS  # a level that lasted so long has surely settled, and was made by a hand


class PressEdge(NamedTuple):
    """The edge of a plunger that went down."""

    button: Button
    made: MadeEdge
    sure: bool  # surely a press: it was up for long enough before, and then down for long enough


def pressed_edges(moves: list[PlungerMove], made: list[MadeEdge]) -> list[PressEdge]:
    """Return the edges at which plungers went down, in the order in which they were made.

    Args:
        moves: the moves as they were asked for; each button goes down and up by turns.
        made: the same moves as they were made.
    """
    times: dict[Button, list[MadeEdge]] = defaultdict(list)
    for move, each in zip(moves, made, strict=True):
        times[move.button].append(each)
    found = [
        PressEdge(button, down, _lasted(before, down) and _lasted(down, up))
        for button, edges in times.items()
        if button is not CENTRE
        for before, down, up in zip([None, *edges[1::2]], edges[::2], edges[1::2], strict=False)
    ]
    return sorted(found, key=lambda each: each.made)


def _lasted(begun: MadeEdge | None, ended: MadeEdge) -> bool:
    return begun is None or ended.before_ns - begun.after_ns >= SURE_NS


def possible_presses(moves: list[PlungerMove], made: list[MadeEdge]) -> list[list[MadeEdge]]:
    """Return each list of presses that the edges of one plunger may be, by how they were made.

    A level that lasts for the settle time ends a burst of edges, but none ends within `HAND_NS` of
    a press or release. A burst that ends with the plunger down, when it was up before, is a press
    at its first edge, unless that is within `HAND_NS` too. A busy computer makes some levels of
    a bounce last longer than they were meant to; so this goes by the instants at which the edges
    were made. Where a level lasted for about the settle time, both readings are possible.

    Args:
        moves: the edges as they were asked for, beginning with the plunger up.
        made: the same as they were made.
    """
    gaps = [_lasts(*pair) for pair in pairwise(made)]
    unsure = [number for number, gap in enumerate(gaps) if gap is None]
    found = []
    for choice in product([False, True], repeat=len(unsure)):
        ends = dict(zip(unsure, choice, strict=True))
        ended = [ends.get(number, bool(gap)) for number, gap in enumerate(gaps)]
        found.append(_presses(moves, made, [*ended, True]))
    return found


def _lasts(begun: MadeEdge, ended: MadeEdge) -> bool | None:
    """Return whether the level between two edges lasted for the settle time; None if unsure."""
    if ended.before_ns - begun.after_ns - 2 * STAMP_ERROR_NS >= SETTLE_NS:
        return True
    return False if ended.after_ns - begun.before_ns + 2 * STAMP_ERROR_NS < SETTLE_NS else None


def _presses(moves: list[PlungerMove], made: list[MadeEdge], ended: list[bool]) -> list[MadeEdge]:
    """Return the first edges of the bursts that left the plunger down, if it was up before."""
    presses, first, was_down, hand_ns = list[MadeEdge](), made[0], False, 0
    for move, ends, following in zip(moves, ended, [*made[1:], None], strict=True):
        if not ends or (following is not None and following.before_ns < hand_ns):
            continue
        if move.down != was_down and not (move.down and first.before_ns <= hand_ns):
            was_down, hand_ns = move.down, first.before_ns + HAND_NS
            presses += [first] if move.down else []
        first = following or first
    return presses


# A press and its release: as asked for, and as made.
Burst = tuple[list[PlungerMove], list[MadeEdge]]


def press_in_bursts(board: Board, presses: list[list[PlungerMove]]) -> tuple[Logbook, list[Burst]]:
    """Press plungers that bounce; return the log when all is in it, and how they were pressed.

    The last press is one more, without bounce. Presses are logged in their order, so all others are
    in the log when that one is.
    """
    bursts = []
    for moves in (*presses, pressed(LEFT)):
        bursts.append((moves, board.play(moves)))
        board.wait(PAUSE_NS)
    last_ns = bursts[-1][1][0].before_ns - STAMP_ERROR_NS

    def is_logged() -> bool:
        return any(each["at_ns"] >= last_ns for each in board.log().of("pressed"))

    assert board.wait_until(is_logged), board.log().text
    return board.log(), bursts


def check_bursts(log: Logbook, bursts: list[Burst]) -> None:
    """Check that the log has exactly the presses that these bursts made, with the right stamps.

    Args:
        log: the log of a match in which no plunger was pressed otherwise.
        bursts: all presses, in their order.
    """
    stamps = [each["at_ns"] for each in log.of("pressed")]
    for moves, made in bursts:
        own = [at_ns for at_ns in stamps if at_ns <= made[-1].after_ns + STAMP_ERROR_NS]
        del stamps[: len(own)]
        possible = possible_presses(moves, made)
        assert all(possible), made  # each burst was held down for long enough to be a press
        assert any(_agree(presses, own) for presses in possible), (own, possible)
    assert not stamps


def _agree(presses: list[MadeEdge], stamps: list[int]) -> bool:
    return len(presses) == len(stamps) and all(map(MadeEdge.is_near, presses, stamps))


def check_presses(log: Logbook, made: list[PressEdge], error_ns: int = 0) -> None:
    """Check that the log replays and has the presses that were made, each with the right stamp.

    A guest that is held up while it reads its clocks stamps a press some milliseconds off. Presses
    of one plunger are further apart than that, so each stamp still has its press. Nine of ten
    stamps must have the usual error.

    Args:
        log: the log of the match.
        made: all edges of plungers since the first one that the log calls "pressed".
        error_ns: the largest error of nine of ten stamps.
    """
    log.verified()
    records = [each for each in log.of("pressed") if each["side"] != CENTRE]
    off_ns = sorted(
        min(down.made.off_ns(each["at_ns"]) for down in made if down.button == each["side"])
        for each in records
    )
    assert off_ns[-1] <= HELD_UP * error_ns
    assert off_ns[len(off_ns) * EXACT_TENTHS // 10] <= error_ns
    assert not missing_presses(log, made, error_ns)


def missing_presses(log: Logbook, made: list[PressEdge], error_ns: int = 0) -> list[PressEdge]:
    """Return the edges that were surely presses, but are not in the log."""
    stamps = [each["at_ns"] for each in log.records]
    most_ns = HELD_UP * error_ns
    return [
        down
        for down in made
        if down.sure and min(map(down.made.off_ns, stamps), default=most_ns + 1) > most_ns
    ]
