"""The players of a simulated room, who answer offers of the next match."""

from collections import Counter, defaultdict
from itertools import pairwise
from pathlib import Path
from random import Random
from statistics import median
from typing import Any

import msgspec
import pytest
from msgspec.structs import replace

from clock.apps.playback import Disk, NullPanels
from clock.config.loader import load_settings
from clock.files import replace_file
from clock.match.types import Pair, Side
from clock.runtime.adapters import ConfiguredMatch
from clock.runtime.offer_folder import OfferFolder
from clock.storage.offer_file import KEY, OFFER
from clock.units import SECOND_NS
from clock.virtual import VirtualTime
from lab.support.loops import make_loop
from lab.support.offers import CLOCK, MASTER
from lab.support.offers import KEY as CLOCK_KEY
from room.boards.offers import Offer, Offers, OfferState, clock_log, refusal
from room.lines.track import Track, follow
from room.simulation.players import (
    LENGTHS,
    NAMES,
    WAITS_S,
    Players,
    play_match,
    random_settings,
)

MATCHES = 30


class VirtualPlayers(Players):
    """Players for whom time passes while the clock waits."""

    def _sleep(self, next_ns: int) -> None:
        assert isinstance(self._time, VirtualTime)
        self._time.ns = max(self._time.ns, next_ns)


class Director:
    """A director who offers a match whenever the offer before it is answered."""

    def __init__(self, folder: Path, time: VirtualTime) -> None:
        self.answers = list[OfferState]()
        self._folder, self._time = folder, time
        self._track, self._offers = Track(), Offers(MASTER)
        self._made = 0
        self._make()

    def hear(self, line: bytes) -> None:
        """Take a line of the clock's log, and put down what is offered."""
        is_first = b'"seq":1,' in line
        self._track = follow(Track() if is_first else self._track, line.rstrip(b"\n"))
        if (refused := refusal(self._track)) is not None:
            self._offers.refuse(CLOCK, refused)
        self.look()

    def look(self) -> None:
        """Bring the offer up to the log."""
        if CLOCK not in self._offers.open():
            offer = self._offers.get(CLOCK)
            self.answers += [offer.state] if offer else []
            self._make()
        line = self._offers.update(CLOCK, clock_log(self._track), self._time.now_ns())
        if line is not None:
            replace_file(self._folder / OFFER, line, durable=False)

    def _make(self) -> None:
        self._made += 1
        offer = Offer(f"offer-{self._made:04}", CLOCK, {"length": 1, "names": ["Ada", "Ben"]})
        self._offers.make(CLOCK, offer)


@pytest.mark.slow
def test_offers_are_accepted_refused_and_too_late(tmp_path: Path) -> None:
    (tmp_path / KEY).write_text(f"{CLOCK_KEY.hex()}\n")
    (tmp_path / KEY).chmod(0o600)
    time, random, usual = VirtualTime(), Random(1), load_settings(None)
    director = Director(tmp_path, time)
    offers = OfferFolder(tmp_path, tmp_path, ConfiguredMatch(usual, lambda: usual))
    players = VirtualPlayers(random, time, 1, offers)
    disk = Disk(director.hear)
    while len(director.answers) < MATCHES:
        unseen = NullPanels(random_settings(random))
        loop = make_loop(time, players, unseen, disk, offers=players)
        play_match(loop, players, time, lambda: False)
    found = Counter(director.answers)
    assert set(found) == {OfferState.TAKEN, OfferState.REFUSED, OfferState.LATE}
    assert found[OfferState.TAKEN] > MATCHES / 2


# --- how they play --------------------------------------------------------------------------------


USUAL_S = {"called": 40.0} | {phase.value: usual_s for phase, usual_s in WAITS_S.items()}


@pytest.mark.slow
@pytest.mark.parametrize("pace", [1, 4])
def test_they_play_about_as_people_do(pace: int) -> None:
    """At their pace: how long each act takes, how often they stop and why, and rest at the end."""
    time, random = VirtualTime(), Random(2)
    players = VirtualPlayers(random, time, pace)
    waits_s, happened = defaultdict[str, list[float]](list), Counter[str]()
    for _ in range(MATCHES):
        log = list[bytes]()
        settings = replace(random_settings(random), length=2, score=Pair(0, 0))
        play_match(
            make_loop(time, players, NullPanels(settings), Disk(log.append)), players, time, bool
        )
        lines: list[dict[str, Any]] = [msgspec.json.decode(line) for line in log]
        over = next(line for line in lines if line["event"] == "match_over")
        rested_s = (time.ns - over["at_ns"]) / SECOND_NS * pace
        happened["hasty" if rested_s < 60 else "rested"] += 1
        assert rested_s < 62 * pace
        for line, after in pairwise(lines):
            is_called = line["phase"] == "STOPPED" and line.get("reason") == "director_called"
            act = "called" if is_called else line["phase"]
            waits_s[act].append((after["at_ns"] - line["at_ns"]) / SECOND_NS * pace)
            happened[line["phase"]] += 1
            happened[after["event"]] += 1
            happened[after.get("winner", "")] += 1
    for act in ("REVIEW", "READY", "RUNNING", "STOPPED", "GAME_OVER", "called"):
        assert 0.7 < median(waits_s[act]) / USUAL_S[act] < 1.25, act
    assert 0.03 < happened["stopped"] / happened["RUNNING"] < 0.1
    assert 1 < happened["hasty"] < MATCHES / 4
    assert min(happened[each] for each in ("left", "right", "resumed")) > 1


def test_their_matches_differ() -> None:
    """Names, lengths, times, and scores: of matches that begin, or are under way."""
    random = Random(3)
    found = [random_settings(random) for _ in range(400)]
    assert {each.length for each in found} == set(LENGTHS)
    assert {each.rules.time_per_point_ns // SECOND_NS for each in found} == {10, 30, 60, 120}
    for side in Side:
        assert {each.names[side] for each in found} == set(NAMES)
        assert {each.length - each.score[side] for each in found} == set(range(2, 12))
    assert all(each.names.left != each.names.right for each in found)
