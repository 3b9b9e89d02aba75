"""Which logs continue one and the same log: a match that was resumed twice (R131).

What was heard stays known: the clock that went on first may have begun another match since.
"""


class Continuations:
    """The logs that continue others, by their names."""

    def __init__(self) -> None:
        """Begin without a log."""
        self._earlier: dict[str, str] = {}  # the log that each one continues
        self._later: dict[str, dict[str, None]] = {}  # the logs that continue each one

    def note(self, log: str, earlier: str) -> bool:
        """Note that a log continues another one; return whether that one was resumed twice.

        It returns False for what is known already, and for a log that begins with its match.
        """
        if not earlier or earlier == log or self._earlier.get(log) == earlier:
            return False
        self._earlier[log] = earlier
        later = self._later.setdefault(earlier, {})
        later[log] = None
        return len(later) > 1

    def rivals(self, log: str) -> tuple[str, ...]:
        """Return the other logs that continue what this one, or one before it, continues."""
        found, passed = dict[str, None](), {log}
        while (earlier := self._earlier.get(log, "")) and earlier not in passed:
            found |= dict.fromkeys(each for each in self._later[earlier] if each != log)
            passed.add(earlier)
            log = earlier
        return tuple(sorted(found))
