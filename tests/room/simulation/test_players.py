"""The players of a simulated room, who answer offers of the next match."""

from collections import Counter
from pathlib import Path
from random import Random

import pytest

from clock.apps.playback import Disk, NullPanels
from clock.config.loader import load_settings
from clock.files import replace_file
from clock.runtime.adapters import ConfiguredMatch
from clock.runtime.offer_folder import OfferFolder
from clock.storage.offer_file import KEY, OFFER
from clock.virtual import VirtualTime
from lab.support.loops import make_loop
from lab.support.offers import CLOCK, MASTER
from lab.support.offers import KEY as CLOCK_KEY
from room.boards.offers import Offer, Offers, OfferState, clock_log, refusal
from room.lines.track import Track, follow
from room.simulation.players import Players, play_match, random_settings

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
