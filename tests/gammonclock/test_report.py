"""`gammonclock report`: which part of it is shown."""

import click.testing
import pytest

from gammonclock.__main__ import main
from gammonclock.console import DAMAGED, WRONG_USAGE
from tests.support.paths import DATA, ROOT

EBF, US = str(DATA / "ebf.jsonl"), str(DATA / "us.jsonl")


def said(*arguments: str, code: int = 0) -> str:
    """What the command prints in a terminal of 80 columns; errors included."""
    runner = click.testing.CliRunner(env={"COLUMNS": "80"})
    result = runner.invoke(main, ["report", *arguments])
    assert result.exit_code == code, result.output
    return result.output


@pytest.mark.rule("R102")
def test_one_question_gets_one_answer() -> None:
    """A table, a turn, or a stop with its turn; each stands so in the whole report."""
    whole = said(EBF)
    stops = said(EBF, "--only", "stops")
    assert stops in whole
    assert said(EBF, "--turn", "4") in whole
    illegal_move = said(EBF, "--stop", "2")
    assert "Illegal" in illegal_move
    assert "Dice" not in illegal_move.split("Turn 6")[0]
    assert said(EBF, "--turn", "6") in illegal_move


@pytest.mark.rule("R102")
def test_the_end_of_a_game_needs_no_block_of_turns() -> None:
    """The third game ended in turn 18 without an incident; it can be asked for all the same."""
    assert "Turn 18, and the turns before it" not in said(EBF)
    assert "Game over / drop" in said(EBF, "--turn", "18")


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        ((EBF, "--csv", "--json"), "--json and --csv exclude each other"),
        ((EBF, "--rulings", "--turn", "1"), "--turn and --rulings exclude each other"),
        ((EBF, "--html"), "--html needs --rulings"),
        ((EBF, US, "--rulings"), "--rulings needs a single LOG"),
        ((EBF, "--turn", "99"), "--turn: found 99, allowed 1 to 24"),
    ],
)
def test_wrong_usage(arguments: tuple[str, ...], why: str) -> None:
    """Each ends with 2 and says why."""
    assert why in said(*arguments, code=WRONG_USAGE)


def test_a_text_that_is_no_log_is_called_that() -> None:
    """And the logs beside it are reported."""
    said_of_both = said(EBF, str(ROOT / "README.md"), code=DAMAGED)
    assert "README.md is not a log: " in said_of_both
    assert "Ben wins, on time" in said_of_both
