"""The words on the displays, in four languages.

The words are those of the federations' own texts where they have one; each language is a module of
`words` with the same four tables. The one rule: every language says everything, and it fits: a
status 15 characters, a key 10, a line 21.
"""

from collections.abc import Callable

from clock.ui.locale import da, de, en, nb

STATUS_LENGTH, KEY_LENGTH, LINE_LENGTH = 15, 10, 21  # characters that a panel has room for
ABOUT_LINES = 4

_WORDS = {
    language: words.STATUS
    | words.KEYS
    | words.LINES
    | {f"about_{item}": text for item, text in words.ABOUT.items()}
    for language, words in (("en", en), ("de", de), ("da", da), ("nb", nb))
}
LANGUAGES = tuple(_WORDS)


def sayer(language: str) -> Callable[..., str]:
    """The function that says things in a language.

    Args:
        language: one of `LANGUAGES`.

    Returns:
        `say(key, **values)`. A key that begins with "=" is said as it is written; an unknown one
        is a fault of the program and raises KeyError.
    """
    words = _WORDS[language]

    def say(key: str, **values: object) -> str:
        return key[1:] if key.startswith("=") else words[key].format(**values)

    return say
