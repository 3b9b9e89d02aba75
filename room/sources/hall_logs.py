"""The logs of another hall: which of them are missing here, and their lines.

A log is read as soon as the other hub has its result, and counts as whole then. Its board would not
tell: that is heard of earlier or later than the log, and not at all while a hub starts again. A log
without a result is read now and then. Which logs there are, the other hub says
again and again, so that nothing is missing in the end, whatever was lost meanwhile.
"""

import threading
from collections.abc import Callable, Iterator
from typing import Protocol
from urllib.parse import quote

import msgspec

from clock.units import SECOND_NS
from room.lines.events import EarlierLinesRead, Emit, Place
from room.lines.inbox import LogKey, Point
from room.sources.hall_client import HallClient, HallError

LOGS_S, SOON_S = 60.0, 3.0  # between looks at the logs; after a match is over
RETRY_S = 5.0
UNDER_WAY_NS = 300 * SECOND_NS  # between readings of a log that has no result yet
AGAIN_NS = 30 * SECOND_NS  # until a log is read again that could not be kept as the hub named it
KEEP_S, LOOK_S = 2.0, 0.02  # for a log to be kept; one after the other, so that no queue grows


class HallLog(msgspec.Struct, frozen=True):
    """How far a log goes that the other hub has, and whether that has its result."""

    source: str
    match: str
    seq: int
    hash: str
    board: str = ""  # of its result
    has_result: bool = False


class _Logs(msgspec.Struct):
    logs: list[HallLog]


class HallStore(Protocol):
    """What keeps the logs; see `room.hub.store.store.Store`."""

    def latest_line(self, match: str, source: str) -> Point:
        """Return the latest line of a match that is on the disk."""

    def has_result(self, match: str, source: str) -> bool:
        """Return whether a match has a result."""


class Boards(Protocol):
    """What is known of the boards of the hall; see `room.sources.hall.Hall`."""

    @property
    def is_known(self) -> bool:
        """Whether the hub has said how it calls its room."""

    def key(self, log: HallLog) -> str:
        """Return the key of the place of a log."""

    def place(self, log: HallLog) -> Place:
        """Return the place of a log."""

    def tell(self, of: str, trouble: str) -> None:
        """Report what is wrong; an empty text: nothing any more."""


class HallLogs:
    """Reads the logs of another hub, in a thread of its own."""

    def __init__(self, client: HallClient, boards: Boards, now_ns: Callable[[], int]) -> None:
        """Read nothing yet; `store` has to be set before `run`."""
        self._client, self._boards, self._now_ns = client, boards, now_ns
        self.store: HallStore
        self._tried: dict[LogKey, tuple[HallLog, int]] = {}  # what was read, and when
        self._stopping, self._wanted = threading.Event(), threading.Event()

    def look_soon(self) -> None:
        """Look soon which logs there are; may be called in any thread."""
        self._wanted.set()

    def close(self) -> None:
        """End `run`, from another thread."""
        self._stopping.set()
        self._wanted.set()

    def run(self, emit: Emit) -> None:
        """Read what is missing, again and again."""
        while not self._stopping.is_set():
            self._wanted.wait(LOGS_S)
            self._stopping.wait(SOON_S)
            self._wanted.clear()
            try:
                for log in self.missing() if self._boards.is_known else ():
                    self._read(log, emit)
            except (HallError, msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
                self._boards.tell("logs", str(error))
                self._stopping.wait(RETRY_S)
                self._wanted.set()
            else:
                self._boards.tell("logs", "")

    def missing(self) -> Iterator[HallLog]:
        """Yield the logs that are to be read now, until this ends.

        Raises:
            HallError, msgspec.DecodeError: the hub does not say which logs it has.
        """
        found = msgspec.json.decode(self._client.get("/api/1/logs"), type=_Logs)
        for log in found.logs:
            if self._stopping.is_set():
                return
            if not self._is_kept(log) and self._is_due(log):
                yield log

    def _is_kept(self, log: HallLog) -> bool:
        return self._latest_line(log) == Point(log.seq, log.hash) and self._has_result(log)

    def _latest_line(self, log: HallLog) -> Point:
        return self.store.latest_line(log.match, self._boards.key(log))

    def _has_result(self, log: HallLog) -> bool:
        """Return whether there is a result, if the hub has one."""
        return not log.has_result or self.store.has_result(log.match, self._boards.key(log))

    def _is_due(self, log: HallLog) -> bool:
        tried, at_ns = self._tried.get((log.source, log.match), (None, 0))
        if tried is None or (log.has_result and tried != log):
            return True
        return self._now_ns() - at_ns >= (AGAIN_NS if log.has_result else UNDER_WAY_NS)

    def _read(self, log: HallLog, emit: Emit) -> None:
        """Read a log, and wait until it is kept."""
        self._tried[log.source, log.match] = log, self._now_ns()
        path = f"/api/1/matches/{quote(log.match, safe='')}/log?source={quote(log.source, safe='')}"
        lines = tuple(self._client.get(path).split(b"\n")[:-1])
        place = self._boards.place(log)
        emit(EarlierLinesRead(place, log.match, lines, is_whole=log.has_result))
        for _ in range(round(KEEP_S / LOOK_S)):
            if self._has_come(log) or self._stopping.wait(LOOK_S):
                return

    def _has_come(self, log: HallLog) -> bool:
        """Return whether a log is kept as far as the hub named it; it may have grown since."""
        return self._latest_line(log).seq >= log.seq and self._has_result(log)
