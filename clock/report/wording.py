"""Events and times in the words of a report.

A report names players where the panels say left and right. It says which button was pressed, never
who pressed it: the clock cannot know whose hand or sleeve that was.
"""

from collections.abc import Iterator

from msgspec.structs import replace

from clock.match.corrections import BONUS
from clock.match.durations import clock_text, elapsed_text, signed_text
from clock.match.events import (
    AdjustedEvent,
    AnyEvent,
    BreakStartedEvent,
    ConfirmedEvent,
    CorrectedEvent,
    FlagClaimedEvent,
    FlagFellEvent,
    GameOverEvent,
    LateEvent,
    MatchOverEvent,
    OvertimeEvent,
    PenaltyEvent,
    PressedEvent,
    ReasonShownEvent,
    ResumedEvent,
    StoppedEvent,
    UndoneEvent,
    WarnedEvent,
)
from clock.match.inputs import DIRECTOR
from clock.match.rules import Reason
from clock.match.scoring import score_text
from clock.match.types import Button, Pair, Phase, ResumeWith, Side
from clock.report.cases import is_by_director, subject
from clock.report.summary import (
    Case,
    FallenFlag,
    Game,
    GameResult,
    PlayedTurn,
    SeatedEvent,
    Stamp,
    Standing,
    Summary,
)
from clock.text import printable
from clock.ui.descriptions import Say, event_lines
from clock.ui.names import UNNAMED
from clock.units import MILLISECOND_NS, SECOND_NS

NONE = "-"
INSTRUCTIONS = ("call_director", "then_points", "write_times")  # to the players; nothing happened
LOSERS = ("time", "forfeit", "late")  # ends of a match that the loser has caused
TIME_EXPIRED = f"reason_{Reason.TIME_EXPIRED.value}"
SIDES = dict(zip(UNNAMED, Side, strict=True))  # of players whom no file names


def time_text(duration_ns: int | None) -> str:
    """Return a time as on the panels."""
    return NONE if duration_ns is None else clock_text(duration_ns)


def exact_text(duration_ns: int) -> str:
    """Return a time that has passed, rounded down to a millisecond."""
    return f"{elapsed_text(duration_ns)}.{duration_ns % SECOND_NS // MILLISECOND_NS:03}"


def player_name(name: str, say: Say) -> str:
    """Return a player's name, or their side in the language of the report if they have none."""
    return say(SIDES[name].value) if name in SIDES else name


def with_names(summary: Summary, say: Say) -> Summary:
    """Return the summary with names also for players whom the settings do not name."""
    return replace(summary, names=summary.names.map(lambda name: player_name(name, say)))


def named(say: Say, seats: Pair[str]) -> Say:
    """Return `say` with players' names for the sides; an unknown key is said as it is."""

    def say_named(key: str, **values: object) -> str:
        if key in tuple(Side):
            return player_name(seats[Side(key)], say)
        try:
            return say(key, **values)
        except KeyError:  # the log of another version
            return key

    return say_named


def standing_text(summary: Summary, say: Say) -> str:
    """Return the score; of a best of three the matches, and the score of one that is not over."""
    if summary.settings.best_of_three and summary.over is not None:
        return say("matches", score=score_text(summary.legs))
    return score_and_matches(Standing(summary.legs, summary.score), summary, say)


def score_and_matches(standing: Standing, summary: Summary, say: Say) -> str:
    """Return a score of the match, in a best of three after the matches that were won."""
    score = score_text(standing.score)
    if summary.settings.best_of_three:
        return f"{say('matches', score=score_text(standing.legs))}, {score}"
    return score


def result_text(result: GameResult, summary: Summary, say: Say) -> str:
    """Return who won a game, and how many points."""
    if result.winner is None:
        return say("event_no_points")
    return f"{summary.names[result.winner]} +{result.points}"


def about_text(case: Case, summary: Summary, say: Say) -> str:
    """Return what a case is about, and of which player, if the lines name one."""
    about = named(say, summary.names)(case.about)
    sides = ((each, _concerned(each.event, case.about)) for each in case.lines)
    names = {player_name(each.seats[side], say) for each, side in sides if side is not None}
    return f"{about}: {names.pop()}" if len(names) == 1 else about


def _concerned(event: AnyEvent, about: str) -> Side | None:
    """Return whom an event is about, if a case is about the same."""
    match event:
        case FlagClaimedEvent(side=side) if about == TIME_EXPIRED:
            return side
        case LateEvent(side=side, taker=taker):
            return side or taker
        case PenaltyEvent(beneficiary=side, why="bonus") | PenaltyEvent(side=side):
            return side if subject(event) == about else None
        case WarnedEvent(side=side) | AdjustedEvent(side=side) | OvertimeEvent(side=side):
            return side if subject(event) == about else None
        case _:
            return None


