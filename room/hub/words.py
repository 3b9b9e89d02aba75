"""The words of the pages, and what the hub says of itself in them."""

from clock.text import Message
from clock.ui.i18n import PARTS, texts


def page_words(language: str) -> dict[str, str]:
    """Return the words of the pages, which also say those of panels and reports."""
    return texts(language, *PARTS, "pages")


def told(key: str, /, **values: object) -> Message:
    """Return a text that the hub tells its readers, by its key without `told_`."""
    return Message(f"told_{key}", page_words("en")[f"told_{key}"].format(**values), values)


def told_by(key: str, board: str, by: str) -> Message:
    """Return what is told of a board, with who has done it, if they say that."""
    return told(f"{key}_by", board=board, by=by) if by else told(key, board=board)
