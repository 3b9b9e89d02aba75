"""What the panels show of a clock that cannot start: left what is wrong, right what to do.

The one rule: what the error itself says is shown as it says it; only the words around it are in
the director's language.
"""

from textwrap import wrap

from clock.config.reader import ConfigError
from clock.ui.face import Face
from clock.ui.i18n import LINE_LENGTH
from clock.match.sides import Pair
from clock.ui.descriptions import Say

LINES_SHOWN = 4  # of a page under its head


def config_faces(error: ConfigError, say: Say, turn: int) -> Pair[Face]:
    """Of a configuration file that cannot be used.

    Args:
        error: what is wrong.
        say: the words around it.
        turn: counts up: a text that is too long for a panel is shown page by page; after the last
            page comes the first.
    """
    name = error.file.rpartition("/")[2]
    wrong = [*_wrapped(error.key), *_wrapped(f"{say('config_found')} {error.found}")]
    return Pair(
        _face(name, wrong, turn), _face(say("config_allowed"), _wrapped(error.allowed), turn)
    )


def log_faces(message: str, say: Say, turn: int) -> Pair[Face]:
    """Of a directory that no log can be written to.

    Args:
        message: what is wrong; after a semicolon, what to do.
        say: the words around it.
        turn: as above.
    """
    wrong, _, advice = message.partition("; ")
    return Pair(
        _face(say("warning_log"), _wrapped(wrong), turn),
        _face(say("log_advice"), _wrapped(advice), turn),
    )


def _wrapped(text: str) -> list[str]:
    return wrap(text, LINE_LENGTH, break_on_hyphens=False)


def _face(head: str, lines: list[str], turn: int) -> Face:
    pages = max(1, -(-len(lines) // LINES_SHOWN))
    first = turn % pages * LINES_SHOWN
    shown = lines[first : first + LINES_SHOWN]
    shown += [""] * (LINES_SHOWN - len(shown))
    return Face(reserve="", status=head, lines=tuple(shown))
