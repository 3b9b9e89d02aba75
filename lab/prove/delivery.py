"""The delivery of logs to the hub, over a broker that loses, repeats and reorders what it carries.

The broker holds a few messages in each direction. It may deliver each of them any number
of times, in any order, and never. So a message is delivered without being taken away; when another
one comes and there is no room, the broker loses that one or one of the others. A message never
takes up room that is free: whatever can happen without it can happen beside it, too.
"""

import pickle
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache, partial
from typing import Any, Generic, NamedTuple, TypeVar

from lab.prove.delivery_faults import FAULTS
from lab.prove.delivery_laws import BOTH_LAWS, CLOCK_LAWS, HUB_LAWS, BothLaw, SideLaw
from lab.prove.delivery_sides import REPLACED, Act, Bounds, Clock, Hub, Message
from lab.prove.part import Part, Search
from lab.prove.search import Law, LawBrokenError, Subject
from lab.support.faults import Fault
from room.broker.topics import Ack, encode

SideT = TypeVar("SideT", Clock, Hub)

NUMBER_BYTES = 2  # of a state of one side
NONE = 255  # in place of the number of a message
Channel = bytes  # the numbers of the messages that it holds, in their order, then `NONE`


class Post:
    """One direction of the broker: its messages by number, and what it can hold after others."""

    def __init__(self, capacity: int) -> None:
        self._capacity = capacity
        self._numbers: dict[bytes, int] = {}
        self._messages: list[Message] = []
        self._after: dict[tuple[Channel, tuple[int, ...]], tuple[Channel, ...]] = {}
        self.empty = self._channel(())

    def number(self, message: Message) -> int:
        """Return the number of a message."""
        content = message if isinstance(message, bytes) else encode(message)
        number = self._numbers.setdefault(content, len(self._numbers))
        assert number < NONE
        if number == len(self._messages):
            self._messages.append(message)
        return number

    def message(self, number: int) -> Message:
        """Return the message of a number."""
        return self._messages[number]

    def after(self, channel: Channel, sent: tuple[int, ...]) -> tuple[Channel, ...]:
        """Return what a channel can hold after messages were sent."""
        found = self._after.get((channel, sent))
        if found is None:
            channels = {channel}
            for number in sent:
                channels = {after for each in channels for after in self._with(each, number)}
            found = self._after[channel, sent] = tuple(sorted(channels))
        return found

    def map(self, channel: Channel, change: Callable[[Message], Message]) -> Channel:
        """Return a channel with its messages changed."""
        held = [self.message(number) for number in channel if number != NONE]
        return self._channel(self.number(change(message)) for message in held)

    def _with(self, channel: Channel, number: int) -> Iterator[Channel]:
        held = set(channel) - {NONE}
        if len(held | {number}) <= self._capacity:
            yield self._channel({*held, number})
        else:
            yield channel
            yield from (self._channel({*held, number} - {lost}) for lost in held)

    def _channel(self, numbers: Iterable[int]) -> Channel:
        return bytes(sorted(set(numbers))).ljust(self._capacity, bytes([NONE]))


class Moved(NamedTuple):
    """What an act of one side led to."""

    name: str
    side: bytes  # the number of the state after it
    sent: tuple[int, ...] = ()  # the numbers of messages
    error: Exception | None = None  # what was raised


class Side(Generic[SideT]):
    """The states of one side that were met, by number, and what each act leads to from there."""

    def __init__(self, first: SideT, post: Post, laws: Sequence[SideLaw[SideT]]) -> None:
        self._post = post
        self._laws: Sequence[SideLaw[SideT]] = laws
        self._numbers: dict[object, bytes] = {}
        self._kept: dict[bytes, bytes] = {}
        self._acts: dict[bytes, tuple[Moved, ...]] = {}
        self._taken: dict[tuple[bytes, int], Moved] = {}
        self.first = self._number(first)

    def at(self, number: bytes) -> SideT:
        """Return a copy of the side in a state."""
        side: SideT = pickle.loads(self._kept[number])  # noqa: S301 (this object wrote it)
        return side

    def acts(self, number: bytes) -> tuple[Moved, ...]:
        """Return what the side can do by itself."""
        if number not in self._acts:
            acts = list(self.at(number).acts())
            self._acts[number] = tuple(self._do(number, act) for act in acts)
        return self._acts[number]

    def take(self, number: bytes, key: int, message: Message) -> Moved:
        """Return what a message leads to, by its number."""
        found = self._taken.get((number, key))
        if found is None:
            found = self._taken[number, key] = self._do(number, Act("take", message=message))
        return found

    def change(self, number: bytes, change: Callable[[SideT], None]) -> bytes:
        """Return the state after a change from outside."""
        side = self.at(number)
        change(side)
        return self._number(side)

    def _do(self, number: bytes, act: Act) -> Moved:
        name, before, after = act.text(), self.at(number), self.at(number)
        try:
            sent = after.do(act)
            self._check(before, sent, after)
        except Exception as error:  # noqa: BLE001 (the search reports it, with the way to it)
            return Moved(name, number, error=error)
        return Moved(name, self._number(after), tuple(map(self._post.number, sent)))

    def _check(self, before: SideT, sent: Sequence[Message], after: SideT) -> None:
        for law in self._laws:
            wrong = law(before, sent, after)
            if wrong is not None:
                raise LawBrokenError(law.__name__, wrong)

    def _number(self, side: SideT) -> bytes:
        number = self._numbers.setdefault(side.form(), len(self._numbers).to_bytes(NUMBER_BYTES))
        if number not in self._kept:
            self._kept[number] = pickle.dumps(side)
        return number


