"""The page on which the preset of the next match is chosen.

Each panel shows the selected preset whole, its own side's bank as the reserve, so that two clocks
can be compared before anything is confirmed.
"""

from clock.match.durations import clock_text
from clock.match.rules import MatchSettings, Rules
from clock.match.scoring import new_match
from clock.match.types import Pair
from clock.ui.descriptions import Lines, Say
from clock.ui.dialogue import PresetPage
from clock.ui.face import View, both_pages, match_line
from hardware.face import Face


def preset_pages(view: View, page: PresetPage, now_ns: int) -> Pair[Face]:
    """Return the page of the selected preset: a match under it as it would begin."""
    name, settings = page.selected(view.dialogue.choices)
    begun = view._replace(state=new_match(settings, now_ns))
    title = name or view.say("no_preset")
    centre = "OK" if page.first else view.say("take_or_back")
    return both_pages(begun, now_ns, title, _lines(begun), ("◀", centre, "▶"))


def _lines(view: View) -> Lines:
    say, settings, rules = view.say, view.state.settings, view.state.settings.rules
    return (
        match_line(view),
        *_times(rules, say),
        code_line(settings, settings.code, say),
    )


def _times(rules: Rules, say: Say) -> Lines:
    if rules.pace is not None:
        return (say("no_limit"), say("turns_timed"))
    return (_bank_formula(rules, say), f"{say('delay_runs')} {clock_text(rules.delay_ns)}")


def _bank_formula(rules: Rules, say: Say) -> str:
    per_match = clock_text(rules.time_per_match_ns)
    if not rules.time_per_point_ns:
        return str(say("per_match", time=per_match))
    per_point = say("per_point", time=clock_text(rules.time_per_point_ns))
    return f"{per_point} + {per_match}" if rules.time_per_match_ns else str(per_point)


def code_line(settings: MatchSettings, code: str, say: Say) -> str:
    """Return a settings code, and whether it is a best of three."""
    best_of = f" {say('best_of_three')}" if settings.best_of_three else ""
    return f"{say('code')} {code}{best_of}"
