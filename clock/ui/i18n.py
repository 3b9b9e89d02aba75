"""The texts in the language of the configuration.

Each language is a folder of `clock/locale`, a file for each reader: the comments at the top of
`en/panels.toml` explain them.
"""

import functools
from collections.abc import Callable

from clock.text import tables

KEY_LENGTH, LINE_LENGTH = 12, 21  # characters that a panel has room for
ABOUT_LINES = 4

LANGUAGE_NAMES = {"en": "English", "de": "Deutsch", "da": "Dansk", "nb": "Norsk"}
LANGUAGES = tuple(LANGUAGE_NAMES)


PARTS = ("panels", "messages", "report")
BARE = ("status", "keys", "lines", "words")  # tables whose names their keys do not begin with


@functools.cache
def texts(language: str, *parts: str) -> dict[str, str]:
    """Return the texts of a language's parts by their keys; by default all that `say` knows."""
    return {
        key if name in BARE else f"{name}_{key}": text
        for part in parts or PARTS
        for name, table in tables(language, part).items()
        for key, text in table.items()
    }


def sayer(language: str) -> Callable[..., str]:
    """Return the function that gives texts in one of `LANGUAGES`.

    Returns:
        `say(key, **values)`: the text with its placeholders filled in. A key that begins with "="
        is a text itself. An unknown key is a bug and raises KeyError.
    """
    panels = texts(language, "panels")  # all that a clock says while it runs

    def say(key: str, /, **values: object) -> str:
        if key.startswith("="):
            return key[1:]
        return (panels.get(key) or texts(language)[key]).format(**values)

    return say
