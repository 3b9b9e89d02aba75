"""All words: the same in four languages, said once, all used, and short enough to be whole."""

import ast
import json
import re
import runpy
import string
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import get_args, get_type_hints

import pytest
from msgspec import Struct
from msgspec.structs import fields

import clock
import room
from clock.config.reader import TWICE, _allowed
from clock.config.schema import ConfigFile, DisplayTable
from clock.eventlog import event_inputs
from clock.eventlog.verification import Verdict
from clock.match.faults import PARTS as PARTS_OF_CLOCK
from clock.match.rules import Gammon, Lateness, Reason, Ruler
from clock.match.transitions import BY_POINTS
from clock.match.types import Crawford, NextDelay, ResumeWith, Side
from clock.report.wording import LOSERS
from clock.text import Message, message, tables
from clock.ui import i18n
from clock.ui.forms import Choice
from clock.ui.i18n import LANGUAGES, sayer
from clock.ui.menu import MENU, PLAYERS_CUBE, items
from hardware.display.glyphs import width
from hardware.display.widgets import WIDTH
from lab import browser
from lab.support.desk import STILL, flagged, stopped
from lab.support.paths import ROOT
from room.boards.offers import OfferState
from room.boards.rulings import RulingState
from room.hub.notices import KINDS
from room.hub.words import page_words
from room.web.waiting import WAITS

CLOCK, ROOM, BROWSER = Path(clock.__file__).parent, Path(room.__file__).parent, ROOT / "browser"
PARTS = (*i18n.PARTS, "pages", "browser")
TEXTS = {language: {part: i18n.texts(language, part) for part in PARTS} for language in LANGUAGES}
# English has one word for two things here, and so do the others.
HOMONYMS = {
    "Allowed": "what a setting may be, and how many breaks",
    "Breaks": "those taken, and the title of a table, which has its name",
    "Delay": "an item of the menu, and the label of a field, which has the name of its setting",
    "Score": "the same",
    "break": "over a button, and in the chart, which has its own keys",
}


def keys() -> set[str]:
    """All keys that clocks and rooms know."""
    return set(page_words("en"))


def blanks(text: str) -> set[str]:
    """The names of a text's blanks."""
    return {name for _, name, _, _ in string.Formatter().parse(text) if name is not None}


# --- the same in all languages ----------------------------------------------------------------


def test_the_languages_are_those_of_the_configuration() -> None:
    named = get_type_hints(DisplayTable)["language"]
    assert get_args(named) == LANGUAGES
    files = {(file.parent.name, file.stem) for file in (CLOCK / "locale").rglob("*.*")}
    assert files == {(language, part) for language in LANGUAGES for part in PARTS}
    assert DisplayTable().language in LANGUAGES
    for script in (ROOM / "pages" / "words.js", BROWSER / "page.js"):
        assert f"LANGUAGES = {json.dumps(LANGUAGES)}" in script.read_text("utf-8")


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("part", PARTS)
def test_every_language_says_everything(language: str, part: str) -> None:
    """The same keys in the same order, with the same blanks; nothing is empty or padded."""
    said, english = TEXTS[language][part], TEXTS["en"][part]
    assert list(said) == list(english)
    assert {key: blanks(text) for key, text in said.items()} == {
        key: blanks(text) for key, text in english.items()
    }
    assert all(text and text == text.strip() for text in said.values())


def test_no_key_is_in_two_tables() -> None:
    """Of those that a page is given together."""
    found = [table for part in PARTS[:-1] for table in tables("en", part).values()]
    assert sum(map(len, found)) == len(keys())


def test_no_two_parts_say_the_same() -> None:
    """What is the same in every language stands in one of them."""
    places = defaultdict[tuple[str, ...], set[str]](set)
    for part, english in TEXTS["en"].items():
        for key in english:
            places[tuple(TEXTS[language][part][key] for language in LANGUAGES)].add(part)
    assert {said[0] for said, parts in places.items() if len(parts) > 1} == set(HOMONYMS)


