"""`room/web/publish.py`: the folder holds a whole site at any moment."""

import asyncio
import errno
import os
import socket
import threading
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest

from lab.support.hubs import Room
from lab.support.paths import DATA
from lab.support.programs import running
from room.hub.hub import Hub
from room.hub.room_event import RoomEvent
from room.lines.events import LinesRead, Place
from room.settings.room import PublishTable
from room.sources.directory import DirectoryFollower
from room.sources.hall_client import HallClient, HallRefusedError
from room.web import publish
from room.web.publish import (
    Publisher,
    PublishError,
    as_everybody,
    of_hub,
    publish_hub,
    publish_logs,
    write_site,
)
from room.web.static_site import GENERATOR, INDEX, Get, Site, SiteMaker, named_in
from room.web.watch import Options, Watch, listen

LOGS = [(DATA / f"{name}.jsonl").read_bytes().splitlines() for name in ("ebf", "us")]


def site(*contents: bytes) -> Site:
    files: dict[str, bytes | None] = {f"match.{each.hex():0>16}.html": each for each in contents}
    return Site(f"{GENERATOR} {' '.join(files)}".encode(), files, ())


BEFORE, AFTER, LAST = site(b"a", b"b", b"c"), site(b"b", b"d", b"e" * 7), site(b"d", b"f")


