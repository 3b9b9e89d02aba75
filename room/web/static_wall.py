"""The wall as it was at an instant: boards as tiles of a static page, as `tile.js` makes them."""

import re
from collections.abc import Callable
from html import escape

from clock.match.durations import elapsed_text, overdrawn_text, reserve_text
from clock.match.rules import Method
from clock.match.types import Crawford, Phase, Side
from clock.text import printable
from room.boards.board import Board
from room.web.result_words import outcome_text

LONG = {"very": 21, "long": 13, "some": 9}  # from so many letters on a name is smaller; as side.js
LONGEST_ID, LONGEST_TIME, LONGEST_OUTCOME = 4, 5, 30  # characters in full size; as tile.js
NUMBER = re.compile(r"(\d+)")

Say = Callable[..., str]


def static_wall(boards: list[Board], hub_ns: int, say: Say) -> str:
    """Return the boards as tiles, with their times at an instant of the hub; "" without a board."""
    shown = [each for each in boards if not each.taken_out]
    if not shown:
        return ""
    tiles = "".join(_tile(each, hub_ns, say) for each in sorted(shown, key=_place))
    return (
        f'<h2>{escape(say("page_boards"))}</h2><ul class="boards" data-view="tiles">'
        f"{tiles}</ul><h2>{escape(say('report_results'))}</h2>"
    )


def _tile(board: Board, hub_ns: int, say: Say) -> str:
    outcome, state = "", _state(board, say)
    if board.state == Phase.FINISHED:
        outcome, state = _outcome(board, say), ""
    limit = {"pace": "no_limit", "practice": "practice"}.get(board.limit)
    remark = " · ".join(filter(None, (outcome, limit and say(limit))))
    legs = f"{board.legs.left}-{board.legs.right} · " if board.best_of_three else ""
    crawford = " C" if board.crawford is Crawford.NOW else ""
    rows = "".join(_side(board, side, hub_ns, say) for side in Side)
    how = f'<bdi class="how" data-long="{_is(len(remark) > LONGEST_OUTCOME)}">'
    how = f'<span class="result">{how}{escape(printable(remark))}</bdi></span>'
    return (
        f'<li class="tile" data-attention="" data-state="{escape(board.state)}"'
        f' data-certain="{_is(board.certain)}" data-remark="{_is(bool(remark))}"><a>'
        f'<span class="head"><bdi class="id" data-long="{_is(len(board.id) > LONGEST_ID)}">'
        f'{escape(printable(board.id))}</bdi><span class="length" '
        f'data-long="{_is(board.best_of_three)}">{legs}/{board.length}{crawford}</span>'
        f'<span class="state">{escape(printable(state))}</span></span>{rows}'
        f"{how if remark else ''}</a></li>"
    )


def _state(board: Board, say: Say) -> str:
    if board.turn is not None:
        return say("used_in_all" if board.limit == "pace" else "time_runs")
    return say(board.says[0]) if board.says else say("page_unknown")


def _outcome(board: Board, say: Say) -> str:
    winner = ""
    if board.winner is not None:
        winner = board.players[board.winner].name or say(board.winner.value)
    return outcome_text(winner, "".join(board.says[1:2]), say)


def _side(board: Board, side: Side, hub_ns: int, say: Say) -> str:
    player, reserve = board.players[side], board.reserves[side]
    name = printable(player.name or say(side.value))
    long = next((kind for kind, letters in LONG.items() if len(name) >= letters), "")
    time = ("" if board.certain else "~") + _shown_time(board, side, hub_ns)
    runs = board.turn is not None and board.turn.side is side
    label = escape(say("flag_mark", order=reserve.flag))
    flag = f'<span class="flag" role="img" aria-label="{label}">⚑{reserve.flag}</span>'
    marks = flag if reserve.flagged else ""
    unseen = f'<span class="unseen">{escape(say("page_runs"))}</span>' if runs else ""
    wins = board.state == Phase.FINISHED and board.winner is side
    return (
        f'<span class="row" data-running="{_is(runs)}" data-winner="{_is(wins)}">'
        f'<span class="points">{player.points}</span><bdi class="name" data-long="{long}"'
        f' style="--letters:{len(name)}">{escape(name)}</bdi>{unseen}{marks}'
        f'<span class="time" data-long="{_is(len(time) > LONGEST_TIME)}">{time}</span></span>'
    )


def _is(condition: bool) -> str:  # noqa: FBT001 (the value of an attribute)
    return str(condition).lower()


def _place(board: Board) -> tuple[object, ...]:
    """Return what boards are sorted by, as `byPlace` of board_words.js has it."""
    is_clock = not board.board and board.clock is not None and board.clock in board.id
    return _natural(board.hall), is_clock, _natural(board.id)


def _natural(name: str) -> list[str | int]:
    """Return what names are sorted by with the numbers in them as numbers."""
    parts = NUMBER.split(name.casefold())  # texts and numbers take turns
    return [int(each) if each.isdecimal() else each for each in parts]


def _shown_time(board: Board, side: Side, hub_ns: int) -> str:
    """Return a side's time at an instant, as its panel shows it (`clock.ui.face`)."""
    reserve, turn = board.reserves[side], board.turn
    left_ns, delay_ns = reserve.reserve_ns, reserve.delay_ns
    if turn is not None and turn.side is side:
        passed_ns = max(0, hub_ns - turn.since_ns)
        left_ns -= max(0, passed_ns - turn.delay_ns)
        delay_ns = max(0, turn.delay_ns - passed_ns)
    if board.limit == "flag":
        left_ns = max(0, left_ns)
    if board.method == Method.BRONSTEIN and not reserve.flagged:
        left_ns += delay_ns
    if board.limit == "pace":
        return elapsed_text(-left_ns)
    if board.limit != "flag" and left_ns <= 0:
        return overdrawn_text(-left_ns)
    return reserve_text(left_ns, flagged=reserve.flagged)
