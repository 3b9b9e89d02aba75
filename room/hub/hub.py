"""The hub: handles the events of the sources, has lines stored, and sends changes to the readers.

Everything here runs in one thread, that of the event loop, but what takes long: the database has a
thread of its own, and results are computed in others.
"""

import asyncio
import contextlib
from collections import deque
from collections.abc import Callable, Coroutine, Sequence
from functools import partial

from clock import __version__
from clock.units import SECOND_NS
from room.boards.effects import Effects, EndedLog
from room.boards.register import Register
from room.boards.results import result_of
from room.hub.events import Feed
from room.hub.offer_desk import OfferDesk, SendOffer
from room.hub.public_view import Change, Gone, PublicView
from room.sources.events import OfferDelivered, SourceEvent
from room.store.store import Store, StoreError

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
        self._raw_ns = raw_ns
        self._events: deque[SourceEvent] = deque()  # to be handled
        self._due: asyncio.TimerHandle | None = None
        self._jobs: set[asyncio.Task[None]] = set()
        self._troubles: list[str] = []
        for result in store.results():
            self.feed.put_result(result.match, result)
        if public is not None:
            public.begin(store.results())

    def enable_offers(self, master: bytes, send: SendOffer) -> None:
        """Let the director offer matches.

        Args:
            master: the key from which those of the clocks are derived.
            send: sends an offer to a clock.
        """
        self.offers = OfferDesk(self.register, self.feed, master, send)

    def hub_ns(self) -> int:
        """Return the present instant of the hub."""
        return self.register.hub_ns(self._raw_ns())

    def handle(self, event: SourceEvent) -> None:
        """Handle an event of a source soon; called in the thread of the event loop."""
        self._events.append(event)
        if self._due is None:
            self._due = asyncio.get_running_loop().call_later(BATCH_S, self.update)

    def update(self, *, everything: bool = False) -> None:
        """Handle the events that wait, and bring boards, database and readers up to them.

        Args:
            everything: look at all boards, also for what has changed with time alone.
        """
        self._due = None
        self._handle_events()
        refresh = self.register.refresh if everything else self.register.refresh_touched
        changed, ids_gone = refresh(self._raw_ns())
        for id_ in ids_gone:
            self.feed.put_gone(id_)
        for board in changed:
            self.feed.put_board(board)
        self._forget()
        if self.offers is not None:
            self.offers.update(self.hub_ns())
        if self.store.troubles() != self._troubles:
            self._troubles = self.store.troubles()
            self.feed.put_troubles(self._troubles)
        self.feed.wake()
        self._publish([*map(Gone, ids_gone), *changed])

    def _handle_events(self) -> None:
        """Handle the events that wait; while the database cannot be read, they wait on."""
        with contextlib.suppress(StoreError):
            while self._events:
                event = self._events[0]
                self._carry_out(event.place.key, self.register.handle(event))
                self._events.popleft()
                if isinstance(event, OfferDelivered) and self.offers is not None:
                    self.offers.deliver(event.place.key, event.why)

    def _carry_out(self, key: str, effects: Effects) -> None:
        """Have lines stored at once: the next event may recall them from the database."""
        self.store.keep(effects.lines)
        for ended in effects.ended:
            self._start(self._finish(ended))
        if self.offers is not None:
            for refusal in effects.refusals:
                self.offers.refuse(key, refusal)

    def _publish(self, changes: Sequence[Change]) -> None:
        """Have changes shown to everybody when the delay of the public pages is over."""
        public = self.public
        if public is None:
            return
        public.add(changes, self.hub_ns())
        if changes and public.delay_ns:
            delay_s = public.delay_ns / SECOND_NS
            loop = asyncio.get_running_loop()
            loop.call_later(delay_s, lambda: public.show(self.hub_ns()))
        public.show(self.hub_ns())

    def _forget(self) -> None:
        """Withdraw the results of matches that were deleted."""
        for match in self.store.drain_forgotten():
            self.feed.drop_result(match)
            if self.public is not None:
                self.public.forget(match)

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

    def _start(self, job: Coroutine[None, None, None]) -> None:
        task = asyncio.get_running_loop().create_task(job)
        self._jobs.add(task)
        task.add_done_callback(self._jobs.discard)

    async def _finish(self, ended: EndedLog) -> None:
        """Compute the result of a match, store it and send it to the readers."""
        result = await asyncio.to_thread(result_of, ended)
        if result is None:
            return
        self.store.finish(ended.place.key, result)
        self.register.set_result(ended.place.key, result)
        self.feed.put_result(result.match, result)
        self._publish([result])
        self.update()
