"""The room's page of several halls."""

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import VIEWS, Judge, Opener
from tests.browser.fixture_hub import FixtureHub, called, running

HALLS, BOARDS = 10, 200


@pytest.mark.rule("R146")
def test_2000_boards_of_ten_halls_stand_on_one_page(
    hub: FixtureHub, opened: Opener, problems_of: Judge
) -> None:
    """Each hall is a line that opens; what asks stands above, and a search opens what it finds."""
    names = [f"hall-{at}" for at in range(HALLS)]
    hub.put(
        *(
            running(f"{hall}-{board}", hall=hall, board=str(board))
            for hall in names
            for board in range(BOARDS)
        )
    )
    hub.put(called("hall-3-7", hall="hall-3", board="7"))
    page = opened("/room", size=VIEWS["phone"].size)
    expect(page.locator(".hall")).to_have_count(HALLS)
    expect(page.locator(".hall .tile")).to_have_count(0)
    expect(page.locator(".hall").nth(3)).to_contain_text("boards: 200, playing: 199")
    expect(page.locator(".hall").nth(3)).to_contain_text("needs you: 1")
    expect(page.locator("#asks .card")).to_have_count(1)
    page.locator(".hall summary").nth(3).click()
    expect(page.locator(".hall .tile")).to_have_count(BOARDS)
    page.locator("#search").fill("hall-7-19")
    expect(page.locator(".hall")).to_have_count(1)
    expect(page.locator(".hall .tile")).to_have_count(11)
    page.clock.resume()  # it waits by itself
    assert problems_of(page) == []
    page.locator("#search").fill("2-9")
    expect(page.locator(".hall .tile")).to_have_count(8 * HALLS)
    page.locator("#search").fill("")
    page.locator("#by-hall").click()
    expect(page.locator("#boards .tile")).to_have_count(HALLS * BOARDS)


@pytest.mark.rule("R146")
def test_a_wall_shows_one_hall_alone(hub: FixtureHub, opened: Opener) -> None:
    hub.put(running("one-1", hall="one", board="1"), running("two-1", hall="two", board="1"))
    expect(opened("/wall").locator(".tile")).to_have_count(2)
    expect(opened("/wall?hall=two").locator(".tile a")).to_have_attribute("href", "/board/two-1")