def conditions_text(summary: Summary, say: Say) -> str:
    """Return that a match is for practice, or was played without a limit (R130, R132)."""
    limit = ""
    if summary.limit_from != 1:
        limit = say("report_no_limit")
    if summary.limit_from is not None and limit:
        limit = f"{limit}, {say('report_limit_from', game=summary.limit_from)}"
    return ", ".join(filter(None, (say("practice") if summary.settings.practice else "", limit)))


def reserve_at(reserve_ns: int, at: Stamp, summary: Summary, say: Say) -> str:
    """Return a reserve, rounded up to a second; without a limit it is what was used (R130).

    Every table says it so: a player with a tenth left has 0:01. CSV and JSON have it exactly.
    """
    overdrawn = reserve_ns < 0 and not summary.settings.practice
    if summary.is_limited(at) and not overdrawn:
        return time_text(reserve_ns)
    return say("report_used_up", time=elapsed_text(-reserve_ns))


def outcome_text(summary: Summary, say: Say, *, is_short: bool = False) -> str:
    """Return who won and how, or what the clock does; if short, without the loser's name."""
    if summary.over is None:
        if summary.phase is Phase.PUT_ASIDE:
            return say("put_aside")
        running = summary.phase is Phase.RUNNING
        phase = say("report_running" if running else summary.phase.value.lower())
        return f"{say('report_not_finished')} ({phase})"
    _, event, winner = summary.over
    say, names = named(say, summary.names), summary.names
    if winner is None:
        return f"{say('report_no_winner')}, {say(f'end_{event.why}')}"
    end = say(f"end_{event.why}") if is_short else _end(event, names[winner.other], say)
    return f"{say('report_wins', player=names[winner])}, {end}"


def _end(event: MatchOverEvent, loser: str, say: Say) -> str:
    """Return how a match ended that has a winner; what the loser did is told with their name."""
    if event.why in LOSERS:
        return say(f"report_lost_{event.why}", player=loser)
    return say(f"end_{event.why}")


def clock_sets(summary: Summary, say: Say) -> Iterator[str]:
    """Yield when the computer's clock was set, and by how much; times of day follow the last."""
    for each in summary.clock_sets:
        time = signed_text(round(each.by_ns / SECOND_NS) * SECOND_NS)
        yield say("report_clock_set", time=time, line=each.stamp.line)


def place_text(summary: Summary, say: Say) -> str:
    """Return event, round, board and when the match was due, as far as they are known."""
    board = f"{say('report_board')} {summary.board}" if summary.board else ""
    due = summary.settings.scheduled
    scheduled = say("report_due_at", time=due) if due else ""
    places = (summary.settings.event, summary.settings.round, board, scheduled)
    return printable(", ".join(filter(None, places)))


def length_text(summary: Summary, say: Say) -> str:
    """Return to how many points the match is played, and which of them were carried over."""
    begun = summary.settings.length
    length = say("report_to", length=summary.length)
    if begun != summary.length:
        length = f"{length} ({say('report_was', length=begun)})"
    carried = score_text(summary.settings.carried)
    parts = (
        length,
        say("best_of_three") if summary.settings.best_of_three else "",
        say("report_carried", score=carried) if any(summary.settings.carried) else "",
    )
    return ", ".join(filter(None, parts))


def event_text(seated: SeatedEvent, say: Say) -> str:
    """Return what happened, in one line."""
    say = named(say, seated.seats)
    text = ", ".join(_texts(seated, say))
    return f"{say(seated.ruled_by or 'director')}: {text}" if is_by_director(seated.event) else text


def turn_end_text(turn: PlayedTurn, say: Say) -> str:
    """Return by which button, or by what else, a turn was ended."""
    if turn.ended_by is None:
        return say("report_under_way")
    if turn.reason is None:
        return next(_texts(turn.ended_by, named(say, turn.ended_by.seats)))
    return (
        f"{say('report_button')}: {named(say, turn.ended_by.seats)(f'reason_{turn.reason.value}')}"
    )


def _texts(seated: SeatedEvent, say: Say) -> Iterator[str]:
    match seated.event:
        case PressedEvent() | ReasonShownEvent() | ConfirmedEvent() | StoppedEvent() as event:
            yield from _button_texts(event, seated.running, say)
        case BreakStartedEvent(taken=taken):
            yield from _usual(seated.event, say)
            yield from (say(side.value) for side in Side for _ in range(taken[side]))
        case FlagFellEvent(side=side):
            yield say("report_flag_fell", side=say(side.value))
        case FlagClaimedEvent(side=Side() as side, overrun_ns=overrun_ns):
            yield say("report_claim", side=say(side.value))
            if overrun_ns:
                yield say("report_played_on", time=exact_text(overrun_ns))
        case ResumedEvent(by="centre", delay=ResumeWith.REST) as event:
            yield next(_usual(event, say))  # as it was, but for what was ruled meanwhile
        case GameOverEvent() as event if seated.swapped:
            swapped = {"score": event.score.swapped(), "legs": event.legs.swapped()}
            yield from _usual(replace(event, **swapped), say)
        case event:
            yield from _ruling_texts(event, say, swapped=seated.swapped)


