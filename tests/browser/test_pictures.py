"""Golden pictures of the pages, in a font that is the same everywhere: matplotlib brings it.

After an intended change, `NEW_PICTURES=1 pytest tests/browser/test_pictures.py` saves the new
pictures; look at them before committing.
"""

import os
from pathlib import Path

import matplotlib as mpl
import pytest
from PIL import Image, ImageChops, ImageFilter
from playwright.sync_api import Page, expect

from lab.support.paths import PICTURES
from room.web.page_files import page_file
from tests.browser.conftest import Opener
from tests.browser.fixture_hub import FixtureHub
from tests.browser.scenes import NOW_NS, SCENES, Scheme, picture_of

FOLDER = PICTURES / "pages"
PICTURED = [(name, scheme) for name, scene in SCENES.items() for scheme in scene.schemes]
FONTS = Path(mpl.get_data_path(), "fonts", "ttf")
FACES = (
    ("Golden", "normal", "DejaVuSans.ttf"),
    ("Golden", "bold", "DejaVuSans-Bold.ttf"),
    ("Golden Mono", "normal", "DejaVuSansMono.ttf"),
)
GOLDEN = ':root { --type: "Golden" !important } .code { font-family: "Golden Mono" !important }'
# On a screen of this density letters are not moved to whole pixels, which computers do differently.
DENSITY = 2
# Versions of chromium draw the edges of letters differently: between 147 and 156 blurred pictures
# differ by 23 at most. One digit of the smallest type that changes makes 32.
BLUR = 2  # pixels
LIMIT = 28  # of 255, in one colour of one blurred pixel


@pytest.fixture
def density() -> int:
    return DENSITY


@pytest.fixture(autouse=True)
def golden_type(hub: FixtureHub) -> None:
    """Let the pages have the font of the golden pictures."""
    found = page_file("style.css")
    style = found[0].decode() if found else ""
    for family, weight, file in FACES:
        hub.files[f"/{file}"] = ("font/ttf", (FONTS / file).read_bytes())
        face = f'font-family: "{family}"; font-weight: {weight}; src: url("/{file}")'
        style += f"@font-face {{ {face} }}\n"
    hub.files["/static/style.css"] = ("text/css", (style + GOLDEN).encode())


def opened_scene(name: str, scheme: Scheme, hub: FixtureHub, opened: Opener) -> Page:
    """Return the page of a scene when it is drawn."""
    scene = SCENES[name]
    hub.now_ns = NOW_NS
    scene.prepare(hub)
    page = opened(scene.path, size=scene.size, scheme=scheme)
    inner = page.frame_locator("iframe") if scene.frame else page
    shown = inner.locator(scene.shown)
    expect(shown).to_have_count(scene.number)
    expect(shown.first).to_be_visible()
    return page


def drawn(page: Page) -> Image.Image:
    """Return a picture of a page in the size of its layout."""
    return picture_of(page).reduce(DENSITY)


def difference(one: Image.Image, other: Image.Image) -> int:
    """Return by how much two pictures differ at most, 0 to 255."""
    if one.size != other.size:
        return 255
    blur = ImageFilter.GaussianBlur(BLUR)
    histogram = ImageChops.difference(one.filter(blur), other.filter(blur)).histogram()
    return max(at % 256 for at, count in enumerate(histogram) if count)  # 256 of each colour


@pytest.mark.parametrize(("name", "scheme"), PICTURED)
def test_pages_look_as_they_did(name: str, scheme: Scheme, hub: FixtureHub, opened: Opener) -> None:
    picture = drawn(opened_scene(name, scheme, hub, opened))
    file = FOLDER / f"{name}-{scheme}.png"
    if os.environ.get("NEW_PICTURES"):
        FOLDER.mkdir(exist_ok=True)
        picture.save(file, optimize=True)
    with Image.open(file) as golden:
        changed = difference(picture, golden.convert("RGB"))
    assert changed <= LIMIT, (
        f"{file.name} has changed by {changed}. If this is intended: "
        "NEW_PICTURES=1 pytest tests/browser/test_pictures.py, and look at the new picture"
    )


def test_every_picture_is_of_a_page() -> None:
    assert {file.stem for file in FOLDER.glob("*")} == {"-".join(each) for each in PICTURED}


@pytest.mark.parametrize(
    "change",
    [
        "document.querySelector('.tile .points').textContent = '2'",
        "document.querySelector('.tile[data-state=RUNNING] .time').textContent = '11:01'",
        "document.querySelector('.bar .count').textContent = '63'",
        "document.querySelectorAll('.tile')[20].style.translate = '2px 0'",
        "document.querySelectorAll('.tile')[20].style.background = '#ffe0c0'",
        "document.querySelector('footer p').textContent = 'The clock at the board count.'",
    ],
    ids=["point", "second", "count", "position", "colour", "letter"],
)
def test_the_smallest_change_is_noticed(change: str, hub: FixtureHub, opened: Opener) -> None:
    """On the page with the smallest type: 64 boards."""
    page = opened_scene("room-64", "light", hub, opened)
    before = drawn(page)
    page.evaluate(f"{change}; null")
    assert difference(before, drawn(page)) > LIMIT
