"""A room of simulated clocks on this computer, with its pages: `make room`.

Each clock is the real program with its own log directory; only its buttons are pressed by random
players, who now and then call the director, forget the time or end a game.
"""

import signal
import tempfile
import threading
from collections.abc import Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING

import click
from msgspec.structs import replace

from clock import __version__
from clock.apps.playback import NullPanels
from clock.config.loader import load_settings
from clock.match.rules import MatchSettings, Reason
from clock.match.state import AT_REST, MatchState
from clock.match.types import Button, Pair, Phase, Side
from clock.runtime.loop import Runtime, UiOptions
from clock.runtime.ports import Drained, Ports
from clock.storage.journal import Journal
from clock.ui.dialogue import ButtonMoved
from clock.ui.i18n import sayer
from clock.units import MINUTE_NS, SECOND_NS
from hardware.system.clocks import RawClock
from room.simulation.broker import broker_room
from room.sources.named import named_sources
from room.watch.serve import serve_room, watch_sources
from room.watch.watch import Options, WatchError

if TYPE_CHECKING:
    from collections.abc import Iterator

NAMES = (
    *("Ada", "Ben", "Cleo", "Dan", "Eva", "Finn", "Grete", "Hugo", "Ida"),
    *("Jens", "Kari", "Lars", "Mona", "Nils", "Ole", "Pia", "Rosa", "Sven"),
)
LENGTHS = (5, 7, 9, 11)
TURN_S = 8.0  # about the median of a turn
WAITS_S = {  # about the median until somebody presses
    Phase.REVIEW: 3.0,
    Phase.READY: 8.0,
    Phase.RUNNING: TURN_S,
    Phase.STOPPED: 6.0,
    Phase.FREE_TURN: 8.0,
    Phase.GAME_OVER: 2.0,
    Phase.BREAK: 60.0,
    Phase.NO_CLOCK: 60.0,
    Phase.FINISHED: 30.0,
    Phase.PUT_ASIDE: 30.0,
}
STOPS = {Reason.GAME_OVER: 12, Reason.DIRECTOR_CALLED: 1, Reason.UNSPECIFIED: 1}  # by weight
STOP_CHANCE = 0.05  # that a turn ends with a stop


class Players:
    """Two players at a clock, as its buttons."""

    def __init__(self, random: Random, time: RawClock, pace: float) -> None:
        """Sit down; `state` must be set before the clock runs. Pace 2: twice as fast as people."""
        self.state: MatchState | None = None
        self._random, self._time, self._pace = random, time, pace
        self._woken = threading.Event()
        self._planned: ButtonMoved | None = None
        self._reason = Reason.GAME_OVER

    def wait(self, until_ns: int | None) -> None:
        """See `Buttons`."""
        if self._planned is None and self.state is not None:
            self._planned = self._plan(self.state)
        instants = [until_ns, self._planned and self._planned.at_ns]
        next_ns = min(each for each in (*instants, self._latest_ns()) if each is not None)
        self._woken.wait(max(0, next_ns - self._time.now_ns()) / SECOND_NS)

    def drain(self, now_ns: int) -> Drained:
        """See `Buttons`."""
        pressed = self._planned
        if pressed is None or pressed.at_ns > now_ns:
            return Drained((), now_ns)
        self._planned = None
        return Drained((pressed, pressed._replace(down=False)), now_ns)

    def begun(self) -> Sequence[ButtonMoved]:
        """See `Buttons`."""
        return ()

    def wake(self) -> None:
        """End the wait for good."""
        self._woken.set()

    def _latest_ns(self) -> int:
        return self._time.now_ns() + SECOND_NS

    def _plan(self, state: MatchState) -> ButtonMoved:
        median_s = WAITS_S[state.phase]
        if state.phase is Phase.STOPPED and state.reason is Reason.DIRECTOR_CALLED:
            median_s = 40.0
        wait_s = self._random.lognormvariate(0, 0.6) * median_s / self._pace
        at_ns = self._time.now_ns() + int(wait_s * SECOND_NS)
        return ButtonMoved(self._button(state), down=True, at_ns=at_ns)

    def _button(self, state: MatchState) -> Button:
        random = self._random
        match state.phase:
            case Phase.REVIEW:
                open_ = [side for side in Side if not state.players[side].confirmed]
                return Button(open_[0]) if open_ else Button.CENTRE
            case Phase.READY:
                return Button(random.choice(list(Side)))
            case Phase.RUNNING | Phase.FREE_TURN if state.turn is not None:
                if random.random() >= STOP_CHANCE:
                    return Button(state.turn.side)
                self._reason = random.choices(list(STOPS), list(STOPS.values()))[0]
                return Button.CENTRE
            case Phase.STOPPED:
                return Button.CENTRE if state.reason is self._reason else Button.RIGHT
            case Phase.GAME_OVER:
                entered = any(state.game_points)
                return Button.CENTRE if entered else Button(random.choice(list(Side)))
            case _:
                return Button.CENTRE


class SimulatedClock:
    """A clock with its players, in a thread."""

    def __init__(self, board: str, directory: Path, pace: float) -> None:
        """Start it, with its players."""
        self._board, self._pace = board, pace
        self._random = Random(board)  # noqa: S311 (no secret: the same players every time)
        self._time = RawClock()
        self._journal = Journal(directory)
        self._stopping = False
        self._players: Players | None = None
        self._thread = threading.Thread(target=self._run, name=f"clock {board}", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Switch it off."""
        self._stopping = True
        if self._players is not None:
            self._players.wake()
        self._thread.join()
        self._journal.close()

    def _run(self) -> None:
        while not self._stopping:
            self._play_match()

    def _play_match(self) -> None:
        players = self._players = Players(self._random, self._time, self._pace)
        unseen = NullPanels(random_settings(self._random))
        unseen.board = self._board
        options = UiOptions(sayer("en"), __version__, clock=f"{int(self._board):08x}")
        ports = Ports(self._time, players, unseen, self._journal, unseen, unseen)
        runtime = Runtime(ports, options)
        finished_ns: int | None = None
        while not self._stopping:
            players.state = runtime.state
            runtime.turn()
            now_ns = self._time.now_ns()
            if runtime.state.phase not in AT_REST:
                finished_ns = None
            elif finished_ns is None:
                finished_ns = now_ns
            elif now_ns - finished_ns > MINUTE_NS / self._pace:
                return


def random_settings(random: Random) -> MatchSettings:
    """Return the settings of a match that two of the players play, often one under way."""
    usual, length = load_settings(None).match, random.choice(LENGTHS)
    left, right = random.sample(NAMES, 2)
    score = Pair(random.randrange(length - 1), random.randrange(length - 1))
    per_point_ns = random.choice((10, 30, 60, 120)) * SECOND_NS
    rules = replace(usual.rules, time_per_point_ns=per_point_ns)
    return replace(usual, length=length, score=score, names=Pair(left, right), rules=rules)


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
