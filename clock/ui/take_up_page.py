"""The page on which the director chooses a match to resume (R131).

The left panel lists the matches that are not over, the right one says more of the selected one.
Each shows its own side's reserve in that match, and the right one the score, to be compared with a
slip.
"""

from msgspec import structs

from clock.eventlog.unfinished import Unfinished
from clock.match.durations import elapsed_text, reserve_text
from clock.match.scoring import score_text
from clock.match.types import Pair, Side
from clock.ui.descriptions import Lines, Say
from clock.ui.dialogue import TakeUpPage
from clock.ui.face import View, both_pages, page_face
from clock.ui.i18n import LINE_LENGTH
from clock.ui.names import UNNAMED, both_names
from hardware.face import Face

TO_THE_MINUTE = len("2026-05-01T10:00")


def take_up_pages(view: View, page: TakeUpPage, now_ns: int) -> Pair[Face]:
    """Return the page of the selected match, or that there is none."""
    say, found = view.say, view.dialogue.unfinished
    title = say("item_take_up")
    selected = page.selected(found)
    if selected is None:
        lines = (say("none_unfinished"), say("hold_back"))
        return both_pages(view, now_ns, title, lines, ("", say("close"), ""))
    at = found.index(selected)
    listed = tuple(_names(each, LINE_LENGTH) for each in found)
    back, on = ("◀", "▶") if len(found) > 1 else ("", "")
    keys = (back, say("resume"), on)
    left = page_face(view, Side.LEFT, now_ns, title, _padded(listed), (*keys[:2], ""))
    score = f"{score_text(selected.score)}/{selected.length}"
    right = page_face(view, Side.RIGHT, now_ns, score, _about(selected, say), ("", *keys[1:]))
    left = structs.replace(left, selected=at)
    return Pair(_of_match(left, selected, Side.LEFT), _of_match(right, selected, Side.RIGHT))


def _of_match(face: Face, selected: Unfinished, side: Side) -> Face:
    """Return a face with the reserve of the match in place of this clock's own."""
    left_ns = selected.reserves[side]
    reserve = elapsed_text(-left_ns) if left_ns < 0 else reserve_text(left_ns, flagged=False)
    return structs.replace(face, reserve=reserve, flag="")


def _padded(lines: Lines) -> Lines:
    return lines + ("",) * (3 - len(lines))


def _names(of: Unfinished, most: int) -> str:
    """Return both names, shortened alike; for a match without names its date."""
    return _date(of) if tuple(of.names) == UNNAMED else both_names(of.names, most)


def _date(of: Unfinished) -> str:
    return of.wall[:TO_THE_MINUTE].replace("T", " ")


def _about(of: Unfinished, say: Say) -> Lines:
    mover = say("between_games") if of.mover is None else say("turn_of", side=say(of.mover.value))
    return (_date(of), mover, of.head, _remark(of, say))


def _remark(of: Unfinished, say: Say) -> str:
    """Return what the director has to know before they resume it, the worst first."""
    if of.is_damaged:
        return say("log_damaged")
    if not of.is_put_aside:
        return say("not_put_aside")
    return say("of_this_clock" if of.is_own else "of_another_clock")
