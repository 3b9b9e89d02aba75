"""The desk that hands out practice clocks: few, not for ever, and each press once."""

import asyncio
from collections.abc import Callable
from functools import partial

import pytest

from clock.match.types import Button
from clock.units import MINUTE_NS, SECOND_NS
from room.practice.desk import (
    IDLE_NS,
    LONGEST_NS,
    MOST,
    NEW_PER_MINUTE,
    PRESSES_PER_SECOND,
    BusyError,
    Desk,
    Visit,
)
from room.practice.wishes import Wishes, wanted_clock


class Room:
    """A desk in virtual time; its timers are rung by the test."""

    def __init__(self) -> None:
        self.ns, self.is_behind = 7_000 * SECOND_NS, False
        self.desk = Desk(lambda: self.ns, lambda: "", lambda: not self.is_behind)

    def open(self, address: str = "10.0.0.1") -> Visit:
        """Open a clock for a visitor."""
        return self.desk.open(address, partial(wanted_clock, Wishes(), *self.desk.times))

    def open_many(self, count: int) -> None:
        """Open clocks for visitors of many addresses."""
        for number in range(count):
            self.open(f"10.0.1.{number}")

    def wait(self, ns: int, visit: Visit) -> None:
        """Let time pass, and wake the visit."""
        self.ns += ns
        self.desk._turn(visit)


def in_loop(test: Callable[[Room], None]) -> None:
    """Run a test in an event loop."""

    async def run() -> None:
        room = Room()
        test(room)
        room.desk.end()

    asyncio.run(run())


def test_there_are_as_many_clocks_as_the_hub_can_bear() -> None:
    """One more is refused until one ends; none begins while the hub is behind the clocks."""

    def limits(room: Room) -> None:
        first = room.open()
        room.open_many(MOST - 1)
        with pytest.raises(BusyError) as refused:
            room.open()
        assert not refused.value.is_personal
        room.wait(IDLE_NS, first)
        assert (first.ended, room.desk.visit(first.id)) == (True, None)
        room.open()

    def behind(room: Room) -> None:
        room.is_behind = True
        with pytest.raises(BusyError):
            room.open()

    in_loop(limits)
    in_loop(behind)


def test_one_address_cannot_take_all_of_them() -> None:
    def limits(room: Room) -> None:
        for _ in range(NEW_PER_MINUTE):
            room.open()
        with pytest.raises(BusyError) as refused:
            room.open()
        assert refused.value.is_personal
        room.open("10.0.0.2")
        room.ns += MINUTE_NS
        room.open()

    in_loop(limits)


def test_a_clock_ends_when_nobody_presses_and_after_two_hours() -> None:
    """Each press makes it stay, but not for ever; pages that wait are woken."""

    def ends(room: Room) -> None:
        visit, number = room.open(), 0
        for _ in range(LONGEST_NS // IDLE_NS):
            assert not visit.ended
            waiting, number = visit.changed, number + 1
            room.desk.press(visit, number, Button.LEFT, down=bool(number % 2))
            assert waiting.is_set()
            room.wait(IDLE_NS - 1, visit)
        waiting = visit.changed
        room.wait(LONGEST_NS // IDLE_NS, visit)
        assert visit.ended
        assert waiting.is_set()

    in_loop(ends)


def test_a_press_that_is_sent_twice_is_carried_out_once() -> None:
    """The answer to the first was lost, so the page sends it again: even after the release."""

    def twice(room: Room) -> None:
        visit = room.open()
        for number, down in ((1, True), (1, True), (2, False), (1, True), (2, False)):
            room.desk.press(visit, number, Button.LEFT, down=down)
        assert [text.split("  ")[-1] for _, text in visit.clock.log] == [
            "Match to 5 · wbgf",
            "Left confirmed",
        ]

    in_loop(twice)


def test_a_visitor_cannot_press_without_end() -> None:
    """What is too much in a second is refused, and carried out if it is sent again later."""

    def presses(room: Room) -> None:
        visit, allowed = room.open(), 2 * PRESSES_PER_SECOND
        for number in range(1, allowed + 1):
            room.desk.press(visit, number, Button.LEFT, down=bool(number % 2))
        with pytest.raises(BusyError) as refused:
            room.desk.press(visit, allowed + 1, Button.LEFT, down=True)
        assert refused.value.is_personal
        room.ns += SECOND_NS
        room.desk.press(visit, allowed + 1, Button.LEFT, down=True)
        assert visit.presses == allowed + 1

    in_loop(presses)
