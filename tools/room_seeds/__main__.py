"""Play whole rooms, each from one seed: clocks, links, broker and hub in one process and no time.

    python -m tools.room_seeds                       20 small rooms
    python -m tools.room_seeds --seeds 1000          as many rooms
    python -m tools.room_seeds --seed 17             this one, with what happens in it
    python -m tools.room_seeds --boards 64 --minutes 180    a large one, in which nothing fails

The options that a seed stands for are printed first. A law that does not hold ends the program
with 1; its seed shows it again.
"""

import logging
import os
import sys
import time
from argparse import ArgumentParser
from collections.abc import Sequence

from tools.room_seeds.options import options_of, quiet
from tools.room_seeds.room import Played, play

SEEDS = 20


def told(played: Played, seconds: float) -> str:
    """Return what is printed of a room."""
    found = played.violation
    happened = ", ".join(f"{count} {name}" for name, count in sorted(played.incidents.items()))
    end = "all laws hold" if found is None else f"BROKEN at {found.at_ns / 1e9:.3f} s: {found.law}"
    size = f"{played.matches} matches, {played.lines} lines, {played.checks} checks"
    what = "" if found is None else f"\n    {found.what}"
    return f"  {seconds:.1f} s, {size}; {happened or 'nothing fails'}: {end}{what}"


def main(arguments: Sequence[str]) -> int:
    """Play the rooms that were asked for, and return the exit code."""
    parser = ArgumentParser(prog="python -m tools.room_seeds")
    parser.add_argument("--seeds", type=int, default=SEEDS)
    parser.add_argument("--first", type=int, default=1)
    parser.add_argument("--seed", type=int)
    parser.add_argument("--boards", type=int)
    parser.add_argument("--minutes", type=float, default=180.0)
    asked = parser.parse_args(arguments)
    logging.disable(logging.CRITICAL)
    first, count = (asked.first, asked.seeds) if asked.seed is None else (asked.seed, 1)
    rooms = [options_of(seed) for seed in range(first, first + count)]
    if asked.boards is not None:
        rooms = [quiet(first, asked.boards, asked.minutes)]
    broken = []
    begun = time.perf_counter()
    for options in rooms:
        print(options.shown, flush=True)
        at = time.perf_counter()
        played = play(options)
        print(told(played, time.perf_counter() - at), flush=True)
        broken += [options.seed] * (played.violation is not None)
    seconds = time.perf_counter() - begun
    print(f"{len(rooms)} rooms in {seconds:.0f} s; broken: {broken or 'none'}")
    return 1 if broken else 0


if __name__ == "__main__":
    if sys.flags.hash_randomization:  # the order of a set must depend on the seed alone
        environment = {**os.environ, "PYTHONHASHSEED": "0"}
        os.execve(sys.executable, [sys.executable, "-m", "tools.room_seeds", *sys.argv[1:]], environment)
    sys.exit(main(sys.argv[1:]))
