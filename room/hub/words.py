"""The pages' own words, and what the hub says of itself in them."""

import json
from functools import cache
from importlib import resources

from clock.text import Message


@cache
def page_words(language: str) -> dict[str, str]:
    """Return the pages' own words in one of `clock.ui.i18n.LANGUAGES`."""
    file = resources.files("room").joinpath("pages", "words", f"{language}.json")
    words: dict[str, str] = json.loads(file.read_bytes())
    return words


def told(key: str, /, **values: object) -> Message:
    """Return a text that the hub tells its readers, by its key without `told_`."""
    return Message(f"told_{key}", page_words("en")[f"told_{key}"].format(**values), values)


def told_by(key: str, board: str, by: str) -> Message:
    """Return what is told of a board, with who has done it, if they say that."""
    return told(f"{key}_by", board=board, by=by) if by else told(key, board=board)
