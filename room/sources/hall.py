"""The hub of another hall as a source: its boards by its events, its logs by its interface.

A board is shown as the other hub shows it; `room.sources.hall_logs` reads the logs. Only what the
other hub has of its own clocks is taken: hubs that follow each other do not repeat each other.
"""

import threading
from collections.abc import Callable

import msgspec

from clock.units import SECOND_NS
from room.lines.events import Emit, HallBoard, Place, TroubleChanged
from room.lines.timing import Timing, hear
from room.sources.hall_client import HallClient, HallError, HallEvent
from room.sources.hall_logs import HallLog, HallLogs, HallStore

OF_HALL = "@"  # begins the key of a place of another hall
SILENCE_NS = 15 * SECOND_NS  # without an event: the hall is not heard
FIRST_RETRY_S, LAST_RETRY_S = 0.5, 5.0
CLOSE_S = 2.0  # the end of the program does not wait longer for each thread


class _Hello(msgspec.Struct):
    """The beginning of the stream, or a tick."""

    hub_ns: int
    room: str = ""
    troubles: list[str] = []


class _Shown(msgspec.Struct):
    """What is needed of a board."""

    id: str
    board: str | None = None
    source: str = ""
    account: str = ""
    hall: str = ""


class _Boards(msgspec.Struct):
    boards: list[_Shown]


class _Troubles(msgspec.Struct):
    troubles: list[str]


