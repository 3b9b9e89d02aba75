"""What the rules call for in each situation: the items of the director's menu that come first.

The one rule: nothing is hidden here; what is not proposed follows in the order of the menu.
"""

from clock.match.ledger import forfeits
from clock.match.state import MatchState
from clock.match.phases import Phase
from clock.match.rules import BothFlags, Lateness, Reason
from clock.match.sides import Side

Names = tuple[str, ...]  # of items, most likely first


def proposals(state: MatchState) -> Names:
    """The items that the rules call for, most likely first."""
    if state.flags_down and state.phase not in (Phase.GAME_OVER, Phase.FINISHED):
        return _flagged(state)
    match state.phase:
        case Phase.FINISHED:
            return ("new_match", "reopen", "score")
        case Phase.GAME_OVER:
            return ("reopen", "score")
        case Phase.NO_CLOCK:
            return ("end_match", "score", "reopen")
        case Phase.STOPPED:
            return _stopped(state)
        case Phase.REVIEW | Phase.READY | Phase.BREAK:
            return _late(state) or _between_games(state.phase)
        case Phase.RUNNING | Phase.FREE_TURN:
            return ()


def _flagged(state: MatchState) -> Names:
    """EBF, DBgF 4.3(iii), NBgF 4-3-3: whose time ran out first has lost, if that can be told."""
    if state.flags_down < len(Side):
        return ("end_match", "resume", "lift_hold", "set_time", "overtime")
    reset = state.settings.rules.both_flags is BothFlags.RESET
    undetermined = "reset_banks" if reset else "no_clock"
    orders = {player.flag.order for player in state.players if player.flag}
    if len(orders) < len(Side):
        return (undetermined, "end_match", "resume", "lift_hold")
    return ("end_match", "resume", "lift_hold", undetermined)


def _stopped(state: MatchState) -> Names:
    if state.held and state.reason is Reason.NOT_DECIDED:  # NBgF 4-3-2
        return ("add_time", "resume", "lift_hold")
    if state.held and state.reason is Reason.CLOCK_FAULTY:  # EBF 3.7(ii)
        return ("set_time", "resume", "lift_hold", "no_clock")
    return ("resume", "lift_hold", "set_time", "add_time", "give_back")


def _late(state: MatchState) -> Names:
    """EBF, DBgF 2.2(iv): points, in the end the match; NBgF 2-2-4: his clock is started."""
    if any(forfeits(state, player.penalty_points) for player in state.players):
        return ("end_match",)
    waits = (state.pause, *(player.absence for player in state.players))
    if not any(wait is not None and wait.points for wait in waits):
        return ()
    if state.settings.rules.lateness is Lateness.START_CLOCK:
        return ("absent_clock", "end_match")
    return ("penalty", "end_match", "absent_clock")


def _between_games(phase: Phase) -> Names:
    if phase is Phase.REVIEW:  # EBF 3.5(iii), (iv)
        return ("approve", "absent", "swap", "score", "length")
    if phase is Phase.BREAK:
        return ("breaks", "set_time", "add_time")
    return ("score", "set_time", "add_time", "breaks", "absent")
