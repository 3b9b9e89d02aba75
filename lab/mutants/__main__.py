"""Put one-line faults into modules and see which of them the tests notice.

make mutants ARGS="clock/report"

Results are kept in the user's cache: a fault that was noticed is not tried again until its function
changes; survivors are.
"""

import argparse
import random
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from lab.mutants.children import Outcome, Work, outcomes
from lab.mutants.faults import Fault, faults
from lab.mutants.matrix import Matrix
from lab.mutants.reach import PRODUCT, ROOT, Reach, own_tests
from lab.mutants.results import CACHE, Results, reason, reasons, stale, write_table
from lab.mutants.running import InProcess, freshly, in_collected, prepare
from lab.mutants.sample import SAMPLE, Sample, sample_of

MOST_GONE = 0.25  # of the sample's faults, whose functions have changed since
SAMPLE_OPTIONS = f"{' '.join(PRODUCT)} --sample 150 --keep"


def parse(arguments: Sequence[str]) -> argparse.Namespace:
    """Return what is wanted."""
    parser = argparse.ArgumentParser(prog="make mutants", description=__doc__)
    parser.add_argument("modules", nargs="*", help="packages or modules, such as clock/report")
    parser.add_argument("--sample", type=int, help="try so many faults, chosen by the seed")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--matrix", action="store_true", help="ask which tests notice what alone")
    parser.add_argument("--jobs", type=int, default=1, help="processes side by side")
    parser.add_argument("--tests", nargs="*", default=["tests"], help="folders to take tests from")
    parser.add_argument("--slow", action="store_true", help="try the modules' own slow tests, too")
    parser.add_argument("--budget", type=float, default=20, help="seconds of tests for one fault")
    parser.add_argument("--again", action="store_true", help="try also what was noticed before")
    parser.add_argument("--table", action="store_true", help="write lab/proof.md, try nothing")
    parser.add_argument("--keep", action="store_true", help="write those noticed to sample.toml")
    parser.add_argument("--kept", action="store_true", help="try those of sample.toml: 2 minutes")
    return parser.parse_args(arguments)


def made(modules: Sequence[str]) -> list[Fault]:
    """Return all faults of packages or modules."""
    paths = [
        path
        for module in modules
        for path in ([ROOT / module] if module.endswith(".py") else (ROOT / module).rglob("*.py"))
    ]
    names = sorted(str(path.relative_to(ROOT)) for path in paths)
    return [fault for name in names for fault in faults(name, (ROOT / name).read_bytes())]


def chosen(all_faults: list[Fault], sample: int | None, seed: int) -> list[Fault]:
    """Return a sample of the faults: the same for the same seed, in the order of the text."""
    if sample is None or sample >= len(all_faults):
        return all_faults
    rank = {fault.key: random.Random(f"{seed}{fault.key}").random() for fault in all_faults}
    few = set(sorted(rank, key=rank.__getitem__)[:sample])
    return [fault for fault in all_faults if fault.key in few]


