"""[web] of room.toml: the certificate of the pages."""

from pathlib import Path
from typing import Annotated

from msgspec import Struct

from clock.config.schema import CHARACTER, matching

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
