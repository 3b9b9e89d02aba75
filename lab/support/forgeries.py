"""Damaged and forged logs, random but the same for the same number, and what two verifiers say."""

import json
import zlib
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

from clock.eventlog.codec import DamagedError
from clock.eventlog.replay import DiffersError
from clock.eventlog.verification import verify
from clock.storage.log_reader import read_lines
from lab.support.logs import body, forged, monkey_logs, renamed, sealed
from lab.support.second_verifier import BadLineError, as_written, fingerprints

LOGS = [max(monkey_logs(seed, 120), key=len) for seed in (1, 2, 3, 6)]

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


NESTED = tuple(b"[" * depth + b"]" * depth for depth in (49, 50, 5000))  # in an object


def extended(random: Random, lines: list[bytes]) -> bytes:
    """A field too many, at any depth; and every hash made right."""
    bodies = [body(line) for line in lines]
    at = random.randrange(len(bodies))
    bodies[at] += b',"more":' + random.choice((*RAW, b"1", *NESTED))
    return text(sealed(bodies))


WALLS = (
    "2026-05-01T10:00:00.5-03:00",
    "2026-05-01T10:00:00Z",
    "2026-05-01T10:00",
    "\\n",
    "٢٠٢٦-05-01T10:00:00Z",
    "2026-05-01T10:00:00Z\\n",
)


def dated(random: Random, lines: list[bytes]) -> bytes:
    """Another text for the wall time of a line; and every hash made right."""
    at, bodies = random.randrange(len(lines)), [body(line) for line in lines]
    wall = json.loads(lines[at])["wall"].encode()
    bodies[at] = bodies[at].replace(wall, random.choice(WALLS).encode(), 1)
    return text(sealed(bodies))


def resealed(random: Random, lines: list[bytes]) -> bytes:
    """Lines lost, doubled or changed about; numbers and hashes are made right."""
    change = random.choice((swapped, lost, doubled))
    mixed = change(random, lines).split(b"\n")[:-1]
    texts = (line.split(b",", 2) for line in mixed)
    parts = ((first, b'"seq":%d' % seq, rest) for seq, (first, _, rest) in enumerate(texts, 1))
    return text(sealed(body(b",".join(each)) for each in parts))


def spliced(random: Random, lines: list[bytes]) -> bytes:
    """The end of another log, as it is or with all that a forger can make right."""
    other = random.choice(LOGS)
    if random.random() < 0.7:
        other = renamed(other, json.loads(lines[0])["match"])
    at = random.randrange(1, min(len(lines), len(other)))
    mixed = [*lines[:at], *other[at:]]
    return text(mixed if random.random() < 0.3 else sealed(map(body, mixed)))


def with_key_twice(random: Random, lines: list[bytes]) -> bytes:
    """A field that stands twice, with another value or the same one."""
    at = random.randrange(len(lines))
    name, value = random.choice([*json.loads(lines[at]).items()])
    others = (value, "FINISHED", "play-1", 2, random.choice(ODD))
    field = json.dumps({name: random.choice(others)}, separators=(",", ":")).encode()[1:-1]
    bodies = [body(line) for line in lines]
    first = b"{%b,%b" % (field, bodies[at][1:])
    bodies[at] = random.choice((first, b"%b,%b" % (bodies[at], field)))
    return text(sealed(bodies))


def reordered(random: Random, lines: list[bytes]) -> bytes:
    """The fields of a line in another order, which says the same."""

    def shuffle(fields: dict[str, Any]) -> None:
        items = [*fields.items()]
        random.shuffle(items)
        fields.clear()
        fields.update(items)

    return text(forged(lines, random.randrange(len(lines)), shuffle))


def encoded(random: Random, lines: list[bytes]) -> bytes:
    """The same values in other bytes: line by line or as a file."""
    at, bodies = random.randrange(len(lines)), [body(line) for line in lines]
    number = random.choice(b"0123456789").to_bytes()
    old, new = random.choice(
        (
            (b",", b", "),
            (b":", b" :"),
            (b'"event"', b'"ev\\u0065nt"'),
            (number + b",", number + b".0,"),
            (number + b",", number + b"e0,"),
            (b'"seq":', b'"seq":0'),
            (b'"seq":', b'"seq":+'),
            (b'"seq":', b'"Seq":'),
            (b"{", b"\xef\xbb\xbf{"),
            (b"/", b"\\/"),
        )
    )
    bodies[at] = bodies[at].replace(old, new, random.choice((1, -1)))
    data = text(sealed(bodies))
    if random.random() < 0.8:
        return data
    whole = text(lines)
    return random.choice(
        (
            whole.replace(b"\n", b"\r\n"),
            whole.replace(b"\n", b"\n\n"),
            whole.decode().encode("utf-16"),
            b"\xef\xbb\xbf" + whole,
            b"\n" + whole,
        )
    )


