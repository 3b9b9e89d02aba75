"""`make mutants`: which faults are made, that one is noticed or not, and when a reason is stale."""

import logging
import sys
from pathlib import Path
from typing import Any

import pytest

import gammonclock
from lab.mutants import reach, results, running
from lab.mutants.children import Outcome, Report, Work, outcomes
from lab.mutants.faults import Fault, faults
from lab.mutants.sample import Sample, sample_of

SOURCE = b'''"""A module."""

LIMIT = 3


def few(number: int, *, at_least: int = 0) -> bool:
    """Return whether it is few."""
    if at_least < number <= LIMIT and not number.imag:
        log.debug("%d is few", number + 1)
        return True
    match number:
        case 1 | 2:
            return True
        case 3 | _:
            pass
    return any(
        number == each
        for each, _ in zip((7, 8), "ab", strict=True)
        if each
    )
'''


def made() -> list[Fault]:
    """Return the faults of the module above."""
    return faults("a/b.py", SOURCE)


def test_faults_are_of_one_line_and_keep_the_others() -> None:
    """No fault is made in a text, an annotation or a log message."""
    changes = {f"{fault.line}: {fault.after}" for fault in made()}
    assert changes == {
        "3: LIMIT = 4",
        "6: def few(number: int, *, at_least: int = 1) -> bool:",
        "8: if at_least <= number <= LIMIT and not number.imag:",
        "8: if at_least < number < LIMIT and not number.imag:",
        "8: if at_least < number <= LIMIT and number.imag:",
        "8: if (at_least < number <= LIMIT):",
        "8: if (not number.imag):",
        "10: return False",
        "12: case 1 | 2 if False:",
        "12: case 1:",
        "12: case 2 | 2:",
        "12: case 1 | 3:",
        "12: case 2:",
        "13: return False",
        "16: return all(",
        "17: number != each",
        '18: for each, _ in zip((8, 8), "ab", strict=True)',
        '18: for each, _ in zip((7, 9), "ab", strict=True)',
        "19: if True",
    }
    assert {fault.apply(SOURCE).count(b"\n") for fault in made()} == {SOURCE.count(b"\n")}
    assert {fault.scope for fault in made() if fault.line in {3, 6}} == {""}
    assert {fault.scope for fault in made() if fault.line > 6} == {"few"}
    assert len({fault.key for fault in made()}) == len(made())


def test_a_limit_is_left_out() -> None:
    """One operand of `min` or `max`, if there are two."""
    source = b"def put(a: int) -> int:\n    return min(a, max(2, *{a}))\n"
    assert {fault.after for fault in faults("a/b.py", source)} == {
        "return max(a, max(2, *{a}))",
        "return (a)",
        "return (max(2, *{a}))",
        "return min(a, min(2, *{a}))",
        "return min(a, (2))",
        "return min(a, max(3, *{a}))",
    }


def test_an_assignment_is_left_out_in_part() -> None:
    """One of several targets keeps its value; or it does so if the new value is empty."""
    source = (
        b"def reset(self):\n    self.a, b = 1, self.c\n    self.d = [*b]\n    self.e = list(b)\n"
    )
    changes = {f"{fault.line}: {fault.after}" for fault in faults("a/b.py", source)}
    assert changes == {
        "2: _, b = 1, self.c",
        "2: self.a, b = 2, self.c",
        "3: pass",
        "4: pass",
        "4: self.e = list(b) or self.e",
    }


def test_a_key_stays_until_the_function_changes() -> None:
    keys = {fault.key for fault in made() if fault.line > 6}
    above = faults("a/b.py", SOURCE.replace(b"LIMIT = 3", b"LIMIT = 3\nMORE = 1"))
    assert keys <= {fault.key for fault in above}
    within = faults("a/b.py", SOURCE.replace(b"(7, 8)", b"(7, 9)"))
    assert not keys & {fault.key for fault in within}


