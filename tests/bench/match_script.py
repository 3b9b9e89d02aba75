"""Hands that play a script on a board, and know to the microsecond when they did what.

A script's press has no length; a hand's has, and what a press means is sometimes known only when it
ends. The one rule: an act begins when the script says so,
counted from the script's beginning, so that being late once makes nothing else late.
"""

from collections.abc import Iterator

from bench.board import Board, Made
from bench.logbook import Record
from bench.plunger import MS_NS, REST_NS, Move

from clock.ui.dialogue import HOLD_NS, ButtonMoved
from clock.apps.script import parse
from clock.match.sides import Button

TAP_NS = 10 * MS_NS  # how long a plunger is down: longer than it settles, else as short as can be
BEFORE_NS = 50 * MS_NS  # so long before an act the panels are looked at once more
LATE_NS = MS_NS // 20  # a hand is later than its script by less, when time travels


def acts(script: str) -> list[list[Move]]:
    """The moves of each press and hold, counted from the script's beginning."""
    segments = parse(script, "script")
    if len(segments) > 1:
        raise ValueError("hands do not cut the power")
    moves = segments[0].moves
    return [_act(*pair) for pair in zip(moves[::2], moves[1::2], strict=True)]


def all_moves(script: str) -> list[Move]:
    """The moves of a whole script, to be played in one go."""
    return [move for act in acts(script) for move in act]


def _act(down: ButtonMoved, up: ButtonMoved) -> list[Move]:
    return [Move(down.at_ns, down.button, True), Move(up.at_ns + TAP_NS, up.button, False)]


class Hands:
    """One after another the acts of a script; between them there is time to look."""

    def __init__(self, board: Board, script: str) -> None:
        """Hands that have not begun; the script begins now.

        Args:
            board: whose time travels.
            script: without power cuts.
        """
        self._board = board
        self._acts = acts(script)
        self.now_ns = self.begun_ns = board.figures()["at_ns"]
        self.moved: list[ButtonMoved] = []  # since the latest look

    def looks(self) -> Iterator[int]:
        """Play; gives the instant each time when there is something to be seen.

        That is shortly after each act, and shortly before the next one.
        """
        for act, following in zip(self._acts, [*self._acts[1:], None], strict=True):
            self._play(act)
            yield self.now_ns
            if following is None:
                continue
            look_ns = self.begun_ns + following[0].after_ns - BEFORE_NS
            if look_ns > self.now_ns:
                self._wait_until(look_ns)
                yield look_ns

    def stamped(self, records: list[Record]) -> list[ButtonMoved]:
        """What was moved since the last time, with the stamps that the log has for it."""
        moved, self.moved = self.moved, []
        instants = [each["at_ns"] for each in records]
        instants += [at_ns - HOLD_NS for at_ns in instants]
        return [each._replace(at_ns=self._stamp(each, instants)) for each in moved]

    @staticmethod
    def _stamp(move: ButtonMoved, instants: list[int]) -> int:
        """What is in no line has the stamp of the hand's own beginning."""
        return next((at for at in instants if 0 <= at - move.at_ns < LATE_NS), move.at_ns)

    def _play(self, act: list[Move]) -> None:
        late_ns = self.now_ns - self.begun_ns
        made = self._board.play([each._replace(after_ns=each.after_ns - late_ns) for each in act])
        self.moved += [_moved(*each) for each in zip(act, made, strict=True)]
        self.now_ns = made[-1].after_ns
        self._wait_until(self.now_ns + REST_NS)

    def _wait_until(self, at_ns: int) -> None:
        self._board.wait(at_ns - self.now_ns)
        self.now_ns = at_ns


def _moved(move: Move, made: Made) -> ButtonMoved:
    return ButtonMoved(Button(move.button), move.down, made.before_ns)
