"""What must hold in the room, whatever fails: each law is a function that returns what is wrong.

The first group holds at every moment. The second one is asked for when the faults have stopped, and
a minute has passed.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from clock.eventlog.codec import START, stated_hash
from clock.match.state import AT_REST, MatchState
from clock.match.types import Side
from clock.units import SECOND_NS
from lab.room_seeds.truth import Truth, Written
from room.boards.board import UNKNOWN, Board
from room.broker.topics import Ack

CLOSE_NS = SECOND_NS // 1000

LogKey = tuple[str, str]  # of a clock's log: the clock, and the match
Broken = str | None  # what is wrong; None: nothing


class Stored(NamedTuple):
    """A line as the hub's database keeps it."""

    clock: str
    match: str
    verdict: str
    line: bytes


# --- at every moment ------------------------------------------------------------------------------


def each_line_was_written(stored: Stored, truth: Truth) -> Broken:
    """The hub stores no line that this clock did not write, byte for byte."""
    written = truth.find(stored.clock, stored.match, stated_hash(stored.line) or "")
    if written is None or written.line != stored.line:
        return f"{stored.clock} never wrote {stored.line!r}"
    return None


def only_lost_lines_fork(stored: Stored, cards: Mapping[str, bool]) -> Broken:
    """A log has two branches only if the clock's card failed or lied."""
    if stored.verdict == "fork" and cards[stored.clock]:
        return f"{stored.clock}: {stored.line[:60]!r} is another branch, and its card is honest"
    return None


def hub_tells_what_it_has(clock: str, ack: Ack, has: Mapping[LogKey, set[str]]) -> Broken:
    """The hub says of no line that it is on its disk before it is there."""
    for match, point in ack.have.items():
        if point.seq and point.hash not in has.get((clock, match), ()):
            return f"line {point.seq} of {match} is not on the hub's disk"
    return None


def told_lines_stay(key: LogKey, told: Iterable[str], has: Iterable[bytes]) -> Broken:
    """The hub never loses a line of which it has said that it is on its disk."""
    hashes = {stated_hash(line) for line in has}
    lost = [each for each in told if each not in hashes]
    return f"{key[1]}: {len(lost)} lines are lost" if lost else None


def stored_logs_are_whole(key: LogKey, lines: Sequence[bytes], truth: Truth) -> Broken:
    """Each stored log is one that the clock wrote, from its first line and without a gap."""
    before = START
    for number, line in enumerate(lines, 1):
        written = truth.find(*key, stated_hash(line) or "")
        if written is None or written.line != line:
            return f"line {number} of {key[1]} was never written"
        if written.before != before:
            return f"line {number} of {key[1]} does not follow the one before"
        before = written.says.hash
    return None


def whole_part(key: LogKey, lines: Sequence[bytes], truth: Truth) -> Sequence[bytes]:
    """Return the lines before the first gap."""
    before = START
    for number, line in enumerate(lines):
        written = truth.find(*key, stated_hash(line) or "")
        if written is None or written.line != line or written.before != before:
            return lines[:number]
        before = written.says.hash
    return lines


def logs_on_cards_are_whole(key: LogKey, lines: Sequence[bytes], truth: Truth) -> Broken:
    """The log on a card that does not lie is one that the clock wrote, and has no gap."""
    return stored_logs_are_whole(key, lines, truth)


def cards_keep_what_they_have(latest: Written | None, lines: Sequence[bytes]) -> Broken:
    """After a power cut an honest card has each line that the clock took for saved."""
    if latest is not None and latest.line not in lines:
        return f"line {latest.says.seq} of {latest.says.match} was saved, and is lost"
    return None


def boards_show_what_was_written(board: Board, truth: Truth) -> Broken:
    """A board shows phase, score and running clock of a line that its own clock wrote.

    Of a match at rest it shows the log code of the line that ended it: others may follow.
    """
    if board.match is None or not board.seq:
        return None if board.state == UNKNOWN else f"{board.id} shows {board.state} of no line"
    if board.damage is not None or board.fingerprint is None:
        return f"{board.id}: {board.damage}"
    written = truth.find_fingerprint(board.source, board.match, board.fingerprint)
    if written is None or (written.says.seq != board.seq and written.says.phase not in AT_REST):
        return f"{board.id} shows line {board.seq} of {board.match}, which nobody wrote"
    says, running = written.says, board.turn and board.turn.side.value
    shown = (board.state, running, [board.players[side].points for side in Side])
    if shown != (says.phase, says.running, list(says.score)):
        return f"{board.id} shows {shown} instead of {says}"
    return None


