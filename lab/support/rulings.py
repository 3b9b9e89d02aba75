"""What a director and the players do at the table in rulings, by the buttons, and what they see."""

from clock.eventlog.codec import Chain
from clock.eventlog.replay import replay
from clock.match.events import AnyEvent
from clock.match.rules import Reason
from clock.match.types import Button
from clock.ui.dialogue import FormPage
from clock.units import MINUTE_NS, SECOND_NS
from lab.support.desk import C, Desk, L, R, desk

WALL = "2000-01-01T12:00:00.000+00:00"


def prove(table: Desk) -> None:
    """Replay the log of a match: it gives the match again."""
    chain, lines = Chain("match", "boot"), []
    for record in table.records:
        chain, line = chain.append(record, WALL)
        lines.append(line[:-1])
    assert replay(lines).match.state.replace(at_ns=0) == table.state.replace(at_ns=0)


# --- what people do ---------------------------------------------------------------------------


def opening(profile: str = "ebf", **changes: object) -> Desk:
    """The opening roll, after both players have confirmed."""
    return desk(profile, **changes).tap(L, R, C)


def playing(profile: str = "ebf", **changes: object) -> Desk:
    """The left clock has run for 20 s, with 12 s of them delay, in the first turn."""
    return opening(profile, **changes).tap(R).pass_time(20 * SECOND_NS)


def stop_for(table: Desk, reason: Reason) -> Desk:
    """Stop the clock, choose a reason with the right plunger, carry it out."""
    table.tap(C)
    for _ in Reason:
        if table.state.reason is not reason:
            table.tap(R)
    assert table.state.reason is reason
    return table.tap(C)


def won(table: Desk, *points: Button) -> Desk:
    """Play a game that ends with these presses of the plungers."""
    return stop_for(table.tap(R), Reason.GAME_OVER).tap(*points, C).pass_time(0)


def flag_down() -> Desk:
    """The left flag has fallen, and the clock is stopped."""
    return playing().pass_time(30 * MINUTE_NS).tap(C)


# --- what they see ----------------------------------------------------------------------------


def first_item(table: Desk) -> str:
    """The first item of the director's menu, after *Undo*."""
    table = table.twin().hold()
    if table.state.done:
        table.tap(R)
    face = table.faces().left
    assert face.selected is not None
    return face.lines[face.selected]


def previewed(table: Desk) -> tuple[str, ...]:
    """What the panel says that the ruling will do."""
    assert entered(table).faces().right.status == "Do this?"
    return table.faces().right.lines


def entered(table: Desk) -> Desk:
    """The entries of an open form that are left, each as it is proposed."""
    return table.through() if isinstance(table.dialogue.page, FormPage) else table


def selected(table: Desk) -> str:
    """What is selected in the entry that is being made."""
    face = table.faces().left
    assert face.selected is not None
    return face.lines[face.selected]


def done(table: Desk) -> AnyEvent:
    """What the director's ruling left in the log."""
    return entered(table).tap(C).last()
