"""Damaged logs and scripts: whatever stands in a file, a command ends with a message.

Each mutation is random, but the same for the same number.
"""

import json
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import click.testing
import pytest

from gammonclock.__main__ import main
from gammonclock.console import DAMAGED, WRONG_USAGE
from tests.support.logs import body, forged, monkey_logs, monkey_script, sealed

pytestmark = pytest.mark.slow

LOGS = [max(monkey_logs(seed, 120), key=len) for seed in (1, 2, 3, 6)]
SHARES = 10  # parts of each thousand, so that a failure names a small one
DAMAGED_LOGS, FORGED_LOGS = 25, 42  # in each share of each kind: 3,010 in all

Mutate = Callable[[Random, list[bytes]], bytes]


def text(lines: list[bytes]) -> bytes:
    """Lines as they stand in a file."""
    return b"".join(line + b"\n" for line in lines)


# --- what can happen to a file ----------------------------------------------------------------


def flipped(random: Random, lines: list[bytes]) -> bytes:
    """One bit is another one."""
    data = bytearray(text(lines))
    data[random.randrange(len(data))] ^= 1 << random.randrange(8)
    return bytes(data)


def cut(random: Random, lines: list[bytes]) -> bytes:
    """The file ends early."""
    data = text(lines)
    return data[: random.randrange(len(data))]


def swapped(random: Random, lines: list[bytes]) -> bytes:
    """Two lines changed places."""
    first, second = random.sample(range(len(lines)), 2)
    lines[first], lines[second] = lines[second], lines[first]
    return text(lines)


def lost(random: Random, lines: list[bytes]) -> bytes:
    """A line is gone."""
    del lines[random.randrange(len(lines))]
    return text(lines)


def doubled(random: Random, lines: list[bytes]) -> bytes:
    """A line stands twice."""
    at = random.randrange(len(lines))
    lines.insert(random.randrange(len(lines) + 1), lines[at])
    return text(lines)


def zeroed(random: Random, lines: list[bytes]) -> bytes:
    """A sector that was never written."""
    data = bytearray(text(lines))
    at = random.randrange(len(data))
    data[at : at + 512] = bytes(len(data[at : at + 512]))
    return bytes(data)


def binary(random: Random, lines: list[bytes]) -> bytes:
    """A line of anything."""
    lines[random.randrange(len(lines))] = random.randbytes(random.randrange(300))
    return text(lines)


ODD: tuple[object, ...] = (
    None,
    True,
    False,
    0,
    -1,
    1,
    2**31,
    2**63,
    -(2**64),
    10**30,
    0.5,
    1e300,
    "",
    "left",
    "right",
    "centre",
    "director",
    "\x00\x1b[31m\u202e",
    "x" * 5000,
    [],
    [1, 2],
    ["left"],
    {},
    {"v": 1},
)


def forgery(random: Random, lines: list[bytes]) -> bytes:
    """Another value in one field, and every hash made right."""
    at = random.randrange(len(lines))

    def change(fields: dict[str, Any]) -> None:
        while True:
            name = random.choice(list(fields))
            if not isinstance(fields[name], dict) or random.random() < 0.1:
                fields[name] = random.choice((*ODD, *fields.values()))
                return
            fields = fields[name]

    return text(forged(lines, at, change))


RAW = (b"NaN", b"-Infinity", b"1e999", b"0" * 50, b"9" * 5000, b'"\\ud800"', b'"\xff\xfe"')


def written_by_hand(random: Random, lines: list[bytes]) -> bytes:
    """No JSON, or too deep, in place of a value; and every hash made right."""
    bodies = [body(line) for line in lines]
    at = random.randrange(len(bodies))
    parts = bodies[at].split(b":")
    place = random.randrange(1, len(parts))
    deep = b"[" * random.randrange(1, 20_000)
    value, comma, rest = parts[place].partition(b",")
    odd = random.choice((*RAW, deep, deep + b"]" * len(deep), value + value))
    parts[place] = odd + comma + rest
    bodies[at] = b":".join(parts)
    return text(sealed(bodies))


