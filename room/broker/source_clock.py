"""One clock of a room at its broker: what its messages mean, and what to answer.

A clock's messages are believed as far as its account goes: the topic names the clock. A line is
acknowledged when the database has it on its disk.
"""

import logging
from collections import deque
from collections.abc import Callable, Iterable
from contextlib import suppress
from itertools import groupby
from typing import Any, Protocol

from room.broker.delivery.receiver import Incoming, Receiver
from room.broker.topics import Ack, Inventory, LinkHeartbeat, LinkState, OfferReceipt, Topic, decode
from room.lines.events import (
    ClockHeard,
    EarlierLinesRead,
    Emit,
    LinesRead,
    MatchBegan,
    OfferDelivered,
    Place,
    TroubleChanged,
)
from room.lines.inbox import Point, UnreadableError
from room.lines.quota import Allowance, Quota

logger = logging.getLogger(__name__)

LATER = "the rest stays on the clock until its quota allows it"
TOO_MANY = "more messages than the hub can handle in time"
BEATS = 12  # heartbeats, for two minutes, in which the boots of a clock are compared
READ_S = 0.1  # for earlier lines; meanwhile all clocks wait. This one asks again
HEALTHY = ("", "active", "activating", "reloading")  # states of the clock's service


class LineStore(Protocol):
    """What keeps the lines; see `room.hub.store.store.Store`."""

    uuid: str

    def latest_line(self, match: str, source: str) -> Point:
        """Return the latest line of a match that is on the disk."""

    def lines(self, match: str, source: str | None, patience_s: float) -> list[bytes]:
        """Return the lines of a match.

        Raises:
            UnreadableError: they cannot be read now, or not so soon.
        """

    def listen(self, committed: Callable[[Any], object]) -> None:
        """Have a function called with the latest lines as soon as they are on the disk."""


class ClockAtBroker:
    """A clock of the room, as its messages show it."""

    def __init__(self, place: Place, lines: LineStore, quota: Quota) -> None:
        """Begin with what the database has of it.

        Args:
            place: the clock's, for the events.
            lines: the database.
            quota: of what the clock may send.
        """
        self.place, self._allowance = place, Allowance(quota)
        self.receiver = Receiver(
            lines.uuid,
            lambda match: lines.latest_line(match, place.key),
            lambda match: lines.lines(match, place.key, READ_S),
            self._allowance,
        )
        self.state: LinkState | None = None
        self.fork = ""  # the match in which lines contradicted each other
        self._boots = deque[str](maxlen=BEATS)  # of the latest heartbeats
        self._trouble = self._reached = ""

    def handle(self, topic: Topic, payload: bytes, now_ns: int, emit: Emit) -> list[Ack]:
        """Handle a message of the clock; return what to answer.

        If earlier lines cannot be read, nothing is answered: the clock asks again, and sends again.
        """
        self._allowance.now_ns = now_ns
        answer = list[Ack]()
        with suppress(UnreadableError):
            answer = self._handle(topic, payload, now_ns, emit)
        self._emit_trouble(emit)
        return answer

    def refuse(self, now_ns: int, emit: Emit) -> None:
        """Handle no message now, as too many of them wait: the clock sends it again."""
        self._allowance.now_ns = now_ns
        self._allowance.refuse(TOO_MANY)
        self._emit_trouble(emit)

    def _handle(self, topic: Topic, payload: bytes, now_ns: int, emit: Emit) -> list[Ack]:
        match topic:
            case Topic.LOG:
                return self._handle_lines(payload, now_ns, emit)
            case Topic.LOGS:
                return self._handle_inventory(decode(payload, Inventory), emit)
            case Topic.HEARTBEAT:
                return self._handle_heartbeat(decode(payload, LinkHeartbeat), now_ns, emit)
            case Topic.LINK:
                self._handle_state(decode(payload, LinkState))
            case Topic.OFFERED:
                found = decode(payload, OfferReceipt)
                if found is not None:
                    emit(OfferDelivered(self.place, found.bytes, found.put, found.why))
            case Topic.BOARD | Topic.ACK | Topic.OFFER:
                pass
        return []

    def _handle_lines(self, payload: bytes, now_ns: int, emit: Emit) -> list[Ack]:
        found, acks = self.receiver.lines(payload)
        for incoming in found:
            self._emit_lines(incoming, now_ns, emit)
        return acks

    def _emit_lines(self, incoming: Incoming, now_ns: int, emit: Emit) -> None:
        match, lines = incoming.match, incoming.lines
        if incoming.forks:
            self.fork = match
        elif incoming.is_present and match != self.fork:
            self.fork = ""
        if incoming.is_present:
            emit(LinesRead(self.place, match, lines, now_ns, live=incoming.is_live))
        else:
            emit(EarlierLinesRead(self.place, match, lines, incoming.is_whole))

    def _handle_inventory(self, inventory: Inventory | None, emit: Emit) -> list[Ack]:
        if inventory is None:
            return []
        if inventory.logs:
            self._emit_present(inventory.logs[0].match, emit)
        return self.receiver.inventory(inventory)

    def _emit_present(self, match: str, emit: Emit) -> None:
        """Report the present match if the hub has lines of it; else its first line will do that."""
        if self.receiver.show(match):
            emit(MatchBegan(self.place, match))

    def _handle_heartbeat(self, beat: LinkHeartbeat | None, now_ns: int, emit: Emit) -> list[Ack]:
        if beat is None:
            return []
        self._boots.append(beat.boot)
        sent_ns = beat.now_ns if beat.alive else None
        emit(ClockHeard(self.place, now_ns, beat.boot, sent_ns, beat.match, beat.seq))
        return self.receiver.heartbeat(beat)

    def _handle_state(self, state: LinkState | None) -> None:
        """Note whether the clock is there; the late will of an earlier connection says nothing."""
        before = self.state
        is_late = before and state and state.state == "lost" and state.session != before.session
        if state is not None and not is_late:
            self.state = state

    def _emit_trouble(self, emit: Emit) -> None:
        what = "; ".join(filter(None, self._troubles()))
        if what != self._trouble:
            self._trouble = what
            emit(TroubleChanged(self.place, what))
        reached = self._allowance.reached
        if reached and not self._reached:
            logger.warning("%s: %s; %s", self.place.key, reached, LATER)
        self._reached = reached

    def _troubles(self) -> Iterable[str]:
        state, name = self.state, self.place.source
        if self.fork:
            yield (
                f"{self.fork}: lines contradict earlier ones; the card of {name} lost some,"
                " or two clocks have this name"
            )
        boots = [boot for boot, _ in groupby(self._boots)]
        if len(boots) > len({*boots}) + 1:  # no boot comes again; one heartbeat may come late
            yield f"two clocks use the key file of {name}: each card needs that of its own clock"
        if reached := self._allowance.reached:
            yield f"{name}: {reached}; {LATER}"
        if state is not None and state.clock_unit not in HEALTHY:
            yield f"the clock's program is {state.clock_unit}"
        if state is not None and state.damage:
            yield f"{state.damage}; the lines from there on stay on the clock"
