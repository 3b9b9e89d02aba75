"""What the panels show of a clock that cannot start: left what is wrong, right what to do.

Errors come in English. Those of the configuration file are translated phrase by phrase; names of
files and keys, and values, stay as they are.
"""

from textwrap import wrap

from clock.config.reader import ConfigError
from clock.match.types import Pair
from clock.text import Message
from clock.ui.descriptions import Say
from clock.ui.i18n import LINE_LENGTH
from hardware.face import Face

LINES_SHOWN = 4  # of a page under its heading


def config_faces(error: ConfigError, say: Say, turn: int) -> Pair[Face]:
    """Return the faces for a configuration file that cannot be used.

    `turn` counts up; a text that is too long for a panel is shown page by page, over and over.
    """
    name = error.file.rpartition("/")[2]
    wrong = [
        *_wrapped(translate(error.key, say)),
        *_wrapped(f"{say('config_found')} {translate(error.found, say)}"),
    ]
    allowed = _wrapped(translate(error.allowed, say))
    return Pair(_face(name, wrong, turn), _face(say("config_allowed"), allowed, turn))


def config_text(error: ConfigError, say: Say) -> str:
    """Return what is wrong with a configuration file as one sentence, and what to write."""
    wrong = f"{translate(error.key, say)} {say('config_found')} {translate(error.found, say)}"
    return f"{error.file}: {wrong}. {say('config_allowed')}: {translate(error.allowed, say)}"


def log_faces(message: str, say: Say, turn: int) -> Pair[Face]:
    """Return the faces for a directory in which no log can be written.

    The message says what is wrong and, after a semicolon, what to do.
    """
    wrong, _, advice = message.partition("; ")
    return Pair(
        _face(say("warning_log"), _wrapped(wrong), turn),
        _face(say("log_advice"), _wrapped(advice), turn),
    )


def translate(phrase: str, say: Say) -> str:
    """Return a phrase of a `ConfigError` in the language of `say`; a value stays as it is."""
    return str(say(phrase.key, **phrase.values)) if isinstance(phrase, Message) else phrase


def _wrapped(text: str) -> list[str]:
    return wrap(text, LINE_LENGTH, break_on_hyphens=False)


def _face(heading: str, lines: list[str], turn: int) -> Face:
    pages = max(1, -(-len(lines) // LINES_SHOWN))
    first = turn % pages * LINES_SHOWN
    shown = lines[first : first + LINES_SHOWN]
    shown += [""] * (LINES_SHOWN - len(shown))
    return Face(reserve="", status=heading, lines=tuple(shown))
