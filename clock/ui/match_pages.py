"""The pages on which a match is chosen: one to resume (R131), or the preset of the next.

Where a match is resumed, the left panel lists those that are not over, the right one says more of
the selected one. Each shows its own side's reserve in that match, and the right one the score, to
be compared with a slip. Of the presets each panel shows the selected one whole, its own side's bank
as the reserve, so that two clocks can be compared before anything is confirmed.
"""

from msgspec import structs

from clock.eventlog.unfinished import Unfinished
from clock.match.durations import clock_text, elapsed_text, reserve_text
from clock.match.profiles import PROFILES
from clock.match.rules import MatchSettings, Rules
from clock.match.scoring import new_match, score_text
from clock.match.timecontrol import bank_ns
from clock.match.types import Pair, Side
from clock.ui.descriptions import Lines, Say
from clock.ui.dialogue import PresetPage, ResumeMatchPage
from clock.ui.director_pages import choosing
from clock.ui.face import View, both_pages, match_line
from clock.ui.i18n import LINE_LENGTH
from clock.ui.names import UNNAMED, both_names
from hardware.face import Face

TO_THE_MINUTE = len("2026-05-01T10:00")


def resume_match_pages(view: View, page: ResumeMatchPage, now_ns: int) -> Pair[Face]:
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
    score = f"{score_text(selected.score)}/{selected.length}"
    about = _about(selected, say)
    left, right = choosing(view, now_ns, (title, listed, at), (score, about), keys)
    return Pair(_of_match(left, selected, Side.LEFT), _of_match(right, selected, Side.RIGHT))


def _of_match(face: Face, selected: Unfinished, side: Side) -> Face:
    """Return a face with the reserve of the match in place of this clock's own."""
    left_ns = selected.reserves[side]
    reserve = elapsed_text(-left_ns) if left_ns < 0 else reserve_text(left_ns, flagged=False)
    return structs.replace(face, reserve=reserve, flag="")


def _names(of: Unfinished, most: int) -> str:
    """Return both names, shortened alike; for a match without names its date."""
    return _date(of) if tuple(of.names) == UNNAMED else both_names(of.names, most)


def _date(of: Unfinished) -> str:
    return of.wall[:TO_THE_MINUTE].replace("T", " ")


def _about(of: Unfinished, say: Say) -> Lines:
    mover = say("between_games") if of.mover is None else say("turn_of", side=say(of.mover.value))
    return (_date(of), mover, of.fingerprint, _remark(of, say))


def _remark(of: Unfinished, say: Say) -> str:
    """Return what the director has to know before they resume it, the worst first."""
    if of.is_damaged:
        return say("log_damaged")
    if not of.is_adjourned:
        return say("not_put_aside")
    return say("of_this_clock" if of.is_own else "of_another_clock")


def preset_pages(view: View, page: PresetPage, now_ns: int) -> Pair[Face]:
    """Return the page of the selected preset: a match under it as it would begin."""
    name, settings = page.selected(view.dialogue.choices)
    begun = view._replace(state=new_match(settings, now_ns))
    title = name or view.say("no_preset")
    centre = "OK" if page.first else view.say("take_or_back")
    return both_pages(begun, now_ns, title, _lines(begun), ("◀", centre, "▶"))


def _lines(view: View) -> Lines:
    say, settings, rules = view.say, view.state.settings, view.state.settings.rules
    return (match_line(view), *_times(view, rules), code_line(settings, settings.code, say))


def _times(view: View, rules: Rules) -> Lines:
    if rules.pace is not None:
        return pace_times(view)
    say = view.say
    return (_bank_formula(rules, say), f"{say('delay_runs')} {clock_text(rules.delay_ns)}")


def _bank_formula(rules: Rules, say: Say) -> str:
    per_match = clock_text(rules.time_per_match_ns)
    if not rules.time_per_point_ns:
        return str(say("per_match", time=per_match))
    per_point = say("per_point", time=clock_text(rules.time_per_point_ns))
    return f"{per_point} + {per_match}" if rules.time_per_match_ns else str(per_point)


def bank_and_delay(view: View, bank: str, rules: Rules) -> str:
    """Return both in one line, the delay with its name if there is room."""
    delay = clock_text(rules.delay_ns)
    named = f"{bank}, {view.say('delay_runs')} {delay}"
    return named if len(named) <= LINE_LENGTH else f"{bank}, {delay}"


def overtime_text(rules: Rules) -> str:
    """Return what is added to a bank when it runs out, announced beforehand (USBGF)."""
    return f" + {clock_text(rules.overtime_ns)}" if rules.overtime_ns else ""


def pace_times(view: View, *, short: bool = False) -> Lines:
    """Return that there is no limit, or the times that count from a limit on, if the TD set any."""
    say, rules = view.say, view.state.settings.rules
    timed, usual = rules.timed(), PROFILES[rules.profile]
    own = (timed.time_per_match_ns, timed.delay_ns, timed.overtime_ns)
    if own == (usual.time_per_match_ns, usual.delay_ns, usual.overtime_ns):
        return (say("no_limit"),) if short else (say("no_limit"), say("turns_timed"))
    bank = f"{clock_text(bank_ns(timed, view.state.away))}{overtime_text(timed)}"
    return say("limited_later"), bank_and_delay(view, bank, timed)


def code_line(settings: MatchSettings, code: str, say: Say) -> str:
    """Return a settings code, and whether it is a best of three."""
    best_of = f" {say('best_of_three')}" if settings.best_of_three else ""
    return f"{say('code')} {code}{best_of}"
