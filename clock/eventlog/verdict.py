"""The verdict of `gammonclock verify`: how far what was given proves a log (docs/event-log.md)."""

from enum import IntEnum

DENIED, UNPROVEN = 4, 5  # exit codes


class Verdict(IntEnum):
    """What is proven, the worst last: that of several logs is the greatest."""

    PROVEN = 0
    CONSISTENT = 1
    NOT_PROVEN = 2
    CONTRADICTED = 3

    @property
    def exit_code(self) -> int:
        """The exit code of `gammonclock verify`."""
        return {Verdict.NOT_PROVEN: UNPROVEN, Verdict.CONTRADICTED: DENIED}.get(self, 0)

    def __str__(self) -> str:
        return self.name.replace("_", " ")


MEANINGS = {
    Verdict.PROVEN: "what was given from outside matches the log, up to the line that is named",
    Verdict.CONSISTENT: "hashes, order and replay are right. With at least one log nothing from"
    " outside was compared: a program that knows the format could have invented it",
    Verdict.NOT_PROVEN: "nothing is wrong, but something that is claimed stands in no file at hand",
    Verdict.CONTRADICTED: "a log is damaged or changed, or is denied by what was given beside it",
}
