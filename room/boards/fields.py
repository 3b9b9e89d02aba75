"""Make the board of a log: its fields come from the state of the match and from the signs."""

from typing import Any

from msgspec import structs

from clock.eventlog.fingerprint import fingerprint_text
from clock.match.events import Record
from clock.match.state import MatchState
from clock.match.timecontrol import Turn
from clock.match.types import Crawford, NextDelay, Pair, Phase, Side
from clock.ui.face import delay_ahead_ns, player_name
from room.boards.board import UNKNOWN, Board, Player, Reserve, RunningTurn
from room.boards.sanitized import clean, safe
from room.boards.signs import Signs, attention_of, faults_of, is_certain
from room.lines.track import Track


def make_board(
    id_: str, source: str, match: str | None, track: Track, signs: Signs, account: str = ""
) -> Board:
    """Return the board of a log.

    Args:
        id_: the board's name in addresses.
        source: where the log comes from.
        match: the name of the log.
        track: what its lines say.
        signs: what else is known.
        account: the key of the source.
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
        faults=faults_of(track, signs),
        settings_code=clean(track.code) or None,
        settings_expected=signs.expected_code,
        heard_ns=signs.heard_ns,
        conflicts=list(signs.conflicts),
        rivals=list(signs.rivals),
        certain=is_certain(track, signs),
        seq=safe(track.seq),
        fingerprint=_fingerprint(track),
        damage=track.damage and clean(track.damage),
        result=signs.result,
        account=account,
        taken_out=signs.taken_out,
        **shown,
    )


def _fingerprint(track: Track) -> str | None:
    """Return the fingerprint of an undamaged log; a hash in a damaged line proves nothing."""
    if track.match is None or track.damage is not None:
        return None
    return fingerprint_text(track.match.chain.fingerprint_hash)


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
        "limit": "flag",
        "delay_full_ns": 0,
        "mover": None,
        "turn": None,
        "turn_ns": None,
        "reserves": dict.fromkeys(Side, reserve),
        "until_ns": None,
        "late": None,
        "winner": None,
        "says": [],
    }


def _of_record(record: Record | None, signs: Signs) -> dict[str, Any]:
    """Return the fields of a single line: those before it, with names and rules, are missing."""
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
        "limit": _limit(state),
        "delay_full_ns": safe(state.settings.rules.delay_ns),
        "mover": state.turn and state.turn.side,
        "turn": state.turn and _turn(state.turn, signs),
        "turn_ns": state.turn and safe(state.turn.used_ns),
        "reserves": {side: _reserve(state, side) for side in Side},
        "until_ns": None if until_ns is None else signs.at(until_ns),
        "late": late,
        "winner": state.winner,
        "says": says(state),
    }


def _limit(state: MatchState) -> str:
    if state.settings.rules.pace is not None:
        return "pace"
    return "practice" if state.settings.practice else "flag"


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
    """Return the large words of the panels, as keys of the locale; times are left to the page."""
    pace = ["no_limit"] if state.settings.rules.pace is not None else []
    return _phase_says(state) + (["practice"] if state.settings.practice else pace)


def _phase_says(state: MatchState) -> list[str]:  # noqa: C901 (a case for each phase)
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
        case Phase.PUT_ASIDE:
            return ["put_aside"]
        case Phase.FINISHED:
            return ["finished", f"end_{clean(state.ended)}"] if state.ended else ["finished"]