class Run:
    """One run over some faults."""

    def __init__(
        self, wanted: argparse.Namespace, todo: list[Fault], reach: Reach | Sample, folder: Path
    ) -> None:
        self._wanted, self._todo, self.reach = wanted, todo, reach
        self.results = Results(folder / "results.jsonl")
        self._why = reasons()
        self._slow = {own_tests(fault.path) for fault in todo if wanted.slow}
        if wanted.again:
            self.results.forget(todo)

    def is_open(self, fault: Fault) -> bool:
        """Return whether a fault is to be tried: not if it was noticed, or there is a reason."""
        result = self.results.of(fault)
        if result is None:
            return True
        return not result.noticed_by and not (result.is_confirmed and reason(fault, self._why))

    def in_process(self) -> None:
        """Try the faults in functions, in a process that has collected all tests."""
        in_collected(self._wanted.tests, self._slow, self._try_in_process)

    def _try_in_process(self, tests: InProcess) -> None:
        if isinstance(self.reach, Reach):
            tests.measure(self.reach)
        todo = [fault for fault in self._todo if fault.scope and self.is_open(fault)]
        tests.load({fault.path for fault in todo})
        print(f"{len(todo)} faults in functions", flush=True)
        work = (
            (fault, tests.trying(fault, self.reach.reaching(fault, self._wanted.budget)))
            for fault in todo
        )
        for fault, outcome in outcomes(work, self._wanted.jobs):
            self.results.add(fault, outcome, is_confirmed=False)

    def freshly(self) -> None:
        """Try the others, and once more the survivors, with the product imported anew."""
        self.results.load()
        self.reach.load()
        alive = [fault for fault in self._todo if self.is_open(fault)]
        for stage in range(3):
            print(f"{len(alive)} faults with fresh imports, stage {stage + 1} of 3", flush=True)
            work = [(fault, each) for fault in alive if (each := self._fresh_work(fault, stage))]
            for fault, outcome in outcomes(work, self._wanted.jobs):
                if outcome.noticed:
                    self.results.add(fault, outcome, is_confirmed=True)
            alive = [fault for fault in alive if self.is_open(fault)]
        for fault in alive:
            self.results.add(fault, Outcome(), is_confirmed=True)

    def _fresh_work(self, fault: Fault, stage: int) -> Work | None:
        """Return the next step: the module's own tests, its package's, then others."""
        if fault.scope and stage:  # they were tried in the process
            return None
        files = self.reach.files(fault.path, stage, self._wanted.budget)
        return freshly(fault, files, self._slow) if files else None


def report(todo: list[Fault], results: Results) -> int:
    """Print the survivors, and how many there are; return how many have no reason."""
    why, tried = reasons(), [(fault, result) for fault in todo if (result := results.of(fault))]
    alive = [fault for fault, result in tried if not result.noticed_by]
    for fault in alive:
        text = reason(fault, why)
        print(f"{fault}" + (f"\n    reason: {text}" if text else ""))
    hanging = sum(result.is_hanging for _, result in tried)
    seconds = sum(result.seconds for _, result in tried)
    unexplained = sum(not reason(fault, why) for fault in alive)
    print(
        f"{len(todo)} faults, {len(tried)} tried: {len(tried) - len(alive)} noticed"
        f" ({hanging} of them by hanging), {len(alive)} survive,"
        f" {unexplained} of them without a reason; {seconds:.0f} s of processor time"
    )
    return unexplained


def try_sample(wanted: argparse.Namespace) -> None:
    """Try each fault of the sample with the test that noticed it once."""
    sample = Sample(SAMPLE.read_text("utf-8"))
    todo = [fault for fault in made(sample.modules) if sample.has(fault)]
    wanted.tests = sample.files_of_tests
    with tempfile.TemporaryDirectory() as folder:
        run = Run(wanted, todo, sample, Path(folder))
        run.in_process()
        run.freshly()
        unnoticed = report(todo, run.results)
    gone = len(sample) - len(todo)
    print(f"{gone} of the sample's {len(sample)} faults cannot be made any more")
    if unnoticed or gone > len(sample) * MOST_GONE:
        sys.exit(f"Mend the tests, or choose anew: make mutants ARGS='{SAMPLE_OPTIONS}'")


def main(arguments: Sequence[str]) -> None:
    """Do what the command line says."""
    wanted = parse(arguments)
    if wanted.kept:
        prepare()
        try_sample(wanted)
        return
    everything = made(wanted.modules or PRODUCT)
    todo = chosen(everything, wanted.sample, wanted.seed)
    CACHE.mkdir(parents=True, exist_ok=True)
    reach = Reach(CACHE / "reach.json")
    run = Run(wanted, todo, reach, CACHE)
    if wanted.matrix:
        Matrix(reach, todo, wanted.jobs).run(wanted.tests)
        return
    if wanted.table:
        write_table(everything, run.results)
        return
    prepare()
    run.in_process()
    run.freshly()
    report(todo, run.results)
    if wanted.keep:
        SAMPLE.write_text(sample_of(todo, everything, run.results), "utf-8")
    if old := stale(everything, reasons(), run.results):
        sys.exit("Reasons that are out of date, in lab/mutants/reasons.toml:\n" + "\n".join(old))


if __name__ == "__main__":
    main(sys.argv[1:])
