"""Check what a power cut lost.

A cut may lose bytes whose sync had not returned, and the last second of play. It may not lose
acknowledged bytes or a press made more than a second before, and it may not give time back.
"""

import json
import zlib
from pathlib import Path
from typing import NamedTuple

from clock.match.types import Button
from lab.bench.logbook import Logbook, Record

CHECKPOINT = "checkpoint"  # a file that is overwritten: only its latest write must be there


class Piece(NamedTuple):
    """A part of a file that was acknowledged."""

    at: int
    size: int
    crc: int

    def is_in(self, data: bytes) -> bool:
        """Return whether a file with these contents has the part."""
        return zlib.crc32(data[self.at : self.at + self.size]) == self.crc


class Acknowledged:
    """All bytes of one card that were acknowledged."""

    def __init__(self) -> None:
        self.latest = 0  # bytes in the reports that were read last
        self._read = 0
        self._pieces: dict[str, list[Piece]] = {}

    def read_reports(self, text: str) -> None:
        """Read the new reports in all text received so far; a torn last line is left out."""
        self.latest, end = 0, text.rfind("\n") + 1
        for line in text[self._read : end].splitlines():
            report = json.loads(line)
            self._add(report["name"], Piece(report["at"], report["size"], report["crc"]))
        self._read = end

    def _add(self, name: str, piece: Piece) -> None:
        self.latest += piece.size
        pieces = self._pieces.setdefault(name, [])
        if name.endswith(CHECKPOINT):
            pieces.clear()
        pieces.append(piece)

    def missing(self, card: Path) -> list[str]:
        """Describe the acknowledged parts that the files in `card` do not have."""
        return [
            f"{name} at {piece.at}: {piece.size} bytes"
            for name, pieces in self._pieces.items()
            for data in [_bytes(card / name)]
            for piece in pieces
            if not piece.is_in(data)
        ]


class Lost(NamedTuple):
    """What a power cut in play lost."""

    play_ns: int | None  # played time that the clock has forgotten; None if no clock ran
    press_ns: int  # time from the first press that is not in the log to the cut; 0 if none is lost


class PressRecord:
    """The presses of one start of the guest, and how its raw clock relates to this computer's."""

    def __init__(self, boot: str = "") -> None:
        """Begin a record.

        Args:
            boot: the boot's id in the log.
        """
        self._boot = boot
        self._began_ns: int | None = None  # when the first button went down
        self._presses: list[tuple[int, int]] = []
        # The earliest instant of this computer's clock at which the guest's clock may have been 0.
        self._zero_ns = -(1 << 62)
        self._cut_ns: int | None = None

    def pressed(self, button: Button, asked_ns: int, made: list[list[int]]) -> None:
        """Add a press.

        Args:
            button: the button that was pressed.
            asked_ns: when the press was asked for, on this computer's clock.
            made: the instants before and after each move of its line, on the guest's clock.
        """
        before_ns, after_ns = made[0]
        self._zero_ns = max(self._zero_ns, asked_ns - before_ns)
        if self._began_ns is None:
            self._began_ns = before_ns
        if button is not Button.CENTRE:  # the centre counts only when it is released
            self._presses.append((before_ns, after_ns))

    def cut(self, at_ns: int) -> None:
        """Note that the power was cut, at an instant on this computer's clock."""
        self._cut_ns = at_ns - self._zero_ns

    def lost(self, log: Logbook) -> Lost | None:
        """Return what the cut lost, by the log after the next start; None if there was no cut."""
        if self._cut_ns is None:
            return None
        seen = self._seen_ns(log)
        return Lost(
            None if seen is None else self._cut_ns - seen, self._cut_ns - self._first_lost_ns(log)
        )

    def _seen_ns(self, log: Logbook) -> int | None:
        """Return the instant up to which the restored match counts play; None if no clock ran.

        While a clock runs, each nanosecond is taken from the delay or the reserve.
        """
        records = [each for each in log.records if not each["event"].startswith("fault")]
        restored = records[-1]
        before = next((each for each in reversed(records) if each["event"] != "restored"), None)
        if before is None or before["boot"] != self._boot:  # the log has nothing of this start
            return self._began_ns
        if before["running"] is None or restored["event"] != "restored":
            return None
        return int(before["at_ns"] + _counted_ns(before) - _counted_ns(restored))

    def _first_lost_ns(self, log: Logbook) -> int:
        """Return the instant of the first press that is not in the log, or of the cut."""
        stamps = [each["at_ns"] for each in log.records if each["boot"] == self._boot]
        lost = (
            before_ns
            for before_ns, after_ns in self._presses
            if not any(before_ns <= stamp <= after_ns for stamp in stamps)
        )
        return min(lost, default=self._cut_ns or 0)


class CutResult(NamedTuple):
    """What was found after a cut."""

    name: str  # the cut and its seed
    acknowledged: int  # bytes that were acknowledged since the cut before
    missing: list[str]  # acknowledged parts that are not on the card
    lost: Lost | None  # what the latest cut in play lost, if this start shows it


def check_log(log: Logbook) -> None:
    """Check that a log replays and has no gap in its sequence numbers.

    Raises:
        DamagedError: the log is damaged.
        AssertionError: a line is missing.
    """
    log.verified()
    numbers = [each["seq"] for each in log.records]
    assert numbers == [*range(1, len(numbers) + 1)], numbers


def _counted_ns(record: Record) -> int:
    return int(record["left_ns"] + record["right_ns"] + record["delay_ns"])


def _bytes(path: Path) -> bytes:
    return path.read_bytes() if path.exists() else b""
