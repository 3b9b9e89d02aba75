"""What the panels show of a clock that cannot start; golden pictures.

After a change that is meant: `NEW_PICTURES=1 pytest tests/ui/test_error_pages.py` keeps the
new pictures; look at them before they are committed.
"""

import os
from pathlib import Path

import pytest
from PIL import Image, ImageChops

from clock.config.loader import parse_settings
from clock.config.reader import ConfigError
from clock.storage.disk_health import no_room
from clock.ui.error_pages import LINES_SHOWN, config_faces, log_faces
from clock.ui.i18n import LANGUAGES, LINE_LENGTH, sayer
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


def test_an_unknown_key_keeps_its_name() -> None:
    left, _ = config_faces(error("file = 1"), sayer("de"), 0)
    assert left.lines[:2] == ("file", "ist ein unbekannter")
