"""Which tests notice what no other test notices: all tests that reach a fault are run."""

import ast
from collections import Counter, defaultdict
from collections.abc import Sequence

from lab.mutants.children import outcomes
from lab.mutants.faults import Fault
from lab.mutants.reach import LAYERS, ROOT, Reach, layer
from lab.mutants.running import InProcess, in_collected, prepare

BUDGET_S = 60


class Matrix:
    """The tests that notice each fault of a sample."""

    def __init__(self, reach: Reach, todo: list[Fault], jobs: int) -> None:
        self._reach, self._todo, self._jobs = reach, todo, jobs
        self._noticed: dict[Fault, set[str]] = {}

    def run(self, folders: Sequence[str]) -> None:
        """Try all faults, and print what the tests notice."""
        prepare()
        in_collected(folders, (), self._in_process)

    def _in_process(self, tests: InProcess) -> None:
        """Run the module's own tests and its package's in full; of others, up to the first."""
        tests.measure(self._reach)
        tried = [
            (fault, self._reach.reaching(fault, BUDGET_S)) for fault in self._todo if fault.scope
        ]
        work = [(fault, tests.trying(fault, reaching, 2)) for fault, reaching in tried]
        print(f"{len(work)} faults", flush=True)
        for fault, outcome in outcomes(work, self._jobs):
            self._noticed[fault] = set(outcome.noticed)
        names = {test.id for _, reaching in tried for test in reaching if test.layer < 2}
        self.print_tests({name.partition("[")[0] for name in names})
        self.print_layers()

    def print_tests(self, names: set[str]) -> None:
        """Print which of the package's tests notice nothing alone; a star: they may go together."""
        noticed = defaultdict(set)
        for fault, tests in self._noticed.items():
            for test in tests:
                noticed[test.partition("[")[0]].add(fault)
        times = Counter(fault for faults in noticed.values() for fault in faults)
        lines = {name: length for name in names for name, length in lengths(name)}
        idle = [name for name in lines if all(times[fault] > 1 for fault in noticed[name])]
        left, together = times.copy(), set()
        for name in sorted(idle, key=lambda name: -lines[name]):
            if all(left[fault] > 1 for fault in noticed[name]):
                together.add(name)
                left.subtract(noticed[name])
        print("Tests that notice nothing alone (*: these may all go together):")
        print("lines  notices")
        for name in sorted(idle, key=lambda name: -lines[name]):
            star = "*" if name in together else " "
            print(f"{lines[name]:5} {len(noticed[name]):8} {star} {name}")
        saved = sum(lines[name] for name in together)
        print(f"{len(lines)} test functions; {len(together)} may go: {saved} lines")

    def print_layers(self) -> None:
        """Print how many faults each layer of tests notices, and how many no other layer does."""
        seen, alone = Counter[int](), Counter[int]()
        for fault, tests in self._noticed.items():
            layers = {layer(test.partition("::")[0], fault.path) for test in tests}
            seen.update(layers)
            alone.update(layers if len(layers) == 1 else ())
        print(f"{len(self._noticed)} faults, {sum(map(bool, self._noticed.values()))} noticed")
        for number, name in enumerate(LAYERS):
            print(f"{name:>10}: {seen[number]} noticed, {alone[number]} by no other layer")


def lengths(name: str) -> list[tuple[str, int]]:
    """Return a test function with its number of lines; nothing if it is not found."""
    file, *_, function = name.split("::")
    tree = ast.parse((ROOT / file).read_text("utf-8"))
    return [
        (
            name,
            (node.end_lineno or 0) - min(each.lineno for each in (*node.decorator_list, node)) + 1,
        )
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name == function
    ][:1]
