"""The overlay over a picture, as a stream has it: what is seen of each."""

import pytest
from PIL import Image, ImageChops
from playwright.sync_api import Page, expect

from tests.browser.conftest import Opener
from tests.browser.fixture_hub import FixtureHub
from tests.browser.scenes import SCREEN, landscape, on_stage, picture_of

READABLE = 7  # contrast: WCAG 2.2, level AAA
CORNER_PX = 10  # of the bar, where its edge is drawn with the picture
Box = tuple[int, int, int, int]


def plain(colour: str) -> Image.Image:
    return Image.new("RGB", SCREEN, colour)


def on_air(hub: FixtureHub, opened: Opener, picture: Image.Image) -> Page:
    on_stage(hub, picture)
    page = opened("/stage")
    expect(page.frame_locator("iframe").locator("#bar")).to_be_visible()
    return page


def box_of(page: Page, selector: str, inset: int = 0) -> Box:
    """Return the pixels of an element of the overlay."""
    box = page.frame_locator("iframe").locator(selector).first.bounding_box()
    assert box is not None
    right, bottom = box["x"] + box["width"], box["y"] + box["height"]
    left, top = int(box["x"]) + inset, int(box["y"]) + inset
    return left, top, int(right) + 1 - inset, int(bottom) + 1 - inset


def luminance(colour: tuple[int, ...]) -> float:
    """Return the relative luminance of a colour (WCAG 2.2)."""
    parts = (each / 255 for each in colour)
    red, green, blue = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(picture: Image.Image) -> float:
    """Return the contrast between the lightest and the darkest pixel."""
    found = picture.getcolors(picture.width * picture.height) or []
    each = [luminance(colour) for _, colour in found if isinstance(colour, tuple)]
    return (max(each) + 0.05) / (min(each) + 0.05)


def test_the_picture_is_seen_all_around_the_bar(hub: FixtureHub, opened: Opener) -> None:
    picture = landscape()
    page = on_air(hub, opened, picture)
    left, top, right, bottom = box_of(page, "#bar", -1)  # its edge may fall between pixels
    changed = ImageChops.difference(picture_of(page), picture).getbbox()
    assert changed is not None
    assert left <= changed[0]
    assert top <= changed[1]
    assert right >= changed[2]
    assert bottom >= changed[3]


def test_the_bar_is_the_same_over_any_picture(hub: FixtureHub, opened: Opener) -> None:
    pictures = []
    for colour in ("black", "white"):
        page = on_air(hub, opened, plain(colour))
        pictures.append(picture_of(page).crop(box_of(page, "#bar", CORNER_PX)))
    assert ImageChops.difference(*pictures).getbbox() is None


@pytest.mark.parametrize("selector", [".name", ".time", ".delay", ".points", ".counts"])
def test_the_text_is_readable(selector: str, hub: FixtureHub, opened: Opener) -> None:
    page = on_air(hub, opened, plain("grey"))
    assert contrast(picture_of(page).crop(box_of(page, selector, 1))) >= READABLE


@pytest.mark.parametrize("colour", ["black", "white", "#14171c"])
def test_the_edge_of_the_bar_is_seen(colour: str, hub: FixtureHub, opened: Opener) -> None:
    page = on_air(hub, opened, plain(colour))
    left, top, _, _ = box_of(page, "#bar")
    edge = (left + 100, top - 2, left + 101, top + 3)
    assert contrast(picture_of(page).crop(edge)) >= 2
