"""What the panels show of a clock that cannot start; golden pictures.

After a change that is meant: `NEW_PICTURES=1 pytest tests/ui/test_error_pages.py` keeps the
new pictures; look at them before they are committed.
"""

import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import get_args

import msgspec
import pytest
from PIL import Image, ImageChops

from clock.config.loader import load_settings, parse_settings
from clock.config.reader import ConfigError, _allowed
from clock.config.schema import ConfigFile
from clock.storage.disk_health import no_room
from clock.ui.error_pages import LINES_SHOWN, config_faces, log_faces, translate
from clock.ui.i18n import LANGUAGES, LINE_LENGTH, sayer, tables
from hardware.display.layout import draw
from hardware.display.widgets import HEIGHT, WIDTH
from lab.support.paths import PICTURES

FILE = "/boot/firmware/gammonclock.toml"
TEXTS = {  # the file, and which page
    "length": ("[match]\nlength = 0", 0),
    "profile": ('[rules]\nprofile = "fibs"', 0),
    "profile-page-2": ('[rules]\nprofile = "fibs"', 1),
    "key": ("[match]\nlenght = 7", 0),
    "syntax": ("[rules]\ndelay = 0:12", 0),
}
VALUE = re.compile(r'\[[\d"].*?\]|\d[\d:]*|\w\w+[._]\w+')  # lists, numbers and times, keys
FULL = str(no_room(Path("/var/lib/gammonclock"), 5_000_000))


def error(text: str) -> ConfigError:
    """What is wrong with a text."""
    with pytest.raises(ConfigError) as found:
        parse_settings(text, FILE)
    return found.value


def both(name: str, language: str) -> Image.Image:
    """Both panels, one above the other."""
    say = sayer(language)
    if name == "full":
        faces = log_faces(FULL, say, 0)
    else:
        text, turn = TEXTS[name]
        faces = config_faces(error(text), say, turn)
    glass = Image.new("1", (WIDTH, 2 * HEIGHT + 1), 255)
    for side, face in enumerate(faces):
        glass.paste(draw(face), (0, side * (HEIGHT + 1)))
    return glass


CASES = [(name, "en") for name in (*TEXTS, "full")]
CASES += [("length", language) for language in LANGUAGES if language != "en"]


@pytest.mark.parametrize(("name", "language"), CASES)
def test_golden_pictures(name: str, language: str) -> None:
    path, seen = PICTURES / f"trouble-{name}-{language}.png", both(name, language)
    if os.environ.get("NEW_PICTURES"):
        seen.save(path)
    with Image.open(path) as kept:
        assert ImageChops.difference(kept.convert("1"), seen).getbbox() is None


def test_no_picture_is_left_behind() -> None:
    kept = {path.stem for path in PICTURES.glob("trouble-*.png")}
    assert kept == {f"trouble-{name}-{language}" for name, language in CASES}


def test_every_word_is_shown_sooner_or_later() -> None:
    """Page by page, none wider than a panel, and from the beginning again."""
    wrong = error('[rules]\nprofile = "a profile of which nobody has ever heard anything at all"')
    turns = [config_faces(wrong, sayer("en"), turn) for turn in range(4)]
    for side, words in ((0, f"{wrong.key} is {wrong.found}"), (1, wrong.allowed)):
        pages = list(dict.fromkeys(tuple(turn)[side].lines for turn in turns))
        assert " ".join(line for page in pages for line in page if line) == words
        assert all(len(page) == LINES_SHOWN for page in pages)
        assert all(len(line) <= LINE_LENGTH for page in pages for line in page)
    assert turns[0].left == turns[2].left


# --- the configuration's messages in four languages -------------------------------------------

