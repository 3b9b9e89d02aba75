"""Keep logs of this version, and a match under way, for the tests of all later versions.

python -m lab.keep_release

Run it once for a version, when it is ready. What is kept is never written anew.
"""

from itertools import pairwise

import msgspec

from clock import __version__
from clock.eventlog.recovery import Checkpoint
from clock.eventlog.replay import replay_lines
from clock.units import SECOND_NS
from lab.support.paths import DATA

INTO_TURN_NS = 20 * SECOND_NS + 1  # longer than any delay, so that the reserve has run


def checkpoint(lines: list[bytes]) -> Checkpoint:
    """Return a checkpoint within the last turn of a log that is long enough."""
    for (match, _), (after, _) in reversed(list(pairwise(replay_lines(lines)))):
        state, chain = match
        at_ns = state.at_ns + INTO_TURN_NS
        if state.running is not None and state.score.left and at_ns < after.state.at_ns:
            return Checkpoint(chain.match, chain.seq, at_ns, chain.boot, state)
    raise ValueError("no turn is so long")


def main() -> None:
    """Copy the logs, and write the checkpoint of one."""
    folder = DATA / "releases" / __version__
    folder.mkdir(parents=True)
    for log in sorted(DATA.glob("*.jsonl")):
        (folder / log.name).write_bytes(log.read_bytes())
    lines = (DATA / "ebf.jsonl").read_bytes().splitlines()
    (folder / "ebf.checkpoint").write_bytes(msgspec.json.encode(checkpoint(lines)) + b"\n")
    print(f"kept {folder.relative_to(DATA)}")


if __name__ == "__main__":
    main()