def boards_know_their_clock(board: Board, own: Mapping[str, str]) -> Broken:
    """A board is that of the clock which the director gave it to."""
    if board.board is not None and board.board != own[board.source]:
        return f"{board.id} is board {board.board} of {board.source}"
    return None


def no_time_is_taken(board: Board, began_ns: int, truth: Truth) -> Broken:
    """A board that is certain of its times never shows a player less than the clock does."""
    late_ns = _late_ns(board, began_ns, truth)
    if late_ns is not None and late_ns < -CLOSE_NS:
        return f"{board.id} is {-late_ns / SECOND_NS} s ahead of its clock"
    return None


# --- when all is quiet ----------------------------------------------------------------------------


def hub_has_every_log(key: LogKey, card: Sequence[bytes], stored: Sequence[bytes]) -> Broken:
    """A minute after the last fault the hub has every log that lies on a card, byte for byte.

    Of a log whose end a card has lost, the hub has more: see `only_faulty_cards_lose`.
    """
    if list(card) != list(stored[: len(card)]):
        return f"{key[1]}: the card of {key[0]} has {len(card)} lines, the hub {len(stored)}"
    return None


def only_faulty_cards_lose(key: LogKey, card: Sequence[bytes], stored: Sequence[bytes]) -> Broken:
    """A card that neither failed nor lied has every line that the hub has."""
    if len(card) < len(stored):
        return f"{key[1]}: the card of {key[0]} has {len(card)} lines, the hub {len(stored)}"
    return None


def boards_are_right(board: Board | None, state: MatchState, last: Written) -> Broken:
    """A minute after the last fault each board shows its clock's latest line, and is certain."""
    if board is None:
        return f"no board shows {last.says.match}"
    if (board.match, board.seq) != (last.says.match, last.says.seq):
        said = f"line {board.seq} of {board.match}"
        return f"{board.id} shows {said} instead of {last.says.seq} of {last.says.match}"
    if board.state != state.phase.value or not board.certain:
        return f"{board.id} shows {board.state}, certain: {board.certain}, {board.attention}"
    return None


def boards_are_on_time(board: Board, began_ns: int, truth: Truth, latency_ns: int) -> Broken:
    """A minute after the last fault a board is late by no more than its messages are."""
    late_ns = _late_ns(board, began_ns, truth)
    if late_ns is not None and late_ns > latency_ns:
        return f"{board.id} is {late_ns / SECOND_NS} s late"
    return None


def _late_ns(board: Board, began_ns: int, truth: Truth) -> int | None:
    """Return how late a board is by the time that it shows; None: it shows none for certain."""
    if board.turn is None or not board.certain or board.match is None or board.fingerprint is None:
        return None
    written = truth.find_fingerprint(board.source, board.match, board.fingerprint)
    if written is None:
        return None
    says, side = written.says, board.turn.side
    reserve = board.reserves[side]
    at_ns = truth.began_ns[says.boot] + says.at_ns
    elapsed_ns = at_ns - board.turn.since_ns - began_ns
    left_ns = reserve.reserve_ns - max(0, elapsed_ns - board.turn.delay_ns)
    own_ns = says.left_ns if side is Side.LEFT else says.right_ns
    delayed = elapsed_ns < board.turn.delay_ns
    return None if delayed else max(0, left_ns) - max(0, own_ns)


EVERY_MOMENT = (
    each_line_was_written,
    only_lost_lines_fork,
    stored_logs_are_whole,
    hub_tells_what_it_has,
    told_lines_stay,
    logs_on_cards_are_whole,
    cards_keep_what_they_have,
    boards_show_what_was_written,
    boards_know_their_clock,
    no_time_is_taken,
)
WHEN_QUIET = (hub_has_every_log, only_faulty_cards_lose, boards_are_right, boards_are_on_time)
