"""Measure what a line of the log costs: processor time and bytes.

    python -m lab.benchmarks.log_lines       print the figures of this computer as JSON

The lines are those of the matches in `tests/data`.
"""

import statistics
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

import msgspec

from clock.eventlog.codec import Chain, LogLine, decode
from lab.bench.kernel import KernelError, kernel
from lab.benchmarks.boards import CONFIG, OurBoard
from lab.benchmarks.measure import ROUNDS, Figure, at_most

ROOT = Path(__file__).parents[2]
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
    command = ["sh", "-c", f"cd {ROOT} && {sys.executable} -m lab.benchmarks.log_lines"]
    with TemporaryDirectory() as folder, OurBoard(CONFIG, Path(folder)) as board:
        said = board.guest.ask("run", 60, command=command)
    costs = msgspec.json.decode(said, type=LineCosts)
    yield at_most("a log line on the bench", costs.cpu_us, "us of CPU", SHARE_OF_A_TURN)
    yield at_most("its length", [costs.bytes], "bytes", 512)


def _costs(lines: list[LogLine]) -> LineCosts:
    return LineCosts(
        [_cpu_us(lines) for _ in range(ROUNDS)], statistics.mean(map(len, _written(lines)))
    )


def _cpu_us(lines: list[LogLine]) -> float:
    begun_ns = time.process_time_ns()
    _written(lines)
    return (time.process_time_ns() - begun_ns) / 1000 / len(lines)


def _written(lines: list[LogLine]) -> list[bytes]:
    chain, written = Chain(lines[0].envelope.match, lines[0].envelope.boot), []
    for line in lines:
        chain, text = chain.append(line.record, line.envelope.wall)
        written.append(text)
    return written


def main() -> None:
    """Measure here."""
    texts = [line for path in MATCHES for line in path.read_bytes().splitlines()]
    lines = [decode(text, number) for number, text in enumerate(texts, 1)]
    print(msgspec.json.encode(_costs(lines)).decode())


if __name__ == "__main__":
    main()
