"""Boards and results as pages and other programs see them (docs/watch.md; a contract).

Instants are nanoseconds since the hub began, durations nanoseconds. Texts of a clock may be
hostile: they are cut and stripped of control characters here, and shown as text by the pages.
"""

import unicodedata
from collections.abc import Iterable
from typing import Any, NamedTuple

import msgspec
from msgspec import structs

from clock.eventlog.head import head_text
from clock.match.events import Record
from clock.match.rules import Reason
from clock.match.state import MatchState
from clock.match.timecontrol import Turn
from clock.match.types import Crawford, NextDelay, Pair, Phase, Side
from clock.ui.face import delay_ahead_ns, player_name
from clock.units import MINUTE_NS, SECOND_NS
from room.lines.track import Track

LOW_TIME_NS = MINUTE_NS  # Berlin: the players are warned about a minute before
SILENCE_NS = 15 * SECOND_NS  # one heartbeat of the serial line may be lost
LONGEST_TEXT = 200  # characters
SAFE_NS = 2**53 - 1  # larger integers do not survive JavaScript
UNKNOWN = "UNKNOWN"  # the state of a board of which no line could be read
PLAYING = (Phase.RUNNING, Phase.STOPPED, Phase.FREE_TURN)
# Beside control characters (Cc, Cs, Co): marks that change the direction of the text around them.
BIDI = frozenset("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")


class Player(msgspec.Struct, frozen=True):
    """A player as the board names them."""

    name: str | None  # None: the settings give none
    points: int


class RunningTurn(msgspec.Struct, frozen=True):
    """Whose clock runs, and since when."""

    side: Side
    since_ns: int
    delay_ns: int  # left at that instant


class Reserve(msgspec.Struct, frozen=True):
    """A player's time when the turn began, or now if their clock does not run.

    While it runs, `reserve_ns - max(0, (now_ns - since_ns) - delay_ns)` is left at `now_ns`.
    """

    reserve_ns: int
    delay_ns: int  # of this turn, or of the player's next turn
    flagged: bool
    flag: int | None  # 1: fell first, 2: fell second; None: has not fallen
    reserve_off: bool  # the player plays a turn off the clock
    note: str  # key of the word beside the delay: wait, delay_skip, delay_wait, delay_free; or ""


class Result(msgspec.Struct, frozen=True):
    """The result of a match, or how far it came; players by the side on which they began."""

    match: str
    board: str
    clock: str
    players: dict[Side, str]
    score: Pair[int]
    length: int
    winner: Side | None
    begun: str  # wall time as the log has it
    duration_ns: int
    flags: list[Side]
    restorations: int
    corrections: int
    head: str
    complete: bool  # the match is over
    forks: int  # how often lines came that contradict lines that came before
    damage: str | None = None  # the log does not replay: the result is only what its lines state


def latest_first(results: Iterable[Result]) -> list[Result]:
    """Return results in the order in which they are listed."""
    return sorted(results, key=lambda result: (result.begun, result.match), reverse=True)


class Board(msgspec.Struct, frozen=True, kw_only=True):
    """The state of a board, whole: nothing has to be remembered from the state before."""

    id: str
    source: str
    board: str | None
    clock: str | None
    match: str | None
    state: str  # a phase of the clock, or `UNKNOWN`
    players: dict[Side, Player]
    length: int
    legs: Pair[int]
    best_of_three: bool
    crawford: Crawford
    game: int  # from 1
    method: str  # "bronstein": reserve and delay are shown as one number
    delay_full_ns: int  # of a turn; 0: there is no delay
    mover: Side | None  # whose turn is on the clock, also while it is stopped
    turn: RunningTurn | None  # None: no clock runs
    reserves: dict[Side, Reserve]
    until_ns: int | None  # the end of the break, or since when the player in `late` is late
    late: Side | None
    says: list[str]  # what the panels say, as keys of /api/words
    attention: list[str]  # in order of importance; see `attention_of`
    attention_ns: int | None  # when the first of these began
    faults: list[str]
    settings_code: str | None
    settings_expected: str | None
    heard_ns: int | None  # when the clock was heard last; None: never
    certain: bool  # False: times may be wrong, and are marked
    seq: int  # of the latest line
    head: str | None
    damage: str | None
    result: Result | None


class Signs(NamedTuple):
    """What is known of a board beside its log, at one instant of the hub."""

    now_ns: int
    offset_ns: int | None  # what to add to the clock's instants; None: not known
    heard_ns: int | None
    complete: bool  # no line is known to be on its way
    expected_code: str | None = None
    trouble: str = ""  # of the source
    warnings: tuple[str, ...] = ()  # parts with a fault, as heartbeats say
    result: Result | None = None

    @property
    def heard(self) -> bool:
        """Whether the clock was heard lately."""
        return self.heard_ns is not None and self.now_ns - self.heard_ns < SILENCE_NS

    def at(self, clock_ns: int) -> int:
        """Return an instant of the clock as one of the hub; now, if that is not known."""
        offset_ns = self.offset_ns
        return self.now_ns if offset_ns is None else safe(clock_ns + offset_ns)

    def clock_ns(self, state: MatchState) -> int:
        """Return the present instant on the clock, never before the latest line."""
        now_ns = state.at_ns if self.offset_ns is None else self.now_ns - self.offset_ns
        return max(state.at_ns, now_ns)