def stating(random: Random, lines: list[bytes]) -> bytes:
    """A changed line that states the true hash in one way or another; those after it are true."""
    at = random.choice((random.randrange(len(lines)), len(lines) - 1))
    true = json.loads(lines[at])["hash"].encode()
    before = json.loads(lines[at - 1])["hash"] if at else "0" * 32
    old, new = random.choice(((b'"wall":"20', b'"wall":"19'), (b'"event":', b'"x":1,"event":')))
    changed, field = body(lines[at]).replace(old, new, 1), b',"hash":"%b"' % true
    version_1 = changed.replace(b'{"v":2,', b'{"v":1,', 1) + field
    lines[at] = random.choice(
        (
            b'%b,"crc":"%08x"}' % (version_1, zlib.crc32(version_1, int(before[-8:], 16))),
            b"%b%b}" % (changed, field),
            b"%b%b }" % (changed, field),
            sealed([changed + field], before)[0],
            sealed([b"{%b,%b" % (field[1:], changed[1:])], before)[0],
            sealed([changed.replace(b",", b',"more":{"hash":"%b"},' % true, 1)], before)[0],
        )
    )
    return text(lines)


def with_heartbeat(random: Random, lines: list[bytes]) -> bytes:
    """A line that belongs on the serial line only."""
    at = random.randrange(len(lines) + 1)
    beat = b'{"v":2,"heartbeat":1,"boot":"b","now_ns":1,"match":"m","seq":1,"log_saved":true}'
    return text([*lines[:at], beat, *lines[at:]])


DAMAGES: tuple[Mutate, ...] = (flipped, cut, swapped, lost, doubled, zeroed, binary)
FORGERIES: tuple[Mutate, ...] = (
    forgery,
    written_by_hand,
    extended,
    dated,
    resealed,
    spliced,
    with_key_twice,
    reordered,
    encoded,
    stating,
    with_heartbeat,
)


# --- what two verifiers say -------------------------------------------------------------------

GOOD, REPLAY, BAD = "good", "refused by the replay only", "refused by both"


class Case(NamedTuple):
    """A forged log, and the true one."""

    true: list[bytes]
    data: bytes


def case(mutate: Mutate, number: int) -> Case:
    """Return a forgery by its number."""
    random = Random(f"{mutate.__name__} {number}")
    lines = random.choice(LOGS)
    return Case(lines, mutate(random, [*lines]))


def verdict(found: Case, path: Path) -> str:
    """Return what both verifiers say of a log.

    Args:
        found: the log.
        path: where to write it, as the program reads a file.

    Raises:
        AssertionError: they differ, or the log is another one and has the true fingerprint.
    """
    path.write_bytes(found.data)
    mine, why = _product(path)
    second, line = _second(found.data)
    if isinstance(why, DiffersError):  # the second one does not replay
        assert not line or line >= why.line, (str(why), line)
        return BAD if line else REPLAY
    assert line == (why.line if why else 0), (str(why), line)
    assert mine == second
    true_fingerprint = fingerprints(text(found.true))[-1]
    assert true_fingerprint not in mine or as_written(found.data).startswith(text(found.true)[:-1])
    return BAD if why else GOOD


def _product(path: Path) -> tuple[list[str], DamagedError | None]:
    """Return the fingerprints of a log, or what the program says is wrong with it."""
    try:
        return [line.fingerprint for line in verify(read_lines(path)).lines], None
    except DamagedError as error:
        return [], error


def _second(data: bytes) -> tuple[list[str], int]:
    """Return the fingerprints of a log, or the line that the second verifier calls bad."""
    try:
        return fingerprints(data), 0
    except BadLineError as error:
        return [], error.line
