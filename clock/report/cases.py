"""The cases of a match: what was called, noticed or entered by the director (EBF 5.5(i)).

A case is built once, from the lines of the log: what it is about, its evidence, the rulings, and
their effect on times and score. It stands under its own subject: in a stop that is the reason of
the stop, between games what the director did.
"""

from collections.abc import Container, Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from clock.match import events
from clock.match.events import AnyEvent, Event
from clock.match.inputs import DIRECTOR
from clock.match.rules import SCORED, Reason
from clock.match.transitions import BY_POINTS
from clock.match.types import Pair, Phase, Side
from clock.report.summary import CHANGES, Case, ReserveChange, SeatedEvent, Standing
from clock.report.timeline import Moment, PlayerView, taken_back

LATE, BREAK, SCORE = "why_late", "break", "what_score"
ENDED, REOPENED, UNDONE = "event_ended", "event_reopened", "event_undone"
OFFERS = (events.OfferMadeEvent, events.OfferRefusedEvent)
DIRECTORS = (
    events.AdjustedEvent,
    events.PenaltyEvent,
    events.AdjournedEvent,
    events.ReopenedEvent,
    events.UndoneEvent,
    events.WarnedEvent,
)
EVIDENCE = (events.FlagClaimedEvent, events.FlagFellEvent, events.LateEvent, events.RestoredEvent)
SUBJECTS: dict[type[Event], str] = {
    events.BreakEndedEvent: BREAK,
    events.BreakStartedEvent: BREAK,
    events.ConfirmedEvent: "event_approved",
    events.LateEvent: LATE,
    events.MatchOverEvent: ENDED,
    events.OvertimeEvent: "item_overtime",
    events.AdjournedEvent: "put_aside",
    events.ReopenedEvent: REOPENED,
    events.ResumedEvent: "why_clock",
    events.UndoneEvent: UNDONE,
}
RESULTS = (events.GameOverEvent, events.MatchOverEvent)
NO_CASE = (Reason.UNSPECIFIED, *SCORED)  # reasons for which nobody calls the director


def is_intervention(event: AnyEvent) -> bool:
    """Return whether an event is of the director's or the rules' making, offers included."""
    return is_by_director(event) or isinstance(event, (*CHANGES, *OFFERS, events.LateEvent))


def is_by_director(event: AnyEvent) -> bool:
    """Return whether an event is a ruling of the director."""
    match event:
        case events.ConfirmedEvent(side=side):
            return side == DIRECTOR
        case (
            events.BreakStartedEvent(by=by)
            | events.CorrectedEvent(by=by)
            | events.LateEvent(by=by)
            | events.OvertimeEvent(by=by)
            | events.ResumedEvent(by=by)
        ):
            return by == DIRECTOR
        case events.MatchOverEvent(why=why):
            return why not in BY_POINTS
        case _:
            return isinstance(event, DIRECTORS)


def interventions(history: Iterable[Moment]) -> tuple[SeatedEvent, ...]:
    """Return what happened other than by playing: by the director, or by the rules."""
    return tuple(moment.seated_event for moment in history if is_intervention(moment.event))


def cases(history: Sequence[Moment], changes: Sequence[ReserveChange]) -> tuple[Case, ...]:
    """Return the cases in the order in which they began; the last ones may still be open."""
    undone = taken_back(history)
    found = (case.finished(changes, undone) for case in _Docket().filed(history))
    return tuple(sorted(found, key=lambda case: case.begun.line))


