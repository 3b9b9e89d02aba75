"""A room's hub for one clock: it signs offers for the latest line of the clock's log."""

from pathlib import Path
from typing import Any

import msgspec

from clock.config.offer import (
    ItemAnswered,
    LatestLine,
    SignedOffer,
    SignedRuling,
    offer_key,
    sign,
)
from clock.match.rules import Answer
from clock.storage.log_reader import CURRENT, read_log
from clock.storage.offer_file import KEY as KEY_FILE
from clock.storage.offer_file import OFFER

MASTER = bytes(range(32))
CLOCK = "red-7"
KEY = offer_key(MASTER, CLOCK)


class OfferDesk:
    """The link's directory and the clock's key, as a director fills them."""

    def __init__(self, folder: Path, logs: Path) -> None:
        """Give the clock its key; offer nothing yet.

        Args:
            folder: gets the link's directory.
            logs: the directory of the clock's logs.
        """
        self.directory, self._logs = folder / "link", logs
        self.file = self.directory / OFFER
        self.directory.mkdir()
        logs.mkdir(exist_ok=True)
        (logs / KEY_FILE).write_text(KEY.hex() + "\n", encoding="ascii")
        (logs / KEY_FILE).chmod(0o600)

    @property
    def latest(self) -> LatestLine:
        """The latest line of the clock's log."""
        log = read_log(self._logs / CURRENT)
        assert log is not None
        return msgspec.json.decode(log.lines[-1], type=LatestLine)

    def line(
        self,
        id_: str = "offer-001",
        key: bytes = KEY,
        after: LatestLine | None = None,
        **settings: Any,
    ) -> bytes:
        """The line of an offer."""
        return sign(SignedOffer(1, id_, CLOCK, after or self.latest, settings), key)

    def ruling(
        self,
        item: str,
        *answers: Answer,
        id_: str = "ruling-01",
        after: LatestLine | None = None,
        key: bytes = KEY,
    ) -> bytes:
        """The line of a proposed ruling."""
        ruling = ItemAnswered(item, answers)
        return sign(SignedRuling(2, id_, CLOCK, after or self.latest, ruling, "Eva"), key)

    def put(self, line: bytes) -> None:
        """Put a line where the link puts it, whole at once."""
        new = self.directory / "new"
        new.write_bytes(line)
        new.replace(self.file)
