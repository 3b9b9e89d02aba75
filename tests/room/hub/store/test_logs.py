"""Who sent which match."""

from room.boards.effects import NewLine
from room.hub.store.logs import Senders
from room.lines.inbox import Verdict


def test_a_match_is_news_for_its_sources_when_a_second_one_comes() -> None:
    senders, claimed = Senders({}, {}), []
    for at, source in enumerate(("a", "a", "b", "b")):
        senders.hear([NewLine(source, "m", at + 1, Verdict.STORED, b"{}")], "14:02")
        claimed.append(sorted(senders.drain_claimed()))
    assert claimed == [[], [], [("a", "m"), ("b", "m")], []]