def clean(text: str) -> str:
    """Return a text of a clock without what could harm a page: cut, on one line, as it reads."""
    kept = (each for each in text[: 2 * LONGEST_TEXT] if _is_harmless(each))
    return "".join(kept)[:LONGEST_TEXT]


def _is_harmless(character: str) -> bool:
    is_control = unicodedata.category(character) in ("Cc", "Cs", "Co", "Zl", "Zp")
    return not is_control and character not in BIDI


def make_board(id_: str, source: str, match: str | None, track: Track, signs: Signs) -> Board:
    """Return the board of a log.

    Args:
        id_: the board's name in addresses.
        source: where the log comes from.
        match: the name of the log.
        track: what its lines say.
        signs: what else is known.
    """
    state = track.state
    shown = _of_record(track.record, signs) if state is None else _of_state(state, signs)
    return Board(
        id=id_,
        source=clean(source),
        board=clean(track.board) or None,
        clock=clean(track.clock) or None,
        match=match and clean(match),
        attention=attention_of(track, signs),
        attention_ns=None,
        faults=_faults(track, signs),
        settings_code=clean(track.code) or None,
        settings_expected=signs.expected_code,
        heard_ns=signs.heard_ns,
        certain=_is_certain(track, signs),
        seq=safe(track.seq),
        head=_head(track),
        damage=track.damage and clean(track.damage),
        result=signs.result,
        **shown,
    )


def _head(track: Track) -> str | None:
    """Return the head of an undamaged log; a hash that a damaged line states proves nothing."""
    if track.match is None or track.damage is not None:
        return None
    return head_text(track.match.chain.hash)


def is_current(board: Board, track: Track, signs: Signs) -> bool:
    """Return whether a board need not be made again only because time has passed.

    Time alone changes who is asked for, and nothing else unless the clock's time is unknown.

    Args:
        board: made of this track, and of these signs at an earlier instant.
        track: what the lines of the log say.
        signs: what else is known, at the present instant.
    """
    return signs.offset_ns is not None and board.attention == attention_of(track, signs)


def _is_certain(track: Track, signs: Signs) -> bool:
    undamaged = track.damage is None and track.state is not None
    runs = track.state is not None and (track.state.running or track.state.pause)
    return (
        undamaged and signs.complete and signs.heard and (not runs or signs.offset_ns is not None)
    )


def _faults(track: Track, signs: Signs) -> list[str]:
    """Return what is wrong, in words: of the log, of heartbeats, and of the source."""
    known = {part for part, _ in track.faults}
    parts = [f"{part}: {what}" for part, what in track.faults]
    parts += [part for part in signs.warnings if part not in known]
    return [clean(text) for text in (*parts, signs.trouble) if text]


def attention_of(track: Track, signs: Signs) -> list[str]:
    """Return what asks for the director at a board, the most important first."""
    state = track.state
    expected, code = signs.expected_code, track.code
    asks = {} if state is None else _asks(state, signs.clock_ns(state))
    asks |= {
        "fault": bool(_faults(track, signs)),
        "damaged": track.damage is not None,
        "not_heard": not signs.heard,
        "settings": bool(expected and code and expected != code),
    }
    return [name for name, does in asks.items() if does]


def _asks(state: MatchState, now_ns: int) -> dict[str, bool]:
    """Return which states of a match ask for the director."""
    stopped, over = state.phase is Phase.STOPPED, state.phase is Phase.FINISHED
    called = stopped and (state.held or state.reason is Reason.DIRECTOR_CALLED)
    overdue = state.pause is not None and now_ns > state.pause.end_ns()
    owed = any(player.absence or player.late.open for player in state.players)
    low = any(state.reserve_ns(side, now_ns) <= LOW_TIME_NS for side in Side)
    return {
        "call": called,
        "flag": bool(state.flags_down) and not over,
        "late": (overdue or owed) and not over,
        "low": low and state.phase in PLAYING and not state.flags_down,
    }


# --- the fields that come from the state of the match -----------------------------------------


def _unknown() -> dict[str, Any]:
    reserve = Reserve(0, 0, flagged=False, flag=None, reserve_off=False, note="")
    return {
        "state": UNKNOWN,
        "players": {side: Player(None, 0) for side in Side},
        "length": 0,
        "legs": Pair(0, 0),
        "best_of_three": False,
        "crawford": Crawford.UNKNOWN,
        "game": 1,
        "method": "simple-delay",
        "delay_full_ns": 0,
        "mover": None,
        "turn": None,
        "reserves": dict.fromkeys(Side, reserve),
        "until_ns": None,
        "late": None,
        "says": [],
    }


