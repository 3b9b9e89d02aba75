"""What a power cut may take, and what it may not.

It may take what the clock was not yet told is on the disk, and the last second of play. It may not
take a byte that was acknowledged, nor a press that was made a second before, nor give time back.

The one rule: what should be there is known from outside, from the words of `power_cuts_told` and
the hands that pressed; the clock is not asked.
"""

import json
import zlib
from pathlib import Path
from typing import NamedTuple

from bench.logbook import Logbook, Record

from clock.match.sides import Button

CHECKPOINT = "checkpoint"  # overwritten in turns: only what was acknowledged last must be there


class Piece(NamedTuple):
    """Bytes of a file that were acknowledged."""

    at: int
    size: int
    crc: int

    def is_in(self, data: bytes) -> bool:
        """Whether a file has them."""
        return zlib.crc32(data[self.at : self.at + self.size]) == self.crc


class Promised:
    """All that was acknowledged on one card."""

    def __init__(self) -> None:
        """Nothing yet."""
        self.latest = 0  # bytes, of what was heard last
        self._heard = 0
        self._pieces: dict[str, list[Piece]] = {}

    def hear(self, words: str) -> None:
        """Take in what is new of all that was told; the cut may have torn the last word off."""
        self.latest, ended = 0, words.rfind("\n") + 1
        for word in words[self._heard : ended].splitlines():
            told = json.loads(word)
            self._take(told["name"], Piece(told["at"], told["size"], told["crc"]))
        self._heard = ended

    def _take(self, name: str, piece: Piece) -> None:
        self.latest += piece.size
        pieces = self._pieces.setdefault(name, [])
        if name.endswith(CHECKPOINT):
            pieces.clear()
        pieces.append(piece)

    def missing(self, card: Path) -> list[str]:
        """What of it is not there."""
        return [
            f"{name} at {piece.at}: {piece.size} bytes"
            for name, pieces in self._pieces.items()
            for data in [_bytes(card / name)]
            for piece in pieces
            if not piece.is_in(data)
        ]


class Lost(NamedTuple):
    """What a cut in play had taken."""

    play_ns: int | None  # that the clock does not know of; None: no clock ran
    press_ns: int  # before the cut the first press was made that is not in the log; 0: none is not


class Hands:
    """Who pressed what and when, and how the guest's raw clock goes with this computer's."""

    def __init__(self, boot: str = "") -> None:
        """Of one start of the guest, which tells it from others."""
        self._boot = boot
        self._began_ns: int | None = None  # when the first button went down
        self._presses: list[tuple[int, int]] = []
        self._zero_ns = -(1 << 62)  # of the guest's clock on this computer's, at the earliest
        self._cut_ns: int | None = None

    def pressed(self, button: Button, asked_ns: int, made: list[list[int]]) -> None:
        """It went down between two instants there, not before it was asked for here."""
        before_ns, after_ns = made[0]
        self._zero_ns = max(self._zero_ns, asked_ns - before_ns)
        if self._began_ns is None:
            self._began_ns = before_ns
        if button is not Button.CENTRE:  # that counts when it comes up
            self._presses.append((before_ns, after_ns))

    def cut(self, at_ns: int) -> None:
        """The plug was pulled, at an instant here."""
        self._cut_ns = at_ns - self._zero_ns

    def lost(self, log: Logbook) -> Lost | None:
        """What the cut had taken of what is in the log of the next start; None: there was none."""
        if self._cut_ns is None:
            return None
        seen = self._seen_ns(log)
        return Lost(
            None if seen is None else self._cut_ns - seen, self._cut_ns - self._unheard(log)
        )

    def _seen_ns(self, log: Logbook) -> int | None:
        """Up to which instant the next start knows of the play; None: no clock ran.

        While a clock runs each nanosecond takes one from the delay or the reserve.
        """
        told = [each for each in log.records if not each["event"].startswith("fault")]
        restored = told[-1]
        before = next(each for each in reversed(told) if each["event"] != "restored")
        if before["boot"] != self._boot:  # nothing is known of this start
            return self._began_ns
        if before["running"] is None or restored["event"] != "restored":
            return None
        return int(before["at_ns"] + _counted_ns(before) - _counted_ns(restored))

    def _unheard(self, log: Logbook) -> int:
        """The instant of the first press that is not in the log; else of the cut."""
        stamps = [each["at_ns"] for each in log.records if each["boot"] == self._boot]
        unheard = (
            before_ns
            for before_ns, after_ns in self._presses
            if not any(before_ns <= stamp <= after_ns for stamp in stamps)
        )
        return min(unheard, default=self._cut_ns or 0)


class Found(NamedTuple):
    """What was found after a cut."""

    name: str  # of the cut, with its seed
    promised: int  # bytes that were acknowledged between the last cut and this one
    missing: list[str]  # acknowledged, and not there
    lost: Lost | None  # by the latest cut in play, if it was seen at this start


def sound(log: Logbook) -> None:
    """A log is whole: it replays, and no number is missing.

    Raises:
        DamagedError: it is not what the clock wrote.
        AssertionError: a line is missing.
    """
    log.verified()
    numbers = [each["seq"] for each in log.records]
    assert numbers == [*range(1, len(numbers) + 1)], numbers


def _counted_ns(record: Record) -> int:
    return int(record["left_ns"] + record["right_ns"] + record["delay_ns"])


def _bytes(path: Path) -> bytes:
    return path.read_bytes() if path.exists() else b""