@dataclass
class _OpenCase:
    about: str  # "": that of the stop
    begun: Moment
    evidence: list[Moment] = field(default_factory=list)  # of before it
    moments: list[Moment] = field(default_factory=list)
    ended: SeatedEvent | None = None

    @property
    def rulings(self) -> list[Moment]:
        return [each for each in self.moments if is_by_director(each.event)]

    @property
    def stopped(self) -> list[PlayerView]:
        views = [each.after for each in self.moments]
        return [view for view in views if view.state.phase is Phase.STOPPED]

    @property
    def is_called(self) -> bool:
        held = any(view.state.held for view in self.stopped)
        return held or any(
            view.state.reason is Reason.DIRECTOR_CALLED for view in self.stopped[-1:]
        )

    @property
    def is_case(self) -> bool:
        return self.is_called or bool(self.rulings)

    @property
    def _takes_up_turn(self) -> bool:
        return any(each.takes_up_turn for each in self.rulings)

    def finished(self, changes: Sequence[ReserveChange], undone: Container[int]) -> Case:
        own = [each for each in self.moments if _is_line(each)]
        lines = dict.fromkeys(each.stamp.line for each in own)
        before, after = self.begun.reserves, self.begun.reserves
        for each in changes:
            if each.stamp.line in lines:
                gain_ns = each.new_ns - each.old_ns
                after = after.put(each.player, after[each.player] + gain_ns)
        last = own[-1] if own else self.begun
        standing = [each for each in self.rulings if each.stamp.line not in undone]
        corrections = [(each.stamp, gain) for each in standing if any(gain := _gained(each))]
        return Case(
            about=self.about or self._reason(),
            begun=self.begun.stamp,
            ended=self.ended,
            player=None if self.about else stopped_player(self.begun.after),
            called=self.is_called,
            rulings=tuple(each.stamp.line for each in self.rulings),
            left=Pair(before, after),
            standing=_standings(self.begun, own),
            leg=_leg(last.before),
            corrected=Pair(*(sum(gain[player] for _, gain in corrections) for player in Side)),
            corrected_at=corrections[-1][0] if corrections else None,
            lines=tuple(each.seated_event for each in _told([*self.evidence, *own])),
        )

    def _reason(self) -> str:
        """Return the reason of the stop, or else what the director did in it.

        That the game ended in the same stop is no reason for what they did.
        """
        for each in self.evidence:
            if isinstance(each.event, events.ResumedEvent) and self._takes_up_turn:
                return f"reason_{each.event.reason.value}"
        held = [view for view in self.stopped if view.state.held]
        for view in (*(each.before for each in self.rulings), *held, *self.stopped[-1:]):
            if view.state.phase is Phase.STOPPED and view.state.reason not in NO_CASE:
                return f"reason_{view.state.reason.value}"
        subjects = [subject(each.event) for each in self.rulings]
        return subjects[0] if subjects else f"reason_{Reason.UNSPECIFIED.value}"


class _Docket:
    """The cases under way, and what may become their evidence."""

    def __init__(self) -> None:
        self.stop: _OpenCase | None = None
        self.reopened: _OpenCase | None = None
        self.pending: list[_OpenCase] = []  # since a clock ran last
        self.latest: _OpenCase | None = None  # to which the line before belongs
        self.turn: list[Moment] = []  # what began the turn, and the presses without effect in it
        self.flags: list[Moment] = []
        self.ends: list[Moment] = []  # of game and match, since a clock ran last
        self.pause: Moment | None = None  # the beginning of the break under way

    def filed(self, history: Iterable[Moment]) -> Iterator[_OpenCase]:
        """Yield the cases as they are complete."""
        for moment in history:
            self._file(moment)
            if moment.after.state.phase not in (Phase.STOPPED, Phase.PUT_ASIDE):
                yield from self._stop_ended(moment)
            if _in_play(moment.after):
                yield from self._closed(moment)
            self._note(moment)
        yield from self._stop_ended(None)
        yield from self._closed(None)

    def _stop_ended(self, ended: Moment | None) -> Iterator[_OpenCase]:
        stop, self.stop = self.stop, None
        if stop is not None and stop.is_case:
            stop.ended = ended and ended.seated_event
            self.turn, self.flags = [], []
            yield stop

    def _closed(self, ended: Moment | None) -> Iterator[_OpenCase]:
        """Yield what was open between two turns."""
        for case in self.pending:
            case.ended = ended and ended.seated_event
            yield case
        self.pending, self.reopened, self.latest, self.ends = [], None, None, []

    def _file(self, moment: Moment) -> None:
        """Put a line into the case to which it belongs, if it belongs to one."""
        case = self._case_of(moment)
        if case is not None:
            case.moments.append(moment)
        self.latest = case

    def _case_of(self, moment: Moment) -> _OpenCase | None:
        event, about = moment.event, subject(moment.event)
        if _reopens(event):
            self.reopened = self._open(about, moment, self.ends)
            return self.reopened
        if isinstance(event, events.MatchOverEvent) and not is_by_director(event):
            return self.latest  # the director's points have decided the match
        if self.reopened is not None and about not in (LATE, BREAK):
            return self.reopened
        if self.stop is not None:
            return self.stop
        if moment.after.state.phase is Phase.STOPPED:
            self.stop = _OpenCase("", moment, [*self.turn, *self.flags])
            return self.stop
        if isinstance(event, events.BreakEndedEvent):
            return self._pending(BREAK) or self._pending(LATE)
        if is_by_director(event) or isinstance(event, events.LateEvent):
            return self._pending(about) or self._open(about, moment, self._evidence(about))
        return None

    def _pending(self, about: str) -> _OpenCase | None:
        return next((case for case in reversed(self.pending) if case.about == about), None)

    def _open(self, about: str, moment: Moment, evidence: Iterable[Moment]) -> _OpenCase:
        self.pending.append(_OpenCase(about, moment, list(evidence)))
        return self.pending[-1]

    def _evidence(self, about: str) -> Iterable[Moment]:
        if about == SCORE:
            return self.ends[-1:]
        if about == LATE and self.pause is not None:
            return [self.pause]
        if about == ENDED:
            flags, self.flags = self.flags, []
            return flags
        return ()

    def _note(self, moment: Moment) -> None:
        """Keep what may be evidence of a case to come."""
        event, view = moment.event, moment.after
        self.ends = [each for each in self.ends if each.stamp.line != moment.takes_back]
        if self.reopened is not None and self.reopened.begun.stamp.line == moment.takes_back:
            self.reopened = None
        if moment.begins_turn:
            self.turn = [moment]
        elif isinstance(event, events.PressedEvent) and event.why in ("not_on_move", "must_wait"):
            self.turn.append(moment)
        if not view.state.flags_down:
            self.flags = []
        if isinstance(event, events.FlagFellEvent):
            self.flags.append(moment)
        if isinstance(event, RESULTS) or _takes_clock_away(event):
            self.ends.append(moment)
        if isinstance(event, events.BreakStartedEvent):
            self.pause = moment
        elif view.state.phase is not Phase.BREAK:
            self.pause = None


