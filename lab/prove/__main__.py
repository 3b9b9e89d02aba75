"""Search all states of small matches with the code that runs the clock, and put faults in.

    python -m lab.prove            everything, 15 minutes on two processors
    python -m lab.prove --quick    one profile and all faults, a minute; notes nothing
    python -m lab.prove NAME...    only what has a NAME in its name

Each result is noted in results.json, for lab/proof.md. A broken law ends the program with 1, after
the script that shows it.
"""

import sys
from collections.abc import Callable, Sequence
from functools import partial
from multiprocessing import Pool
from pathlib import Path
from typing import NamedTuple

import msgspec

from lab.prove.buttons import BUTTONS
from lab.prove.delivery import DELIVERY
from lab.prove.director import RULINGS
from lab.prove.part import Part, Seen, see
from lab.prove.players import PLAYERS
from lab.prove.search import Found, search
from lab.support.faults import MissedError

RESULTS = Path(__file__).with_name("results.json")
PARTS: tuple[Part, ...] = (PLAYERS, RULINGS, DELIVERY, BUTTONS)


class Results(msgspec.Struct, frozen=True):
    """What `make prove` found, as lab/proof.md shows it."""

    searches: list[Found]
    controls: list[Seen]


class Job(NamedTuple):
    """A search, or a control."""

    name: str
    run: Callable[[], Found | Seen]


def jobs(*, quick: bool = False, names: Sequence[str] = ()) -> list[Job]:
    """Return what is to be done, the longest first."""
    made = [
        Job(subject.name, lambda subject=subject: search(subject))  # type: ignore[misc]
        for part in PARTS
        for subject in (each.make() for each in part.searches if each.quick or not quick)
    ]
    made += [
        Job(fault.name, partial(see, fault, part.control))
        for part in PARTS
        for fault in part.faults
    ]
    return [job for job in made if not names or any(name in job.name for name in names)]


def row(done: Found | Seen | str) -> str:
    """Return what is printed of a job: a line of a table, or all about a law that does not hold."""
    match done:
        case str():
            return done
        case Seen():
            return f"{done.name:<64} seen after {done.acts:>2} acts {done.seconds:>6.1f} s"
        case Found(violation=None):
            end = "closed" if done.closed else f"to {done.depth} acts"
            size = f"{done.states:>9,} states {done.transitions:>11,} steps {done.depth:>3} deep"
            return f"{done.name:<36} {size} {done.seconds:>6.1f} s  {end}"
        case Found(violation=found):
            assert found is not None
            return f"{done.name}: BROKEN: {found.law}: {found.what}\n{found.script}"


def holds(done: Found | Seen | str) -> bool:
    """Return whether a search broke no law, or a fault was seen."""
    return not isinstance(done, str) and getattr(done, "violation", None) is None


def _run(numbered: tuple[int, bool, Sequence[str]]) -> Found | Seen | str:
    number, quick, names = numbered
    try:
        return jobs(quick=quick, names=names)[number].run()
    except MissedError as missed:
        return str(missed)


def main(arguments: Sequence[str]) -> int:
    """Do all jobs on all processors, print a row for each, and return the exit code."""
    quick, names = "--quick" in arguments, [each for each in arguments if each != "--quick"]
    wanted = [(number, quick, names) for number, _ in enumerate(jobs(quick=quick, names=names))]
    results: list[Found | Seen | str] = []
    with Pool() as pool:
        for done in pool.imap_unordered(_run, wanted):
            results.append(done)
            print(row(done), flush=True)
            if not quick and not isinstance(done, str) and holds(done):
                note(done)
    if not all(map(holds, results)):
        return 1
    seconds = sum(done.seconds for done in results if not isinstance(done, str))
    print(f"All laws hold, and all faults were seen: {seconds:.0f} s of processor time")
    return 0


def noted() -> Results:
    """Return what was found so far, by the present searches and controls, in their order."""
    known = msgspec.json.decode(RESULTS.read_bytes(), type=Results)
    order = [job.name for job in jobs()]
    return Results(
        sorted((s for s in known.searches if s.name in order), key=lambda s: order.index(s.name)),
        sorted((c for c in known.controls if c.name in order), key=lambda c: order.index(c.name)),
    )


def note(done: Found | Seen) -> None:
    """Note a result in the place of the one before."""
    known = noted()
    searches, controls = known.searches, known.controls
    if isinstance(done, Found):
        searches = [*(each for each in searches if each.name != done.name), done]
    else:
        controls = [*(each for each in controls if each.name != done.name), done]
    results = Results(searches, controls)
    RESULTS.write_bytes(msgspec.json.format(msgspec.json.encode(results), indent=1) + b"\n")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
