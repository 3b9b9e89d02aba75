"""Read the tables of a TOML file; [web] and [notify] of room.toml."""

from pathlib import Path
from typing import Annotated, Literal, TypeVar, get_args

from msgspec import Meta, Struct

from clock.config.loader import read_text
from clock.config.reader import read_document, read_tables_as
from clock.config.schema import CHARACTER, matching

TableT = TypeVar("TableT", bound=Struct)


def load_tables(path: Path, shape: type[TableT], advice: str) -> TableT:
    """Return the tables of a file; a key without a default must be given.

    Raises:
        ConfigError: the file cannot be read or used.
    """
    file = str(path)
    return read_tables_as(read_document(read_text(path), file), shape, file, advice)


FileName = Annotated[str, matching(rf"{CHARACTER}*", 'the name of a file, or ""')]


class WebTable(Struct, frozen=True, kw_only=True):
    """[web]: the certificate of the pages; with one they are https."""

    certificate: FileName = ""
    """Its file, seen from the folder of room.toml; empty: the pages are http."""
    key: FileName = ""
    """The file of its private key."""

    @property
    def scheme(self) -> str:
        """How addresses of the pages begin."""
        return "https" if self.certificate else "http"

    def files_in(self, folder: Path) -> tuple[Path, Path] | None:
        """Return the files of certificate and key; None: there are none."""
        return (folder / self.certificate, folder / self.key) if self.certificate else None


Kind = Literal[
    "call",
    "flag",
    "late",
    "low",
    "claimed",
    "twice",
    "fault",
    "damaged",
    "not_heard",
    "settings",
    "hub",
]
"""What asks for the director at a board, most important first; last, the hub's own troubles."""
USUAL: tuple[Kind, ...] = ("call", "flag", "late", "not_heard", "hub")
NotifyUrl = Annotated[
    str,
    matching(
        r"(?:https?://[^\s\x00-\x1f\x7f]{1,500})?",
        'an address such as "https://ntfy.sh/open-2026-k3v9", or ""',
    ),
]
NotifyToken = Annotated[
    str, matching(r"[\x21-\x7e]{0,500}", "characters without spaces, or an empty text")
]
PerMinute = Annotated[int, Meta(ge=1, le=60, description="a whole number from 1 to 60")]


Kinds = Annotated[
    tuple[Kind, ...],
    Meta(description=f'a list of some of {", ".join(get_args(Kind))}, such as ["call", "flag"]'),
]


class NotifyTable(Struct, frozen=True, kw_only=True):
    """[notify]: where the hub tells what asks for the director."""

    url: NotifyUrl = ""
    """Empty: nowhere."""
    kind: Literal["json", "ntfy"] = "json"
    token: NotifyToken = ""
    """Sent as `Authorization: Bearer`; empty: none."""
    language: Literal["en", "de", "da", "nb"] = "en"
    """Of the notices; what is wrong with the hub itself is said in English."""
    about: Kinds = USUAL
    per_minute: PerMinute = 6
    """Nothing is sent more often; what comes meanwhile is sent together."""
