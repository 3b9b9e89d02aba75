"""The connection of link and hub: a last will, made again when it is lost, ended in good order."""

import asyncio
from collections.abc import AsyncIterator, Coroutine, Iterable
from contextlib import nullcontext
from itertools import count
from typing import Any

import pytest
from aiomqtt import MqttError, Will
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.reasoncodes import ReasonCode

from room.broker.session import Session
from room.broker.topics import State

GRANTED = ReasonCode(PacketTypes.SUBACK, "Granted QoS 0")
REFUSED = ReasonCode(PacketTypes.SUBACK, "Not authorized")


class Line:
    """Stands for a connection to a broker, which is lost at the first message."""

    def __init__(self, log: list[object], answer: ReasonCode) -> None:
        self._log, self._answer = log, answer

    async def subscribe(self, topics: list[object]) -> list[ReasonCode]:
        return [self._answer] * len(topics)

    async def publish(self, topic: str, payload: bytes, *, retain: bool) -> None:
        self._log.append((topic, payload, retain))

    @property
    def messages(self) -> AsyncIterator[Any]:
        return self._messages()

    async def _messages(self) -> AsyncIterator[Any]:
        await asyncio.sleep(0)
        raise MqttError("lost")
        yield


async def silence(_: Line) -> AsyncIterator[Any]:
    """No message, and no loss."""
    await asyncio.Event().wait()
    yield


class Program:
    """A member that is cancelled after some connections."""

    state_topic, topics = "room/hub", ("a", "b")
    task: asyncio.Future[None]

    def __init__(
        self, monkeypatch: pytest.MonkeyPatch, connections: int, answer: ReasonCode = GRANTED
    ) -> None:
        self.log: list[object] = []
        self._left = connections
        numbers = count(1)
        self.session = Session(None, self, lambda: next(numbers))  # type: ignore[arg-type]

        def connect(_: object, will: Will) -> nullcontext[Line]:
            self.log.append(will.payload)
            return nullcontext(Line(self.log, answer))

        monkeypatch.setattr("room.broker.session.connect", connect)
        monkeypatch.setattr("room.broker.session.next_attempt", self._next)

    async def _next(self, _: object) -> None:
        self._left -= 1
        if not self._left:
            raise asyncio.CancelledError

    def state(self, state: State) -> bytes:
        return f"{state} {self.session.number}".encode()

    def connected(self) -> None:
        self.log.append("connected")

    def disconnected(self, error: Exception) -> None:
        self.log.append(str(error))

    async def receive(self, topic: str, payload: bytes) -> None:
        """See `Member`."""

    def tasks(self) -> Iterable[Coroutine[None, None, None]]:
        return (self._work(),)

    async def _work(self) -> None:
        await asyncio.Event().wait()

    def run(self) -> list[object]:
        """Run until it is cancelled; return what has happened."""

        async def run() -> None:
            self.task = asyncio.ensure_future(self.session.run())
            await self.task

        with pytest.raises(asyncio.CancelledError):
            asyncio.run(run())
        return self.log


def test_a_lost_connection_is_made_again(monkeypatch: pytest.MonkeyPatch) -> None:
    first, second = ([f"lost {number}".encode(), "connected", "lost"] for number in (1, 2))
    assert Program(monkeypatch, 2).run() == [*first, *second]


def test_topics_that_the_broker_refuses_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """The account is wrong: trying again may help when that was mended."""
    found = Program(monkeypatch, 1, REFUSED).run()
    assert found == [b"lost 1", "the broker refuses a, b"]


def test_a_program_that_ends_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    """Retained: the broker publishes the will of a lost connection only."""
    program = Program(monkeypatch, 1)

    def end() -> None:
        program.task.cancel()

    monkeypatch.setattr(program, "connected", end)
    assert program.run()[-1] == ("room/hub", b"off 1", True)


def test_a_bug_ends_the_program(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its service is started again; trying to connect again would hide it."""
    program = Program(monkeypatch, 1)

    async def work() -> None:
        raise ZeroDivisionError

    monkeypatch.setattr(program, "_work", work)
    monkeypatch.setattr(Line, "_messages", silence)
    with pytest.raises(ZeroDivisionError):
        asyncio.run(program.session.run())