def test_saying() -> None:
    """A key with its blanks filled; what begins with "=" as it is; what is unknown is a fault."""
    say = sayer("de")
    assert say("event_flag", side="Links", order=2) == "Links: Flagge 2"
    assert say("=-1: {x}") == "-1: {x}"
    with pytest.raises(KeyError):
        say("unknown")


# --- all used, and none missing ---------------------------------------------------------------


def sources() -> Iterator[ast.AST]:
    """Every node of the modules of clocks and rooms."""
    for path in (path for folder in (CLOCK, ROOM) for path in folder.rglob("*.py")):
        yield from ast.walk(ast.parse(path.read_text("utf-8")))


@cache
def all_calls() -> list[ast.Call]:
    """Every call in them."""
    return [node for node in sources() if isinstance(node, ast.Call)]


SAYERS = {"say", "_say", "words"}
REFUSERS = {"refuse": 2, "refuse_ruling": 1, "PressedEvent": 2, "Noted": 3}


def test_the_functions_that_name_a_text_exist() -> None:
    """A renamed function would silently empty the sets of keys below."""
    called = {name for name, _ in calls(SAYERS | set(REFUSERS))}
    assert called >= {"say", *REFUSERS}


def calls(names: set[str]) -> Iterator[tuple[str, ast.Call]]:
    """The calls of functions with these names."""
    for call in all_calls():
        name = getattr(call.func, "attr", None) or getattr(call.func, "id", "")
        if name in names:
            yield name, call


def literal_keys() -> set[str]:
    """The keys that are said by their own name."""
    return {
        leaf.value
        for _, call in calls(SAYERS)
        if call.args and not isinstance(call.args[0], ast.JoinedStr)
        for leaf in ast.walk(call.args[0])
        if isinstance(leaf, ast.Constant) and isinstance(leaf.value, str)
    }


def found(folder: Path, pattern: str) -> set[str]:
    """What a pattern finds in the files of a folder, in any language of programs."""
    files = (each for each in folder.rglob("*") if each.suffix in {".html", ".js", ".py"})
    return {each for file in files for each in re.findall(pattern, file.read_text("utf-8"))}


ON_PAGES = r'(?:\b(?:say|runOnFiles)\(|data-(?:say|label|hint|word)=)"(\w+)"'
OF_PAGES = r'"((?:page|notice|pairings)_\w+)"'
PUT_TOGETHER = r"\bsay\(`(\w+_)\$"


def prefixes() -> set[str]:
    """The beginnings of keys that are put together."""
    return found(ROOM / "pages", PUT_TOGETHER) | {
        str(call.args[0].values[0].value)
        for _, call in calls(SAYERS)
        if call.args
        and isinstance(call.args[0], ast.JoinedStr)
        and isinstance(call.args[0].values[0], ast.Constant)
    }


def refusals() -> set[str]:
    """Why a press is without effect: all reasons in the sources, and the phases' names."""
    found = {"break", "no_clock", "finished", "put_aside"}
    for name, call in calls(set(REFUSERS) | {"replace"}):
        named = [keyword.value for keyword in call.keywords if keyword.arg == "why"]
        place = REFUSERS.get(name, 99)
        for value in (*named, *call.args[place : place + 1]):
            if isinstance(value, ast.Constant) and isinstance(value.value, str):
                found.add(value.value)
    return found - {"menu"}


