"""A fault latch: a fault is reported once when it begins, and once when the part is well again."""

from collections.abc import Callable
from threading import Lock

Report = tuple[str, str | None]
"""A part of the clock, and what is wrong with it; None: it is well again."""


class FaultLatch:
    """The faults of one part of the clock.

    A part may have several faults at a time, each with a `cause` of its own; it is well again when
    the last of them is over. Any thread may call any method; none of them waits. Most calls change
    nothing, as parts say again and again that they are well; these do not take the lock.
    """

    def __init__(self, part: str, changed: Callable[[], object] = lambda: None) -> None:
        """Start well.

        `changed` is called after each new report, by the thread that caused it; it must neither
        wait nor raise.
        """
        self._part = part
        self._changed = changed
        self._lock = Lock()
        self._latched: dict[str, str] = {}
        self._reports: list[Report] = []

    def latched(self, cause: str = "") -> str | None:
        """Return the fault last reported for `cause`, or None if there is none now."""
        return self._latched.get(cause)

    def fail(self, what: str, cause: str = "", *, renew: bool = False) -> None:
        """Report a fault, for people to read, unless `cause` is latched already.

        With `renew` a latched cause is reported again if `what` has changed.
        """
        with self._lock:
            known = self._latched.get(cause)
            if known is not None and (known == what or not renew):
                return
            self._latched[cause] = what
            self._reports.append((self._part, what))
        self._changed()

    def clear(self, cause: str = "") -> None:
        """End the fault of `cause`, if there is one; report the part well if it was the last."""
        if cause not in self._latched:
            return
        with self._lock:
            if self._latched.pop(cause, None) is None or self._latched:
                return
            self._reports.append((self._part, None))
        self._changed()

    def drain(self) -> list[Report]:
        """Return the reports since the last call, oldest first."""
        if not self._reports:
            return []
        with self._lock:
            reports, self._reports = self._reports, []
        return reports
