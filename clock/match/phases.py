"""Where a match can stand, by name.

The names of `Phase` stand in every log (contract).
"""

from enum import StrEnum


class Phase(StrEnum):
    """What the clock is doing."""

    REVIEW = "REVIEW"  # the settings are shown and wait for both players
    READY = "READY"  # between games: the dice of the opening roll
    RUNNING = "RUNNING"
    STOPPED = "STOPPED"
    FREE_TURN = "FREE_TURN"  # a turn off the clock
    GAME_OVER = "GAME_OVER"  # the points of the game are being entered
    BREAK = "BREAK"
    NO_CLOCK = "NO_CLOCK"  # the match goes on without a clock
    FINISHED = "FINISHED"


class NextDelay(StrEnum):
    """What becomes of the delay of a player's next turn."""

    FULL = "full"
    SKIP = "skip"  # he has none
    WAIT = "wait"  # he may not move before it has run out


class Crawford(StrEnum):
    """Where the match stands with the Crawford rule (EBF 4.4(iv))."""

    BEFORE = "before"
    NOW = "now"
    DONE = "done"


class ResumeWith(StrEnum):
    """The delay with which a stopped turn goes on."""

    REST = "rest"  # exactly what was left
    FULL = "full"
    WAIT = "wait"  # full, and no press counts before it has run out
