"""The documents say what is true: links, commands, targets, and each press of the director's page.

The one rule: what a page tells somebody to do is done here, or at least there to be done.
"""

import json
import re
from pathlib import Path

import click.testing
import pytest

from clock.cli import main
from clock.ui.i18n import sayer
from clock.runtime.ports import PARTS
from clock.ui.locale import en

ROOT = Path(__file__).parent.parent
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
TEXTS = {page.name: page.read_text(encoding="utf-8") for page in PAGES}
DIRECTOR = TEXTS["director.md"]

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
    "a time": ("adjusted", "left"),
    "a player lost time by no fault of his": ("adjusted", "left"),
    "the wrong clock runs": ("resumed", "right"),
    "a flag that should not stand": ("adjusted", "left"),
    "time expired": ("match_over", None),
    "a claim without ground": ("corrected", None),
    "the score": ("corrected", "left"),
    "a game closed too soon": ("reopened", None),
    "a match closed too soon": ("reopened", None),
}
ROW = re.compile(r"^\| ([^|]+?) \| ([^|]+?) \| `([CHLR -]+)` \|", re.MULTILINE)
ROWS = ROW.findall(DIRECTOR)


def played(folder: Path, presses: str, length: int) -> list[dict[str, object]]:
    """The log that these presses give."""
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
    """A row that is added here is added there."""
    assert [wrong for wrong, _, _ in ROWS] == list(DONE)


@pytest.mark.parametrize(("wrong", "phase", "presses"), ROWS)
def test_a_cure_press_by_press(tmp_path: Path, wrong: str, phase: str, presses: str) -> None:
    """The director's presses bring about what they promise, the last of them and no earlier one."""
    acts = presses.replace("-", "").split()
    length = 3 if phase == "Match over" else 7
    before = len(played(tmp_path, WHILE[phase], length))
    records = played(tmp_path, " ".join([WHILE[phase], *acts]), length)
    event, side = DONE[wrong]
    assert records[-1]["event"] == event
    assert (records[-1].get("side"), len(acts) <= 14) == (side, True)
    assert event not in {each["event"] for each in records[before:-1]}


def test_buttons_are_tried_in_the_menu(tmp_path: Path) -> None:
    """Held, turned, held again: nobody has confirmed anything."""
    records = played(tmp_path, "H L R H", 7)
    assert {each["event"] for each in records} == {"match_opened", "pressed"}
    assert (len(records), records[-1]["phase"]) == (5, "REVIEW")


def test_what_the_first_cure_gives(tmp_path: Path) -> None:
    """One minute more, as the page says."""
    record = played(tmp_path, f"{BEGUN} {ROWS[0][2].replace('-', '')}", 7)[-1]
    minute_ns = 60 * 10**9
    shown_ns = 14 * minute_ns
    assert record["new_ns"] == shown_ns + minute_ns


@pytest.mark.parametrize("part", sorted(PARTS))
def test_each_warning_is_explained(part: str) -> None:
    """The director finds it as the panel says it."""
    assert en.LINES[f"warning_{part}"] in DIRECTOR


def test_each_reason_is_explained() -> None:
    """All that a profile may offer; a power cut has a chapter of its own."""
    reasons = {text for name, text in en.LINES.items() if name.startswith("reason_")}
    assert {text for text in reasons if text not in DIRECTOR} == set()


def test_the_items_it_names_are_in_the_menu() -> None:
    """Names in italics are read on the panel; those of chapters are headed so."""
    headings = re.findall(r"^## (.+)$", DIRECTOR, re.MULTILINE)
    named = set(re.findall(r"(?<!\*)\*([A-Z][\w/ ]+)\*(?!\*)", DIRECTOR)) - set(headings)
    assert {"Set a time", "Add/take time", "Flag"} <= named
    menu = {text for name, text in en.LINES.items() if name.startswith("item_")}
    assert named <= menu


def test_the_directors_page_is_short() -> None:
    """A director in a hurry reads it."""
    assert DIRECTOR.count("\n") <= 150
    assert sayer("en")("told_lost", seconds=1) in DIRECTOR


@pytest.mark.parametrize("name", TEXTS)
def test_links_lead_somewhere(name: str) -> None:
    """From where the page lies; the code itself may be installed elsewhere."""
    page = next(page for page in PAGES if page.name == name)
    links = re.findall(r"\]\(((?!https?:)[^)#]+)", TEXTS[name])
    gone = [link for link in links if not (page.parent / link).exists()]
    assert [link for link in gone if not link.startswith(("clock", "hardware"))] == []


def commands(word: str) -> set[tuple[str, ...]]:
    """The commands that begin so, each as its words, in all pages."""
    pattern = rf"(?:^    (?:\S+@\S+ )?(?:sudo (?:-u \w+ )?)?|`(?:sudo )?){word}(?: ([^`\n#]*))?"
    found = [re.findall(pattern, text, re.MULTILINE) for text in TEXTS.values()]
    return {tuple(words.split()) for each in found for words in each if words}


@pytest.mark.parametrize("words", sorted(commands("gammonclock")))
def test_commands_and_their_options_are_there(words: tuple[str, ...]) -> None:
    """Each command that a page names knows the options that stand beside it."""
    shown = click.testing.CliRunner().invoke(main, [words[0], "--help"])
    assert shown.exit_code == 0, words
    options = {word for word in words[1:] if word.startswith("--")}
    assert {option for option in options if option not in shown.output} == set()


@pytest.mark.parametrize("words", sorted(commands("make")))
def test_targets_are_there(words: tuple[str, ...]) -> None:
    """Each thing to make that a page names."""
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    words = words[: next((at for at, word in enumerate(words) if "=" in word), None)]
    targets = [word for word in words if re.fullmatch(r"[a-z-]+", word)]
    assert [each for each in targets if f"\n{each}:" not in makefile] == []


def test_the_bench_page_names_each_patch() -> None:
    """What was changed in the kernel is told, and nothing that was not."""
    patches = {path.name for path in (ROOT / "tests" / "bench").glob("*.patch")}
    assert set(re.findall(r"[\w-]+\.patch", TEXTS["bench.md"])) == patches


def test_the_bench_page_names_each_module_of_tests() -> None:
    """Without `test_`, in the table of what is tested."""
    there = {path.stem for path in (ROOT / "tests" / "bench").glob("test_*.py")}
    chapter = TEXTS["bench.md"].split("## What is tested")[1].split("\n## ")[0]
    firsts = "".join(re.findall(r"^\| (`.*?) \|", chapter, re.MULTILINE))
    assert {f"test_{name}" for name in re.findall(r"`(\w+)`", firsts)} - {"test_test_"} == there
