"""A board that the director takes out of the room, and puts back, on the real hub."""

import pytest
from playwright.sync_api import Browser, expect

from room.hub.words import page_words
from tests.browser.conftest import PATIENCE_MS, VIEWS, Judge, look
from tests.browser.test_offers import TOKEN, WORDS, RealHub, RoomClock


def test_a_board_is_taken_out_by_one_click_and_put_back_by_one(
    browser: Browser, problems_of: Judge
) -> None:
    """It stands on no wall, in no count and in no round, only under a filter of its own."""
    with RealHub() as hub, browser.new_context(locale="en-GB") as context:
        context.set_default_timeout(PATIENCE_MS)
        for name in ("2", "7", "10"):
            RoomClock(hub, name)
        room, wall, offers, board = (context.new_page() for _ in range(4))
        for page, path in ((room, "room"), (wall, "wall"), (offers, "offers"), (board, "board/7")):
            look(page, VIEWS["phone"])
            page.goto(f"{hub.address}/{path}?token={TOKEN}")
        tiles, rows = room.locator(".tile .id"), offers.locator("#rows th")
        out = room.locator("[data-filter=out]")

        def counted(*boards: str) -> None:
            expect(tiles).to_have_text(boards)
            expect(wall.locator(".tile .id")).to_have_text(boards)
            expect(rows).to_have_text(boards)
            expect(room.locator("[data-filter=all] .count")).to_have_text(str(len(boards)))

        counted("2", "7", "10")
        expect(out).to_be_hidden()
        board.get_by_role("button", name=WORDS["page_take_out"]).click()
        expect(board.locator("#asks")).to_have_text(WORDS["page_taken_out"])
        counted("2", "10")
        assert problems_of(board) == []
        out.click()
        expect(tiles).to_have_text(["7"])
        expect(out.locator(".count")).to_have_text("1")
        assert problems_of(room) == []
        board.get_by_role("button", name=WORDS["page_put_back"]).click()
        expect(tiles).to_have_count(0)
        room.locator("[data-filter=all]").click()
        counted("2", "7", "10")


@pytest.mark.parametrize("language", ["de", "da", "nb"])
def test_only_the_director_can_take_a_board_out(browser: Browser, language: str) -> None:
    """Others have no button; who was the director reads why it does nothing now."""
    words = page_words(language)
    with RealHub() as hub, browser.new_context(locale=language) as context:
        context.set_default_timeout(PATIENCE_MS)
        RoomClock(hub, "7")
        page = context.new_page()
        page.goto(f"{hub.address}/board/7")
        expect(page.locator("#board")).to_be_visible()
        expect(page.locator("#out")).to_be_hidden()
        page.goto(f"{hub.address}/board/7?token=of-another-day")
        page.get_by_role("button", name=words["page_take_out"]).click()
        expect(page.locator("#problem")).to_have_text(words["message_director"])
