"""The words of the pages, and what the hub says of itself in them."""

from clock.text import Message
from clock.ui.i18n import PARTS, texts


def page_words(language: str) -> dict[str, str]:
    """Return the words of the pages, which also say those of panels and reports."""
    return texts(language, *PARTS, "pages")


def hub_message(key: str, /, **values: object) -> Message:
    """Return a text of the table `message`, which programs, pages and terminals get."""
    key = f"message_{key}"
    return Message(key, page_words("en")[key].format(**values), values)


def hub_message_by(key: str, board: str, by: str) -> Message:
    """Return a message about a board, with who has done it, if they say that."""
    return hub_message(f"{key}_by", board=board, by=by) if by else hub_message(key, board=board)
