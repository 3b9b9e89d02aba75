"""What the panels show of a file that cannot be used: left what is wrong, right what to write.

The one rule: what the file's own error says is shown as it says it; only the words around it are in
the director's language.
"""

from textwrap import wrap

from clock.config_reading import ConfigError
from clock.face import Face
from clock.language import LINE_LENGTH
from clock.sides import Pair
from clock.telling import Say

LINES_SHOWN = 4  # of a page under its head


def config_faces(error: ConfigError, say: Say, turn: int) -> Pair[Face]:
    """The faces of both panels; a text that is too long for one is shown page by page.

    Args:
        error: what is wrong.
        say: the words around it.
        turn: counts up; after the last page comes the first.
    """
    name = error.file.rpartition("/")[2]
    wrong = [*_wrapped(error.key), *_wrapped(f"{say('config_found')} {error.found}")]
    return Pair(
        _face(name, wrong, turn), _face(say("config_allowed"), _wrapped(error.allowed), turn)
    )


def _wrapped(text: str) -> list[str]:
    return wrap(text, LINE_LENGTH, break_on_hyphens=False)


def _face(head: str, lines: list[str], turn: int) -> Face:
    pages = -(-len(lines) // LINES_SHOWN)
    first = turn % pages * LINES_SHOWN
    shown = lines[first : first + LINES_SHOWN]
    shown += [""] * (LINES_SHOWN - len(shown))
    return Face(reserve="", status=head, lines=tuple(shown))
