"""What a panel shows: the values that `clock` makes and `hardware` draws.

Others may import this one module of `hardware`; it imports nothing but msgspec.
"""

import msgspec

Keys = tuple[str, str, str]  # the legends over the left, centre and right button

NO_KEYS: Keys = ("", "", "")


class Face(msgspec.Struct, frozen=True, kw_only=True):
    """The content of one panel as finished texts, ready to be drawn.

    With `lines` it is a page of text under the reserve, or with `qr` too that of a QR code; without
    them it is a clock.
    """

    reserve: str
    """The time left: "21:37", "1:05:00", "9.4" below 20 s, "0:00" only when flagged."""
    running: bool = False
    """Whether this side's clock runs: the whole panel is inverted."""
    delay: str = ""
    """Whole seconds of delay left, rounded up; "" to show none."""
    delay_permille: int = 0
    """The part of the delay that is left, 0 to 1000."""
    delay_note: str = ""
    """A word beside the delay: "WAIT", "NO DELAY"."""
    turn: str = ""
    """The time of this turn, in place of a delay, where there is no limit: "0:34"."""
    status: str = ""
    """What the clock is doing, "Delay"."""
    name: str = ""
    """The player's name, if the file gives one; a notice shows it in place of the status."""
    short_names: tuple[str, ...] = ()
    """Ever shorter forms of the name, in place of one that does not fit."""
    score: str = ""
    """Score and length: "3-5/11", with "C" in the Crawford game."""
    flag: str = ""
    """The flag and its order, "FLAG 1"."""
    warnings: tuple[str, ...] = ()
    """What is wrong with the clock, "LOG NOT SAVED"; the first is shown, the others counted."""
    lines: tuple[str, ...] = ()
    """The text of a page; a face without lines is a clock."""
    selected: int | None = None
    """The index of the line to highlight and scroll to."""
    keys: Keys = NO_KEYS
    """What the left, centre and right buttons would do now; shown on a page only."""
    fingerprint: str = ""
    """The fingerprint of the log, "7KQ2-M9XT-4WDA", on a page: players write it down."""
    qr: str = ""
    """The text of a QR code, which players photograph: it is shown instead of the lines, unless
    there is an `other_reserve`."""
    result: tuple[str, ...] = ()
    """The result in at most two texts short enough to stand beside the QR code."""
    other_reserve: str = ""
    """The other side's reserve, while that side's panel is dark; "" otherwise."""
