"""Two naive models of the delay that share nothing with the clock, not even a name.

A turn is a list of durations: played, stopped, played, stopped, ... Players take turns, player 0
first; no time passes between turns. All numbers are integers of one unit.
"""

from typing import NamedTuple


class Outcome(NamedTuple):
    """What is left, and when time ran out."""

    reserves: list[tuple[int, int]]  # of both players, after each turn
    flags: tuple[int | None, int | None]  # the instant of each player's flag; None: did not fall


def simple_delay(delay: int, reserve: int, turns: list[list[int]], start: int = 0) -> Outcome:
    """The delay of a turn is used up first, then the reserve; the rest of the delay is lost."""
    now = start
    left = [reserve, reserve]
    flags: list[int | None] = [None, None]
    reserves = []
    for number, turn in enumerate(turns):
        player = number % 2
        delay_left = delay
        for place, duration in enumerate(turn):
            if place % 2 == 0:  # played
                if flags[player] is None and duration >= delay_left + left[player]:
                    flags[player] = now + delay_left + left[player]
                after_delay = max(0, duration - delay_left)
                delay_left = max(0, delay_left - duration)
                left[player] = max(0, left[player] - after_delay)
            now += duration
        reserves.append((left[0], left[1]))
    return Outcome(reserves, (flags[0], flags[1]))


def add_back(delay: int, reserve: int, turns: list[list[int]], start: int = 0) -> Outcome:
    """Bronstein as it is displayed: one number, the delay loaded before the turn.

    It counts down from reserve + delay, and the flag falls when it is used up. At the press, the
    number shown becomes the reserve, but no more than there was before the turn.
    """
    now = start
    reserve_of = {0: reserve, 1: reserve}
    flags: dict[int, int] = {}
    reserves = []
    for number, turn in enumerate(turns):
        player = number % 2
        shown = reserve_of[player] + delay
        played = 0
        for place, duration in enumerate(turn):
            if place % 2 == 0:
                if played + duration >= shown:
                    flags.setdefault(player, now + shown - played)
                played += duration
            now += duration
        reserve_of[player] = min(reserve_of[player], max(0, shown - played))
        reserves.append((reserve_of[0], reserve_of[1]))
    return Outcome(reserves, (flags.get(0), flags.get(1)))