def subject(event: AnyEvent) -> str:
    """Return what a ruling outside of a stop is about, as a key of the texts; "" if none."""
    match event:
        case events.CorrectedEvent(what="late_points"):
            return LATE
        case events.CorrectedEvent(what=what):
            return f"what_{what}"
        case events.PenaltyEvent(why=why) | events.AdjustedEvent(why=why):
            return f"why_{why}"
        case events.WarnedEvent(reason=reason):
            return f"why_{reason.value}"
        case events.MatchOverEvent(why="late"):
            return LATE
        case _:
            return SUBJECTS.get(type(event), "")


def _in_play(view: PlayerView) -> bool:
    return view.running is not None or view.state.phase is Phase.FREE_TURN


def _reopens(event: AnyEvent) -> bool:
    """Return whether a game or match goes on, or a game is entered again."""
    match event:
        case events.UndoneEvent(undone=undone):
            return undone.get("event") == "game_over"
        case _:
            return isinstance(event, events.ReopenedEvent)


def _takes_clock_away(event: AnyEvent) -> bool:
    return isinstance(event, events.CorrectedEvent) and event.what == "clock"


def stopped_player(stopped: PlayerView) -> Side | None:
    """Return the player whose clock is stopped; None if the turn is played off the clock."""
    turn = stopped.state.turn
    return None if turn is None or turn.free else stopped.player(turn.side)


def _is_line(moment: Moment) -> bool:
    """Return whether a line of a case is told: evidence, a ruling, or what followed from it."""
    follows = (*EVIDENCE, *RESULTS, events.BreakEndedEvent)
    return is_by_director(moment.event) or isinstance(moment.event, follows)


def _told(moments: Sequence[Moment]) -> Iterator[Moment]:
    """Yield lines in their order; of the steps of a lateness, which are sums, the latest."""
    lines = sorted(moments, key=lambda each: each.stamp.line)
    for at, each in enumerate(lines):
        if [_counts_lateness(line) for line in lines[at : at + 2]] != [True, True]:
            yield each


def _counts_lateness(moment: Moment) -> bool:
    return isinstance(moment.event, events.LateEvent) and moment.event.by != DIRECTOR


def _standings(begun: Moment, own: Iterable[Moment]) -> Pair[Standing]:
    """Return the scores between which a case lies: another one under way changes nothing of it."""
    moves = [Pair(_standing(each.before), _standing(each.after)) for each in own]
    moves = [each for each in moves if each.left != each.right]
    return Pair(moves[0].left, moves[-1].right) if moves else Pair(*[_standing(begun.before)] * 2)


def _standing(view: PlayerView) -> Standing:
    return Standing(view.by_player(view.state.legs), view.by_player(view.state.score))


def _leg(view: PlayerView) -> int:
    return sum(view.state.legs) + (view.state.champion is None)


def _gained(ruling: Moment) -> Pair[int]:
    """Return by how much a ruling corrected the points that each player had won in games."""
    return Pair(*(_gain(ruling, player) for player in Side))


def _gain(ruling: Moment, player: Side) -> int:
    match ruling.event:
        case events.CorrectedEvent(what="score", side=Side() as side, old=int(old), new=int(new)):
            return new - old if ruling.before.player(side) is player else 0
        case events.ReopenedEvent() if _is_corrected(ruling):
            before, after = _standing(ruling.before), _standing(ruling.after)
            return after.score[player] - before.score[player]
        case _:
            return 0


def _is_corrected(moment: Moment) -> bool:
    """Return whether a corrected score had decided the match that is reopened."""
    decision = moment.before.state.decision
    return decision is not None and decision.why == "corrected"
