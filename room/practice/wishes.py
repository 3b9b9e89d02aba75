"""What a visitor wants to practise, and the clock for it."""

from collections.abc import Callable
from typing import Annotated

from msgspec import Meta, Struct

from clock import __version__
from clock.config.offer import offered_match
from clock.config.schema import ConfigFile
from clock.match.profiles import PROFILES
from clock.runtime.loop import UiOptions
from clock.ui.i18n import LANGUAGES, sayer
from room.practice.clock import PracticeClock
from room.practice.lessons import LESSONS

PRACTICE = "practice"  # in place of a clock's id in its log
NAMES = ["Ada", "Ben"]

Short = Annotated[str, Meta(max_length=20)]


class Wishes(Struct, frozen=True, forbid_unknown_fields=True):
    """What a visitor asks for."""

    profile: Short = next(iter(PROFILES))
    """By default the one that the page offers first, and shows as chosen."""
    length: Annotated[int, Meta(ge=1, le=25)] = 5
    language: Short = "en"
    """English, if there are no words in it."""
    lesson: Short = ""
    """One of `LESSONS`, which has a profile and a length of its own; otherwise a match begins."""


def wanted_clock(
    wishes: Wishes, now_ns: Callable[[], int], wall: Callable[[], str]
) -> PracticeClock:
    """Return a clock as it is asked for.

    Args:
        wishes: of the visitor.
        now_ns: the present instant.
        wall: date and time, for its log.

    Raises:
        ConfigError: there is no such profile.
    """
    lesson = LESSONS.get(wishes.lesson)
    profile, length = (wishes.profile, wishes.length) if lesson is None else lesson.match
    match = {"profile": profile, "length": length, "names": NAMES}
    language = wishes.language if wishes.language in LANGUAGES else "en"
    options = UiOptions(sayer(language), __version__, stamps="software", clock=PRACTICE)
    return PracticeClock(offered_match(ConfigFile(), match), options, now_ns, wall, lesson)
