"""A browser, a hub of the tests' own, and pages whose clock the tests move."""

from collections.abc import Callable, Iterator
from importlib.resources import files
from typing import Literal

import pytest
from playwright.sync_api import Browser, Page, ViewportSize, expect, sync_playwright

from tests.browser.fixture_hub import FixtureHub, serving
from tests.support.needs import needs

LAPTOP: ViewportSize = {"width": 1366, "height": 768}
BEGIN_S = 1000.0  # of the pages' clock
PATIENCE_MS = 120_000  # for what a page shall show; only a test that fails takes so long
PLAIN_TYPE = ["--font-render-hinting=none", "--disable-lcd-text"]  # for no particular screen
Opener = Callable[..., Page]


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
        ) -> Page:
            page = context.new_page()
            page.emulate_media(color_scheme=scheme)
            if size is not None:
                page.set_viewport_size({"width": size[0], "height": size[1]})
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
