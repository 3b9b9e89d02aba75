"""Clocks whose players wait for the director: they play what is offered to them, and nothing else.

python -m lab.support.day_clocks PACE DIRECTORY...    until the process ends
"""

import signal
import sys
import threading
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from random import Random

from clock import __version__
from clock.apps.playback import NullPanels
from clock.config.loader import load_settings
from clock.match.state import AT_REST, MatchState
from clock.match.types import Phase
from clock.runtime.adapters import ConfiguredMatch
from clock.runtime.loop import UiOptions
from clock.runtime.offer_folder import OfferFolder
from clock.storage.clock_id import start_id
from clock.storage.journal import Journal
from clock.ui.dialogue import ButtonMoved
from clock.ui.i18n import sayer
from hardware.system.clocks import RawClock
from lab.support.loops import make_loop
from room.simulation.players import Players


class PatientPlayers(Players):
    """Players who begin nothing by themselves."""

    def _plan(self, state: MatchState) -> ButtonMoved | None:
        waits = state.phase is Phase.REVIEW and not state.offer
        waits |= state.phase in AT_REST and state.standing_offer is None
        return None if waits else super()._plan(state)


def run_clock(directory: Path, pace: float, is_over: Callable[[], bool]) -> None:
    """Play one match after another; the board is named by the room."""
    time, usual = RawClock(), load_settings(None)
    from_room = OfferFolder(directory, directory, ConfiguredMatch(usual, lambda: usual))
    players = PatientPlayers(Random(directory.name), time, pace, from_room)
    journal, unseen = Journal(directory), NullPanels(usual.match)
    options = UiOptions(sayer("en"), __version__, start=start_id())
    runtime = make_loop(time, players, unseen, journal, options, offers=players)
    while not is_over():
        players.state = runtime.state
        runtime.turn()
    journal.close()


def main() -> None:
    """Run the clocks until the process is ended."""
    pace, *directories = sys.argv[1:]
    over = threading.Event()
    signal.signal(signal.SIGTERM, lambda *_: over.set())
    with ExitStack() as running:
        for directory in directories:
            arguments = (Path(directory), float(pace), over.is_set)
            clock = threading.Thread(target=run_clock, args=arguments, name=directory)
            running.callback(clock.join)
            clock.start()
        over.wait()


if __name__ == "__main__":
    main()