def _ruling_texts(ruling: AnyEvent, say: Say, *, swapped: bool) -> Iterator[str]:
    match ruling:
        case LateEvent(by="director", side=Side() as side, next_ns=next_ns):
            theirs, then = say("late_clock-started"), say("late_next", time=time_text(next_ns))
            known = {theirs: say("event_resumed", side=say(side.value)), then: ""}
            yield from filter(None, (known.get(text, text) for text in _usual(ruling, say)))
        case MatchOverEvent(score=score, winner=winner) as event:
            known = {score_text(score): ""}  # it is of this match of three
            if winner is not None:
                known[say(f"end_{event.why}")] = _end(event, say(winner.other.value), say)
            yield from filter(None, (known.get(text, text) for text in _usual(event, say)))
        case PenaltyEvent(score=score):
            yield from _penalty_texts(
                replace(ruling, score=score.swapped() if swapped else score), say
            )
        case CorrectedEvent(what="length_shortened") as event:
            both = {say("why_slow_play"): say("report_both_slow")}
            yield from (both.get(text, text) for text in _of_slow_play(event, say))
        case UndoneEvent(undone=undone):
            turned = {key: undone[key][::-1] for key in ("score", "legs") if key in undone}
            undone = undone | turned if swapped else undone
            title, *texts = _usual(replace(ruling, undone=undone), say)
            yield ": ".join(filter(None, (title, ", ".join(texts))))
        case event:
            yield from _usual(event, say)


def _penalty_texts(penalty: PenaltyEvent, say: Say) -> Iterator[str]:
    title, *texts = _of_slow_play(penalty, say)
    yield title
    if penalty.why == BONUS:
        yield say("report_plays_slowly", side=say(penalty.side.value))
    yield from texts
    if penalty.adjusted_ns:
        yield f"{say('what_banks')} {signed_text(penalty.adjusted_ns)}"


def _button_texts(
    event: PressedEvent | ReasonShownEvent | ConfirmedEvent | StoppedEvent,
    running: Side | None,
    say: Say,
) -> Iterator[str]:
    match event:
        case PressedEvent(side=button, accepted=accepted, why=why):
            yield _button(button, say)
            if not accepted:
                yield say(f"refused_{why}")
            elif running is not None:
                yield say("event_resumed", side=say(running.value))
        case ReasonShownEvent(reason=reason, by=button):
            yield _button(button, say)
            yield say(f"reason_{reason.value}")
        case ConfirmedEvent(side=side):
            yield from () if side == DIRECTOR else (_button(Button(side), say),)
            yield say("confirmed")
        case StoppedEvent(side=side):
            yield _button(Button.CENTRE, say)
            stopped = say("report_clock_stopped", side=say(side.value)) if side else None
            yield stopped or say("event_stopped")


def _of_slow_play(event: PenaltyEvent | CorrectedEvent, say: Say) -> Iterator[str]:
    """Yield what the panels say of a ruling, and since when its time counts."""
    if event.since_ns is None:
        return _usual(event, say)
    time = elapsed_text(event.since_ns)
    since, told = say("slow_since", time=time), say("report_slow_since", time=time)
    return (told if text == since else text for text in _usual(event, say))


def _usual(event: AnyEvent, say: Say) -> Iterator[str]:
    """Yield what the panels say of an event, without what they tell the players to do."""
    instructions = [say(key) for key in INSTRUCTIONS]
    return (text for text in event_lines(event, say) if text not in instructions)


def _button(button: Button, say: Say) -> str:
    if button.side is None:
        return say("report_button")
    return say("report_plunger", side=say(button.side.value))


def game_names(game: Game, summary: Summary, say: Say) -> tuple[str, str]:
    """Return what a game is called in the chart, at full length and shortened."""
    short, key = f"{game.number}", "game"
    if summary.settings.best_of_three:
        short, key = f"{game.leg}/{game.number}", "match_game"
    full = say(f"report_chart_{key}", leg=game.leg, number=game.number)
    return (f"{full}, Crawford", f"{short} C") if game.crawford else (full, short)


def flag_label(flag: FallenFlag, player: str, say: Say) -> str:
    """Return whose flag fell, and when it was claimed."""
    label = say("report_chart_flag_of", player=player)
    claimed = flag.claimed
    return f"{label}, {say('report_claimed', time=claimed.time)}" if claimed else label
