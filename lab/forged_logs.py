"""Have two verifiers judge damaged and forged logs: they must agree, and refuse false fingerprints.

    python -m lab.forged_logs [CASES]    10,000 by default

One verifier is `gammonclock verify`, the other `lab/support/second_verifier.py`.
"""

import sys
from collections import Counter
from multiprocessing import Pool
from pathlib import Path
from tempfile import TemporaryDirectory

from lab.support.forgeries import BAD, DAMAGES, FORGERIES, GOOD, REPLAY, case, verdict

MUTATIONS = (*DAMAGES, *FORGERIES)


def judge(number: int) -> tuple[str, str]:
    """Return what kind of forgery has this number, and what both verifiers say of it."""
    mutate = MUTATIONS[number % len(MUTATIONS)]
    with TemporaryDirectory() as folder:
        said = verdict(case(mutate, number), Path(folder, "match.jsonl"))
    return mutate.__name__, said


def main() -> None:
    """Judge, and print how many logs of each kind have which verdict."""
    cases = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000
    with Pool() as pool:
        said = Counter(pool.imap_unordered(judge, range(cases), chunksize=50))
    print(f"{'':<18} {BAD:>16} {REPLAY:>26} {GOOD:>5}")
    for kind in (mutate.__name__ for mutate in MUTATIONS):
        print(f"{kind:<18} {said[kind, BAD]:>16} {said[kind, REPLAY]:>26} {said[kind, GOOD]:>5}")
    print(f"{sum(said.values())} logs: no verdict differs, and no other log has the true log code")


if __name__ == "__main__":
    main()
