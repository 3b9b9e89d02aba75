"""Play a board's match again in virtual time, to get the expected panels and log.

The twin is the game alone, without pins, pixels, wires or threads. It is pressed at the instants
at which the board's plungers were pressed, and refuses offers when the board does. It uses nothing
else of the board.
"""

from collections.abc import Container, Iterable, Iterator, Sequence
from typing import NamedTuple

from msgspec import structs

from clock import __version__
from clock.apps.playback import Disk, NullPanels
from clock.config.offer import LatestLine, OfferError
from clock.eventlog.codec import Chain, decode, leaves_fingerprint
from clock.eventlog.fingerprint import Shown, fingerprint_text, qr_text
from clock.match.inputs import CLOCK
from clock.match.rules import MatchSettings
from clock.match.types import Pair, Side
from clock.runtime.loop import SIMULATED, UiOptions
from clock.runtime.ports import Drained
from clock.ui.dialogue import ButtonMoved
from clock.ui.i18n import sayer
from clock.virtual import VirtualButtons, VirtualTime
from hardware.face import Face
from lab.bench.board import Board
from lab.bench.logbook import Record
from lab.bench.match_script import ScriptPlayer
from lab.bench.panel_faces import shift
from lab.support.loops import make_loop


class Refusal(NamedTuple):
    """An offer that the board refused: whatever lay in the link's directory, the twin has not."""

    at_ns: int
    error: OfferError


class ScriptedInputs(VirtualButtons):
    """Buttons that move at given instants, and offers; waiting for them advances the time."""

    _moves: list[ButtonMoved | Refusal]  # type: ignore[assignment]
    _refusal: Refusal | None = None  # to be told at the loop's next look

    def follow(self, due: Iterable[ButtonMoved | Refusal], until_ns: int) -> None:
        """Schedule these, and none after them until `until_ns`.

        What is seen in the directory counts before the presses that have not settled by then.
        """
        self._moves += sorted(due, key=lambda each: (each.at_ns, isinstance(each, ButtonMoved)))
        self.move(end_ns=until_ns)

    def drain(self, now_ns: int) -> Drained:
        """Return the moves up to now, or up to an offer."""
        moved: list[ButtonMoved] = []
        while self._moves and self._moves[0].at_ns <= now_ns:
            due = self._moves.pop(0)
            if isinstance(due, Refusal):
                self._refusal = due
                break
            moved.append(due)
        return Drained(moved, now_ns)

    def look(self, latest: LatestLine, known: Container[str]) -> OfferError | None:  # noqa: ARG002
        """Return why the board refused an offer now; None: it did not."""
        refusal, self._refusal = self._refusal, None
        return refusal and refusal.error


class Twin:
    """A match that is opened at the same instant as the board's."""

    def __init__(self, settings: MatchSettings, at_ns: int, clock: str = SIMULATED) -> None:
        """Open the match.

        Args:
            settings: the settings of the board's match.
            at_ns: when the board's match was opened, on its raw clock.
            clock: the id of the board's clock.
        """
        time, self._panels = VirtualTime(), NullPanels(settings)
        time.ns = at_ns
        self.lines: list[bytes] = []
        self._inputs = inputs = ScriptedInputs(time, end_ns=at_ns)
        disk, options = Disk(self.lines.append), UiOptions(sayer("en"), __version__, clock=clock)
        self._runtime = make_loop(time, inputs, self._panels, disk, options, offers=inputs)

    def follow(self, due: Iterable[ButtonMoved | Refusal], until_ns: int) -> Pair[Face]:
        """Make the moves of the board's buttons; return what its panels should show then.

        Args:
            due: the moves, and what the board refused.
            until_ns: the present instant of the board.

        Raises:
            LookupError: nothing has been shown yet.
        """
        self._inputs.follow(due, until_ns)
        self._runtime.turn()
        while not self._inputs.done:
            self._runtime.turn()
        if self._panels.faces is None:
            raise LookupError("the clock has shown nothing yet")
        return self._panels.faces

    @property
    def text(self) -> str:
        """The log that the match wrote."""
        return b"".join(self.lines).decode()


def refusals(records: Sequence[Record]) -> list[Refusal]:
    """Return what the board refused by itself, in the records of its log."""
    return [
        Refusal(each["at_ns"], OfferError(each["why"], each["offer"]))
        for each in records
        if each["event"] == "offer_refused" and each["by"] == CLOCK
    ]


def as_board_writes(lines: Sequence[bytes], records: Sequence[Record]) -> bytes:
    """Return the twin's lines under the board's boot, names of matches and wall times.

    Nothing else is the board's: all fields, their order and all hashes are made of the twin's game.
    """
    written, chain = b"", Chain("", "")
    for number, (line, known) in enumerate(zip(lines, records, strict=True), 1):
        if known["seq"] == 1:
            chain = Chain(known["match"], known["boot"])
        chain, made = chain.append(decode(line.rstrip(b"\n"), number).record, known["wall"])
        written += made
    return written


def play_and_compare(board: Board, script: str, twin: Twin) -> Iterator[Pair[Face]]:
    """Play a script; yield the twin's faces after each act and before the next.

    Check that both panels show them.

    Args:
        board: in time travel.
        script: without power cuts.
        twin: it has followed all that the board has done so far.
    """
    player, known = ScriptPlayer(board, script), len(twin.lines)
    for now_ns in player.play():
        records = board.records()
        new, known = records[known:], len(records)
        faces = twin.follow([*player.moves_with_log_stamps(new), *refusals(new)], now_ns)
        for side in Side:
            shown = with_fingerprint(faces[side], records[_shown_at(twin.lines)])
            assert shift(board.panel(side).picture, shown) is not None, (side, faces)
        yield faces


def _shown_at(lines: Sequence[bytes]) -> int:
    """Return the place of the line in a log whose fingerprint is shown."""
    at = len(lines) - 1
    while leaves_fingerprint(decode(lines[at].rstrip(b"\n"), at + 1).record):
        at -= 1
    return at


def with_fingerprint(face: Face, shown_last: Record) -> Face:
    """Return the twin's face with the fingerprint of the board's log, whose boot is another one.

    Args:
        face: as the twin shows it, with the fingerprint of its own log if it shows one.
        shown_last: the line of the board's log whose fingerprint its panels show.
    """
    shown = Shown(shown_last["hash"], shown_last["seq"], Pair(*shown_last["score"]))
    fingerprint, code = (
        face.fingerprint and fingerprint_text(shown.hash),
        face.qr and qr_text(shown),
    )
    return structs.replace(face, fingerprint=fingerprint, qr=code)