class Hall:
    """Another hub, followed by one thread; another one reads its logs."""

    def __init__(
        self, address: str, now_ns: Callable[[], int], client: HallClient | None = None
    ) -> None:
        """Ask nothing yet; `keep_in` has to be called before the start.

        Args:
            address: of its pages, perhaps with the director's token.
            now_ns: the instant on the raw clock.
            client: asks the hub; None: over the network.
        """
        self._client, self._now_ns = client or HallClient(address), now_ns
        self._way = Place(f"{OF_HALL}{self._client.name}", self._client.name, is_way=True)
        self._name = self._client.name  # as the hub calls its room
        self._timing = Timing()
        self._heard_ns = now_ns()
        self._latest = ""  # the id of the latest event
        self._boards: dict[str, tuple[HallBoard, _Shown]] = {}  # by the id there
        self._is_silent = False
        self._troubles: dict[str, str] = {}  # of the connection, the logs and the hub itself
        self._logs = HallLogs(self._client, self, now_ns)
        self._stopping = threading.Event()
        self._emit: Emit = lambda event: None
        self._threads: list[threading.Thread] = []

    def keep_in(self, store: HallStore) -> None:
        """Have the logs kept there."""
        self._logs.store = store

    def start(self, emit: Emit) -> None:
        """See `Source`."""
        self._emit = emit
        for run in (self._follow, lambda: self._logs.run(emit)):
            thread = threading.Thread(target=run, name=self._client.name, daemon=True)
            self._threads.append(thread)
            thread.start()

    def close(self) -> None:
        """See `Source`. A connection that is being made is not waited for."""
        self._stopping.set()
        self._logs.close()
        self._client.close()
        for thread in self._threads:
            thread.join(CLOSE_S)

    def tell(self, of: str, trouble: str) -> None:
        """Report what is wrong with a part of it, if that is new."""
        if self._troubles.get(of, "") != trouble:
            self._troubles[of] = trouble
            what = "; ".join(filter(None, dict.fromkeys(self._troubles.values())))
            self._emit(TroubleChanged(self._way, what))

    # --- boards -------------------------------------------------------------------------------

    def _follow(self) -> None:
        retry_s = FIRST_RETRY_S
        while not self._stopping.is_set():
            try:
                for event in self._client.events(self._latest):
                    self.handle(event)
                    retry_s = FIRST_RETRY_S
                trouble = f"{self._client.name}: the connection has ended"
            except (HallError, msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
                trouble = str(error)
            if self._stopping.is_set():
                return
            self.tell("", trouble)
            self.notice_silence()
            self._stopping.wait(retry_s)
            retry_s = min(2 * retry_s, LAST_RETRY_S)

    def notice_silence(self) -> None:
        """Mark the boards, if nothing was heard of the hall for long."""
        if not self._is_silent and self._now_ns() - self._heard_ns >= SILENCE_NS:
            self._is_silent = True
            for shown, _ in self._boards.values():
                self._emit(shown._replace(silent_ns=self._heard_ns))

    def handle(self, event: HallEvent) -> None:
        """Handle an event of the hub.

        Raises:
            HallError, msgspec.DecodeError: another hub has to be asked, or this one again.
        """
        self._heard_ns, store = self._now_ns(), self._latest.rpartition("-")[0]
        match event.kind:
            case "hello" | "tick":
                self._hear(event, is_new=event.id.rpartition("-")[0] != store)
            case "board":
                self._show(event.data)
            case "gone":
                self._remove(msgspec.json.decode(event.data, type=_Shown).id)
            case "result":
                self._logs.look_soon()
            case "troubles":
                self._tell_own(msgspec.json.decode(event.data, type=_Troubles).troubles)
            case _:
                pass
        self._latest = event.id

    def _hear(self, event: HallEvent, *, is_new: bool) -> None:
        """Note the time of the hub; of a new one also its name, and which boards it has not."""
        hello = msgspec.json.decode(event.data, type=_Hello)
        boot = event.id.rpartition("-")[0]
        self._timing = hear(self._timing, boot, hello.hub_ns, self._heard_ns)
        if event.kind == "hello":
            name = hello.room or self._client.name
            there = self._known(name) if is_new else self._boards.keys()
            for id_ in self._boards.keys() - there:
                self._remove(id_)
            self._name = name
            self.tell("", "")
            self._tell_own(hello.troubles)
            self._logs.look_soon()
        if self._is_silent:
            self._is_silent = False
            for shown, _ in self._boards.values():
                self._emit(shown)

    def _tell_own(self, troubles: list[str]) -> None:
        """Report what the hub says that is wrong with itself."""
        self.tell("hub", "; ".join(f"{self._name}: {each}" for each in troubles))

    def _known(self, name: str) -> set[str]:
        """Return the boards that the hub has; none, if it is that of another room now."""
        if name != self._name:
            return set()
        found = msgspec.json.decode(self._client.get("/api/1/boards"), type=_Boards)
        return {each.id for each in found.boards}

    def _show(self, data: bytes) -> None:
        shown = msgspec.json.decode(data, type=_Shown)
        if shown.hall:
            return
        place = self._place(shown.account or shown.id, shown.board or shown.id, shown.source)
        before = self._boards.get(shown.id)
        if before is not None and before[0].place.key != place.key:
            self._remove(shown.id)
        board = HallBoard(place, data, self._timing.offset_ns or 0)
        self._boards[shown.id] = board, shown
        self._emit(board)

    def _remove(self, id_: str) -> None:
        known = self._boards.pop(id_, None)
        if known is not None:
            self._emit(known[0]._replace(shown=b""))

    def _place(self, account: str, board: str, source: str) -> Place:
        key = f"{OF_HALL}{self._name}/{account}"
        return Place(key, f"{self._name}: {source or account}", hint=board, hall=self._name)

    # --- what the logs need to know; called in their thread -----------------------------------

    @property
    def is_known(self) -> bool:
        """Whether the hub has said how it calls its room."""
        return bool(self._latest)

    def key(self, log: HallLog) -> str:
        """Return the key of the place of a log."""
        return f"{OF_HALL}{self._name}/{log.source}"

    def place(self, log: HallLog) -> Place:
        """Return the place of a log, with the board that its clock has now."""
        boards = [shown for _, shown in list(self._boards.values())]
        shown = next((each for each in boards if each.account == log.source), None)
        board = (shown.board or shown.id) if shown else log.board
        return self._place(log.source, board, log.source)
