"""20,000 random sequences of turns and stops: the machine against the naive models of `oracle`.

Half of them count in single nanoseconds, where every sequence meets the edges (a turn of exactly
the delay, a reserve of exactly nothing); half have a real delay and turns of seconds.
"""

from collections.abc import Callable
from random import Random
from typing import NamedTuple

import pytest
from msgspec.structs import replace

from clock.match.events import FlagFellEvent
from clock.match.inputs import CentrePressed, Input, Pressed
from clock.match.machine import advance
from clock.match.rules import Method
from clock.match.state import MatchState, Player
from clock.match.timecontrol import Account
from clock.match.types import Pair, Side
from clock.units import SECOND_NS
from lab.support.oracle import Outcome, add_back, simple_delay
from lab.support.world import LEFT, RIGHT, World

SEQUENCES = 4_000
SEEDS = range(2)

READY = World.ready().state
PLAYERS = (LEFT, RIGHT)  # player 0 and player 1 of the models; the first on move is LEFT


class Sequence(NamedTuple):
    """Some turns (played, stopped, played, ...) and the rules that they are played under."""

    delay_ns: int
    reserve_ns: int
    start_ns: int
    turns: list[list[int]]


def drawn(random: Random) -> Sequence:
    """A random sequence of 3 to 8 turns, some of them interrupted."""
    count = random.randint(3, 8)
    stretches = [random.choice((1, 1, 1, 1, 3)) for _ in range(count)]
    if random.random() < 0.5:
        delay_ns, reserve_ns, longest_ns = random.randint(0, 4), random.randint(0, 9), 7
    else:
        delay_ns = random.choice((0, 10 * SECOND_NS, 12 * SECOND_NS))
        reserve_ns, longest_ns = random.randint(0, 40 * SECOND_NS), 20 * SECOND_NS
    turns = [[random.randint(0, longest_ns) for _ in range(number)] for number in stretches]
    return Sequence(delay_ns, reserve_ns, random.randint(0, 10**15), turns)


def ready(sequence: Sequence, method: Method) -> MatchState:
    """A match about to begin, with the delay and the reserves of a sequence."""
    settings = READY.settings
    rules = replace(settings.rules, delay_ns=sequence.delay_ns, method=method)
    player = Player(Account(sequence.reserve_ns))
    return READY.replace(
        settings=replace(settings, rules=rules),
        players=Pair(player, player),
        at_ns=sequence.start_ns,
    )


def played(sequence: Sequence, method: Method) -> Outcome:
    """What the machine makes of a sequence."""
    flags: dict[Side, int] = {}

    def after(state: MatchState, happened: Input) -> MatchState:
        state, records = advance(state, happened)
        for record in records:
            if isinstance(record.event, FlagFellEvent):
                assert record.event.side not in flags
                flags[record.event.side] = record.at_ns
        return state

    now_ns = sequence.start_ns
    state = after(ready(sequence, method), Pressed(now_ns, RIGHT))
    reserves = []
    for number, turn in enumerate(sequence.turns):
        *interrupted, last = turn
        for duration_ns in interrupted:
            now_ns += duration_ns
            state = after(state, CentrePressed(now_ns))  # stops, then goes on
        now_ns += last
        state = after(state, Pressed(now_ns, PLAYERS[number % 2]))
        reserves.append((state.reserve_ns(LEFT, now_ns), state.reserve_ns(RIGHT, now_ns)))
    return Outcome(reserves, (flags.get(LEFT), flags.get(RIGHT)))


@pytest.mark.slow
@pytest.mark.rule("T6", "R9", "R10", "R11", "R12", "R21", "R38")
@pytest.mark.parametrize("seed", SEEDS)
def test_reserves_and_flags_are_those_of_the_naive_models(seed: int) -> None:
    """Simple delay, and Bronstein by its name: the same reserves and flag instants, exactly."""
    random = Random(seed)
    for number in range(SEQUENCES // len(SEEDS)):
        sequence = drawn(random)
        delay_ns, reserve_ns, start_ns, turns = sequence
        method = Method.BRONSTEIN if number % 4 == 0 else Method.SIMPLE_DELAY
        model = add_back if method is Method.BRONSTEIN else simple_delay
        assert played(sequence, method) == model(delay_ns, reserve_ns, turns, start_ns), sequence


@pytest.mark.slow
@pytest.mark.rule("T6", "R12")
def test_the_naive_models_agree() -> None:
    """Add-back with the delay loaded before the turn is simple delay in another display."""
    random = Random(100)
    for _ in range(SEQUENCES):
        delay_ns, reserve_ns, start_ns, turns = sequence = drawn(random)
        simple = simple_delay(delay_ns, reserve_ns, turns, start_ns)
        assert simple == add_back(delay_ns, reserve_ns, turns, start_ns), sequence


@pytest.mark.rule("R9", "R11")
@pytest.mark.parametrize("model", [simple_delay, add_back])
def test_the_naive_models_on_worked_figures(model: Callable[..., Outcome]) -> None:
    """Worked by hand: 8, 12, 25, 12.5 and 3 s from 2:00 leave 1:46.5; 11 s from 10 s leave 10."""
    tenths = [80, 120, 250, 125, 30]
    turns = [turn for tenth in tenths for turn in ([tenth], [0])]
    assert model(120, 1200, turns).reserves[-1][0] == 1065
    assert model(12, 10, [[11]]) == Outcome([(10, 10)], (None, None))
    assert model(12, 10, [[22]]) == Outcome([(0, 10)], (22, None))
    assert model(12, 10, [[4, 100, 18]], 1000) == Outcome([(0, 10)], (1122, None))