@cache
def entries_and_labels() -> tuple[set[str], set[str]]:
    """The names of all entries of the menu, and the labels of all their options."""
    names, labels = set[str](), set[str]()
    tables = [make() for make in STILL.values()]
    tables += [stopped("nbgf"), flagged("nbgf", both=True).tap()]
    for table in tables:
        for item in MENU:
            values: tuple[object, ...] = ()
            for make in item.entries:
                entry = make(table.state, values)
                if entry is None:
                    continue
                names.add(entry.name)
                if isinstance(entry, Choice):
                    labels |= {option.label for option in entry.options}
                if item.name == "give_back" and not table.state.recent:
                    break
                chosen = isinstance(entry, Choice) and entry.is_of_sides and not entry.complete
                values = (*values, Side.RIGHT if chosen else entry.value)
    labels.add("warning_given")  # of another offence than lateness
    return names, {label for label in labels if not label.startswith("=")}


def words_of_the_report(prefix: str = "") -> set[str]:
    """The titles and headings that stand in the sources of the report, as data of its tables."""
    written = [
        word
        for path in (CLOCK / "report").glob("*.py")
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
        for word in node.value.replace(">", " ").split()
    ]
    return {word for word in written if f"report_{prefix}{word}" in TEXTS["en"]["report"]}


def allowed_values(kind: object) -> Iterator[str]:
    """The descriptions of allowed values in the schema of the configuration."""
    if isinstance(kind, type) and issubclass(kind, Struct):
        for field in fields(kind):
            yield from allowed_values(field.type)
    elif get_args(kind)[-1:] == (...,):
        yield from allowed_values(get_args(kind)[0])
    else:
        yield _allowed(kind)


def messages() -> Iterator[tuple[str, set[str]]]:
    """The key of each message that can be made, and the names of its values."""
    yield "message_silent", set()  # of `director.js`
    for name, call in calls({"message", "hub_message"}):
        key = call.args[0]
        for each in (key.body, key.orelse) if isinstance(key, ast.IfExp) else (key,):
            if isinstance(each, ast.Constant):
                prefix = "error" if name == "message" else "message"
                yield f"{prefix}_{each.value!s}", {str(value.arg) for value in call.keywords}
    for _, call in calls({"hub_message_by"}):
        of_board = f"message_{ast.literal_eval(call.args[0])}"
        yield from ((of_board, {"board"}), (f"{of_board}_by", {"board", "by"}))
    for made in (*allowed_values(ConfigFile), *(message(key) for _, key in TWICE)):
        assert isinstance(made, Message), made
        yield made.key, {*made.values}


OTHERWISE_RULED = {  # on a page than on the panels
    key for key in i18n.texts("en", "panels") if f"page_rule_{key}" in TEXTS["en"]["pages"]
}
BADGES = {"low", "fault", "claimed", "damaged", "settings", "twice"}  # of a board, on pages
ENDS = {*BY_POINTS, "time", "gin", "late", "forfeit", "director"}


@cache
def expanded() -> dict[str, set[str]]:
    """The keys that are put together: of each beginning the ends."""
    entries, labels = entries_and_labels()
    return {
        "reason_": {reason.value for reason in Reason},
        "resume_": {kind.value for kind in ResumeWith},
        "page_": {*BADGES, "csv", "xlsx", "json", WAITS, f"{WAITS}_why"},
        "page_conflict_": {"board", "match", "clock"},
        "page_sound_": {"on", "off", "waits"},
        "page_offer_": {*OfferState, "names"},
        "page_rule_": {*RulingState, "lost"} | OTHERWISE_RULED,
        "notice_": {*KINDS[:-1]},
        "report_": words_of_the_report(),
        "report_chart_": words_of_the_report("chart_"),
        "report_from_": {"log", "checkpoint", "effects"},
        "report_verdict_": {verdict.name.lower() for verdict in Verdict},
        "restored_": {"power_loss", "damaged", "replacement", "safe_mode"},
        "delay_": {kind.value for kind in NextDelay},
        "won_": {kind.value for kind in Gammon},
        "crawford_": {status.value for status in Crawford},
        "late_": {Lateness.START_CLOCK.value, "clock-started"},
        "item_": {item.name for item in (*MENU, PLAYERS_CUBE)},
        "about_": {item.name for item in MENU},
        "entry_": entries | {"cube", "ruler"},
        "what_": set(event_inputs._CORRECTIONS),
        "refused_": refusals(),
        "warn_": {"impossible_points", "match_ends", "match_ends_drop"},
        "warning_": set(PARTS_OF_CLOCK),
        "why_": {key.removeprefix("why_") for key in labels if key.startswith("why_")}
        | {"given_back", "bonus"},
        "end_": ENDS,
        "report_lost_": set(LOSERS),
    }


