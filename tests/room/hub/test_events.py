"""The feed and its readers: resuming, slow readers, a thousand readers."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import msgspec
import pytest
from starlette.types import ASGIApp, Message

from lab.room_seeds.virtual_time import VirtualLoop
from room.boards.board import Board
from room.boards.fields import make_board
from room.boards.signs import Signs
from room.hub.events import Feed
from room.lines.track import Track
from room.web.event_stream import EventStream, OpenStreams


def board(id_: str, source: str = "") -> Board:
    return make_board(id_, source, None, Track(), Signs(0, None, None, complete=False))


def parsed(body: bytes) -> list[tuple[str, str, dict[str, Any]]]:
    """The events in a body: id, name and data."""
    found = []
    for event in body.decode().split("\n\n")[:-1]:
        fields = dict(line.split(": ", 1) for line in event.split("\n"))
        found.append((fields["id"], fields["event"], msgspec.json.decode(fields["data"])))
    return found


def names(body: bytes) -> list[tuple[str, str]]:
    """The events in a body, boards with id and source."""
    return [
        (name, f"{data.get('id', '')}{data.get('source', '')}")
        for _, name, data in parsed(body)
        if name != "hello"
    ]


class Browser:
    """A reader that takes a part of the answer only when it is asked to."""

    def __init__(self, stream: ASGIApp, address: str = "10.0.0.1") -> None:
        self._taken: asyncio.Queue[Message] = asyncio.Queue(1)
        self._left = asyncio.Event()
        scope = {"type": "http", "client": (address, 9)}
        self.task = asyncio.ensure_future(stream(scope, self._receive, self._taken.put))

    async def _receive(self) -> Message:
        await self._left.wait()
        return {"type": "http.disconnect"}

    async def take(self) -> bytes:
        """The next part of the body."""
        while (message := await self._taken.get())["type"] != "http.response.body":
            pass
        body: bytes = message["body"]
        self.has_more = message.get("more_body")
        return body

    async def leave(self) -> None:
        self._left.set()
        await self.task


def stream(feed: Feed, latest: str | None = None, only: str | None = None) -> EventStream:
    """The answer to a reader."""
    return EventStream(feed, "1", lambda: 5, position=feed.position(latest), board=only, room="")


def running(test: Callable[[Feed], Awaitable[None]]) -> Callable[[], None]:
    """Run a test with a feed of two boards in an event loop; nothing waits for a second."""

    async def run() -> None:
        feed = Feed()
        feed.put_board(board("7", "a"))
        feed.put_board(board("8", "a"))
        await test(feed)
        assert asyncio.get_running_loop().time() < 1

    def run_it() -> None:
        with asyncio.Runner(loop_factory=VirtualLoop) as runner:
            runner.run(run())
            loop = runner.get_loop()
            assert isinstance(loop, VirtualLoop)
            assert not loop.errors

    run_it.__doc__ = test.__doc__
    return run_it


@running
async def test_a_reader_is_greeted_and_told_everything(feed: Feed) -> None:
    browser = Browser(stream(feed))
    ((id_, name, data),) = parsed(await browser.take())
    assert (id_, name) == (f"{feed.store}-0", "hello")
    assert data == {"version": "1", "room": "", "hub_ns": 5, "troubles": [], "said": []}
    assert names(await browser.take()) == [("board", "7a"), ("board", "8a")]
    feed.put_board(board("7", "b"))
    feed.wake()
    assert names(await browser.take()) == [("board", "7b")]
    assert browser.has_more
    await browser.leave()


@running
async def test_one_address_may_have_so_many_streams(feed: Feed) -> None:
    """Else one phone could hold half of all connections; the others are told why they wait."""
    streams = OpenStreams(2)

    def browser(address: str) -> Browser:
        return Browser(streams.bounded(stream(feed)), address)

    first, second = browser("10.0.0.1"), browser("10.0.0.1")
    assert b"event: hello" in await first.take() + await second.take()
    refused = await browser("10.0.0.1").take()
    assert refused == b'{"error":"10.0.0.1 has 2 event streams, and may have no more"}'
    other = browser("10.0.0.2")
    assert b"event: hello" in await other.take()
    await first.leave()
    third = browser("10.0.0.1")
    assert b"event: hello" in await third.take()
    for each in (second, third, other):
        await each.leave()


@running
async def test_a_slow_reader_is_told_the_newest_states_only(feed: Feed) -> None:
    browser = Browser(stream(feed))
    await browser.take()
    await browser.take()
    feed.put_board(board("7", "x"))
    feed.wake()
    for number in range(1000):
        feed.put_board(board("8", str(number)))
        feed.wake()
    assert names(await browser.take()) == [("board", "7x"), ("board", "8999")]
    await browser.leave()


@running
async def test_a_reader_resumes_after_its_latest_event(feed: Feed) -> None:
    """Only what has changed since is told."""
    browser = Browser(stream(feed))
    await browser.take()
    latest = parsed(await browser.take())[-1][0]
    await browser.leave()
    feed.put_board(board("7", "b"))
    feed.put_gone("8")
    again = Browser(stream(feed, latest))
    assert parsed(await again.take())[0][0] == latest
    assert names(await again.take()) == [("board", "7b"), ("gone", "8")]
    await again.leave()


@pytest.mark.parametrize(
    "latest",
    ["", "x", "-", "other-2", "{store}-", "{store}-²", "{store}--1", "{store}-" + "9" * 5000],
)
def test_the_position_of_another_feed_is_the_beginning(latest: str) -> None:
    """The hub was started again: everything is told."""
    feed = Feed()
    feed.put_board(board("7"))
    assert feed.position(latest.format(store=feed.store)) == 0


def test_a_position_is_never_ahead() -> None:
    feed = Feed()
    feed.put_board(board("7"))
    assert feed.position(f"{feed.store}-999") == 1


@running
async def test_a_reader_of_one_board_is_told_of_no_other(feed: Feed) -> None:
    browser = Browser(stream(feed, only="8"))
    await browser.take()
    assert names(await browser.take()) == [("board", "8a")]
    feed.put_board(board("7", "b"))
    feed.put_troubles(["disk full"])
    feed.wake()
    assert names(await browser.take()) == [("troubles", "")]
    await browser.leave()


@running
async def test_only_readers_of_a_board_wait_for_its_changes(feed: Feed) -> None:
    feed.wake()
    waits = {board: feed.wait(feed.number, board, 60) for board in ("7", "8", None)}
    waiting = {board: asyncio.ensure_future(wait) for board, wait in waits.items()}
    await asyncio.sleep(0)
    feed.put_board(board("7", "b"))
    feed.wake()
    await asyncio.gather(waiting["7"], waiting[None])
    assert not waiting["8"].done()
    feed.put_troubles(["disk full"])
    feed.wake()
    async with asyncio.timeout(10):  # far less than it would wait in vain
        await waiting["8"]


@running
async def test_a_reader_that_takes_nothing_is_dropped(feed: Feed) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("room.web.event_stream.SEND_S", 0.01)
        await Browser(stream(feed)).task


@running
async def test_a_thousand_readers_are_told(feed: Feed) -> None:
    browsers = [Browser(stream(feed)) for _ in range(1000)]
    for browser in browsers:
        await browser.take()
        await browser.take()
    feed.put_board(board("7", "z"))
    feed.wake()
    told = [names(await browser.take()) for browser in browsers]
    assert told == [[("board", "7z")]] * 1000
    for browser in browsers:
        await browser.leave()


@running
async def test_a_quiet_feed_ticks(feed: Feed) -> None:
    """So that the connection and the reader's idea of the time stay alive."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("room.web.event_stream.TICK_S", 0.01)
        browser = Browser(stream(feed))
        await browser.take()
        await browser.take()
        for tick in range(1, 4):
            ((id_, name, data),) = parsed(await browser.take())
            assert (id_, name, data) == (f"{feed.store}-2", "tick", {"hub_ns": 5})
            assert round(asyncio.get_running_loop().time(), 6) == tick / 100
        await browser.leave()


@running
async def test_a_busy_feed_ticks_too(feed: Feed) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("room.web.event_stream.TICK_S", 0)
        browser = Browser(stream(feed))
        taken = [parsed(await browser.take())[-1][1] for _ in range(3)]
        assert taken == ["hello", "board", "tick"]
        await browser.leave()


@running
async def test_nobody_waits_for_what_is_there(feed: Feed) -> None:
    """A reader that had no time meanwhile is told of it now; one that comes late leaves again."""
    feed.wake()
    await feed.wait(feed.number - 1, None, 60)
    feed.end()
    await feed.wait(feed.number, None, 60)


@running
async def test_the_end_of_the_hub_ends_the_streams(feed: Feed) -> None:
    feed.wake()
    for browser in (Browser(stream(feed)), Browser(stream(feed, only="7"))):
        await browser.take()
        await browser.take()
    feed.end()
    assert (await browser.take(), browser.has_more) == (b"", False)
    await browser.task