class Step(NamedTuple):
    """Something that happens, and what it leads to."""

    name: str
    after: bytes
    error: Exception | None = None


class Delivery:
    """Both sides and the broker. A state is their numbers: the clock, the hub, both channels."""

    def __init__(self, bounds: Bounds) -> None:
        self._up, self._down = Post(bounds.up), Post(bounds.down)
        self._clocks = Side(Clock(bounds), self._up, CLOCK_LAWS)
        self._hubs = Side(Hub(bounds), self._down, HUB_LAWS)
        self._down_at = 2 * NUMBER_BYTES + bounds.up
        self._replaced = cache(self._replace)
        self.first = self._clocks.first + self._hubs.first + self._up.empty + self._down.empty

    def steps(self, state: bytes) -> list[Step]:
        """Return all that can happen in a state and changes something."""
        found: dict[bytes, Step] = {}
        for step in (*self._of_clock(state), *self._of_hub(state)):
            if step.error is not None:
                return [step]
            found.setdefault(step.after, step)
        found.pop(state, None)
        return list(found.values())

    def law(self, law: BothLaw) -> Law[bytes, Step]:
        """Return a law of both sides as one of the search; it is asked once for each two states."""

        @cache
        def wrong(both: bytes) -> str | None:
            clock, hub = both[:NUMBER_BYTES], both[NUMBER_BYTES:]
            return law(self._clocks.at(clock), self._hubs.at(hub))

        def checked(_before: bytes, _step: Step, after: bytes) -> str | None:
            return wrong(after[: 2 * NUMBER_BYTES])

        checked.__name__, checked.__doc__ = law.__name__, law.__doc__
        return checked

    def _parts(self, state: bytes) -> tuple[bytes, bytes, Channel, Channel]:
        hub, up, down = NUMBER_BYTES, 2 * NUMBER_BYTES, self._down_at
        return state[:hub], state[hub:up], state[up:down], state[down:]

    def _of_clock(self, state: bytes) -> Iterator[Step]:
        clock, hub, up, down = self._parts(state)
        take, message = self._clocks.take, self._down.message
        taken = [take(clock, number, message(number)) for number in down if number != NONE]
        for name, side, sent, error in (*self._clocks.acts(clock), *taken):
            begin = side + hub
            for channel in self._up.after(up, sent):
                yield Step(name, begin + channel + down, error)

    def _of_hub(self, state: bytes) -> Iterator[Step]:
        clock, hub, up, down = self._parts(state)
        take, message = self._hubs.take, self._up.message
        taken = [take(hub, number, message(number)) for number in up if number != NONE]
        for name, side, sent, error in (*self._hubs.acts(hub), *taken):
            if name == "new database":
                begin, end = self._replaced(clock, down)
                yield Step(name, begin + side + up + end, error)
                continue
            begin = clock + side + up
            for channel in self._down.after(down, sent):
                yield Step(name, begin + channel, error)

    def _replace(self, clock: bytes, down: Channel) -> tuple[bytes, Channel]:
        """Return a clock and the messages to it after the hub has got another database."""
        return self._clocks.change(clock, Clock.see_replaced), self._down.map(down, _aged)


def _aged(ack: Message) -> Message:
    assert isinstance(ack, Ack)
    return Ack(REPLACED, ack.have, ack.ask)


def _raise(_state: bytes, step: Step) -> bytes:
    if step.error is not None:
        raise step.error
    return step.after


def subject(name: str, bounds: Bounds, laws: Sequence[BothLaw] = BOTH_LAWS) -> Subject[bytes, Step]:
    """Return the delivery as a system to be searched."""
    delivery = Delivery(bounds)
    return Subject(
        name=f"delivery: {name}",
        beginnings=(delivery.first,),
        acts=delivery.steps,
        step=_raise,
        canonical=lambda state: state,
        laws=[delivery.law(law) for law in laws],
        script=lambda _, steps: "\n".join(step.name for step in steps),
    )


def _control(seeded: Fault) -> Subject[bytes, Step]:
    """Return the search for a fault with its own law of both sides alone."""
    needs: dict[str, Any] = {"lines": TWO, "down": 1, **seeded.needs}
    laws = [law for law in BOTH_LAWS if law.__name__ == seeded.law]
    return subject("control", Bounds(**needs), laws)


TWO, THREE = ((("a", lines),) for lines in (2, 3))  # lines of one match
NEXT = (("a", 2), ("b", 1))  # and of the next one

SMALL = {"up": 1, "down": 1}  # one message in each direction

DELIVERY = Part(
    [
        Search(partial(subject, "3 lines, a loss", Bounds(THREE, losses=1, **SMALL))),
        Search(partial(subject, "2 lines, two messages", Bounds(TWO))),
        Search(partial(subject, "2 lines, a next match", Bounds(NEXT, held=1, **SMALL))),
        Search(partial(subject, "3 lines", Bounds(THREE, **SMALL))),
        Search(partial(subject, "2 lines", Bounds(TWO, **SMALL)), quick=True),
    ],
    FAULTS,
    _control,
)