def used_keys() -> set[str]:
    """Every key that clocks and rooms can say."""
    made = {f"{prefix}{name}" for prefix, names in expanded().items() for name in names}
    sides = {side.value for side in Side} | {"centre", *Ruler}
    on_pages = found(ROOM / "pages", ON_PAGES) | found(ROOM, OF_PAGES)
    counted = {f"{key}_one" for key in on_pages} & keys()
    told = {key for key, _ in messages()}
    literal = literal_keys() & keys() | on_pages | counted | told
    return literal | made | entries_and_labels()[1] | sides


def test_every_key_that_is_put_together_is_known_here() -> None:
    assert prefixes() - set(expanded()) - {""} == set()


def test_every_key_used_exists() -> None:
    """In literals, in put together ones, in the menu's labels, for every refusal."""
    missing = {key for key in literal_keys() if key.isidentifier()} - keys()
    assert missing - {"next_delay", "crawford", "delay", "pace"} == set()
    assert used_keys() - keys() == set()


def test_every_key_is_used() -> None:
    assert keys() - used_keys() == set()


def test_refusals_are_found() -> None:
    """The scan of the sources sees those of the machine, of the dialogue and of the rulings."""
    assert {"not_on_move", "must_wait", "wrong_code", "too_late", "no_break"} <= refusals()
    assert {"length_ends_match", "negative_time", "score_outside_match"} <= refusals()


def test_each_message_has_the_values_of_its_text() -> None:
    """None is missing, and none is left over; the text is never looked for in another language."""
    assert [each for each in messages() if blanks(page_words("en")[each[0]]) != each[1]] == []


def test_the_pages_without_installation_say_all_of_their_words_and_no_others() -> None:
    known = set(browser.words("en"))
    form = runpy.run_path(str(BROWSER / "settings_form.py"))
    lessons = runpy.run_path(str(BROWSER / "lessons.py"))["LESSONS"]
    fields = [*form["_fields"](), *form["_of_preset"](0)]
    values = [(each.key, value) for each in fields for value in form["_choices"](each.kind)]
    named = {"index"} | {page.stem for page in BROWSER.glob("*.html")} - {"frame"}
    steps = {f"{name}_{n}" for name in lessons for n in range(1, 1 + len(lessons[name].steps))}
    made = {
        "nav_": named,
        "name_": {*LANGUAGES},
        "verdict_": {verdict.name.lower() for verdict in Verdict} | {"none"},
        "lesson_": {*lessons, *steps, "learned"},
        "label_": {field.key for field in fields},
        "choice_": {
            next((each for each in (f"{key}_{value}", value) if f"choice_{each}" in known), "true")
            for key, value in values
        },
    }
    assert found(BROWSER, PUT_TOGETHER) <= set(made)
    said = {f"{prefix}{name}" for prefix, names in made.items() for name in names}
    assert said | found(BROWSER, ON_PAGES) == known


# --- it fits ----------------------------------------------------------------------------------

FILLED: dict[str, object] = {
    "percent": 100, "points": 11, "order": 2, "minutes": 20, "n": 20, "time": "12:59", "who": "Eva",
    "taken": 2, "left": 2, "length": 25, "seconds": 1, "part": "buttons", "score": "1-1",
}  # fmt: skip


