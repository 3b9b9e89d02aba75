"""Measure what a line of the log costs: processor time and bytes, of version 2 and of version 1.

    python -m benchmarks.log_lines       print the figures of this computer as JSON

The lines are those of the matches in `tests/data`. Version 1 had a CRC-32 where version 2 has the
hash, and no score.
"""

import statistics
import sys
import time
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

import msgspec

from benchmarks.boards import CONFIG, OurBoard
from benchmarks.measure import ROUNDS, Figure, at_most
from clock.eventlog.codec import Chain, LogLine, decode
from tools.bench.kernel import KernelError, kernel

ROOT = Path(__file__).parent.parent
MATCHES = sorted((ROOT / "tests" / "data").glob("*.jsonl"))
SHARE_OF_A_TURN = 1_000  # us of processor time in a line: a thousandth of a turn of one second


class LineCosts(NamedTuple):
    """What a line costs in each round."""

    cpu_us: list[float]
    bytes: float


def figures() -> Iterator[Figure]:
    """Measure on the bench; yield nothing if there is no kernel."""
    try:
        kernel()
    except KernelError as error:
        print(f"The lines of the log are not measured: {error}")
        return
    command = ["sh", "-c", f"cd {ROOT} && {sys.executable} -m benchmarks.log_lines"]
    with TemporaryDirectory() as folder, OurBoard(CONFIG, Path(folder)) as board:
        said = board.guest.ask("run", 60, command=command)
    new, old = msgspec.json.decode(said, type=tuple[LineCosts, LineCosts])
    cpu = at_most(
        "a log line on the bench; beside it version 1", new.cpu_us, "us of CPU", SHARE_OF_A_TURN
    )
    yield cpu._replace(usual=statistics.median(old.cpu_us))
    length = at_most("its length; beside it version 1", [new.bytes], "bytes", 512)
    yield length._replace(usual=old.bytes)


def _costs(lines: list[LogLine]) -> Iterator[LineCosts]:
    """Measure both versions by turns, so that what else the computer does meets both alike."""
    writers = (_version_2, _version_1)
    rounds = [[_cpu_us(write, lines) for write in writers] for _ in range(ROUNDS)]
    for write, taken in zip(writers, zip(*rounds, strict=True), strict=True):
        yield LineCosts(list(taken), statistics.mean(map(len, write(lines))))


def _cpu_us(write: Callable[[list[LogLine]], list[bytes]], lines: list[LogLine]) -> float:
    begun_ns = time.process_time_ns()
    write(lines)
    return (time.process_time_ns() - begun_ns) / 1000 / len(lines)


def _version_2(lines: list[LogLine]) -> list[bytes]:
    chain, written = Chain(lines[0].envelope.match, lines[0].envelope.boot), []
    for line in lines:
        chain, text = chain.append(line.record, line.envelope.wall)
        written.append(text)
    return written


def _version_1(lines: list[LogLine]) -> list[bytes]:
    crc, written, encode = 0, [], msgspec.json.Encoder().encode
    match, boot = lines[0].envelope.match, lines[0].envelope.boot
    for seq, (envelope, record) in enumerate(lines, 1):
        head = {"v": 1, "seq": seq, "match": match, "boot": boot}
        head |= {"at_ns": record.at_ns, "wall": envelope.wall}
        names = ("phase", "running", "left_ns", "right_ns", "delay_ns")
        place = {name: getattr(record, name) for name in names}
        body = b"{" + b",".join(encode(part)[1:-1] for part in (head, record.event, place))
        crc = zlib.crc32(body, crc)
        written.append(b'%b,"crc":"%08x"}\n' % (body, crc))
    return written


def main() -> None:
    """Measure here."""
    texts = [line for path in MATCHES for line in path.read_bytes().splitlines()]
    lines = [decode(text, number) for number, text in enumerate(texts, 1)]
    print(msgspec.json.encode(list(_costs(lines))).decode())


if __name__ == "__main__":
    main()
