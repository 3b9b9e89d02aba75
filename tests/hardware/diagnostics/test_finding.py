"""How findings are printed, and what the summary advises."""

from hardware.diagnostics.finding import Finding, line, summary
from lab.support.findings import FAULT, NOTE, SKIPPED


def test_a_finding_is_printed_in_columns() -> None:
    """A long text is wrapped in its own column, and no command is broken at a hyphen."""
    assert line(Finding("i2c", "/dev/i2c-1")) == "ok     i2c          /dev/i2c-1"
    long = line(Finding("x", "x " * 75 + "a-b-c" * 5, FAULT)).split("\n")
    assert all(len(text) <= 80 and text.startswith(" " * 20) for text in long[1:])
    assert "a-b-c" * 5 in long[-1]


def test_the_summary_says_what_to_do() -> None:
    note = Finding("a", "slow", NOTE, "Hurry.")
    fault = Finding("b", "gone", FAULT, "Fetch it.")
    text = summary([note, Finding("c", "well"), fault])
    assert text == (
        "1 fault and 1 note. What to do:\n\n 1  b: gone\n    Fetch it.\n\n 2  a: slow\n    Hurry."
    )
    assert summary([Finding("c", "well")]) == "No faults found."
    assert summary([note]) == "1 note. What to do:\n\n 1  a: slow\n    Hurry."
    assert summary([fault, fault]).startswith("2 faults. What")
    skipped = Finding("d", "not tested", SKIPPED)
    assert (
        summary([skipped, Finding("c", "well")])
        == "No faults found. Lines marked - were not tested."
    )