WRONG = {  # a file for each text of [errors], by its key
    "file": "",
    "line": "delay 0:12",
    "unknown_key": "[match]\nlenght = 7",
    "not_given": '[match]\nplay = "doubles"',
    "a_table": "[match]\nlength = { points = 7 }",
    "too_large_to_show": f"[match]\nlength = 0x{'f' * 20_000}",
    "keys_of_table": "match = 7",
    "one_of": '[rules]\nprofile = "fibs"',
    "true_or_false": "[sound]\nflag = 1",
    "two_times": '[match]\nreserves = ["12:34"]',
    "reserves_limit": '[match]\nreserves = ["1:00", "2:00"]\n[rules]\ntime_per_point = "none"',
    "practice_limit": '[match]\npractice = true\n[rules]\ntime_per_point = "none"',
    "toml": "delay 0:12",
    "time_of_day": '[match]\nscheduled = "half past seven"',
    "part_of_score": "[match]\nscore = [1, 0]\ncarried = [2, 0]",
    "key_twice": "[match]\nlength = 7\nlength = 7",
    "table_twice": "[match]\n[match]",
    "file_limits": "\n" * 3000,
    "short_key": "a.b.c.d = 1",
    "flat_value": "[match]\nscore = [[[0]]]",
    "whole_number": "[match]\nlength = 0",
    "percent": "[power]\nbattery_low = 0",
    "milliseconds": "[buttons]\nsettle_ms = 0",
    "two_numbers": "[match]\nscore = 0",
    "records": '[rules]\nrecord = ["dice"]',
    "scores": "[match]\nlength = 5\nscore = [5, 0]",
    "short_text": f'[match]\nevent = "{41 * "E"}"',
    "crawford_closed": '[match]\ncrawford = "now"',
    "two_names": '[match]\nnames = ["A"]',
    "names_not_blank": '[match]\nnames = [" ", "B"]',
    "duration": "[rules]\ndelay = 12",
    "duration_or_none": "[rules]\ntime_per_point = 12",
    "duration_given": '[match]\nplay = "doubles"',
    "own_doubles": '[match]\nplay = "doubles"\n[rules]\nprofile = "us"',
    "not_both_zero": '[rules]\ntime_per_point = "0:00"',
    "late_step_zero": '[rules]\nlate_step = "0:00"',
    "break_zero": '[rules]\nbreak_length = "0:00"',
    "two_addresses": "[display]\naddresses = [0, 0]",
    "straight_quote": "[match]\n\u201clength\u201d = 7",
    "ordinary_space": "[match]\nlength\u00a0= 7",
    "nothing_there": "[match]\nlength = 7\n\f",
    "hyphen": "[match]\nlength = \u20137",
    "plain_letters": "[match]\nl\u00e4nge = 7",
    "columns_of_sh1106": "[display]\ncolumn_offset = 2",
    "address_each": "[display]\naddresses = [60, 60]",
    "rotation": "[display]\nrotate = [1, 0]",
    "bus": "[display]\nbus = -1",
    "pin": "[buttons]\npins = { left = 99 }",
    "buzzer_pin": "[sound]\nbuzzer_pin = 99",
    "lamp_pin": "[lamps]\nleft = 99",
    "reset_pin": "[display]\nreset_pin = 99",
    "free_pin": "[lamps]\nleft = 22",
    "directory": '[log]\ndirectory = ""',
    "device": '[log]\nserial = "COM1"',
    "board": '[match]\nboard = "table 7"',
    "code_letters": '[director]\ncode = "ABC"',
    "preset_name": '[[preset]]\nname = ""',
    "preset_name_taken": '[[preset]]\nname = "Final"\n[[preset]]\nname = "Final"',
    "preset_tables": '[preset]\nname = "Final"',
}
OF_THE_WHOLE_FILE = {"file", "not_readable", "too_large", "not_utf8", "text_file"}


def key_of(phrase: str) -> str | None:
    """The key of the text in [errors] that this phrase is translated by."""

    def say(key: str, **_: object) -> str:
        return f"<{key.removeprefix('error_')}>"

    said = translate(phrase, say)
    return said[1:-1] if said != phrase else None


def unusable(folder: Path) -> Iterator[ConfigError]:
    """The errors of files that cannot be read at all."""
    for content in (None, b"\xff", b"#" * 2**17):
        path = folder / "gammonclock.toml"
        if content is not None:
            path.write_bytes(content)
        with pytest.raises(ConfigError) as found:
            load_settings(path)
        yield found.value


def test_each_error_of_a_file_is_translated(tmp_path: Path) -> None:
    """Every text is used, and each belongs to the message that the configuration really has."""
    of_files = [(e.key, e.found, e.allowed) for e in unusable(tmp_path)]
    assert {key_of(text) for texts in of_files for text in texts} == OF_THE_WHOLE_FILE
    for key in tables("en")["errors"]:
        if key not in OF_THE_WHOLE_FILE:
            wrong = error(WRONG[key])
            assert key in {key_of(wrong.key), key_of(wrong.found), key_of(wrong.allowed)}


def allowed_values(kind: object) -> Iterator[str]:
    """The descriptions of allowed values in the schema of the configuration."""
    if isinstance(kind, type) and issubclass(kind, msgspec.Struct):
        for field in msgspec.structs.fields(kind):
            yield from allowed_values(field.type)
    elif get_args(kind)[-1:] == (...,):
        yield from allowed_values(get_args(kind)[0])
    else:
        yield _allowed(kind)


def test_each_allowed_value_is_translated() -> None:
    """A key that is added to the schema needs a text in each language."""
    assert [text for text in allowed_values(ConfigFile) if key_of(text) is None] == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_names_and_values_stay_as_they_are(language: str) -> None:
    """In English nothing changes; elsewhere keys, values and examples are the same."""
    say = sayer(language)
    for text in filter(None, WRONG.values()):
        wrong = error(text)
        for phrase in (wrong.key, wrong.found, wrong.allowed):
            said = translate(phrase, say)
            assert said == phrase or language != "en"
            assert sorted(VALUE.findall(said)) == sorted(VALUE.findall(phrase))


def test_an_unknown_key_keeps_its_name() -> None:
    left, _ = config_faces(error("file = 1"), sayer("de"), 0)
    assert left.lines[:2] == ("file", "ist ein unbekannter")
