"""The tables of a report that tell what went out of the ordinary.

The one rule: each row begins with the line of the log that proves it.
"""

from collections import Counter

from rich.table import Table

from clock.report.cells import NONE, act_words, add, at, named, time_text, titled
from clock.match.time_format import clock_text, reserve_text
from clock.match.events import PressedEvent
from clock.report.summary import Fallen, Restoration, Summary, Told
from clock.ui.descriptions import Say

FEW = 10  # refused presses are listed one by one up to here


def flag_table(summary: Summary) -> Table:
    """Each flag, how far behind the first it fell, and who said so."""
    table = titled(
        "Flags", ">#", "At", "Flag of", "Order", ">After the first", "Claimed", "Cleared"
    )
    for flag in summary.flags:
        add(table, *at(flag.stamp), *_flag(summary, flag))
    return table


def _flag(summary: Summary, flag: Fallen) -> tuple[str, ...]:
    if flag.player is None:
        return (NONE, NONE, NONE, "claimed, but no flag was down", NONE)
    margin = NONE if flag.margin_ns is None else reserve_text(flag.margin_ns, flagged=False)
    claimed = "not claimed"
    if flag.claimed:
        played_on = f", {clock_text(flag.overrun_ns)} played on" if flag.overrun_ns else ""
        claimed = f"{flag.claimed.time}{played_on}"
    order = f"{flag.order}{' (entered by the director)' if flag.entered else ''}"
    cleared = flag.cleared.time if flag.cleared else NONE
    return (summary.names[flag.player], order, margin, claimed, cleared)


def act_table(summary: Summary, say: Say) -> Table:
    """What changed the match other than by playing."""
    title = "Adjustments, corrections, penalties, lateness"
    table = titled(title, ">#", "At", "Player", "What", "Old → new", "Why")
    for told in summary.acts:
        add(table, *at(told.stamp), *act_words(told, say))
    return table


def fault_table(summary: Summary) -> Table:
    """What failed, and until when."""
    table = titled("Faults", ">#", "At", "Part", "What", "Until")
    for fault in summary.faults:
        until = fault.cleared.time if fault.cleared else "the end of the log"
        add(table, *at(fault.stamp), fault.event.part, fault.event.what, until)
    return table


def restored_table(summary: Summary) -> Table:
    """When the clock came back, and how much of play is not known."""
    table = titled(
        "Restorations", ">#", "At", "After", "Last record", ">Played since", ">At most lost"
    )
    for each in summary.restorations:
        times = (time_text(each.played_ns), time_text(each.lost_ns))
        add(table, *at(each.stamp), _cause(each), each.before.time, *times)
    return table


def _cause(restoration: Restoration) -> str:
    return _CAUSES.get(restoration.why, "power cut" if restoration.reboot else "program stopped")


_CAUSES = {
    "damaged": "damaged log",
    "replacement": "clock replaced",
    "safe_mode": "recovery failed",
}


def refused_table(summary: Summary, say: Say) -> Table:
    """The presses without effect; many of them only counted."""
    words = [(told, *_refusal(told, say)) for told in summary.refused]
    if len(words) > FEW:
        table = titled(f"{len(words)} presses without effect", "Button", "Why", ">Times")
        for (who, why), count in Counter(each[1:] for each in words).most_common():
            add(table, who, why, str(count))
        return table
    table = titled("Presses without effect", ">#", "At", "Button", "Why")
    for told, who, why in words:
        add(table, *at(told.stamp), who, why)
    return table


def _refusal(told: Told, say: Say) -> tuple[str, str]:
    if not isinstance(told.event, PressedEvent):
        raise TypeError(f"{type(told.event).__name__} is no press")
    words = named(say, told.seats)
    return words(told.event.side.value), words(f"refused_{told.event.why}")
