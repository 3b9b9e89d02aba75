"""A browser, a hub of the tests' own, and pages whose clock the tests move."""

from collections.abc import Callable, Iterator
from importlib.resources import files
from typing import Literal, NamedTuple

import pytest
from playwright.sync_api import Browser, Page, ViewportSize, expect, sync_playwright

from lab.support.needs import needs
from tests.browser.fixture_hub import FixtureHub, serving

LAPTOP: ViewportSize = {"width": 1366, "height": 768}
BEGIN_S = 1000.0  # of the pages' clock
PATIENCE_MS = 120_000  # for what a page shall show; only a test that fails takes so long
PLAIN_TYPE = ["--font-render-hinting=none", "--disable-lcd-text"]  # for no particular screen
Opener = Callable[..., Page]


class View(NamedTuple):
    """How somebody looks at a page."""

    size: tuple[int, int] = (LAPTOP["width"], LAPTOP["height"])
    scheme: Literal["light", "dark"] = "light"
    forced: bool = False  # colours of their own, in place of the page's


VIEWS = {
    "light": View(),
    "dark": View(scheme="dark"),
    "forced": View(forced=True),
    "forced-dark": View(scheme="dark", forced=True),
    "phone": View((390, 844)),
    "phone-dark": View((390, 844), "dark"),
    "narrow": View((320, 640)),
    "tv": View((1920, 1080), "dark"),
}


# Chromium paints text in forced colours, but says that it is filled with the page's own colour, and
# axe believes that. No page sets a fill.
PAINTED = """const { getPropertyValue } = CSSStyleDeclaration.prototype;
CSSStyleDeclaration.prototype.getPropertyValue = function (name) {
  return getPropertyValue.call(this, name === "-webkit-text-fill-color" ? "color" : name);
}; null"""
Judge = Callable[[Page], list[str]]


def look(page: Page, view: View) -> None:
    """Look at the page that is opened next in a way."""
    page.set_viewport_size({"width": view.size[0], "height": view.size[1]})
    page.emulate_media(color_scheme=view.scheme, forced_colors="active" if view.forced else "none")


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """The chromium of the operating system."""
    expect.set_options(timeout=PATIENCE_MS)
    executable = needs("chromium")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=executable, args=PLAIN_TYPE)
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def axe() -> str:
    """The program that looks for what keeps people from using a page."""
    return (files("axe_playwright_python") / "axe.min.js").read_text(encoding="utf-8")


@pytest.fixture(params=list(VIEWS.values()), ids=list(VIEWS))
def view(request: pytest.FixtureRequest) -> View:
    """Each way to look at a page."""
    found: View = request.param
    return found


@pytest.fixture
def problems_of(axe: str) -> Judge:
    """Look at a page: what axe finds, and whether the page scrolls sideways."""

    def problems_of(page: Page) -> list[str]:
        page.evaluate(PAINTED)
        page.evaluate(axe)
        found = [
            f"{violation['id']}: {node['html']} {node['failureSummary']}"
            for violation in page.evaluate("axe.run()")["violations"]
            for node in violation["nodes"]
        ]
        wide = page.evaluate("document.documentElement.scrollWidth - innerWidth")
        return found + ([f"{wide} px too wide"] if wide > 0 else [])

    return problems_of


@pytest.fixture
def hub() -> Iterator[FixtureHub]:
    """A hub without boards, whose clock stands still."""
    with serving(FixtureHub()) as hub:
        yield hub


@pytest.fixture
def density() -> int:
    """Pixels of the screen for each pixel of a page's layout, in width and in height."""
    return 1


@pytest.fixture
def opened(browser: Browser, hub: FixtureHub, density: int) -> Iterator[Opener]:
    """Open a page of the hub, whose clock stands still too; errors in its console are failures."""
    with browser.new_context(
        viewport=LAPTOP, locale="en-GB", timezone_id="UTC", device_scale_factor=density
    ) as context:
        problems: list[str] = []

        def opened(
            path: str,
            *,
            failing: bool = False,
            size: tuple[int, int] | None = None,
            scheme: Literal["light", "dark"] = "light",
            forced: bool = False,
        ) -> Page:
            page = context.new_page()
            look(page, View(size or View().size, scheme, forced))
            page.set_default_timeout(PATIENCE_MS)
            page.on("pageerror", lambda error: problems.append(str(error)))
            if not failing:
                page.on(
                    "console",
                    lambda said: problems.append(said.text) if said.type == "error" else None,
                )
            page.clock.install(time=0)
            page.clock.pause_at(BEGIN_S)
            page.goto(hub.address + path)
            return page

        yield opened
        assert problems == []
