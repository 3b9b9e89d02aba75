"""Play a match script on a board, and record each move with its exact instant.

A script's press takes no time; a real one does, and the effect of some presses is known only when
they end. Every act begins at its instant after the script's beginning, so that one late act does
not delay the others.
"""

from collections.abc import Iterator

from clock.apps.script import parse
from clock.match.types import Button
from clock.ui.dialogue import HOLD_NS, ButtonMoved
from lab.bench.board import Board, MadeEdge
from lab.bench.logbook import Record
from lab.bench.plunger import MS_NS, PAUSE_NS, PlungerMove

TAP_NS = 20 * MS_NS  # how long a plunger is down: short, but longer than the settle time
BEFORE_NS = 50 * MS_NS  # how long before each act the panels are compared once more
LATE_NS = MS_NS // 20  # in time travel a move is later than its script by less than this


def acts(script: str) -> list[list[PlungerMove]]:
    """Return the moves of each press and hold, with times since the script's beginning.

    Raises:
        ValueError: the script has a power cut.
    """
    segments = parse(script, "script")
    if len(segments) > 1:
        raise ValueError("a script with power cuts cannot be played on a board")
    moves = segments[0].moves
    return [_act(*pair) for pair in zip(moves[::2], moves[1::2], strict=True)]


def all_moves(script: str) -> list[PlungerMove]:
    """Return the moves of a whole script, to be played in one call."""
    return [move for act in acts(script) for move in act]


def _act(down: ButtonMoved, up: ButtonMoved) -> list[PlungerMove]:
    return [
        PlungerMove(down.at_ns, down.button, True),
        PlungerMove(up.at_ns + TAP_NS, up.button, False),
    ]


class ScriptPlayer:
    """Play the acts of a script one after another, with time to compare the panels in between."""

    def __init__(self, board: Board, script: str) -> None:
        """Begin the script now, without any move yet.

        Args:
            board: a board in time travel.
            script: a script without power cuts.
        """
        self._board = board
        self._acts = acts(script)
        self.now_ns = self.begun_ns = board.figures()["at_ns"]
        self.moved: list[ButtonMoved] = []  # since the latest `moves_with_log_stamps`

    def play(self) -> Iterator[int]:
        """Play the script; yield the instant shortly after each act and shortly before the next."""
        for act, following in zip(self._acts, [*self._acts[1:], None], strict=True):
            self._play(act)
            yield self.now_ns
            if following is None:
                continue
            look_ns = self.begun_ns + following[0].after_ns - BEFORE_NS
            if look_ns > self.now_ns:
                self._wait_until(look_ns)
                yield look_ns

    def moves_with_log_stamps(self, records: list[Record]) -> list[ButtonMoved]:
        """Return the moves since the last call, with the stamps that the log has for them."""
        moved, self.moved = self.moved, []
        instants = [each["at_ns"] for each in records]
        instants += [at_ns - HOLD_NS for at_ns in instants]
        return [each._replace(at_ns=self._stamp(each, instants)) for each in moved]

    @staticmethod
    def _stamp(move: ButtonMoved, instants: list[int]) -> int:
        """Return the move's stamp in the log, or its own instant if the log does not have it."""
        return next((at for at in instants if 0 <= at - move.at_ns < LATE_NS), move.at_ns)

    def _play(self, act: list[PlungerMove]) -> None:
        late_ns = self.now_ns - self.begun_ns
        made = self._board.play([each._replace(after_ns=each.after_ns - late_ns) for each in act])
        self.moved += [_moved(*each) for each in zip(act, made, strict=True)]
        self.now_ns = made[-1].after_ns
        self._wait_until(self.now_ns + PAUSE_NS)

    def _wait_until(self, at_ns: int) -> None:
        self._board.wait(at_ns - self.now_ns)
        self.now_ns = at_ns


def _moved(move: PlungerMove, made: MadeEdge) -> ButtonMoved:
    return ButtonMoved(Button(move.button), move.down, made.before_ns)
