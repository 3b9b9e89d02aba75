"""The documents are right: links, commands, make targets, and each press on the director's page."""

import json
import re
from pathlib import Path

import click.testing
import pytest

from clock.cli import main
from clock.match.faults import PARTS
from clock.ui.i18n import sayer, tables
from tests.support.paths import ROOT

PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
TEXTS = {page.relative_to(ROOT).as_posix(): page.read_text(encoding="utf-8") for page in PAGES}
DIRECTOR = TEXTS["docs/director.md"]
LINES = tables("en")["lines"]

ACTS = {"C": "press centre", "H": "hold centre", "L": "press left", "R": "press right"}
BEGUN = "L R C 1 R 8 L 14 R 3"  # the left clock runs; numbers are seconds
WHILE = {
    "a clock runs": BEGUN,
    "FLAG": f"{BEGUN} 1000",
    "CALL TD": f"{BEGUN} C L C",  # the last reason of all is a claim of time
    "Game over": f"{BEGUN} C R C",
    "Ready": f"{BEGUN} C R C L C",
    "Match over": f"{BEGUN} C R C L L L C",
}
DONE = {  # what the log has last for each row of the director's table, in its order
    "a time is wrong": ("adjusted", "left"),
    "a player lost time without fault": ("adjusted", "left"),
    "the wrong clock runs": ("resumed", "right"),
    "a flag that should not stand": ("adjusted", "left"),
    "time expired": ("match_over", None),
    "a claim without ground": ("corrected", None),
    "the score is wrong": ("corrected", "left"),
    "a game was closed too soon": ("reopened", None),
    "a match was closed too soon": ("reopened", None),
}
ROW = re.compile(r"^\| ([^|]+?) \| ([^|]+?) \| `([CHLR -]+)` \|", re.MULTILINE)
ROWS = ROW.findall(DIRECTOR)


def played(folder: Path, presses: str, length: int) -> list[dict[str, object]]:
    """Return the records of the log after these presses."""
    script = "".join(
        f"{word} wait\n" if word.isdigit() else f"1 {ACTS[word]}\n" for word in presses.split()
    )
    (folder / "script").write_text(script, encoding="utf-8")
    (folder / "toml").write_text(f"[match]\nlength = {length}\n", encoding="utf-8")
    command = ["play", str(folder / "script"), "--config", str(folder / "toml")]
    done = click.testing.CliRunner().invoke(main, command)
    assert done.exit_code == 0, done.output
    return [json.loads(line) for line in done.stdout.splitlines()]


def test_each_cure_is_tried() -> None:
    """Each row of the director's table has its expected outcome in `DONE`."""
    assert [wrong for wrong, _, _ in ROWS] == list(DONE)


@pytest.mark.parametrize(("wrong", "phase", "presses"), ROWS)
def test_a_cure_press_by_press(tmp_path: Path, wrong: str, phase: str, presses: str) -> None:
    """The last press of a row, and no earlier one, brings about what the row promises."""
    acts = presses.replace("-", "").split()
    length = 3 if phase == "Match over" else 7
    before = len(played(tmp_path, WHILE[phase], length))
    records = played(tmp_path, " ".join([WHILE[phase], *acts]), length)
    event, side = DONE[wrong]
    assert records[-1]["event"] == event
    assert (records[-1].get("side"), len(acts) <= 14) == (side, True)
    assert event not in {each["event"] for each in records[before:-1]}


def test_buttons_are_tried_in_the_menu(tmp_path: Path) -> None:
    """Hold, turn, hold again: nothing is confirmed by that."""
    records = played(tmp_path, "H L R H", 7)
    assert {each["event"] for each in records} == {"match_opened", "pressed"}
    assert (len(records), records[-1]["phase"]) == (5, "REVIEW")


def test_what_the_first_cure_gives(tmp_path: Path) -> None:
    """The first row adds one minute, as the page says."""
    record = played(tmp_path, f"{BEGUN} {ROWS[0][2].replace('-', '')}", 7)[-1]
    minute_ns = 60 * 10**9
    shown_ns = 14 * minute_ns
    assert record["new_ns"] == shown_ns + minute_ns