def extended(random: Random, lines: list[bytes]) -> bytes:
    """A field too many, at any depth; and every hash made right."""
    bodies = [body(line) for line in lines]
    at = random.randrange(len(bodies))
    bodies[at] += b',"more":' + random.choice((*RAW, b"1", b"[" * 5000 + b"]" * 5000))
    return text(sealed(bodies))


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
@pytest.mark.parametrize("share", range(SHARES))
@pytest.mark.parametrize("mutate", [flipped, cut, swapped, lost, doubled, zeroed, binary])
def test_a_damaged_log_is_refused_with_its_line(tmp_path: Path, mutate: Mutate, share: int) -> None:
    """R83: exit code 4, the file, the line; only a log that ends after a whole line is good."""
    for number in range(DAMAGED_LOGS):
        random = Random(f"{mutate.__name__} {share} {number}")
        lines = random.choice(LOGS)
        good, data = text(lines), mutate(random, list(lines))
        result = verified(tmp_path, data)
        whole = data if data.endswith(b"\n") else data + b"\n"  # the line feed alone is missing
        if good.startswith(whole):
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
@pytest.mark.parametrize("share", range(SHARES))
@pytest.mark.parametrize("mutate", [forgery, written_by_hand, extended])
def test_a_forged_log_gives_no_traceback(tmp_path: Path, mutate: Mutate, share: int) -> None:
    """R83: exit code 4; good only if what was changed is not provable: a name, a date, a remark."""
    for number in range(FORGED_LOGS):
        random = Random(f"{mutate.__name__} {share} {number}")
        lines = random.choice(LOGS)
        data = mutate(random, list(lines))
        result = verified(tmp_path, data)
        if result.exit_code == 0:
            changed = set()
            for old, new in zip(lines, data.split(b"\n")[:-1], strict=True):
                # a number in an unknown field may be larger than any that is decoded
                fields, others = (json.loads(each, parse_int=str) for each in (old, new))
                changed |= {name for name in fields if fields[name] != others[name]}
            assert changed - {"hash"} <= SILENT, changed
        else:
            assert result.exit_code == DAMAGED
            assert "match.jsonl, line " in result.stderr
        assert result.stderr.replace("\n", "").isprintable()


def test_a_log_may_be_huge_without_a_line_end(tmp_path: Path) -> None:
    """A file of another kind is told by its first line."""
    assert verified(tmp_path, b"\xff" * 10_000_000).exit_code == DAMAGED
    assert verified(tmp_path, b"{}" * 1_000_000).exit_code == DAMAGED
    assert verified(tmp_path, b"\n" * 1_000_000).exit_code == DAMAGED
    assert verified(tmp_path, b"").exit_code == DAMAGED


# --- scripts ----------------------------------------------------------------------------------

PIECES = (
    b"1 press both",
    b"press left",
    b"-1 press left",
    b"1,5 press left",
    b"1e3 wait",
    b".5 wait",
    b"1. wait",
    b"1.0000000001 wait",
    b"100000 wait",
    b"nan wait",
    b"1 hold left",
    b"1 PRESS left",
    b"1 press",
    b"1 press left right",
    b"1press left",
    b"1 power  cut off",
    b"\xff\xfe1 wait",
    b"\x00",
    b"\xd9\xa3 wait",
    b'{"v":1}',
    b"9" * 5000,
    b"1 wait\r1 wait",
)


@pytest.mark.parametrize("number", range(100))
def test_a_damaged_script_is_refused_with_its_line(tmp_path: Path, number: int) -> None:
    """Exit code 2; the file, the line, what was found there and what is allowed."""
    random = Random(number)
    lines = monkey_script(number, 10).encode().split(b"\n")
    at = random.randrange(len(lines) + 1)
    lines.insert(at, random.choice(PIECES))
    path = tmp_path / "match.script"
    path.write_bytes(b"\n".join(lines))
    result = click.testing.CliRunner().invoke(main, ["play", str(path)])
    assert result.exit_code == WRONG_USAGE
    assert f"match.script, line {at + 1}: found " in result.stderr
    assert ("allowed is SECONDS" in result.stderr) != ("UTF-8" in result.stderr)
    assert len(result.stderr) < 500


@pytest.mark.parametrize("number", range(50))
def test_a_script_with_a_flipped_bit_plays_or_is_refused(tmp_path: Path, number: int) -> None:
    """Exit code 0 or 2, never a traceback."""
    random = Random(number)
    data = bytearray(monkey_script(number, 10).encode())
    data[random.randrange(len(data))] ^= 1 << random.randrange(8)
    path = tmp_path / "match.script"
    path.write_bytes(data)
    result = click.testing.CliRunner().invoke(main, ["play", str(path)])
    assert result.exit_code in (0, WRONG_USAGE)
    assert result.exception is None or isinstance(result.exception, SystemExit)
