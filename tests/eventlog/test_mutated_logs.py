"""Damaged logs: whatever stands in a file, a command ends with a message.

Each mutation is random, but the same for the same number.
"""

import json
from pathlib import Path

import click.testing
import pytest

from gammonclock.__main__ import main
from gammonclock.console import DAMAGED
from lab.support.forgeries import (
    DAMAGES,
    FORGERIES,
    Mutate,
    case,
    extended,
    forgery,
    text,
    verdict,
    written_by_hand,
)

pytestmark = pytest.mark.slow

DAMAGED_LOGS, FORGED_LOGS, CASES = 10, 15, 4  # of each kind

# --- what the command says --------------------------------------------------------------------

# Nothing in a log proves these; with another press of a plunger that had no effect it is as good.
SILENT = {"wall", "at_ns", "version", "names", "why", "lost_ns", "used_ns", "settings", "side"}


def verified(tmp_path: Path, data: bytes) -> click.testing.Result:
    """What `gammonclock verify` says of a file."""
    path = tmp_path / "match.jsonl"
    path.write_bytes(data)
    result = click.testing.CliRunner().invoke(main, ["verify", str(path)])
    assert result.exception is None or isinstance(result.exception, SystemExit), data
    return result


@pytest.mark.rule("R83")
@pytest.mark.parametrize("mutate", [*DAMAGES, *FORGERIES])
def test_two_verifiers_agree_and_no_forgery_has_the_true_fingerprint(
    tmp_path: Path, mutate: Mutate
) -> None:
    """R83: the second one was written from the page about the log, and knows nothing of the code.

    `python -m lab.forged_logs` does the same with 10,000.
    """
    for number in range(CASES):
        assert verdict(case(mutate, number), tmp_path / "match.jsonl")


@pytest.mark.rule("R83")
@pytest.mark.parametrize("mutate", DAMAGES)
def test_a_damaged_log_is_refused_with_its_line(tmp_path: Path, mutate: Mutate) -> None:
    """R83: exit code 4, the file, the line; only a log that ends after a whole line is good."""
    for number in range(DAMAGED_LOGS):
        lines, data = case(mutate, number)
        result = verified(tmp_path, data)
        whole = data if data.endswith(b"\n") else data + b"\n"  # the line feed alone is missing
        if text(lines).startswith(whole):
            assert result.exit_code == 0
            continue
        assert result.exit_code == DAMAGED, data
        first_bad = next(
            line
            for line, (found, right) in enumerate(
                zip([*data.split(b"\n"), b""], [*lines, b"", b"", b""], strict=False), 1
            )
            if found != right
        )
        assert f"match.jsonl, line {max(1, first_bad)}: " in result.stderr
        assert result.stderr.endswith("The lines before it are undamaged and consistent.\n")


@pytest.mark.rule("R83")
@pytest.mark.parametrize("mutate", [forgery, written_by_hand, extended])
def test_a_forged_log_gives_no_traceback(tmp_path: Path, mutate: Mutate) -> None:
    """R83: exit code 4; good only if what was changed is not provable: a name, a date, a remark."""
    for number in range(FORGED_LOGS):
        lines, data = case(mutate, number)
        result = verified(tmp_path, data)
        if result.exit_code == 0:
            changed = set()
            for old, new in zip(lines, data.split(b"\n")[:-1], strict=True):
                fields, others = json.loads(old), json.loads(new)
                changed |= {name for name in fields if fields[name] != others[name]}
            assert changed - {"hash"} <= SILENT, changed
        else:
            assert result.exit_code == DAMAGED
            assert "match.jsonl, line " in result.stderr
        assert result.stderr.replace("\n", "").isprintable()


def test_a_log_may_be_huge_without_a_line_end(tmp_path: Path) -> None:
    assert verified(tmp_path, b"\xff" * 10_000_000).exit_code == DAMAGED
    assert verified(tmp_path, b"{}" * 1_000_000).exit_code == DAMAGED
    assert verified(tmp_path, b"\n" * 1_000_000).exit_code == DAMAGED
    assert verified(tmp_path, b"").exit_code == DAMAGED
