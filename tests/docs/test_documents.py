"""The documents are right: links, commands, make targets, and what the director's page names."""

import re
from pathlib import Path

import click.testing
import pytest

from clock.match.faults import PARTS
from clock.text import tables
from clock.ui.i18n import sayer
from gammonclock.__main__ import main
from lab.support.needs import PACKAGES as PACKAGES_OF_TESTS
from lab.support.paths import ROOT

PAGES = sorted({*ROOT.glob("*.md"), *ROOT.glob("*/*.md"), *ROOT.glob("docs/**/*.md")})
TEXTS = {page.relative_to(ROOT).as_posix(): page.read_text(encoding="utf-8") for page in PAGES}
DIRECTOR = TEXTS["docs/director.md"]
LINES = tables("en", "panels")["lines"]
PACKAGES = {"clock", "gammonclock", "gpiozero_gpiod", "hardware", "room"}  # or installed elsewhere


@pytest.mark.parametrize("part", sorted(PARTS))
def test_each_warning_is_explained(part: str) -> None:
    assert LINES[f"warning_{part}"] in DIRECTOR


def test_the_items_it_names_are_in_the_menu() -> None:
    """Each name in italics is a chapter of the page or an item of the menu."""
    headings = re.findall(r"^## (.+)$", DIRECTOR, re.MULTILINE)
    named = set(re.findall(r"(?<!\*)\*([A-Z][\w/ ]+)\*(?!\*)", DIRECTOR)) - set(headings)
    assert {"Set a time", "Add/take time", "Flag"} <= named
    menu = {text for name, text in LINES.items() if name.startswith("item_")}
    assert named <= menu


def test_what_a_power_cut_costs_is_explained() -> None:
    """The page has the words of the panels for what a power cut costs."""
    assert sayer("en")("event_lost", seconds=1) in DIRECTOR.replace("\n", " ")


def top(path: Path) -> str:
    """Return the file or folder of the project in which a path lies."""
    return path.resolve().relative_to(ROOT.resolve()).parts[0]


@pytest.mark.parametrize("name", TEXTS)
def test_links_lead_somewhere(name: str) -> None:
    page = ROOT / name
    links = re.findall(r"\]\(((?!https?:)[^)#]+)", TEXTS[name])
    gone = [link for link in links if not (page.parent / link).exists()]
    assert [link for link in gone if top(page.parent / link) not in PACKAGES] == []


def test_each_page_is_named_for_somebody() -> None:
    """`docs/README.md` says which page is for whom, and leaves none out."""
    named = set(re.findall(r"\]\(([^)#]+)", TEXTS["docs/README.md"]))
    assert {page.name for page in (ROOT / "docs").glob("*.md")} - named == {"README.md"}


@pytest.mark.parametrize("name", TEXTS)
def test_links_to_chapters_lead_to_one(name: str) -> None:
    links = re.findall(r"\]\(((?!https?:)[^)#]*)#([^)]+)", TEXTS[name])
    targets = [((ROOT / name).parent / file if file else ROOT / name, at) for file, at in links]
    assert [(file, at) for file, at in targets if at not in chapters(file)] == []


def chapters(page: Path) -> set[str]:
    """Return the names by which links lead to the chapters of a page."""
    headings = re.findall(r"^#+ (.+)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}


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
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    targets = [f"test-{word[3:]}" for word in words if word.startswith("IN=")]
    words = words[: next((at for at, word in enumerate(words) if "=" in word), None)]
    targets += [word for word in words if re.fullmatch(r"[a-z-]+", word)]
    assert [each for each in targets if f"\n{each}:" not in makefile] == []


def test_all_packages_of_the_tests_can_be_installed_at_once() -> None:
    """CONTRIBUTING.md names each that a test may need; systemd and passwd are part of Debian."""
    (named,) = re.findall(r"^    sudo apt install (.*)$", TEXTS["CONTRIBUTING.md"], re.MULTILINE)
    assert set(named.split()) == {*PACKAGES_OF_TESTS.values()} - {"systemd", "passwd"}


def test_the_bench_page_names_each_patch() -> None:
    patches = {path.name for path in (ROOT / "lab" / "bench").glob("*.patch")}
    assert set(re.findall(r"[\w-]+\.patch", TEXTS["lab/bench.md"])) == patches


def test_the_bench_page_names_each_module_of_tests() -> None:
    """The table of what is tested names exactly the test modules that exist."""
    there = {path.stem for path in (ROOT / "tests" / "bench").glob("test_*.py")}
    chapter = TEXTS["lab/bench.md"].split("## What is tested")[1].split("\n## ")[0]
    firsts = "".join(re.findall(r"^\| (`.*?) \|", chapter, re.MULTILINE))
    assert {f"test_{name}" for name in re.findall(r"`(\w+)`", firsts)} - {"test_test_"} == there
