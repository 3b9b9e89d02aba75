"""Count the presses of ten acts of the director: before the quick menu, now, in groups (R133).

    python -m lab.menu_presses

No director was timed. The seconds are estimates of the keystroke-level model (Card, Moran and
Newell, 1983): 0.28 s for a press, 1.35 s for a decision, and what the clock itself takes: 1.5 s for
holding the centre, 0.5 s and an eighth of a second a step for a plunger that is held. A first-time
director is taken to decide at each line of the menu that is turned past, too. The ten acts are
those judged to be the most frequent; nobody has counted them.
"""

from itertools import groupby
from typing import NamedTuple

from clock.ui.dialogue import HOLD_NS, REPEAT_AFTER_NS, REPEAT_NS, offered_items
from clock.units import SECOND_NS
from lab.support.desk import Desk, after_game
from tests.docs.director_cases import SITUATIONS
from tests.docs.director_page import SITUATION_LINES, letters, press, profiles_for

PRESS_S, DECISION_S = 0.28, 1.35
HELD_FROM = 5  # steps in one direction: a plunger is held rather than pressed
MORE_TIME, CONDUCT = "1:12 more between games", "a point for conduct between games"
BEFORE = {  # on the page, or with the program, before the menu was made quick
    "the score is wrong": "H C L C R C3",
    "a time is wrong between games": "H R C L C - C2 R C3 - C3",
    MORE_TIME: "H R2 C L C4 R C R C R2 C4",
    CONDUCT: "H R9 C L C R2 C R C2",
    "a time is wrong": "C H R C2 - C2 R C3 - C3",
    "a player lost time": "C H R3 C5",
    "a wrong clock ran a while": "C H R2 C3 - C3 R3 C2 - C3",
    "slow play by one player": "C H R7 C L C R C3",
    "a player is missing": "H R C L C R3 C2",
    "time expired and claimed": "H C4",
}
NOW = {MORE_TIME: "H R C L R C R12 C3", CONDUCT: "H R2 C L R C R C2"} | {
    title: presses.strip("`") for title, _, presses, _ in SITUATION_LINES if title in BEFORE
}
GROUPS = (  # of the same items, as somebody would look for them
    ("set_time", "add_time", "give_back", "overtime", "flag", "next_delay", "reset_banks"),
    ("score", "length", "crawford", "bonus", "shorten"),
    ("penalty", "waive_late", "absent", "absent_clock", "breaks", "break", "swap"),
    ("resume", "lift_hold", "no_clock", "reopen", "language"),
    ("approve", "end_match", "put_aside", "take_up", "new_match", "other_preset", "begin_times"),
)


class Cost(NamedTuple):
    """What an act takes."""

    presses: int
    first_s: float
    """Of a first-time director."""
    later_s: float
    """Of one who knows the menu."""


def begin(title: str) -> Desk:
    """Return a clock in the situation of an act."""
    if title in (MORE_TIME, CONDUCT):
        return after_game("wbgf")
    return SITUATIONS[title].begin(profiles_for(title)[0])


def cost(presses: str, *, repeats: bool = True, pages: int = 1) -> Cost:
    """Return the cost of presses; a plunger that is held is one press, if it repeats.

    So many pages after the hold are lists of the menu, whose lines a first-time director reads.
    """
    count, first_s, later_s, lists = 0, 0.0, 0.0, 0
    for letter, run in groupby(letters(presses)):
        steps = len(list(run))
        is_held = repeats and steps >= HELD_FROM and letter != "C"
        count += 1 if is_held else steps
        if letter == "H":
            lists = pages
            later_s += HOLD_NS / SECOND_NS
        elif letter == "C":  # each completes something that was decided
            lists -= steps
            later_s += steps * (PRESS_S + DECISION_S)
        else:
            held_ns = REPEAT_AFTER_NS + (steps - 2) * REPEAT_NS
            later_s += held_ns / SECOND_NS if is_held else steps * PRESS_S
            first_s += steps * DECISION_S if lists > 0 else 0
    return Cost(count, first_s + later_s, later_s)


def grouped(title: str) -> str:
    """Return the presses of an act as they are now, its item looked for in a group."""
    table, presses = begin(title), letters(NOW[title])
    at = presses.index("H")
    press(table, presses[: at + 1])
    offered = [item.name for item in offered_items(table.dialogue, table.state)]
    chosen = presses.index("C", at)
    turned = presses[at + 1 : chosen]
    name = offered[(turned.count("R") - turned.count("L")) % len(offered)]
    groups = [[each for each in group if each in offered] for group in GROUPS]
    shown = [group for group in groups if group]
    group = next(group for group in shown if name in group)
    steps = (_turns(shown.index(group), len(shown)), "C", _turns(group.index(name), len(group)))
    return " ".join((*presses[: at + 1], *steps, *presses[chosen:]))


def _turns(at: int, count: int) -> str:
    """Return the presses that lead to a place from the first one, the shorter way around."""
    return " ".join("R" * at if at <= count - at else "L" * (count - at))


def table() -> list[str]:
    """Return the lines of the table: presses, and seconds of a first-time director and another."""
    variants = {
        title: (
            cost(BEFORE[title], repeats=False),
            cost(NOW[title]),
            cost(grouped(title), pages=2),
        )
        for title in BEFORE
    }
    lines = ["| act | before | now | in groups |", "|---|---|---|---|"]
    for title, costs in variants.items():
        lines.append(f"| {title} | {' | '.join(map(_text, costs))} |")
    sums = [
        Cost(*(sum(values) for values in zip(*costs, strict=True)))
        for costs in zip(*variants.values(), strict=True)
    ]
    return [*lines, f"| all ten | {' | '.join(map(_text, sums))} |"]


def _text(of: Cost) -> str:
    return f"{of.presses}: {of.first_s:.0f} s, {of.later_s:.0f} s"


if __name__ == "__main__":
    print("\n".join(table()))
