"""The statistics of a match: games, turns, stops, breaks, and the course of both reserves."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from clock.match import events
from clock.match.events import AnyEvent
from clock.match.rules import SCORED
from clock.match.scoring import GAME_POINTS
from clock.match.types import Button, Crawford, Pair, Phase, Side
from clock.report.cases import is_by_director, is_intervention, stopped_player
from clock.report.summary import (
    Break,
    Case,
    CurvePoint,
    Game,
    GameChange,
    GameResult,
    Passage,
    PlayedTurn,
    ReserveChange,
    SeatedEvent,
    Stamp,
    Stop,
    game_at,
)
from clock.report.timeline import Moment, taken_back

NOTABLE = (
    events.BreakStartedEvent,
    events.FlagClaimedEvent,
    events.FlagFellEvent,
    events.FreeTurnEvent,
    events.ResumedEvent,
)
NOTHING = Pair(0, 0)


# --- games ------------------------------------------------------------------------------------


class _GameProgress(NamedTuple):
    number: int
    stamp: Stamp | None = None
    leg: int = 0
    used: Pair[int] = NOTHING
    spent: Pair[int] = NOTHING
    announced: bool = False  # the players have said that it is over
    reopened: tuple[Stamp, GameResult] | None = None  # after it had been scored

    def after(self, moment: Moment) -> "_GameProgress":
        """Return the progress after one more moment."""
        before, mover = moment.before, moment.before.running
        game = self._replace(leg=sum(before.state.legs) + 1) if self.stamp is None else self
        if mover is not None:
            game = game._replace(used=game.used.update(mover, lambda ns: ns + moment.played_ns))
            if before.state.settings.rules.pace is None:
                game = game._replace(
                    spent=game.spent.update(mover, lambda ns: ns + moment.spent_ns)
                )
        after, turn = moment.after.state, moment.after.state.turn
        is_over = after.phase is Phase.FINISHED
        if after.phase is Phase.GAME_OVER:
            game = game._replace(announced=True)
        if game.stamp is None and turn is not None and not (turn.absent or is_over):
            return game._replace(stamp=moment.stamp)
        return game

    @property
    def is_open(self) -> bool:
        """Whether the game has begun; without a clock that is known when its end is announced."""
        return self.stamp is not None or self.announced

    def reopened_by(self, moment: Moment, scored: Game) -> "_GameProgress":
        """Return the progress of a game that goes on, or whose points are entered anew."""
        if scored.points is None:
            return self
        return self._replace(reopened=(moment.stamp, _result(scored)))

    def is_ended_by(self, moment: Moment) -> bool:
        """Tell whether a moment ended the game, scored or broken off.

        A game whose clock is taken away goes on without it.
        """
        if isinstance(moment.event, events.GameOverEvent):
            return True
        return self.is_open and (
            sum(moment.after.state.legs) > sum(moment.before.state.legs)
            or isinstance(moment.event, events.MatchOverEvent)
        )

    def ended(self, moment: Moment, ended: Stamp | None) -> Game:
        """Return the game after its latest moment."""
        before, winner, points = moment.before, None, None
        score = before.by_player(before.state.score)
        if isinstance(moment.event, events.GameOverEvent):
            points = moment.event.points
            winner = moment.event.winner and before.player(moment.event.winner)
            score = score.update(winner, lambda has: has + points) if winner else score
        return Game(
            number=self.number,
            leg=self.leg,
            begun=self.stamp,
            ended=ended,
            winner=winner,
            points=points,
            score=score,
            used=self.used,
            spent=self.spent,
            left=moment.reserves,
            crawford=before.state.crawford is Crawford.NOW,
            corrected=self.reopened and self.reopened[0],
            cube=moment.cube or None,
            gammon=moment.gammon,
        )


def games(
    history: Iterable[Moment], cases: Iterable[Case]
) -> tuple[tuple[Game, ...], tuple[Case, ...]]:
    """Return the games, of which the last may be under way, and the cases with what they changed.

    A game that is reopened is the same one, and a score that a case corrected changes the game
    that it is about (R204).
    """
    found: list[tuple[Game, _GameProgress]] = []
    reopened: dict[int, GameChange] = {}  # by the line with which it was
    game = _GameProgress(1)
    kept = found, game  # before the ruling or the end of a game that can be taken back
    moment: Moment | None = None
    for moment in history:
        if moment.ruling == moment.stamp.line:
            kept = list(found), game
        if moment.takes_back:
            scored = found[-1][0] if len(found) > len(kept[0]) else None
            found, game = kept
            if game.reopened is not None:
                reopened.pop(game.reopened[0].line, None)
            elif scored is not None:
                game = game.reopened_by(moment, scored)
        elif found and _reopens(found[-1][0], moment):
            scored, game = found.pop()
            game = game.reopened_by(moment, scored)
        game = game.after(moment)
        if game.is_ended_by(moment):
            ended = game.ended(moment, moment.stamp)
            if game.reopened is not None:
                stamp, old = game.reopened
                reopened[stamp.line] = GameChange(game.number, old, _result(ended))
            found.append((ended, game))
            game = _GameProgress(len(found) + 1)
    told = [each for each, _ in found]
    if moment is not None and (game.is_open or game.used != NOTHING):
        told.append(game.ended(_standstill(moment), None))
    ruled = [
        case._replace(game=_corrected(told, case) or _reopened_in(case, reopened)) for case in cases
    ]
    return tuple(told), tuple(ruled)


def _reopened_in(case: Case, reopened: dict[int, GameChange]) -> GameChange | None:
    found = (reopened.get(line.stamp.line) for line in case.lines)
    return next((change for change in found if change), None)


def _result(game: Game) -> GameResult:
    return GameResult(game.winner, game.points)


def _reopens(game: Game, moment: Moment) -> bool:
    """Tell whether the latest game goes on, or its points are entered anew."""
    if not isinstance(moment.event, events.ReopenedEvent):
        return False
    after = moment.after.state
    return after.phase is Phase.GAME_OVER or (
        game.points is None and game.leg == sum(after.legs) + 1
    )


# --- corrections of a score -------------------------------------------------------------------


def _corrected(games: list[Game], case: Case) -> GameChange | None:
    """Change the game to which a corrected score belongs, and the scores from it on (R116).

    It is the latest one which can have ended so: that the player won, with other points, or that
    the opponent won. If there is none, the last game only shows the score. A score that would fall
    below 0 stays: then points of a penalty are corrected, and no game's.
    """
    gained, stamp = case.corrected, case.corrected_at
    if gained == NOTHING or stamp is None:
        return None
    numbers = [
        at
        for at, game in enumerate(games)
        if game.points is not None and game.leg == case.leg and game.is_before(stamp)
    ]
    scores = {at: Pair(*(games[at].score[side] + gained[side] for side in Side)) for at in numbers}
    negative = [at for at in numbers if min(scores[at]) < 0]
    numbers = [at for at in numbers if at > max(negative, default=-1)]
    if not numbers:
        return None
    results = {at: _with(games[at], gained) for at in numbers}
    fitting = [at for at in reversed(numbers) if results[at] is not None]
    likely = [at for at in fitting if getattr(results[at], "points", 0) in GAME_POINTS]
    at = next(iter((*likely, *fitting)), numbers[-1])
    old = _result(games[at])
    new = results[at] or old
    games[at] = games[at]._replace(winner=new.winner, points=new.points, corrected=stamp)
    for later in numbers:
        if later >= at:
            games[later] = games[later]._replace(score=scores[later])
    return GameChange(games[at].number, old, new) if old != new else None


def _with(game: Game, gained: Pair[int]) -> GameResult | None:
    """Return the result of a game with a correction; None: no game ends so."""
    won = {game.winner: game.points or 0} if game.winner else {}
    points = Pair(*(won.get(side, 0) + gained[side] for side in Side))
    winners = [side for side in Side if points[side]]
    if not winners:
        return GameResult(None, 0)
    if len(winners) > 1 or points[winners[0]] < 0:
        return None
    return GameResult(winners[0], points[winners[0]])


def _standstill(moment: Moment) -> Moment:
    """Return the end of a moment, with nothing played since."""
    return moment._replace(before=moment.after, played_ns=0)


# --- turns ------------------------------------------------------------------------------------


def turns(history: Iterable[Moment], games: Sequence[Game]) -> tuple[PlayedTurn, ...]:
    """Return the turns; the last one may be under way. What ended one may be taken back (R212)."""
    found: list[PlayedTurn] = []
    progress: _TurnProgress | None = None
    latest: _TurnProgress | None = None  # of the turn that ended last
    moment: Moment | None = None
    for moment in history:
        begins = moment.begins_turn
        if moment.takes_back and moment.turn is None and moment.after.state.turn and latest:
            found.pop()
            progress = latest
            continue
        progress = progress and progress.after(moment)
        if progress is not None and _restarts_free_turn(moment):
            progress = progress.restarted(moment)
        if progress is not None and (begins or moment.after.state.turn is None):
            found.append(progress.ended(moment, games, moment.seated_event))
            progress, latest = None, progress
        progress = _turn_begun(moment) if begins else progress
    if moment is not None and progress is not None:
        over = progress.over if moment.after.state.phase is Phase.FINISHED else None
        found.append(progress.ended(_standstill(moment), games, over))
    return tuple(found)


class _TurnProgress(NamedTuple):
    begun: Moment
    clock_ns: int = 0  # on the clock, before the turn was last restarted
    spent_ns: int = 0  # of the reserve in that time
    off_clock_ns: int = 0
    over: SeatedEvent | None = None  # what ended the match while it was stopped

    def after(self, moment: Moment) -> "_TurnProgress":
        """Return the progress after one more moment."""
        progress = self
        if moment.before.state.phase is Phase.FREE_TURN:
            passed_ns = moment.stamp.at_ns - moment.since.at_ns
            progress = progress._replace(off_clock_ns=self.off_clock_ns + passed_ns)
        if isinstance(moment.event, events.MatchOverEvent):
            progress = progress._replace(over=moment.seated_event)
        return progress

    def restarted(self, moment: Moment) -> "_TurnProgress":
        """Return the progress after the same free turn went on with a new delay."""
        return self._replace(
            clock_ns=self.clock_ns + moment.length_ns, spent_ns=self.spent_ns + _spent_ns(moment)
        )

    def ended(
        self, moment: Moment, games: Sequence[Game], ended_by: SeatedEvent | None
    ) -> PlayedTurn:
        """Return the turn after its latest moment."""
        turn = moment.turn
        if turn is None:
            raise RuntimeError(f"no turn was on the clock at line {moment.stamp.line}")
        player, state = moment.before.player(turn.side), moment.before.state
        plunger = ended_by is not None and isinstance(ended_by.event, events.PressedEvent)
        return PlayedTurn(
            player=player,
            begun=self.begun.stamp,
            game=game_at(games, self.begun.stamp),
            length_ns=self.clock_ns + moment.length_ns + self.off_clock_ns,
            off_clock_ns=self.off_clock_ns,
            spent_ns=self.spent_ns + _spent_ns(moment),
            pressed=plunger and not turn.free,
            reserve_ns=Pair(self.begun.after.reserves[player], moment.reserves[player]),
            ended_by=ended_by,
            reason=state.reason if state.phase in (Phase.STOPPED, Phase.GAME_OVER) else None,
        )


def _turn_begun(moment: Moment) -> _TurnProgress:
    """Return a turn that begins; one that is resumed has only what it uses from now on."""
    if not moment.takes_up_turn:
        return _TurnProgress(moment)
    return _TurnProgress(moment, -moment.after.elapsed_ns, -_spent_ns(_standstill(moment)))


def _spent_ns(moment: Moment) -> int:
    return max(0, moment.length_ns - (moment.turn.delay_ns if moment.turn else 0))


def _restarts_free_turn(moment: Moment) -> bool:
    """Tell whether a free turn goes on with nothing used of its delay (an invalid roll)."""
    fresh = moment.after.elapsed_ns < moment.length_ns
    return fresh and moment.is_free_throughout


def passages(history: Sequence[Moment]) -> tuple[Passage, ...]:
    """Return what happened before the first turn, and in each turn."""
    seated = [moment.seated_event for moment in history]  # what begins a turn is in two passages
    begins = [at for at, moment in enumerate(history) if moment.begins_turn]
    bounds = zip([0, *begins], [*begins, len(history)], strict=True)
    return tuple(
        _passage(number, history[first : last + 1], seated[first : last + 1])
        for number, (first, last) in enumerate(bounds)
    )


def _passage(turn: int, moments: Sequence[Moment], seated: Sequence[SeatedEvent]) -> Passage:
    lines = [each for each in seated if not _turns_page(each.event)]
    own = moments[1:] if turn else moments  # what began the turn belongs to the one before
    notable = any(moment.interrupts or _is_notable(moment.event) for moment in own)
    stopped = moments[-1].after.state.phase is Phase.STOPPED
    return Passage(turn, tuple(lines), notable or stopped)


def _turns_page(event: AnyEvent) -> bool:
    return isinstance(event, events.PressedEvent) and event.why == "menu"


def _is_notable(event: AnyEvent) -> bool:
    """Tell whether an event is an incident; a stop is one unless it just ended the game."""
    if isinstance(event, events.ReasonChosenEvent):
        return event.reason not in SCORED
    return isinstance(event, NOTABLE) or is_intervention(event)


# --- stops and breaks -------------------------------------------------------------------------


def stops(history: Iterable[Moment]) -> tuple[Stop, ...]:
    """Return the stops; the last one may still last."""
    found: list[Stop] = []
    for moment in history:
        was, now = (each.state.phase is Phase.STOPPED for each in (moment.before, moment.after))
        if now and (not was or not found):  # the log may begin with it
            reason, reserves = moment.after.state.reason, moment.after.reserves
            found.append(
                Stop(moment.stamp, None, stopped_player(moment.after), reason, None, reserves)
            )
        elif was and not now:
            found[-1] = found[-1]._replace(ended=moment.stamp, ended_by=moment.seated_event)
        elif now:
            found[-1] = found[-1]._replace(reason=moment.after.state.reason)
    return tuple(found)


def breaks(history: Sequence[Moment]) -> tuple[Break, ...]:
    """Return the breaks; the last one may still last. One that was taken back is none (R212)."""
    found: list[Break] = []
    undone = taken_back(history)
    presses: list[Moment] = []  # of the plungers, since the centre opened a page
    for moment in history:
        was, now = (each.state.phase is Phase.BREAK for each in (moment.before, moment.after))
        if isinstance(moment.event, events.BreakStartedEvent) and moment.stamp.line not in undone:
            taken = moment.after.by_player(moment.event.taken)
            allowed_ns = moment.event.allowed_ns
            granted = is_by_director(moment.event)
            chosen = () if granted else tuple(each.seated_event for each in presses)
            times = (allowed_ns, chosen, moment.reserves)
            found.append(Break(moment.stamp, None, taken, *times, granted))
        elif found and was is not now and now is bool(moment.takes_back):
            found[-1] = found[-1]._replace(ended=None if now else moment.stamp)
        if isinstance(moment.event, events.PressedEvent):
            if moment.event.side is Button.CENTRE:
                presses.clear()
            else:
                presses.append(moment)
    return tuple(found)


# --- reserves ---------------------------------------------------------------------------------


def curves(history: Sequence[Moment]) -> Pair[tuple[CurvePoint, ...]]:
    """Return the corners of each player's reserve, from the first line of the log to the last."""
    points: Pair[list[CurvePoint]] = Pair([], [])
    for moment in history:
        old, new, at_ns = moment.reserves, moment.after.reserves, moment.stamp.at_ns
        for player in Side:
            corners = _fall(moment) if moment.before.running is player else []
            if old[player] != new[player] or moment is history[-1]:
                corners.append(CurvePoint(at_ns, old[player]))
                corners.append(CurvePoint(at_ns, new[player]))
            elif not corners:
                corners.append(CurvePoint(at_ns, new[player]))
            for corner in corners:
                _append(points[player], corner)
    return points.map(tuple)


