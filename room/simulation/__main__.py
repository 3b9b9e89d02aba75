"""A room of simulated clocks on this computer, with its pages: `make room`.

Each clock is the real program with its own log directory; only its buttons are pressed by random
players, who now and then call the director, forget the time or end a game. With a broker they are
offered their next match: most accept it, some refuse it, and some have begun another one by then.
"""

import signal
import tempfile
import threading
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING

import click

from clock import __version__
from clock.apps.playback import NullPanels
from clock.config.loader import load_settings
from clock.runtime.adapters import ConfiguredMatch
from clock.runtime.loop import Runtime, UiOptions
from clock.runtime.offer_folder import OfferFolder
from clock.runtime.ports import Ports
from clock.storage.journal import Journal
from clock.ui.i18n import sayer
from hardware.system.clocks import RawClock
from room.simulation.broker import broker_room
from room.simulation.players import Players, play_match, random_settings
from room.sources.named import named_sources
from room.web.serve import serve_room, watch_sources
from room.web.watch import Options, WatchError

if TYPE_CHECKING:
    from collections.abc import Iterator


class SimulatedClock:
    """A clock with its players, in a thread; offers of the next match are beside its logs."""

    def __init__(self, board: str, directory: Path, pace: float) -> None:
        """Start it, with its players."""
        self._board = board
        self._random = Random(board)  # noqa: S311 (no secret: the same players every time)
        self._time = RawClock()
        self._journal = Journal(directory)
        self._stopping = False
        usual = load_settings(None)
        offers = OfferFolder(directory, directory, ConfiguredMatch(usual, lambda: usual))
        self._players = Players(self._random, self._time, pace, offers)
        self._thread = threading.Thread(target=self._run, name=f"clock {board}", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Switch it off."""
        self._stopping = True
        self._players.wake()
        self._thread.join()
        self._journal.close()

    def _run(self) -> None:
        while not self._stopping:
            self._play_match()

    def _play_match(self) -> None:
        players = self._players
        unseen = NullPanels(random_settings(self._random))
        unseen.board = self._board
        options = UiOptions(sayer("en"), __version__, clock=f"{int(self._board):08x}")
        ports = Ports(self._time, players, unseen, self._journal, unseen, unseen, offers=players)
        play_match(Runtime(ports, options), players, self._time, lambda: self._stopping)


@contextmanager
def simulated_room(clocks: int, pace: float) -> "Iterator[list[Path]]":
    """Run so many clocks; yield their log directories."""
    with tempfile.TemporaryDirectory(prefix="gammonclock-room-") as folder, ExitStack() as running:
        directories = [Path(folder, str(number)) for number in range(1, clocks + 1)]
        for directory in directories:
            running.callback(SimulatedClock(directory.name, directory, pace).close)
        yield directories


@click.command()
@click.option("--clocks", type=click.IntRange(1, 500), default=12, help="How many; default: 12.")
@click.option("--pace", type=click.FloatRange(0.1, 100), default=1, help="Of the players.")
@click.option("--port", type=click.IntRange(0, 65535), default=8037, help="Default: 8037.")
@click.option("--host", default="127.0.0.1", help="Default: 127.0.0.1, this computer alone.")
@click.option("--open", "opens", is_flag=True, help="Open the room's page in the browser.")
@click.option("--broker", is_flag=True, help="With links, the broker mosquitto and the hub.")
def main(clocks: int, pace: float, port: int, host: str, *, opens: bool, broker: bool) -> None:
    """Show a room of simulated clocks on pages in the browser."""
    options = Options(host, port)
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # everything is ended in its order
    with simulated_room(clocks, pace) as directories, suppress(KeyboardInterrupt):
        try:
            if broker:
                with broker_room(directories) as (keys, boards):
                    serve_room(keys, boards, options, opens=opens)
            else:
                names = [str(directory) for directory in directories]
                watch_sources(named_sources(names, None, 0), options, opens=opens)
        except WatchError as error:
            raise click.ClickException(str(error)) from error


if __name__ == "__main__":
    main()
