"""Text that comes from a file or from a person, and what the clock says of it: a `Message`."""

import functools
import re
import tomllib
from importlib import resources
from typing import Any, Self

MOST_NESTED = 50  # brackets in brackets: a line of a log has 5, and a browser stands some hundreds
_STRING = re.compile(rb'"(?:[^"\\]|\\.)*+("?)')  # without an end, too: else it is looked for often
_BRACKET = re.compile(rb"[\[\]{}]")


def printable(text: str, *, keep: str = "") -> str:
    """Replace each character that does not print, and could control a terminal, by "?".

    Those in `keep` stay although they do not print.
    """
    if text.isprintable():  # nearly always: a long report has the same names 100,000 times
        return text
    return "".join(each if each.isprintable() or each in keep else "?" for each in text)


def check_nesting(text: bytes) -> None:
    """Refuse JSON whose brackets a reader of any system might not get to the bottom of.

    Raises:
        ValueError: they are nested too deep.
    """
    if text.count(b"[") + text.count(b"{") <= MOST_NESTED:  # nearly always
        return
    depth, outside = 0, _STRING.sub(lambda string: b"" if string[1] else string[0], text)
    for bracket in _BRACKET.finditer(outside):
        depth += 1 if bracket[0] in b"[{" else -1
        if depth > MOST_NESTED:
            raise ValueError(f"brackets are nested more than {MOST_NESTED} deep")


def quoted(text: str, most: int = 24) -> str:
    """Return what somebody else wrote in quotes, and cut; it passes for no sentence of ours."""
    shown = printable(text).replace('"', "'")
    return f'"{shown}"' if len(shown) <= most else f'"{shown[: most - 1]}…"'


@functools.cache
def tables(language: str, part: str) -> dict[str, dict[str, str]]:
    """Return the tables of a part of a language: panels, messages, report, pages or browser."""
    file = resources.files("clock").joinpath("locale", language, f"{part}.toml")
    return tomllib.loads(file.read_text(encoding="utf-8"))


class Message(str):
    """A text in English that `say(key, **values)` says in another language.

    Attributes:
        key: that of the text in the catalogue.
        values: what its placeholders stand for.
    """

    __slots__ = ("key", "values")
    key: str
    values: dict[str, object]

    def __new__(cls, key: str, text: str, values: dict[str, object]) -> Self:
        """Return a text that is said in English already."""
        made = super().__new__(cls, text)
        made.key, made.values = key, values
        return made


def message(key: str, /, **values: object) -> Message:
    """Return a text of the table `error`; the catalogue is not read before the first one."""
    return Message(f"error_{key}", tables("en", "messages")["error"][key].format(**values), values)


def reason(error: Exception) -> str:
    """Return what an error was made with: `str(error)` says a `Message` in English alone."""
    why: str = error.args[0]
    return why


def fields(name: str, text: str) -> dict[str, Any]:
    """Return a text, under a name, as data; a `Message` also has its `key` and `values`."""
    if not isinstance(text, Message):
        return {name: text}
    values = {
        each: fields("text", value) if isinstance(value, Message) else value
        for each, value in text.values.items()
    }
    return {name: str(text), "key": text.key, "values": values}