@pytest.mark.parametrize("part", sorted(PARTS))
def test_each_warning_is_explained(part: str) -> None:
    """Each warning is explained under the words that the panel shows."""
    assert LINES[f"warning_{part}"] in DIRECTOR


def test_each_reason_is_explained() -> None:
    """Each reason that a profile may offer is explained."""
    reasons = {text for name, text in LINES.items() if name.startswith("reason_")}
    assert {text for text in reasons if text not in DIRECTOR} == set()


def test_the_items_it_names_are_in_the_menu() -> None:
    """Each name in italics is a chapter of the page or an item of the menu."""
    headings = re.findall(r"^## (.+)$", DIRECTOR, re.MULTILINE)
    named = set(re.findall(r"(?<!\*)\*([A-Z][\w/ ]+)\*(?!\*)", DIRECTOR)) - set(headings)
    assert {"Set a time", "Add/take time", "Flag"} <= named
    menu = {text for name, text in LINES.items() if name.startswith("item_")}
    assert named <= menu


def test_the_directors_page_is_short() -> None:
    """The page has at most 160 lines."""
    assert DIRECTOR.count("\n") <= 160
    assert sayer("en")("event_lost", seconds=1) in DIRECTOR


@pytest.mark.parametrize("name", TEXTS)
def test_links_lead_somewhere(name: str) -> None:
    """Each relative link leads to a file; code may be installed elsewhere."""
    page = ROOT / name
    links = re.findall(r"\]\(((?!https?:)[^)#]+)", TEXTS[name])
    gone = [link for link in links if not (page.parent / link).exists()]
    assert [link for link in gone if not link.startswith(("clock", "hardware"))] == []


def commands(word: str) -> set[tuple[str, ...]]:
    """Return the commands in all pages that begin with `word`, each as a tuple of words."""
    pattern = rf"(?:^    (?:\S+@\S+ )?(?:sudo (?:-u \w+ )?)?|`(?:sudo )?){word}(?: ([^`\n#]*))?"
    found = [re.findall(pattern, text, re.MULTILINE) for text in TEXTS.values()]
    return {tuple(words.split()) for each in found for words in each if words}


@pytest.mark.parametrize("words", sorted(commands("gammonclock")))
def test_commands_and_their_options_are_there(words: tuple[str, ...]) -> None:
    """Each command that a page names exists and has the options that the page uses."""
    shown = click.testing.CliRunner().invoke(main, [words[0], "--help"])
    assert shown.exit_code == 0, words
    options = {word for word in words[1:] if word.startswith("--")}
    assert {option for option in options if option not in shown.output} == set()


@pytest.mark.parametrize("words", sorted(commands("make")))
def test_targets_are_there(words: tuple[str, ...]) -> None:
    """Each make target that a page names exists."""
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    words = words[: next((at for at, word in enumerate(words) if "=" in word), None)]
    targets = [word for word in words if re.fullmatch(r"[a-z-]+", word)]
    assert [each for each in targets if f"\n{each}:" not in makefile] == []


def test_the_bench_page_names_each_patch() -> None:
    """The page names exactly the patches that exist."""
    patches = {path.name for path in (ROOT / "tests" / "bench").glob("*.patch")}
    assert set(re.findall(r"[\w-]+\.patch", TEXTS["docs/bench.md"])) == patches


def test_the_bench_page_names_each_module_of_tests() -> None:
    """The table of what is tested names exactly the test modules that exist."""
    there = {path.stem for path in (ROOT / "tests" / "bench").glob("test_*.py")}
    chapter = TEXTS["docs/bench.md"].split("## What is tested")[1].split("\n## ")[0]
    firsts = "".join(re.findall(r"^\| (`.*?) \|", chapter, re.MULTILINE))
    assert {f"test_{name}" for name in re.findall(r"`(\w+)`", firsts)} - {"test_test_"} == there
