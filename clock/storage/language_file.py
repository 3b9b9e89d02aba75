"""The panels' language as it was chosen in the menu, kept beside the logs (R133).

It holds as long as the director's file says what it said then; a file that is changed to another
language wins.
"""

from contextlib import suppress
from pathlib import Path

from clock.files import replace_file
from clock.storage.disk import DISK
from clock.ui.i18n import LANGUAGES

NAME = "language"
MOST_BYTES = 16


def keep_language(directory: Path, of_file: str, language: str) -> None:
    """Keep a language that was chosen while the file said `of_file`; a failure forgets it."""
    path = directory / NAME
    with suppress(OSError):
        replace_file(path, f"{language} {of_file}\n".encode("ascii"), durable=False)


def kept_language(directory: Path, of_file: str) -> str:
    """Return the language that was chosen, or `of_file` if none was or the file has changed."""
    try:
        text = DISK.read_file(directory / NAME, MOST_BYTES).decode("ascii", "replace").strip()
    except OSError:
        return of_file
    chosen, _, then = text.partition(" ")
    return chosen if then == of_file and chosen in LANGUAGES else of_file