def _of_record(record: Record | None, signs: Signs) -> dict[str, Any]:
    """Return what a single line says: the lines before it, with names and rules, are missing."""
    if record is None:
        return _unknown()
    left = dict(zip(Side, (record.left_ns, record.right_ns), strict=True))
    delay_ns, turn = safe(record.delay_ns), None
    if record.running is not None:
        turn = RunningTurn(record.running, signs.at(record.at_ns), delay_ns)
    reserve = _unknown()["reserves"][Side.LEFT]
    return _unknown() | {
        "state": record.phase.value,
        "players": {side: Player(None, safe(record.score[side])) for side in Side},
        "mover": record.running,
        "turn": turn,
        "reserves": {
            side: structs.replace(
                reserve,
                reserve_ns=safe(left[side]),
                delay_ns=delay_ns if side is record.running else 0,
            )
            for side in Side
        },
    }


def _of_state(state: MatchState, signs: Signs) -> dict[str, Any]:
    until_ns, late = _until(state)
    return {
        "state": state.phase.value,
        "players": {side: _player(state, side) for side in Side},
        "length": safe(state.length),
        "legs": state.legs.map(safe),
        "best_of_three": state.settings.best_of_three,
        "crawford": state.crawford,
        "game": safe(state.games + 1),
        "method": state.settings.rules.method.value,
        "delay_full_ns": safe(state.settings.rules.delay_ns),
        "mover": state.turn and state.turn.side,
        "turn": state.turn and _turn(state.turn, signs),
        "reserves": {side: _reserve(state, side) for side in Side},
        "until_ns": None if until_ns is None else signs.at(until_ns),
        "late": late,
        "says": says(state),
    }


def _player(state: MatchState, side: Side) -> Player:
    return Player(clean(player_name(state, side)) or None, safe(state.score[side]))


def _turn(turn: Turn, signs: Signs) -> RunningTurn | None:
    if turn.since_ns is None:
        return None
    delay_ns = safe(turn.delay_left_ns(turn.since_ns))
    return RunningTurn(turn.side, signs.at(turn.since_ns), delay_ns)


def _reserve(state: MatchState, side: Side) -> Reserve:
    """Return a side's time at the instant since which its clock runs, or at the latest line."""
    turn, player = state.turn, state.players[side]
    since_ns = state.at_ns if turn is None or turn.since_ns is None else turn.since_ns
    return Reserve(
        reserve_ns=safe(state.reserve_ns(side, since_ns)),
        delay_ns=safe(delay_ahead_ns(state, side, since_ns)),
        flagged=player.flag is not None,
        flag=None if player.flag is None else safe(player.flag.order),
        reserve_off=_is_off(state, side),
        note=_note(state, side),
    )


def _is_off(state: MatchState, side: Side) -> bool:
    on_move = state.turn is not None and state.turn.side is side
    return on_move and state.phase is Phase.FREE_TURN


def _note(state: MatchState, side: Side) -> str:
    turn, due = state.turn, state.players[side].next_delay
    if turn is not None and turn.side is side:
        return "wait" if turn.must_wait else ""
    return "" if due is NextDelay.FULL else f"delay_{due.value}"


def _until(state: MatchState) -> tuple[int | None, Side | None]:
    """Return the end of a break, or since when a player is late and which; on the clock."""
    if state.phase is Phase.BREAK and state.pause is not None:
        return state.pause.end_ns(), state.pause.late
    if state.phase in (Phase.REVIEW, Phase.READY):
        for side in Side:
            if (absence := state.players[side].absence) is not None:
                return absence.since_ns, side
    return None, None


def says(state: MatchState) -> list[str]:
    """Return what the panels say in large, as keys of the locale; times are left to the page."""
    match state.phase:
        case Phase.REVIEW:
            return ["offered" if state.offer else "review"]
        case Phase.READY:
            crawford = {Crawford.NOW: "crawford_game", Crawford.UNKNOWN: "crawford_asked"}
            return [crawford.get(state.crawford, "ready")]
        case Phase.RUNNING:
            return ["absent"] if state.turn is not None and state.turn.absent else []
        case Phase.FREE_TURN:
            return ["free_turn"]
        case Phase.STOPPED:
            status = "call_director" if state.held else "stopped"
            return [status, f"reason_{state.reason.value}"]
        case Phase.GAME_OVER:
            return ["game_over"]
        case Phase.BREAK:
            return ["break"]
        case Phase.NO_CLOCK:
            return ["no_clock", "no_clock_on"]
        case Phase.FINISHED:
            return ["finished", f"end_{state.ended}"]


def safe(number: int) -> int:
    """Return a number of a log within what JSON and JavaScript keep exactly."""
    return max(-SAFE_NS, min(SAFE_NS, number))
