"""Resume a match that is not over: one of this clock, or of another by its log (R131).

Nothing is written to the log that is resumed, wherever it lies: the match goes on in a new one,
whose first line names the line that it continues, with its hash.
"""

from pathlib import Path

from clock.eventlog.codec import DamagedError
from clock.eventlog.recovery import Recovery
from clock.eventlog.salvage import continue_in_new_log, salvage
from clock.eventlog.unfinished import Unfinished
from clock.match.faults import Fault
from clock.match.inputs import TAKEN_UP
from clock.runtime.ports import TimeSource
from clock.storage.checkpoint import CHECKPOINT, read_checkpoint
from clock.storage.log_reader import log_stem
from clock.storage.unfinished import read_lines_of, unfinished_matches


class ResumableLogs:
    """See `ports.ResumableMatches`."""

    def __init__(self, logs: Path, handed: Path | None, time: TimeSource) -> None:
        """Look at nothing yet; logs of other clocks are `handed` over in that folder."""
        self._logs, self._handed, self._time = logs, handed, time
        self._faults: list[Fault] = []

    def unfinished(self) -> tuple[Unfinished, ...]:
        """See `ports.ResumableMatches.unfinished`."""
        return unfinished_matches(self._logs, self._handed)

    def resume_match(self, log: str, at_ns: int) -> Recovery | None:
        """See `ports.ResumableMatches.resume_match`."""
        path = Path(log)
        try:
            checkpoint = read_checkpoint(path.parent / CHECKPOINT)  # of a clock that failed
            salvaged = salvage(read_lines_of(path), checkpoint, log_stem(path.name))
        except (OSError, DamagedError) as error:
            why = (error.strerror if isinstance(error, OSError) else None) or error
            self._faults.append(Fault("recovery", f"{path}: cannot be resumed: {why}"))
            return None
        self._faults.append(Fault("recovery", None))
        return continue_in_new_log(salvaged, TAKEN_UP, self._time.boot, at_ns)

    def faults(self) -> list[Fault]:
        """Return the faults and recoveries since the last call."""
        faults, self._faults = self._faults, []
        return faults