def filled(language: str, text: str) -> Iterator[str]:
    """A text with realistic values in its blanks, both sides where it names one."""
    for side in ("left", "right"):
        delay = {"time": "0:59"} if "side" in blanks(text) else {}
        values = {**FILLED, **delay, "side": TEXTS[language]["panels"][side]}
        yield text.format(**values)


@pytest.mark.parametrize("language", LANGUAGES)
def test_lines_fit_to_the_pixel(language: str) -> None:
    """In the font of the panel, and items beside the arrow of a list; nothing is cut off."""
    too_wide = [
        (key, text)
        for key, raw in tables(language, "panels")["lines"].items()
        for text in filled(language, raw)
        if width("text", text) > WIDTH - (12 if key.startswith(("item_", "why_", "end_")) else 4)
    ]
    assert too_wide == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_options_of_an_entry_differ(language: str) -> None:
    say = sayer(language)
    for phase, make in STILL.items():
        state = make().state
        texts = [say(f"item_{item.name}") for item in items(state)]
        assert len(set(texts)) == len(texts), phase
    for prefix in ("reason_", "delay_", "resume_", "crawford_", "end_"):
        texts = [say(f"{prefix}{name}") for name in expanded()[prefix]]
        assert len(set(texts)) == len(texts)


@pytest.mark.parametrize(
    ("language", "own", "others"),
    [
        ("de", {"Turnierleitung", "TD", "Verzögerung", "Zeit", "Match"}, {"Turnierdirektor", "TL"}),
        ("da", {"Turneringsleder", "TL", "Delay", "Kamptid", "parti"}, {"TD", "trekktid", "match"}),
        (
            "nb",
            {"Turneringsleder", "TL", "Trekktid", "Tidsbank", "Kamp", "Klokken"},
            {"TD", "delay", "match", "matchen", "klokka"},
        ),
    ],
)
def test_the_federations_own_words(language: str, own: set[str], others: set[str]) -> None:
    """EBF: Verzögerung; DBgF: kamptid, delay, parti; NBgF: tidsbank, trekktid, kamp."""
    said = page_words(language).values()
    spoken = {word.strip(".,:;!?()").lower() for text in said for word in text.split()}
    assert {word.lower() for word in own} <= spoken
    assert {word.lower() for word in others} & spoken == set()


@pytest.mark.rule("R123")
@pytest.mark.parametrize("language", LANGUAGES)
def test_a_stop_names_a_clock_and_no_person(language: str) -> None:
    """The name follows "of" or stands in the genitive: nobody can be read as having stopped it."""
    words = {"en": "{side}'s clock", "de": "Uhr von {side}", "da": "Uret for {side}"}
    owned = words.get(language, "Klokken til {side}")
    assert TEXTS[language]["report"]["report_clock_stopped"].startswith(owned)
    assert not TEXTS[language]["report"]["report_plunger"].endswith(("Taste {side}", "Knap {side}"))


@pytest.mark.rule("R124")
@pytest.mark.parametrize("language", LANGUAGES)
def test_off_the_clock_and_without_a_clock_are_two_terms(language: str) -> None:
    """A free turn in a match with a clock, and the rest of a match without one."""
    say = sayer(language)
    without = {say("no_clock"), say("item_no_clock"), say("refused_no_clock")}
    free = {say("free_turn"), say("delay_free"), say("resume_free")}
    shared = {term.lower() for term in without} & {term.lower() for term in free}
    assert shared == set()
    assert not any(say("no_clock").lower() in term.lower() for term in free)


@pytest.mark.rule("R126")
def test_german_has_the_words_of_its_text() -> None:
    """EBF in German: Matchzeit, Match auf 7; one word for table and log."""
    say = sayer("de")
    assert (say("bank"), say("event_opened", length=7)) == ("Matchzeit", "Match auf 7")
    assert (say("director"), say("report_board")) == ("Turnierleitung", "Tisch")
    said = " ".join(page_words("de").values())
    assert not any(word in said for word in ("Brett", "Turnierleiter", "Protokoll"))