def lying_in(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def is_whole(folder: Path, *sites: Site) -> bool:
    """Whether the page is that of one of the sites, and each file that it names is there."""
    found = lying_in(folder)
    (now,) = (each for each in sites if each.page == found[INDEX])
    return now.files.items() <= found.items()


class Stopped(BaseException):
    """The program is killed."""


class Stops:
    """Stops the writing at its n-th step: by a kill, or by a disk that is full from then on."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, number: int, *, kills: bool) -> None:
        self.left, self._kills = number, kills
        for owner, name in ((Path, "replace"), (Path, "unlink"), (os, "open"), (os, "fsync")):
            monkeypatch.setattr(owner, name, self._stopping(getattr(owner, name)))

    def _stopping(self, act: Callable[..., Any]) -> Callable[..., Any]:
        def stop(*arguments: Any, **options: Any) -> Any:
            reads = act is os_open and not arguments[1] & os.O_WRONLY
            frees = not self._kills and act is path_unlink  # a full disk lets files be removed
            self.left -= not (reads or frees)
            if self.left < 0 and not (reads or frees):
                raise Stopped if self._kills else OSError(errno.ENOSPC, "No space left")
            return act(*arguments, **options)

        os_open, path_unlink = OPEN, UNLINK
        return stop


OPEN, UNLINK = os.open, Path.unlink


@pytest.mark.parametrize("kills", [True, False], ids=["killed", "disk full"])
def test_stopped_at_any_step_the_site_of_before_or_the_new_one_is_whole(
    tmp_path: Path, *, kills: bool
) -> None:
    """And the next call, which may be one for another site, leaves nothing behind."""
    steps, is_done = 0, False
    while not is_done:
        folder = tmp_path / str(steps)
        write_site(folder, BEFORE)
        with pytest.MonkeyPatch.context() as monkeypatch:
            Stops(monkeypatch, steps, kills=kills)
            try:
                write_site(folder, AFTER)
            except (Stopped, OSError):
                pass
            else:
                is_done = True
        assert is_whole(folder, BEFORE, AFTER)
        write_site(folder, LAST)
        write_site(folder, LAST)
        assert lying_in(folder) == {**LAST.files, INDEX: LAST.page}
        steps += 1
    assert steps > 8


def test_files_that_readers_of_the_page_of_before_need_stay_until_the_next(tmp_path: Path) -> None:
    write_site(tmp_path, BEFORE)
    write_site(tmp_path, AFTER)
    assert is_whole(tmp_path, AFTER)
    assert BEFORE.files.keys() <= lying_in(tmp_path).keys()


def test_what_others_have_there_stays(tmp_path: Path) -> None:
    """A page of theirs is not replaced; a link leads nowhere else."""
    others = tmp_path / "others.html"
    others.write_text("theirs", encoding="utf-8")
    (tmp_path / "match.html").symlink_to(others)
    write_site(tmp_path, BEFORE)
    write_site(tmp_path, LAST)
    assert others.read_text(encoding="utf-8") == "theirs"
    assert (tmp_path / "match.html").is_symlink()
    (tmp_path / INDEX).write_text("theirs", encoding="utf-8")
    with pytest.raises(PublishError, match="another page"):
        write_site(tmp_path, AFTER)
    assert (tmp_path / INDEX).read_text(encoding="utf-8") == "theirs"


# --- while a hub runs -----------------------------------------------------------------------------


@pytest.fixture
def hub() -> Iterator[Hub]:
    """A hub that others may read."""
    with Room() as room:
        yield room.hub


async def read(hub: Hub, number: int) -> None:
    """Let a hub read a log."""
    place = Place(f"/{number}", f"/{number}", hint=str(number))
    hub.put(LinesRead(place, f"m{number}", tuple(LOGS[number]), 0, live=False))
    await hub.settle()


def test_a_hub_publishes_what_is_new_and_says_why_it_cannot(tmp_path: Path, hub: Hub) -> None:
    """Only when something has changed; a report that was made stays, or is made again."""
    folder = tmp_path / "pages"

    async def run() -> None:
        publisher = Publisher(hub, PublishTable(folder=str(folder)))
        await read(hub, 0)
        await publisher.look()
        first = lying_in(folder)
        (folder / INDEX).unlink()
        await publisher.look()
        assert INDEX not in lying_in(folder)
        await read(hub, 1)
        report = next(name for name in first if name.startswith("match"))
        (folder / report).unlink()
        await publisher.look()
        assert hub.troubles() == [
            f"Pages for the web space cannot be published: {folder}: No such file or directory"
        ]
        await publisher.look()
        assert hub.troubles() == []
        page = (folder / INDEX).read_bytes()
        assert report in named_in(page) <= lying_in(folder).keys()
        assert b"Ben wins" in page
        assert b"Bob wins" in page

    asyncio.run(run())


def test_a_hub_is_looked_at_again_and_again(
    tmp_path: Path, hub: Hub, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = []

    async def sleep(seconds: float) -> None:
        reports = [name for name in named_in((tmp_path / INDEX).read_bytes()) if "match" in name]
        found.append((seconds, len(reports)))
        if len(reports) == len(LOGS):
            raise asyncio.CancelledError
        await read(hub, len(reports))

    monkeypatch.setattr(asyncio, "sleep", sleep)
    with pytest.raises(asyncio.CancelledError):
        asyncio.run(Publisher(hub, PublishTable(folder=str(tmp_path))).run())
    assert found == [(publish.LOOK_S, 0), (publish.LOOK_S, 1), (publish.LOOK_S, 2)]


def test_what_comes_while_pages_are_made_is_published_next(tmp_path: Path, hub: Hub) -> None:
    """At whichever question to the hub it comes; then nothing is left to be published."""

    async def run(number: int) -> int:
        asked = 0

        async def ask(path: str) -> bytes | None:
            nonlocal asked
            asked += 1
            if asked == number and hub.public is not None:
                hub.public.feed.put_gone(str(number))
            return await get(path)

        publisher = Publisher(hub, PublishTable(folder=str(tmp_path / "pages")))
        get, publisher._maker._get = publisher._maker._get, ask
        counts = []
        for _ in range(3):
            await publisher.look()
            counts.append(asked)
        first, second, third = counts
        assert (second > first) == (number <= first)
        assert third == second
        return first

    async def run_all() -> None:
        await read(hub, 0)
        number = 1
        while number <= await run(number):
            number += 1
        assert number > 6

    asyncio.run(run_all())


def test_a_hub_for_this_computer_alone_publishes_no_more_than_others(tmp_path: Path) -> None:
    """Each reader of its pages is the director, but not the reader of what is published.

    The hub has the event and the name that the options give it.
    """
    settings = PublishTable(folder=str(tmp_path / "pages"))
    event = RoomEvent("Open", "2026-05-01")
    options = Options(names="initials", publish=settings, event=event, room="open")
    watch = Watch(options, listen("127.0.0.1", 0))
    assert (watch.hub.event, watch.hub.room) == (event, "open")

    async def run() -> None:
        await read(watch.hub, 0)
        assert watch._publisher is not None
        await watch._publisher.look()

    asyncio.run(run())
    watch.store.close()
    watch.socket.close()
    found = b"".join(lying_in(tmp_path / "pages").values())
    assert b"Ben" not in found
    assert b"B. wins" in found


# --- once -----------------------------------------------------------------------------------------


def test_a_hub_at_an_address_and_its_folder_are_published_alike(tmp_path: Path) -> None:
    """Whoever asks sees what everybody sees, also with the director's token."""
    logs = tmp_path / "logs"
    logs.mkdir()
    (logs / "7.jsonl").write_bytes((DATA / "ebf.jsonl").read_bytes())
    with pytest.MonkeyPatch.context() as monkeypatch:
        monkeypatch.setattr(socket.socket, "listen", None)  # no port is opened
        of_logs, troubles = publish_logs([logs], tmp_path / "of_logs", "en")
    assert troubles == []
    with running("-m", "gammonclock", "watch", str(logs), "--port", "0") as said:
        address = said.readline().split()[0]
        of_hub = publish_hub(f"{address}?token=x", tmp_path / "of_hub", "en")
        while not of_hub.results:  # it has not read the log yet
            of_hub = publish_hub(f"{address}?token=x", tmp_path / "of_hub", "en")
    assert of_hub.files == of_logs.files
    with pytest.raises(PublishError, match=r"127.0.0.1:\d+: .*refused"):
        publish_hub(address, tmp_path / "of_hub", "en")


def test_each_log_of_a_folder_is_published_and_nothing_stays_open(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However few of them a hub would read when it starts."""
    monkeypatch.setattr(DirectoryFollower.__init__, "__defaults__", (1,))
    for day, log in enumerate((*LOGS, LOGS[0][:1]), 1):
        (tmp_path / f"2026-05-0{day}T10-00-00-7.jsonl").write_bytes(b"\n".join([*log, b""]))
    before = threading.enumerate()
    published, troubles = publish_logs([tmp_path], tmp_path / "pages", "en")
    assert (len(published.results), troubles) == (len(LOGS), [])
    for thread in set(threading.enumerate()) - set(before):
        thread.join(60)  # it ends by itself
        assert not thread.is_alive()
    kept = [each.readlink() for each in Path("/proc/self/fd").iterdir() if each.is_symlink()]
    assert not [each for each in kept if each.is_relative_to(tmp_path)]


@pytest.mark.parametrize(
    ("answer", "why"), [(None, publish.CLOSED), (b"{}", "of another version: .*results")]
)
def test_a_hub_that_is_closed_or_of_another_version_is_not_published(
    tmp_path: Path, answer: bytes | None, why: str
) -> None:
    async def ask(_path: str) -> bytes | None:
        return answer

    with pytest.raises(PublishError, match=why):
        asyncio.run(publish._publish(SiteMaker(ask, "en"), tmp_path))
    assert lying_in(tmp_path) == {}


def test_what_is_not_for_everybody_is_nothing_and_another_answer_an_error(
    hub: Hub, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of a hub of this program, and of one at an address."""

    def refuse(_client: HallClient, path: str) -> bytes:
        raise HallRefusedError(int(path), "refused")

    monkeypatch.setattr(HallClient, "get", refuse)
    asked = of_hub("http://127.0.0.1:1/"), as_everybody(hub)
    paths = ("403", "404", "500"), ("/api/1/offers", "/api/1/missing", "/api/1/boards?unknown=")

    async def answers(get: Get, paths: Iterable[str]) -> list[bytes | None]:
        return [await get(path) for path in paths]

    for get, (*closed, wrong) in zip(asked, paths, strict=True):
        assert asyncio.run(answers(get, closed)) == [None, None]
        with pytest.raises((HallRefusedError, PublishError)):
            asyncio.run(answers(get, [wrong]))
