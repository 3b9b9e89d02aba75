"""The cards of the director's page as a browser prints them."""

import re

from playwright.sync_api import Browser

from lab.docs.cards import CARDS, FOLDER
from lab.support import rows


def test_each_card_is_one_page_in_print(browser: Browser) -> None:
    page = browser.new_page()
    for card in CARDS:
        with rows.row(card.name):
            page.goto((FOLDER / f"{card.name}.html").as_uri())
            printed = page.pdf(prefer_css_page_size=True)
            assert len(re.findall(rb"/Type\s*/Page\b", printed)) == 1
    page.close()
