"""The connection of link and hub: a last will, made again when it is lost, ended in good order."""

import asyncio
from collections.abc import Coroutine, Iterable
from contextlib import suppress
from itertools import pairwise

import pytest
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.reasoncodes import ReasonCode

from lab.room_seeds.broker import GRANTED, Connection
from lab.support.virtual_broker import BASE, Wire, at_a_wire, login
from room.broker.connection import LAST_RETRY_S
from room.broker.session import Session
from room.broker.topics import State

REFUSED = ReasonCode(PacketTypes.SUBACK, "Not authorized")

wire = pytest.fixture(at_a_wire)


class Program:
    """A member that says something each second."""

    state_topic = f"{BASE}hub"
    topics: tuple[str, ...] = (f"{BASE}a", f"{BASE}b")

    def __init__(self, wire: Wire, name: str = "hub") -> None:
        self.log, self._loop = list[str](), wire.loop
        self.bug: Exception | None = None
        self.session = Session(login(name), self, wire.loop.now_ns)
        self.task = wire.loop.create_task(self.session.run())

    def state(self, state: State) -> bytes:
        return f"{state} {self.session.number}".encode()

    def connected(self) -> None:
        self.log.append("connected")

    def disconnected(self, error: Exception) -> None:
        self.log.append(str(error))

    async def receive(self, topic: str, payload: bytes) -> None:
        self.log.append(f"{topic.removeprefix(BASE)} {payload.decode()}")

    def tasks(self) -> Iterable[Coroutine[None, None, None]]:
        return (self._work(),)

    async def _work(self) -> None:
        while True:
            await self.session.publish(f"{BASE}c", b"")
            await asyncio.sleep(1)
            if self.bug is not None:
                raise self.bug


def test_a_connection_that_is_lost_is_made_again(wire: Wire) -> None:
    """Soon if it lasted; the broker said the will of that one, under its number."""
    program = Program(wire)
    somebody = wire.join("somebody")
    wire.run(20)
    number = program.session.number
    wire.broker.lose_connection("hub")
    assert wire.broker.retained == {f"{BASE}hub": f"lost {number}".encode()}
    wire.run(1)
    wire.say(somebody, "a", b"1")
    wire.say(somebody, "b", b"2")
    wire.say(somebody, "c", b"3")
    wire.run(1)
    wire.say(somebody, "a", b"kept", retain=True)
    wire.run(1)
    wire.loop.run_until_complete(program.session.subscribe())  # again: nothing comes twice
    wire.run(1)
    assert program.log == ["connected", "Disconnected", "connected", "a 1", "b 2", "a kept"]
    assert program.session.number > number
    number = program.session.number
    wire.broker.lose_connection("hub")
    wire.run(5)
    assert program.session.number > number


def test_a_connection_that_never_lasts_is_made_less_and_less_often(wire: Wire) -> None:
    """Somebody else may have the same login: both would throw each other off for ever."""
    Program(wire)

    def lost_each_second(seconds: int) -> list[float]:
        """Return how long it took each time until it was there again."""
        at_s = list[float]()
        for _ in range(seconds):
            wire.broker.lose_connection("hub")
            at_s += [each.s for each in wire.run(1) if each.topic == "c"]
        return [after - before for before, after in pairwise(at_s)]

    waits_s = lost_each_second(200)
    assert waits_s[0] < 2
    assert min(waits_s[-9:]) >= 7
    assert max(waits_s) < 17
    wire.run(LAST_RETRY_S + 15)
    assert min(lost_each_second(3)) < 2


def test_topics_that_the_broker_refuses_are_named(
    wire: Wire, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The account is wrong: trying again may help when that was mended."""
    monkeypatch.setattr("lab.room_seeds.broker.GRANTED", REFUSED)
    program = Program(wire)
    wire.run(0.1)
    assert program.log == [f"the broker refuses {BASE}a, {BASE}b"]
    monkeypatch.undo()
    wire.run(9)
    assert program.log[-1] == "connected"


def test_a_program_that_ends_says_so(wire: Wire) -> None:
    """Retained: the broker publishes the will of a lost connection only."""
    program = Program(wire)
    program.task.cancel()
    program.task = wire.loop.create_task(program.session.connection())
    wire.run(5)
    program.task.cancel()
    assert [each.topic for each in wire.run(5)] == ["hub"]
    assert program.task.cancelled()
    assert wire.broker.retained == {f"{BASE}hub": b"off %d" % program.session.number}


def test_a_cancellation_that_was_hidden_ends_it_too(
    wire: Wire, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`wait_for` of Python 3.11 sometimes returns what came at the same time."""

    async def hiding(*_: object, retain: bool = False) -> list[ReasonCode]:
        with suppress(asyncio.CancelledError):
            await asyncio.sleep(0 if retain else 3600)
        return [GRANTED, GRANTED]

    for name, log in (("publish", ["connected"]), ("subscribe", [])):
        monkeypatch.setattr(Connection, name, hiding)
        program = Program(wire)
        wire.run(1)
        program.task.cancel()
        wire.run(1)
        assert (program.task.cancelled(), program.log) == (True, log)


def test_a_bug_ends_the_program(wire: Wire) -> None:
    """Its service is started again; trying to connect again would hide it."""
    program = Program(wire)
    wire.run(1)
    program.bug = ZeroDivisionError()
    wire.run(2)
    assert program.task.exception() is program.bug