def reserve_changes(history: Sequence[Moment]) -> tuple[ReserveChange, ...]:
    """Return where the director or the rules gave or took time.

    The bank of the next match of a best of three is neither.
    """
    return tuple(
        ReserveChange(player, moment.stamp, moment.reserves[player], moment.after.reserves[player])
        for moment in history
        if sum(moment.after.state.legs) == sum(moment.before.state.legs)
        for player in Side
        if moment.reserves[player] != moment.after.reserves[player]
    )


def _fall(moment: Moment) -> list[CurvePoint]:
    """Return where the mover's reserve began and ceased to fall, if it fell."""
    turn, mover = moment.turn, moment.before.running
    if turn is None or mover is None or moment.spent_ns == 0:
        return []
    left_ns = moment.before.reserves[mover]
    begins_ns = moment.since.at_ns + max(0, turn.delay_ns - moment.before.elapsed_ns)
    flagless = moment.before.state.flagless
    fallen_ns = moment.spent_ns if flagless else min(left_ns, moment.spent_ns)
    return [CurvePoint(begins_ns, left_ns), CurvePoint(begins_ns + fallen_ns, left_ns - fallen_ns)]


def _append(points: list[CurvePoint], corner: CurvePoint) -> None:
    """Add a corner; one in the middle of a straight line is left out."""
    if points and points[-1] == corner:
        return
    if len(points) > 1 and _straight(points[-2], points[-1], corner):
        points.pop()
    points.append(corner)


def _straight(first: CurvePoint, middle: CurvePoint, last: CurvePoint) -> bool:
    return (middle.at_ns - first.at_ns) * (last.left_ns - middle.left_ns) == (
        last.at_ns - middle.at_ns
    ) * (middle.left_ns - first.left_ns)
