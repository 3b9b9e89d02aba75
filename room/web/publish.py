"""Publish results, reports and the wall: pages that are written into a folder for a web space."""

import asyncio
from collections.abc import Sequence
from http import HTTPStatus
from pathlib import Path
from urllib.parse import unquote

import msgspec
from starlette.types import ASGIApp, Message, Scope

from clock.files import open_to_read, replace_file
from clock.text import reason
from hardware.system.clocks import boot_id
from room.boards.register import Register
from room.boards.sanitized import clean
from room.hub.hub import Hub
from room.hub.public_view import PublicView
from room.hub.store.store import Store
from room.hub.words import hub_message
from room.lines.events import SourceEvent, TroubleChanged
from room.settings.room import PublishTable
from room.sources.directory import DirectoryFollower
from room.sources.hall_client import HallClient, HallError, HallRefusedError
from room.sources.raw_clock import now_ns, today, wall
from room.web.access import Access
from room.web.site import application
from room.web.static_site import (
    FILE_NAME,
    GENERATOR,
    INDEX,
    Get,
    NotPublicError,
    Site,
    SiteMaker,
    named_in,
)

LOOK_S = 30.0  # between looks of a hub whether something has changed
NEW = ".new"  # at the end of the name of a file that is being written
ALL = 1_000_000  # logs of a folder
CLOSED = "its pages are closed to the public"


class PublishError(Exception):
    """Nothing can be published; the message says why."""


def write_site(folder: Path, site: Site) -> None:
    """Write a site into a folder: first the files, by their names, last the page that names them.

    Whenever it is stopped, the site of before or the new one is whole. The files of the site of
    before stay until the next one is written, for readers who have its page.

    Raises:
        PublishError: another page lies there.
        OSError: it cannot be written, or a file that was made before has gone.
    """
    folder.mkdir(exist_ok=True)
    index = folder / INDEX
    before = _read(index)
    if before is not None and GENERATOR.encode() not in before:
        raise PublishError(hub_message("publish_other", name=clean(str(index))))
    kept = named_in(before or b"")
    for path in folder.iterdir():
        name = path.name.removesuffix(NEW)
        if FILE_NAME.fullmatch(name) and name not in kept:
            path.unlink()
    for name, content in site.files.items():
        path = folder / name
        if content is None:
            path.stat()
        elif _read(path) != content:
            replace_file(path, content)
    if before != site.page:
        replace_file(index, site.page)


def _read(path: Path) -> bytes | None:
    try:
        with open_to_read(path) as file:
            return file.read()
    except FileNotFoundError:
        return None


# --- whom to ask ------------------------------------------------------------------------------


def as_everybody(hub: Hub) -> Get:
    """Return what asks a hub of this program as somebody without the director's token."""
    app = application(hub, access=Access(guarded=True))

    async def get(path: str) -> bytes | None:
        status, content = await _ask(app, path)
        if status in (HTTPStatus.FORBIDDEN, HTTPStatus.NOT_FOUND):
            return None
        if status != HTTPStatus.OK:
            raise PublishError(hub_message("database"))
        return content

    return get


async def _ask(app: ASGIApp, path: str) -> tuple[int, bytes]:
    """Return the status and the content of what stands at a path of an application."""
    plain, _, query = path.partition("?")
    scope: Scope = {
        "type": "http",
        "http_version": "1.1",
        "method": "GET",
        "scheme": "http",
        "path": unquote(plain),
        "raw_path": plain.encode(),
        "root_path": "",
        "query_string": query.encode(),
        "headers": [(b"host", b"localhost")],
    }
    sent: list[Message] = []

    async def receive() -> Message:
        return {"type": "http.disconnect"}

    async def send(message: Message) -> None:
        sent.append(message)

    await app(scope, receive, send)
    return sent[0]["status"], b"".join(each.get("body", b"") for each in sent)


def of_hub(address: str) -> Get:
    """Return what asks the hub at an address; a token in the address is not used."""
    client = HallClient(address.partition("?")[0])

    async def get(path: str) -> bytes | None:
        try:
            return await asyncio.to_thread(client.get, path)
        except HallRefusedError as refused:
            if refused.status in (HTTPStatus.FORBIDDEN, HTTPStatus.NOT_FOUND):
                return None
            raise

    return get


# --- once, and while a hub runs ---------------------------------------------------------------


def publish_hub(address: str, folder: Path, language: str) -> Site:
    """Publish what a hub shows to everybody, once.

    Raises:
        PublishError: the hub cannot be asked or shows nothing, or the folder cannot be used.
    """
    try:
        return asyncio.run(_publish(SiteMaker(of_hub(address), language), folder))
    except HallError as error:
        raise PublishError(str(error)) from error


def publish_logs(paths: Sequence[Path], folder: Path, language: str) -> tuple[Site, list[str]]:
    """Publish the logs in folders, once; return also what is wrong with them.

    Raises:
        PublishError: the folder cannot be used.
    """
    store = Store(None, today, wall)
    try:
        return asyncio.run(_publish_logs(store, paths, folder, language))
    finally:
        store.close()


async def _publish_logs(
    store: Store, paths: Sequence[Path], folder: Path, language: str
) -> tuple[Site, list[str]]:
    register = Register(now_ns(), boot_id(), None, store.known, store.conflicts)
    hub = Hub(register, store, now_ns, PublicView())
    troubles: list[str] = []

    def emit(event: SourceEvent) -> None:
        if isinstance(event, TroubleChanged):
            troubles.append(f"{event.place.source}: {event.what}")
        hub.put(event)

    for path in paths:
        follower = DirectoryFollower(path, emit, now_ns, most_earlier=ALL)
        follower.scan()
        while follower.read_earlier():
            pass
        follower.close()
    await hub.settle()
    return await _publish(SiteMaker(as_everybody(hub), language), folder), troubles


async def _publish(maker: SiteMaker, folder: Path) -> Site:
    try:
        site = await maker.make(wall())
        await asyncio.to_thread(write_site, folder, site)
    except NotPublicError as error:
        raise PublishError(CLOSED) from error
    except msgspec.DecodeError as error:
        raise PublishError(clean(f"the hub is of another version: {error}")) from error
    except OSError as error:
        raise PublishError(clean(f"{folder}: {error.strerror or error}")) from error
    return site


class Publisher:
    """Publishes what everybody may see of a hub, while it runs."""

    def __init__(self, hub: Hub, settings: PublishTable) -> None:
        """Begin with nothing published.

        Args:
            hub: it has a public view, and shows failures among its own troubles.
            settings: where to, and in which language.
        """
        self._hub, self._folder = hub, Path(settings.folder)
        self._maker = SiteMaker(as_everybody(hub), settings.language)
        self._published: int | None = None  # the number of the latest change that is published
        self._trouble = ""
        hub.publish_trouble = lambda: self._trouble

    async def run(self) -> None:
        """Look and publish, again and again."""
        while True:
            await self.look()
            await asyncio.sleep(LOOK_S)

    async def look(self) -> None:
        """Publish, if something has changed."""
        public = self._hub.public
        number = None if public is None else public.feed.number
        if number == self._published:
            return
        try:
            await _publish(self._maker, self._folder)
        except PublishError as error:
            self._maker.forget()
            self._trouble = hub_message("publish", why=reason(error))
        else:
            self._published, self._trouble = number, ""
