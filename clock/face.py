"""What each panel shows.

The one rule: all rounding of time for people is here, once, on an integer.
"""

import msgspec


class Face(msgspec.Struct, frozen=True, kw_only=True):
    """One panel's content in finished texts; who draws it computes nothing.

    With `lines` it is a page (small reserve on top, lines of text), without them the clock (large
    reserve).
    """

    reserve: str  # "21:37", "1:05:00", "9.4" below 20 s, "0:00" only when flagged
    running: bool = False  # this side's clock runs: the whole panel is inverted
    delay: str = ""  # whole seconds of delay left, rounded up; "" where there is no delay to show
    delay_permille: int = 0  # what is left of the delay: 1000 full, 0 used up
    delay_note: str = ""  # a word beside the delay: "WAIT", "NO DELAY"
    status: str = ""  # what the clock is doing, in the director's language
    score: str = ""  # "3-5/11", with "C" in the Crawford game
    flag: str = ""  # "FLAG 1", "FLAG 2"
    warnings: tuple[str, ...] = ()  # "LOG NOT SAVED", ...
    lines: tuple[str, ...] = ()
    selected: int | None = None  # the line that the buttons act on, highlighted
    keys: tuple[str, str, str] = ("", "", "")  # what left, centre and right would do now
    other_reserve: str = ""  # the other side's reserve, for the day when one panel must show both
