"""The hub: handles the events of the sources, has lines stored, and sends changes to the readers.

Everything here runs in one thread, that of the event loop, but what takes long: the database has a
thread of its own, and results are computed in another. Places have turns, with events and with
results; so one of them that sends much delays itself alone.
"""

import asyncio
from collections.abc import Callable, Sequence
from functools import partial

from msgspec.structs import replace

from clock import __version__
from clock.units import SECOND_NS
from room.boards.board import Result
from room.boards.effects import Effects, EndedLog
from room.boards.register import Register
from room.boards.sanitized import clean
from room.hub.events import TROUBLES, Feed
from room.hub.health import Health, backlog_trouble, health_of
from room.hub.offer_desk import OfferDesk, SendOffer
from room.hub.public_view import Change, Gone, PublicView
from room.hub.queues import EventQueue, ResultQueue
from room.hub.room_event import RoomEvent
from room.hub.store.store import Store
from room.lines.backlog import Backlog, joined
from room.lines.events import ClockHeard, OfferDelivered, RoomTaken, SourceEvent, TroubleChanged

REFRESH_S = 1.0  # between looks for what changes with time: low time, silence
BATCH_S = 0.01  # what comes within this time is sent to the readers at once


class Hub:
    """Boards, results and their readers."""

    def __init__(
        self,
        register: Register,
        store: Store,
        raw_ns: Callable[[], int],
        public: PublicView | None = None,
    ) -> None:
        """Begin without a board.

        Args:
            register: of the boards.
            store: keeps lines and results.
            raw_ns: the instant on the raw clock of this computer.
            public: what others than the director see; None: every reader is the director.
        """
        self.public = public
        self.register, self.store, self.feed = register, store, Feed()
        self.version = __version__
        self.offers: OfferDesk | None = None  # None: no clock can be sent an offer
        self.event = RoomEvent()
        self.room = ""  # its name, for the hubs of other halls
        self._raw_ns = raw_ns
        self._events = EventQueue(raw_ns)
        register.is_turn_over = self._events.is_turn_over
        self._next: asyncio.Handle | None = None  # an update, as this one had no time for all
        self.backlog = Backlog()  # as of the latest update
        self.upstream: Callable[[], Backlog] = Backlog  # what waits before it comes to this hub
        self.notify_trouble: Callable[[], str] = str  # why the director is not told of it
        self.publish_trouble: Callable[[], str] = str  # why its pages cannot be written
        self._troubles_of: dict[str, str] = {}  # of sources that are no clocks, by their keys
        self._is_due = False  # an update, for the events that wait
        self._results = ResultQueue(self._finish)
        self.taken: Callable[[str], None] = lambda why: None  # another hub has the room
        register.taken_out.update(store.taken_out)
        for result in store.results():
            self.feed.put_result(result)
            self.register.note_continuation(result.match, result.continues)
        if public is not None:
            public.begin(store.results())

    def enable_offers(self, master: bytes, send: SendOffer) -> None:
        """Let the director offer matches.

        Args:
            master: the key from which those of the clocks are derived.
            send: sends an offer to a clock.
        """
        self.offers = OfferDesk(self.register, self.feed, self.store, master, send, self.event.name)

    def hub_ns(self) -> int:
        """Return the present instant of the hub."""
        return self.register.hub_ns(self._raw_ns())

    def put(self, event: SourceEvent) -> bool:
        """Let an event wait for the next update; may be called in any thread.

        Return whether `update_soon` has to be called: the others wait for the same update. So the
        event loop is woken once for all that comes at about the same time. A heartbeat does not
        wake it: it is handled with the next line, or after `REFRESH_S` at most.
        """
        self._events.put(event)  # before the flag is asked: `update` first clears the flag
        if self._is_due or isinstance(event, ClockHeard):
            return False
        self._is_due = True
        return True

    def update_soon(self) -> None:
        """Update when everything that comes at about the same time is there."""
        asyncio.get_running_loop().call_later(BATCH_S, self.update)

    def update(self, *, everything: bool = False) -> None:
        """Handle the events that wait, and bring boards, database and readers up to them.

        Args:
            everything: look at all boards, also for what has changed with time alone.
        """
        self._is_due = False
        self._events.handle_all(self._handle)
        if self._next is None and self._events.is_late:
            self._next = asyncio.get_running_loop().call_soon(self._go_on)
        self._tell_conflicts()
        refresh = self.register.refresh if everything else self.register.refresh_touched
        changed, ids_gone = refresh(self._raw_ns())
        for id_ in ids_gone:
            self.feed.put_gone(id_)
        for board in changed:
            self.feed.put_board(board)
        self._forget()
        if self.offers is not None:
            self.offers.update(self.hub_ns())
        if everything:
            self.backlog = self._measure()
        troubles = self.troubles()
        if troubles != self.feed.troubles[TROUBLES]:
            self.feed.put_troubles(troubles)
        if self.store.held_by:
            self.taken(self.store.held_by)
        self.feed.wake()
        self._publish([*map(Gone, ids_gone), *changed])

    def _measure(self) -> Backlog:
        """Return what waits between the clocks and the disk."""
        return joined((self.upstream(), self._events.backlog(), self.store.backlog()))

    def troubles(self) -> list[str]:
        """Return what is wrong with the hub itself, in words."""
        behind = backlog_trouble(self.backlog)
        own = filter(None, (behind, self.notify_trouble(), self.publish_trouble()))
        return [*self.store.troubles(), *own]

    def all_troubles(self) -> list[str]:
        """Return what is wrong with the hub and with its sources that are no clocks, in words."""
        return [*self.troubles(), *filter(None, self._troubles_of.values())]

    def health(self) -> Health:
        """Return how the hub is, as monitoring asks."""
        troubles = list(map(str, self.all_troubles()))
        return health_of(troubles, self.backlog, self.version)

    def takes(self, place: str) -> bool:
        """Return whether more may come of a place; may be called in any thread."""
        return not self.backlog.is_full and self._events.takes(place)

    def _go_on(self) -> None:
        self._next = None
        self.update()

    def _handle(self, event: SourceEvent) -> None:
        """Handle an event, or a part of it: see `Register.handle` for the errors."""
        self._carry_out(event.place.key, self.register.handle(event))
        self._note(event)

    def _note(self, event: SourceEvent) -> None:
        """Note what is not about a board."""
        match event:
            case OfferDelivered() if self.offers is not None:
                self.offers.deliver(event.place.key, event.why)
            case RoomTaken(why=why):
                self.taken(why)
            case TroubleChanged(place=place, what=what) if place.is_way:
                self._troubles_of[place.key] = clean(what)
            case _:
                pass

    def _carry_out(self, key: str, effects: Effects) -> None:
        """Have lines stored at once: the next event may recall them from the database."""
        if effects.lines:
            self.store.keep(effects.lines)
        for ended in effects.ended:
            self._results.put(ended)
        if effects.put_back:
            self.store.keep_taken_out(effects.put_back, are_out=False)
        if self.offers is not None:
            for refusal in effects.refusals:
                self.offers.refuse(key, refusal)
            self.offers.carry_out(key, effects.carried_out)

    def _publish(self, changes: Sequence[Change]) -> None:
        """Have changes shown to everybody when the delay of the public pages is over."""
        public = self.public
        if public is None:
            return
        public.add(changes, self.hub_ns())
        if changes and public.delay_ns:
            delay_s = public.delay_ns / SECOND_NS
            asyncio.get_running_loop().call_later(delay_s, lambda: public.show(self.hub_ns()))
        public.show(self.hub_ns())

    def _forget(self) -> None:
        """Withdraw the results of matches that were deleted."""
        for key in self.store.drain_forgotten():
            self.feed.drop_result(key)
            if self.public is not None:
                self.public.forget(key)

    def _tell_conflicts(self) -> None:
        """Send boards and results of matches again that another source has sent or contradicted."""
        conflicting = self.store.drain_conflicts()
        self.register.touch(source for source, _ in conflicting)
        results = [result for result in conflicting.values() if result is not None]
        for result in results:
            self.feed.put_result(result)
        self._publish(results)

    def end(self) -> None:
        """End the streams of all readers: the hub ends."""
        self.feed.end()
        if self.public is not None:
            self.public.feed.end()

    async def keep_current(self) -> None:
        """Look again and again for what changes with time alone."""
        while True:
            # In a call of its own: an error is logged, and does not end this loop.
            asyncio.get_running_loop().call_soon(partial(self.update, everything=True))
            await asyncio.sleep(REFRESH_S)

    async def settle(self) -> None:
        """Handle all that waits, until all results are there and stored."""
        self.update()
        while self._events.is_late:
            self.update()
        await self._results.settle()
        await asyncio.to_thread(self.store.flush)
        self.update(everything=True)

    def _finish(self, ended: EndedLog, result: Result) -> None:
        """Store the result of a match and send it to the readers."""
        before = self.store.result((ended.place.key, ended.match))
        if before is not None and before.continues == result.continues:
            result = replace(result, joined=before.joined)
        self.register.set_result(ended.place.key, result)
        self._keep(result)

    def join(self, later: Result, earlier: str) -> bool:
        """Join a log with that of a source which it continues; "": part them; False: it is gone."""
        now = self.store.result(later.key)
        if now is None or now.continues_hash != later.continues_hash:
            return False
        self._keep(replace(now, joined=earlier))
        return True

    def _keep(self, result: Result) -> None:
        """Store a result and send it to the readers."""
        self.store.finish(result.source, result)
        self.feed.put_result(result)
        self._publish([result])
        self.update()
