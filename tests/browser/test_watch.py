"""The pages on the real hub: `gammonclock watch` on a directory of logs."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Error, expect

from clock.ui.i18n import texts
from lab.support.watch_program import WatchProgram
from tests.browser.conftest import LAPTOP, PATIENCE_MS

LOG = Path(__file__).parents[1] / "data" / "ebf.jsonl"


@pytest.fixture
def address(tmp_path: Path) -> Iterator[str]:
    """The address of a running `gammonclock watch`, which has a finished match to show."""
    shutil.copy(LOG, tmp_path)
    with WatchProgram(tmp_path) as watch:
        yield watch.address


def test_a_finished_match_from_its_log_to_its_report(browser: Browser, address: str) -> None:
    """From the room to the board, and from the results to the report with its chart."""
    with browser.new_context(viewport=LAPTOP, locale="de-DE") as context:
        context.set_default_timeout(PATIENCE_MS)
        page = context.new_page()
        problems: list[str] = []
        page.on("pageerror", lambda error: problems.append(str(error)))
        page.goto(address)
        tile = page.locator(".tile")
        expect(tile).to_contain_text("Ada")
        expect(tile).to_contain_text("Ben")
        tile.locator("a").click()
        won = f"Ben gewinnt, {texts('de')['end_time']}"
        expect(page.locator("#state")).to_have_text(won)
        page.goto(address + "results")
        expect(page.locator("tbody tr").last).to_contain_text(won)
        page.locator("tbody a").click()
        expect(page.locator("#tables h2").first).to_be_visible()
        expect(page.locator("#picture")).to_have_js_property("complete", True)
        assert page.locator("#picture").evaluate("each => each.naturalWidth") > 0
        with page.expect_download() as download:
            page.locator("#log").click()
        assert download.value.path().read_bytes() == LOG.read_bytes()
        assert problems == []


def test_the_overlay_takes_the_custom_css_of_obs(browser: Browser, address: str) -> None:
    """OBS puts it into the page as a style; the other pages refuse such styles."""
    with browser.new_context(viewport=LAPTOP) as context:
        page = context.new_page()
        page.goto(f"{address}overlay/1")
        page.add_style_tag(content="#begins { opacity: 0.5 }")
        expect(page.locator("#begins")).to_have_css("opacity", "0.5")
        page.goto(f"{address}wall")
        with pytest.raises(Error, match="Content Security Policy"):
            page.add_style_tag(content="main { opacity: 0.5 }")
