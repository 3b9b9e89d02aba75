"""Write the tables of lab/proof.md from what `make prove` and `python -m lab.room_seeds` found.

A test compares the two.
"""

from collections.abc import Callable, Sequence

from lab.prove import buttons, delivery_laws
from lab.prove.__main__ import noted
from lab.prove.director import DIRECTORS_LAWS
from lab.prove.laws import LAWS
from lab.prove.search import FATE, NO_EXCEPTION, TWINS, Found
from lab.room_seeds import laws, results
from lab.support.paths import ROOT

PAGE = ROOT / "lab" / "proof.md"
SEARCHES = ("<!-- searches: make docs -->\n", "<!-- end of the searches -->\n")
ROOMS = ("<!-- rooms: make docs -->\n", "<!-- end of the rooms -->\n")
OF_ANY_SEARCH = {
    NO_EXCEPTION: "Nothing raises an exception.",
    FATE: "From every state the end can be reached, or it waits for somebody who is known.",
    TWINS: "States that the search counts as one lead on alike.",
}
DELIVERY_LAWS = (
    delivery_laws.CLOCK_LAWS,
    delivery_laws.HUB_LAWS,
    delivery_laws.BOTH_LAWS,
)


def tables() -> str:
    """Return the tables of laws, searches, waiting states and faults."""
    proved = noted()
    faults = [(seen.name, _words(seen.law), str(seen.acts)) for seen in proved.controls]
    return "\n".join(
        [
            "### The searches\n",
            _table(("", "states", "steps", "furthest", "seconds", ""), map(_row, proved.searches)),
            "### The laws\n",
            *(f"- {sentence}" for sentence in _sentences().values()),
            "\n### States that players alone cannot leave\n",
            "There the clock is held for the director, for this reason (states of all searches in",
            "brackets). From every other state the players can finish the match.\n",
            _table(("", "held for"), _waiting(proved.searches)),
            "### The faults\n",
            _table(("fault", "seen by the law", "after acts"), faults),
        ]
    )


def _row(found: Found) -> tuple[str, ...]:
    end = "all states" if found.closed else f"all ways of up to {found.depth} acts"
    numbers = (f"{found.states:,}", f"{found.transitions:,}", str(found.depth))
    return (found.name, *numbers, f"{found.seconds:.0f}", end)


def _waiting(searches: Sequence[Found]) -> list[tuple[str, ...]]:
    """Return for each profile why states wait of which all were searched, and their numbers."""
    reasons: dict[str, dict[str, int]] = {}
    for found in filter(lambda each: each.closed, searches):
        of_profile = reasons.setdefault(found.name.split(":")[0], {})
        for why, count in found.waiting.items():
            of_profile[why] = of_profile.get(why, 0) + count
    return [
        (name, ", ".join(f"{why} ({count:,})" for why, count in of_profile.items()))
        for name, of_profile in reasons.items()
        if of_profile
    ]


def _sentences() -> dict[str, str]:
    """Return each law's sentence by its name."""
    groups: tuple[Sequence[Callable[..., str | None]], ...] = (
        LAWS,
        DIRECTORS_LAWS,
        *DELIVERY_LAWS,
        buttons.LAWS,
    )
    all_laws = [law for group in groups for law in group]
    return {law.__name__: _sentence(law) for law in all_laws} | OF_ANY_SEARCH


def _sentence(law: Callable[..., str | None]) -> str:
    return (law.__doc__ or "").split("\n\n")[0]


def _words(law: str) -> str:
    return law.replace("_", " ")


def _table(heads: Sequence[str], rows: "Sequence[tuple[str, ...]] | map[tuple[str, ...]]") -> str:
    lines = [heads, ["---"] * len(heads), *rows]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def room_tables() -> str:
    """Return what whole rooms have shown: how many, the laws, and the faults."""
    found = results.noted()
    search, (moment, quiet) = found.search, (laws.EVERY_MOMENT, laws.WHEN_QUIET)
    rows = [(name, f"{count:,}") for name, count in search.incidents.items()]
    seen = [(each.name, _words(each.law), str(each.seed)) for each in found.faults]
    return "\n".join(
        [
            f"{search.rooms:,} rooms, {search.hours:,} hours, {search.lines:,} lines; the laws",
            f"were asked {search.checks:,} times. It took {search.seconds:,} s of one processor.\n",
            _table(("what happened", "times"), rows),
            "### What holds at every moment\n",
            *(f"- {_sentence(law)}" for law in moment),
            "\n### What holds a minute after the last fault\n",
            *(f"- {_sentence(law)}" for law in quiet),
            "\n### Faults put into rooms\n",
            _table(("fault", "seen by the law", "first seed"), seen),
        ]
    )


def with_tables(text: str) -> str:
    """Return the page's text with the tables between its marks."""
    for (begin, end), made in ((SEARCHES, tables()), (ROOMS, room_tables())):
        before, rest = text.split(begin)
        text = before + begin + made + "\n" + end + rest.split(end)[1]
    return text


if __name__ == "__main__":
    PAGE.write_text(with_tables(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
    print(f"wrote the tables of {PAGE.relative_to(ROOT)}")
