"""Play whole rooms, each from one seed: clocks, links, broker and hub in one process and no time.

    python -m lab.room_seeds                       20 rooms, and those that have found a fault
    python -m lab.room_seeds --seeds 1000          as many rooms
    python -m lab.room_seeds --seed 17             this one
    python -m lab.room_seeds --boards 64 --minutes 180    a large one, in which nothing fails
    python -m lab.room_seeds --faults              put faults in, and see that laws see them

What a seed stands for is printed before its room is played. A law that does not hold ends the
program with 1; its seed shows it again. With --note the results are noted for lab/proof.md.
"""

import logging
import os
import sys
import time
from argparse import ArgumentParser, Namespace
from collections import Counter
from collections.abc import Sequence

import msgspec

from clock.units import SECOND_NS
from lab.room_seeds.faults import FAULTS, Seen, see
from lab.room_seeds.options import Options, options_of, quiet
from lab.room_seeds.results import Results, Search, note, noted
from lab.room_seeds.room import QUIET_S, Played, play

SEEDS = 20
FOUND = (  # seeds that have found a fault; it is mended
    20,  # a match whose file failed, read by a link that has just started
    95,  # a heartbeat that comes late
    145,  # a match that began and ended while the card took nothing
)
SAME_HASHES = {"PYTHONHASHSEED": "0"}  # the order of a set must depend on the seed alone


def told(played: Played, seconds: float) -> str:
    """Return what is printed of a room."""
    found = played.violation
    happened = ", ".join(f"{count} {name}" for name, count in sorted(played.incidents.items()))
    size = f"{played.matches} matches, {played.lines} lines, {played.checks} checks"
    what = f"  {seconds:.1f} s, {size}; {happened or 'nothing fails'}: "
    if found is None:
        return what + "all laws hold"
    return f"{what}BROKEN at {found.at_ns / SECOND_NS:.3f} s: {found.law}\n    {found.what}"


def search(rooms: Sequence[Options]) -> tuple[Search, list[int]]:
    """Play rooms; return what they came to, and the seeds of those in which a law did not hold."""
    broken, incidents = list[int](), Counter[str]()
    lines = checks = 0
    begun = time.process_time()
    for options in rooms:
        print(options.shown, flush=True)
        before = time.process_time()
        played = play(options)
        print(told(played, time.process_time() - before), flush=True)
        broken += [options.seed] * (played.violation is not None)
        incidents += played.incidents
        lines, checks = lines + played.lines, checks + played.checks
    minutes = sum(each.minutes + QUIET_S / 60 * (each.mode == "liveness") for each in rooms)
    found = Search(
        rooms=len(rooms),
        hours=round(minutes / 60, 1),
        lines=lines,
        checks=checks,
        incidents=dict(sorted(incidents.items())),
        seconds=round(time.process_time() - begun),
    )
    return found, broken


def see_all() -> list[Seen]:
    """Put all faults in, one after another; return where each was seen."""
    found = []
    for fault in FAULTS:
        found.append(see(fault))
        seen = found[-1]
        print(f"{seen.name:<64} seed {seen.seed:>3} after {seen.seconds:>6.1f} s: {seen.law}")
    return found


def rooms_of(asked: Namespace) -> list[Options]:
    """Return the rooms that were asked for."""
    if asked.boards is not None:
        return [quiet(asked.first, asked.boards, asked.minutes)]
    if asked.seed is not None:
        return [options_of(asked.seed)]
    usual = FOUND if asked.seeds is None and asked.first == 1 else ()
    seeds = range(asked.first, asked.first + (asked.seeds or SEEDS))
    return [options_of(seed) for seed in sorted({*seeds, *usual})]


def main(arguments: Sequence[str]) -> int:
    """Do what was asked for, and return the exit code."""
    parser = ArgumentParser(prog="python -m lab.room_seeds")
    parser.add_argument("--seeds", type=int)
    parser.add_argument("--first", type=int, default=1)
    parser.add_argument("--seed", type=int)
    parser.add_argument("--boards", type=int)
    parser.add_argument("--minutes", type=float, default=180.0)
    parser.add_argument("--faults", action="store_true")
    parser.add_argument("--note", action="store_true")
    asked = parser.parse_args(arguments)
    logging.disable(logging.CRITICAL)
    if asked.faults:
        seen = see_all()
        if asked.note:
            note(msgspec.structs.replace(noted(), faults=seen))
        return 0
    found, broken = search(rooms_of(asked))
    print(f"{found.rooms} rooms in {found.seconds:.0f} s of processor time: ", end="")
    print(f"laws do not hold in {broken}" if broken else "all laws hold")
    if asked.note and not broken:
        note(Results(search=found, faults=noted().faults))
    return 1 if broken else 0


if __name__ == "__main__":
    if sys.flags.hash_randomization:
        command = [sys.executable, "-m", "lab.room_seeds", *sys.argv[1:]]
        os.execve(sys.executable, command, os.environ | SAME_HASHES)  # noqa: S606
    sys.exit(main(sys.argv[1:]))
