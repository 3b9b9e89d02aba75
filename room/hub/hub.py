"""The hub: handles the events of the sources, has lines stored, and sends changes to the readers.

Everything here runs in one thread, that of the event loop, but what takes long: the database has a
thread of its own, and results are computed in others.
"""

import asyncio
from collections import deque
from collections.abc import Callable, Coroutine, Sequence
from functools import partial

from msgspec.structs import replace

from clock import __version__
from clock.units import SECOND_NS
from room.boards.board import Result
from room.boards.effects import Effects, EndedLog
from room.boards.register import Register
from room.boards.results import result_of
from room.boards.sanitized import clean
from room.hub.events import TROUBLES, Feed
from room.hub.health import Health, health_of
from room.hub.offer_desk import OfferDesk, SendOffer
from room.hub.public_view import Change, Gone, PublicView
from room.hub.room_event import RoomEvent
from room.lines.backlog import Backlog, joined
from room.lines.inbox import LogKey
from room.sources.events import OfferDelivered, RoomTaken, SourceEvent, TroubleChanged
from room.store.opening import StoreError
from room.store.store import Store

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
        self._events: deque[SourceEvent] = deque()  # to be handled
        self._since_ns = 0  # since when the first of them waits
        self.backlog = Backlog()  # as of the latest update
        self.upstream: Callable[[], Backlog] = Backlog  # what waits before it comes to this hub
        self.notify_trouble: Callable[[], str] = str  # why the director is not told of it
        self.publish_trouble: Callable[[], str] = str  # why its pages cannot be written
        self._troubles_of: dict[str, str] = {}  # of sources that are no clocks, by their keys
        self._is_due = False  # an update, for the events that wait
        self._jobs: set[asyncio.Task[None]] = set()
        self._ending: dict[LogKey, EndedLog] = {}  # logs whose results are computed: the latest
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
        event loop is woken once for all that comes at about the same time.
        """
        if not self._events:
            self._since_ns = self._raw_ns()
        self._events.append(event)  # before the flag is asked: `update` first clears the flag
        if self._is_due:  # and it is set by none that does not call for an update then
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
        self._handle_events()
        self._tell_claimed()
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
        waits_ns = self._raw_ns() - self._since_ns if self._events else 0
        own = Backlog(len(self._events), waits_ns)
        return joined((self.upstream(), own, self.store.backlog()))

    def troubles(self) -> list[str]:
        """Return what is wrong with the hub itself, in words."""
        own = filter(None, (self.backlog.trouble, self.notify_trouble(), self.publish_trouble()))
        return [*self.store.troubles(), *own]

    def all_troubles(self) -> list[str]:
        """Return what is wrong with the hub and with its sources that are no clocks, in words."""
        return [*self.troubles(), *filter(None, self._troubles_of.values())]

    def health(self) -> Health:
        """Return how the hub is, as monitoring asks."""
        return health_of(self.all_troubles(), self.backlog, self.version)

    def _handle_events(self) -> None:
        """Handle the events that wait; those of a place whose log cannot be read now wait on."""
        held = dict[str, list[SourceEvent]]()  # by place
        try:
            for _ in range(len(self._events)):
                event = self._events.popleft()
                if event.place.key in held or not self._handle(event):
                    held.setdefault(event.place.key, []).append(event)
        finally:
            self._events.extendleft(each for events in held.values() for each in reversed(events))

    def _handle(self, event: SourceEvent) -> bool:
        """Handle an event; return whether the database could be read, if it had to be."""
        try:
            self._carry_out(event.place.key, self.register.handle(event))
        except StoreError:
            return False
        self._note(event)
        return True

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
        self.store.keep(effects.lines)
        for ended in effects.ended:
            self._start(self._finish(ended))
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

    def _tell_claimed(self) -> None:
        """Send boards and results of matches again that another source has sent or contradicted."""
        claimed = self.store.drain_claimed()
        self.register.touch(source for source, _ in claimed)
        results = [result for result in claimed.values() if result is not None]
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
        self.update(everything=True)
        while self._jobs:
            await asyncio.gather(*self._jobs)
        await asyncio.to_thread(self.store.flush)
        self.update(everything=True)

    def _start(self, job: Coroutine[None, None, None]) -> None:
        task = asyncio.get_running_loop().create_task(job)
        self._jobs.add(task)
        task.add_done_callback(self._jobs.discard)

    async def _finish(self, ended: EndedLog) -> None:
        """Compute the result of a match, store it and send it to the readers, unless it is old."""
        key = ended.place.key, ended.match
        self._ending[key] = ended
        result = await asyncio.to_thread(result_of, ended)
        is_latest = self._ending.get(key) is ended and self._ending.pop(key)
        if result is None or not is_latest:
            return
        before = self.store.result(key)
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
