"""A clock in a process of its own, which a test kills: real loop and journal, scripted fingers.

    python tests/clock_process.py DIRECTORY SEED BEGIN

Time is virtual and goes on at BEGIN, on the same boot. Each line is acknowledged on standard output
after it was synced: what has been acknowledged may never be lost.
"""

import os
import sys
from pathlib import Path
from random import Random

from world import SECOND_NS, match_settings

from clock.assembly import last_match
from clock.dialogue import HOLD_NS, ButtonMoved
from clock.journal import Journal
from clock.play import ScriptedButtons, Unseen, VirtualTime
from clock.ports import Ports
from clock.runtime import Manner, Runtime
from clock.script import Segment
from clock.sides import Button

PRESSES = 400


def moves(seed: int, begin_ns: int) -> Segment:
    """Presses at random, never 30 s apart."""
    random, at_ns, edges = Random(seed), begin_ns, []
    for _ in range(PRESSES):
        at_ns += random.randrange(1, 20 * SECOND_NS)
        button = random.choices(list(Button), (4, 4, 1))[0]
        held_ns = HOLD_NS if button is Button.CENTRE and random.random() < 0.2 else 0
        edges.append(ButtonMoved(button, down=True, at_ns=at_ns))
        at_ns += held_ns
        edges.append(ButtonMoved(button, down=False, at_ns=at_ns))
    return Segment(tuple(edges), at_ns)


def acknowledge_syncs() -> None:
    """Say of every line that it was synced."""
    latest: dict[int, bytes] = {}
    write, sync = os.write, os.fdatasync

    def noticed(file: int, data: bytes) -> int:
        latest[file] = data
        return write(file, data)

    def acknowledged(file: int) -> None:
        sync(file)
        if file in latest:
            write(sys.stdout.fileno(), latest.pop(file))

    vars(os).update(write=noticed, fdatasync=acknowledged)


def main() -> None:
    """Play until killed, or until there is nothing left to press."""
    directory, seed, begin_ns = Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
    acknowledge_syncs()
    time, journal = VirtualTime(), Journal(directory)
    time.ns = begin_ns
    buttons = ScriptedButtons(time, moves(seed, begin_ns))
    unseen = Unseen(match_settings(time_per_point_ns=30 * SECOND_NS, bank_step_ns=1))
    ports = Ports(time, buttons, unseen, journal, unseen, unseen)
    runtime = Runtime(ports, Manner(lambda word, **_: word, "test"), last_match(journal, time))
    while not buttons.done:
        runtime.turn()
    journal.close()


if __name__ == "__main__":
    main()
