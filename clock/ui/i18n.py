"""The texts on the panels in the language of the configuration.

Each language is a file in `locale`, with the same keys in the same tables; the comments at the top
of `locale/en.toml` explain them.
"""

import functools
from collections.abc import Callable

from clock.text import tables

KEY_LENGTH, LINE_LENGTH = 12, 21  # characters that a panel has room for
ABOUT_LINES = 4

LANGUAGE_NAMES = {"en": "English", "de": "Deutsch", "da": "Dansk", "nb": "Norsk"}
LANGUAGES = tuple(LANGUAGE_NAMES)


# Tables whose keys `say` knows by a prefix.
PREFIXES = {"about": "about_", "errors": "error_", "report": "report_"}


@functools.cache
def texts(language: str) -> dict[str, str]:
    """Return the texts of a language by the keys that `say` knows."""
    return {
        PREFIXES.get(name, "") + key: text
        for name, table in tables(language).items()
        for key, text in table.items()
    }


def sayer(language: str) -> Callable[..., str]:
    """Return the function that gives texts in one of `LANGUAGES`.

    Returns:
        `say(key, **values)`: the text with its placeholders filled in. A key that begins with "="
        is a text itself. An unknown key is a bug and raises KeyError.
    """
    known = texts(language)

    def say(key: str, /, **values: object) -> str:
        return key[1:] if key.startswith("=") else known[key].format(**values)

    return say
