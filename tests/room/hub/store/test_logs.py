"""Who sent which match."""

from room.boards.effects import NewLine
from room.hub.store.logs import Senders
from room.lines.inbox import Verdict


def test_a_match_is_news_for_its_sources_when_a_second_one_comes() -> None:
    senders, conflicting = Senders({}, {}), []
    for at, source in enumerate(("a", "a", "b", "b")):
        senders.hear([NewLine(source, "m", at + 1, Verdict.STORED, b"{}")], "14:02")
        conflicting.append(sorted(senders.drain_conflicts()))
    assert conflicting == [[], [], [("a", "m"), ("b", "m")], []]


def test_lines_that_come_together_are_heard_one_after_another() -> None:
    senders, verdicts = Senders({}, {}), (Verdict.STORED, Verdict.STORED, Verdict.FORK)
    senders.hear([NewLine("a", "m", at + 1, each, b"{}") for at, each in enumerate(verdicts)], "14")
    found = senders.first_heard("m")["a"]
    assert (found.seq, found.begun, found.fork_seq) == (2, "14", 3)