def test_a_function_gets_the_faulty_code(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """In a child, so that the next fault finds the function as it was."""
    file = tmp_path / "a/b.py"
    file.parent.mkdir()
    file.write_bytes(SOURCE)
    monkeypatch.setattr(running, "ROOT", tmp_path)
    names: dict[str, Any] = {"log": logging.getLogger()}
    exec(compile(SOURCE, str(file), "exec"), names)  # noqa: S102 - a module that is no file's
    few = names["few"]
    loaded = running.Loaded({running.place(few.__code__): [few]}, [])

    def trying(fault: Fault) -> Work:
        def work(report: Report) -> None:
            running.put_in(fault, loaded)
            if not few(3):
                report.noticed("three are few")

        return work

    [off_by_one] = [fault for fault in made() if "< LIMIT" in fault.after]
    [other] = [fault for fault in made() if fault.after.startswith("return all")]
    work = [(fault, trying(fault)) for fault in (off_by_one, other)]
    noticed = {fault: outcome.noticed for fault, outcome in outcomes(work, 2)}
    assert noticed == {off_by_one: ["three are few"], other: []}


def test_a_module_that_tests_import_late_is_there_for_its_faults(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """As that of a command, which is imported when it is called; an extra may be missing."""
    name = "gammonclock.play"
    monkeypatch.setattr(running, "ROOT", Path(gammonclock.__file__).parents[1])
    monkeypatch.delitem(sys.modules, name, raising=False)
    monkeypatch.setitem(sys.modules, "gammonclock.run", None)
    running.InProcess.load(["gammonclock/run.py", "gammonclock/play.py"])
    functions = {place.rpartition("/")[2] for place, *_ in running.loaded.__wrapped__().functions}
    assert name in sys.modules
    assert "play.py" in functions


def test_a_child_that_hangs_or_dies_has_noticed() -> None:
    def hanging(report: Report) -> None:
        report.starts("hangs", -0.999)
        while True:
            pass

    def dying(report: Report) -> None:
        report.starts("dies")
        raise SystemError

    found = dict(outcomes([("hangs", hanging), ("dies", dying)], 2))
    assert {name: (each.noticed, each.is_hanging) for name, each in found.items()} == {
        "hangs": (["hangs"], True),
        "dies": (["dies"], False),
    }


@pytest.mark.parametrize(
    ("test", "module", "expected"),
    [
        ("tests/match/test_breaks.py", "clock/match/breaks.py", "own file"),
        ("tests/test_session.py", "clock/session.py", "own file"),
        ("tests/room/boards/test_ids.py", "room/boards/board.py", "package"),
        ("tests/stories/test_match.py", "clock/match/breaks.py", "stories"),
        ("tests/report/test_breaks.py", "clock/match/breaks.py", "rest"),
    ],
)
def test_own_tests_come_first(test: str, module: str, expected: str) -> None:
    assert reach.LAYERS[reach.layer(test, module)] == expected


def test_slow_tests_are_those_of_chosen_files(request: pytest.FixtureRequest) -> None:
    """`--slow` chooses the modules' own; without it there are none."""
    quick = request.node
    slow = pytest.Function.from_parent(quick.parent, name="slow", callobj=lambda: None)
    slow.add_marker("slow")
    file = quick.nodeid.partition("::")[0]
    for files, expected in (((), [quick]), ((file,), [quick, slow])):
        items = [quick, slow]
        running.Quick(files).pytest_collection_modifyitems(items)
        assert items == expected


def test_a_file_is_measured_again_when_it_changes_or_has_more_tests(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """One that is gone is no test: pytest would refuse it, as if a fault was noticed."""
    monkeypatch.setattr(reach, "ROOT", tmp_path)
    (tmp_path / "tests").mkdir()
    (tmp_path / "tests/test_a.py").write_text("as it was")
    kept = reach.Reach(tmp_path / "reach.json")
    for tests in ({"tests/test_a.py::quick"}, {"tests/test_a.py::quick", "tests/test_a.py::slow"}):
        for expected in ({"tests/test_a.py"}, set[str]()):
            assert kept.stale(tests) == expected
            for test in tests:
                kept.add(test, 1, passed=True)
            kept.save(["tests/test_a.py"])
    (tmp_path / "tests/test_a.py").write_text("changed")
    assert kept.stale({"tests/test_a.py::quick"}) == {"tests/test_a.py"}
    for files in (["tests/test_a.py"], []):
        assert reach.Reach(tmp_path / "reach.json").files("a.py", 0, 0) == files
        (tmp_path / "tests/test_a.py").unlink(missing_ok=True)


def test_lines_keep_their_tests_when_others_are_inserted() -> None:
    """A new line counts as the one before, a changed one as itself."""
    assert reach.moved(["a", "b", "c"], ["x", "a", "b", "new", "c"]) == [1, 1, 2, 2, 3]
    assert reach.moved(["a", "b", "c"], ["a", "B", "c"]) == [1, 2, 3]


def test_a_reason_goes_stale(tmp_path: Path) -> None:
    kept = results.Results(tmp_path / "results.jsonl")
    fault = made()[0]
    change = f"{fault.before} -> {fault.after}"
    why = {("a/b.py", change): "three or four", ("a/b.py", "x -> y"): "gone"}
    kept.add(fault, Outcome(), is_confirmed=True)
    assert results.stale(made(), why, kept) == ["a/b.py: x -> y"]
    assert results.reason(fault, why) == "three or four"
    kept.add(fault, Outcome(noticed=["a test"]), is_confirmed=True)
    assert results.stale(made(), why, kept) == [f"a/b.py: {change}", "a/b.py: x -> y"]


def test_the_table_has_a_row_for_each_package(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """The row that was there is kept if more of its faults had been tried."""
    tried, page = results.Results(tmp_path / "results.jsonl"), tmp_path / "proof.md"
    noticed, alive, *others = faults = made()
    tried.add(noticed, Outcome(noticed=["a test"]), is_confirmed=True)
    tried.add(alive, Outcome(), is_confirmed=True)
    row = f"{len(faults)} | {len(others)} | 1 | 0 | 1 |"
    more = f"{len(faults)} | {len(others) - 2} | 2 | 1 | 1 |"
    monkeypatch.setattr(results, "PAGE", page)
    for before, cells in (
        ("", row),
        ("| a | 9 | 99 | 0 | 0 | 0 |\n", row),
        (f"| a | {more}\n", more),
    ):
        page.write_text(f"Above\n{results.BEGIN}\n{before}{results.END}\nBelow\n")
        results.write_table(faults, tried)
        above, _, rest = page.read_text().partition(results.BEGIN)
        text, _, below = rest.partition(results.END)
        assert (above, below) == ("Above\n", "\nBelow\n")
        assert text.endswith(f"\n| a | {cells}\n| all | {cells}\n")


def test_a_sample_keeps_the_faults_that_a_test_has_noticed(tmp_path: Path) -> None:
    """Not those that survive, hang, break an import or look like another one of the module."""
    found = results.Results(tmp_path / "results.jsonl")
    alone, hanging, imported, alive, twin = few = made()[:5]
    for fault in (alone, hanging, imported, twin):
        noticed = "import" if fault is imported else "tests/a/test_b.py::test_it"
        found.add(fault, Outcome([noticed], is_hanging=fault is hanging), is_confirmed=True)
    found.add(alive, Outcome(), is_confirmed=True)
    sample = Sample(sample_of(few, [*few, twin], found))
    assert (len(sample), sample.modules) == (1, ["a/b.py"])
    assert [fault for fault in made() if sample.has(fault)] == [alone]
    assert [test.id for test in sample.reaching(alone, 0)] == ["tests/a/test_b.py::test_it"]
    assert sample.files_of_tests == sample.files("a/b.py", 0, 0) == ["tests/a/test_b.py"]
    assert sample.files("a/b.py", 1, 0) == []
