"""A result in words, as room/pages/result_words.js says it on the pages that follow a room."""

from collections.abc import Iterable, Iterator

from clock.match.durations import elapsed_text
from clock.match.types import Side
from clock.ui.descriptions import Say
from room.boards.board import SIMULATED, Conflict
from room.boards.results import Listed

APART = ("page_apart_later", "page_apart_earlier")


def name(of: Listed, side: Side, say: Say) -> str:
    """Return a player's name, or the word for their side."""
    return of.players[side] or say(side.value)


def outcome(of: Listed, say: Say) -> str:
    """Return who won and how the match ended, or that it was not finished."""
    if of.put_aside:
        return say("put_aside")
    if not of.complete:
        return say("report_not_finished")
    winner = name(of, of.winner, say) if of.winner else ""
    return outcome_text(winner, f"end_{of.end}" if of.end else "", say)


def outcome_text(winner: str, end: str, say: Say) -> str:
    """Return who won, and the word for how the match ended; either may be ""."""
    if not winner and not end:
        return say("finished")
    who = say("report_wins", player=winner) if winner else say("report_no_winner")
    return ", ".join(filter(None, (who, end and say(end))))


def score(of: Listed) -> str:
    """Return the score with the length: "11-7/11"; after the matches won, of a best of three."""
    points = f"{of.score.left}-{of.score.right}/{of.length}"
    return f"{of.legs.left}-{of.legs.right} ({points})" if of.best_of_three else points


def minute(text: str) -> str:
    """Return an instant of a log to the minute."""
    return text[: len("2026-05-01T10:00")].replace("T", " ")


def duration(of: Listed) -> str:
    """Return how long a match took; "" if that is not known."""
    return elapsed_text(of.duration_ns) if of.begun else ""


def round_title(of: Listed, say: Say, *, with_event: bool = False) -> str:
    """Return the day and the round: "2026-05-01 · Round 2", or as the settings name it.

    A round that an event has once has no day, but the event's name if there are several.
    """
    counted = say("page_no_round") if of.round is None else say("report_round", n=of.round)
    day = "" if of.named_round and of.event else of.day
    event = of.event if with_event and of.named_round else ""
    return " · ".join(filter(None, (day, event, of.named_round or counted)))


def place(of: Listed, say: Say) -> str:
    """Return where a match was played: the board, after its hall if that is another one."""
    clock = say("page_simulated") if of.clock == SIMULATED else of.clock
    return " · ".join(filter(None, (of.hall, of.board or clock)))


def remarks(of: Listed, say: Say) -> list[str]:
    """Return what a reader must know of a result beside the score."""
    flags = ", ".join(name(of, side, say) for side in of.flags)
    found = (
        flags and f"{say('report_flags')}: {flags}",
        of.restorations and f"{say('report_restarts')}: {of.restorations}",
        of.corrections and say("page_corrections", n=of.corrections),
        of.forks and say("page_forks"),
        of.damage and say("page_damaged"),
        of.practice and say("practice"),
        *(say(APART[each.is_earlier], log=each.match, who=each.source) for each in of.apart),
        of.clocks and say("page_clocks", who=", ".join(of.clocks)),
        of.logs[1:] and say("page_logs", logs=", ".join(of.logs)),
        of.missing and say("page_log_missing", log=of.missing),
        of.rivals and say("page_taken_up_twice", logs=", ".join(of.rivals)),
        *_senders(of, say),
        _is_stranger(of) and say("page_stranger", who=of.source, board=of.assigned),
    )
    return [str(each) for each in found if each]


def is_doubted(of: Listed) -> bool:
    """Return whether a result needs a look at the score sheet."""
    joins = of.missing or of.rivals or of.apart
    differs = not all(each.agrees for each in of.conflicts)
    return bool(of.forks or of.damage or _is_stranger(of) or joins or differs)


def _is_stranger(of: Listed) -> bool:
    """Return whether a clock has sent it for the board of another one."""
    return bool(of.board and of.assigned and of.assigned != of.board)


def _senders(of: Listed, say: Say) -> Iterator[str]:
    own, others = of.conflicts[:1], of.conflicts[1:]
    yield _sent("page_sent_by", own, say)
    yield _sent("page_log_differs", (each for each in others if not each.agrees), say)
    yield _sent("page_log_same", (each for each in others if each.agrees), say)


def _sent(key: str, conflicts: Iterable[Conflict], say: Say) -> str:
    who = ", ".join(
        say("page_since", who=each.source, time=minute(each.since)) if each.since else each.source
        for each in conflicts
    )
    return who and say(key, who=who)
