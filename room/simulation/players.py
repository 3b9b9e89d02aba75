"""Simulated players: they press, call the director now and then, and answer offers."""

import threading
from collections.abc import Callable, Container, Sequence
from random import Random

from msgspec.structs import replace

from clock.config.loader import load_settings
from clock.config.offer import LatestLine, OfferError
from clock.match.rules import MatchSettings, Offer, Reason
from clock.match.state import AT_REST, MatchState
from clock.match.types import Button, Pair, Phase, Side
from clock.runtime.loop import Runtime
from clock.runtime.ports import Drained, Offers, TimeSource
from clock.ui.dialogue import HOLD_NS, ButtonMoved
from clock.units import MINUTE_NS, SECOND_NS

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
REFUSAL_CHANCE = 0.1  # of an offer
HASTE_CHANCE = 0.1  # that players begin the match after this one before they look at an offer
ANSWER_S = 5.0  # about the median until an offer is answered


class Players:
    """Two players at a clock, as its buttons, and as those who look at offers."""

    def __init__(
        self, random: Random, time: TimeSource, pace: float, offers: Offers | None = None
    ) -> None:
        """Sit down; `state` must be set before the clock runs. Pace 2: twice as fast as people."""
        self.state: MatchState | None = None
        self.are_hasty = False
        self._random, self._time, self._pace = random, time, pace
        self.rest_ns = int(MINUTE_NS / pace)  # after a match, before the next one
        self._offers, self._offered = offers, ""  # the id of the offer that is shown
        self._woken = threading.Event()
        self._planned: ButtonMoved | None = None
        self._reason = Reason.GAME_OVER

    def wait(self, until_ns: int | None) -> None:
        """See `Buttons`."""
        if self.state is not None:
            offer = self.state.standing_offer
            shown = offer.id if offer else ""
            if self._planned is None or (shown and shown != self._offered):
                self._planned = self._plan(self.state)
            self._offered = shown
        instants = [until_ns, self._planned and self._planned.at_ns]
        next_ns = min(each for each in (*instants, self._latest_ns()) if each is not None)
        self._sleep(next_ns)

    def _sleep(self, next_ns: int) -> None:
        self._woken.wait(max(0, next_ns - self._time.now_ns()) / SECOND_NS)

    def drain(self, now_ns: int) -> Drained:
        """See `Buttons`."""
        pressed = self._planned
        if pressed is None or pressed.at_ns > now_ns:
            return Drained((), now_ns)
        self._planned = None
        if not pressed.down:
            return Drained((pressed,), now_ns)
        if self.state is not None and refuses(self.state):
            self._planned = pressed._replace(down=False, at_ns=pressed.at_ns + HOLD_NS)
            return Drained((pressed,), now_ns)
        return Drained((pressed, pressed._replace(down=False)), now_ns)

    def begun(self) -> Sequence[ButtonMoved]:
        """See `Buttons`."""
        return ()

    def wake(self) -> None:
        """End the wait for good."""
        self._woken.set()

    def look(self, latest: LatestLine, known: Container[str]) -> Offer | OfferError | None:
        """See `Offers`; hasty players do not look before they have begun another match."""
        if self._offers is None or self.are_hasty:
            return None
        return self._offers.look(latest, known)

    def begin(self) -> None:
        """Make up their mind about the match after this one, which they have just begun."""
        self.are_hasty = self._random.random() < HASTE_CHANCE

    def leave(self) -> None:
        """Leave a match: what they were about to press was meant for it."""
        self.state = self._planned = None

    def _latest_ns(self) -> int:
        return self._time.now_ns() + SECOND_NS

    def _plan(self, state: MatchState) -> ButtonMoved | None:
        median_s = WAITS_S[state.phase]
        if state.phase is Phase.STOPPED and state.reason is Reason.DIRECTOR_CALLED:
            median_s = 40.0
        if state.standing_offer is not None:
            median_s = ANSWER_S
        wait_s = self._random.lognormvariate(0, 0.6) * median_s / self._pace
        at_ns = self._time.now_ns() + int(wait_s * SECOND_NS)
        return ButtonMoved(self._button(state), down=True, at_ns=at_ns)

    def _button(self, state: MatchState) -> Button:
        random = self._random
        match state.phase:
            case Phase.REVIEW if refuses(state):
                return Button.CENTRE
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


def refuses(state: MatchState) -> bool:
    """Return whether simulated players refuse the offer that they are asked to confirm."""
    chance = Random(state.offer).random()  # noqa: S311 (no secret: the same answer every time)
    return bool(state.offer) and state.unconfirmed and chance < REFUSAL_CHANCE


def play_match(
    runtime: Runtime, players: Players, time: TimeSource, stopping: Callable[[], bool]
) -> None:
    """Play until the players leave a match that is over, or the clock is stopped."""
    finished_ns: int | None = None
    while not stopping():
        before = players.state = runtime.state
        runtime.turn()
        now_ns = time.now_ns()
        if before.phase is Phase.REVIEW and runtime.state.phase is not Phase.REVIEW:
            players.begin()
        if runtime.state.phase not in AT_REST or runtime.state.standing_offer is not None:
            finished_ns = None
        elif finished_ns is None:
            finished_ns = now_ns
        elif players.are_hasty or now_ns - finished_ns > players.rest_ns:
            players.leave()
            return


def random_settings(random: Random) -> MatchSettings:
    """Return the settings of a match that two of the players play, often one under way."""
    usual, length = load_settings(None).match, random.choice(LENGTHS)
    left, right = random.sample(NAMES, 2)
    score = Pair(random.randrange(length - 1), random.randrange(length - 1))
    per_point_ns = random.choice((10, 30, 60, 120)) * SECOND_NS
    rules = replace(usual.rules, time_per_point_ns=per_point_ns)
    return replace(usual, length=length, score=score, names=Pair(left, right), rules=rules)
