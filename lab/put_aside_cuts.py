"""Cut the power at each step of putting matches aside and taking them up (R131).

    python -m lab.put_aside_cuts CUTS [SEED]    default: 1000, 1

The clock writes to a disk that forgets what was not synced. After each of its calls of the system
the card is as a power cut would leave it. A clock that starts with that card must have the match
exactly once: under way, or in the list of those to resume; and its times, score and turn are
those at which it was stopped, to the nanosecond.
"""

import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import NamedTuple

from clock.storage.last_match import NOT_BEGUN_OR_OVER
from clock.storage.unfinished import unfinished_matches
from lab.support.boxes import ADA_BEN, Box
from lab.support.faulty_disk import FaultyDisk, Image, restored
from tests.stories.test_presets import CONFIRM

LONGEST_NS = 40_000_000_000  # of a turn
ROUNDS = 3  # of adjourning and resuming


class Session(NamedTuple):
    """How the match stood when it was stopped, and the card after each call since then."""

    stood: tuple[object, ...]
    images: list[Image]


def session(folder: Path, random: Random) -> Session:
    """Play some turns and stop; then adjourn the match and resume it again and again."""
    (folder / "logs").mkdir(parents=True)
    disk = FaultyDisk(folder / "logs")
    box = Box(folder, disk)
    box.do(CONFIRM + "1 press right")
    for side in ("left", "right", "left")[: random.randrange(4)]:
        box.do(f"{_pause(random)} press {side}")
    box.do(f"{_pause(random)} press centre")
    stood, begun = box.stands(), len(disk.images)
    for _ in range(ROUNDS):
        box.choose("put_aside")
        if random.random() < 0.5:
            box.choose("new_match")
        box.resume_match(ADA_BEN)
        assert box.stands() == stood
    box.close()
    return Session(stood, disk.images[begun:])


def _pause(random: Random) -> str:
    return f"{random.randrange(1, LONGEST_NS) / 10**9:.9f}"


def cut(folder: Path, played: Session, image: Image) -> str:
    """Start a clock with the card that a power cut has left; return where it has the match."""
    folder.mkdir()
    restored(folder / "logs", image)
    box = Box(folder)
    try:
        under_way = box.state.phase not in NOT_BEGUN_OR_OVER
        current = str(box.log) if under_way else ""
        listed = [each for each in unfinished_matches(box.logs, None) if each.log != current]
        assert under_way + len(listed) == 1, f"under way: {under_way}, in the list: {listed}"
        if not under_way:
            box.resume_match(ADA_BEN)
        assert box.stands() == played.stood, f"{box.stands()}, not {played.stood}"
        return "under way" if under_way else "in the list"
    finally:
        box.close()


def cuts(folder: Path, seed: int, count: int) -> Iterator[str]:
    """Cut the power so often, in as many sessions as it takes; yield where the match was."""
    random, number = Random(seed), 0
    while number < count:
        played = session(folder / f"session-{number}", random)
        for image in played.images[: count - number]:
            number += 1
            yield cut(folder / f"cut-{number}", played, image)


def main(arguments: list[str]) -> None:
    """Print how often the match was where."""
    count, seed = (*map(int, arguments), *(1000, 1)[len(arguments) :])
    with TemporaryDirectory() as folder:
        found = Counter(cuts(Path(folder), seed, count))
    print(f"{count} power cuts, seed {seed}: the match was", dict(found))


if __name__ == "__main__":
    main(sys.argv[1:])
