"""A room in this process: its hub, what the hub keeps and sends, and its pages."""

import asyncio
from functools import cached_property
from pathlib import Path
from typing import Any, Self

from starlette.applications import Starlette
from starlette.testclient import TestClient

from lab.bench.closing import Closing
from lab.support.offers import MASTER
from room.boards.register import Register
from room.hub.hub import Hub
from room.hub.public_view import PublicView
from room.hub.store.store import Store
from room.lines.events import SourceEvent
from room.web.access import Access
from room.web.site import application

TOKEN = "kGq8fT2yVb1nLw0x"  # noqa: S105 (of tests)
DIRECTOR = {"authorization": f"Bearer {TOKEN}"}


def fill(hub: Hub, *messages: SourceEvent) -> None:
    """Tell a hub of a room, until every result is there."""

    async def tell() -> None:
        for message in messages:
            hub.put(message)
        hub.update()
        await hub._results.settle()

    asyncio.run(tell())


class Room(Closing):
    """A hub whose time is a number, with a director; everybody else sees less."""

    def __init__(
        self,
        database: Path | None = None,
        *,
        access: Access = Access(TOKEN, guarded=True),  # noqa: B008 (it never changes)
        public: PublicView | None = None,
        **pages: Any,
    ) -> None:
        """Begin without a board; `pages` are further arguments of the web application."""
        self.now_ns = 5
        self.sent: list[tuple[str, bytes]] = []  # lines for clocks, with their names
        self.store = Store(database)
        self.public = public or PublicView()
        self.hub = Hub(Register(0), self.store, lambda: self.now_ns, self.public)
        self.hub.enable_offers(MASTER, self.send)
        self._pages: dict[str, Any] = {"access": access} | pages

    def send(self, clock: str, line: bytes) -> None:
        """Take what the hub sends to a clock."""
        self.sent.append((clock, line))

    def tell(self, *messages: SourceEvent) -> Self:
        """Tell the hub, until every result is there."""
        fill(self.hub, *messages)
        return self

    def browser(self, headers: dict[str, str] | None = None) -> TestClient:
        """A browser that has no cookie yet."""
        return TestClient(self.app, headers=headers)

    @cached_property
    def app(self) -> Starlette:
        """The web application."""
        return application(self.hub, **self._pages)

    @cached_property
    def director(self) -> TestClient:
        """The browser of the director."""
        return self.browser(DIRECTOR)

    @cached_property
    def reader(self) -> TestClient:
        """The browser of somebody else."""
        return self.browser()

    def get(self, path: str) -> Any:
        """What the director is answered."""
        return self.director.get(path).json()

    def offer(self, *boards: object, **match: object) -> Any:
        """The director offers a match to boards."""
        return self.director.post("/api/1/offers", json={"boards": boards, "match": match})

    def close(self) -> None:
        """Close the database."""
        self.store.close()
