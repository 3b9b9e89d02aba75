"""Run the hub's server, and print its status."""

import asyncio
import socket
import webbrowser
from collections.abc import Mapping, Sequence
from contextlib import suppress
from io import StringIO

import click
import segno
from aiomqtt import MqttError

from room.broker.lookout import Lookout, RoomTakenError
from room.broker.source import ClockList, Mqtt
from room.broker.topics import HubState
from room.lines.events import Source
from room.lines.quota import Quota
from room.settings.hub import HubKeyFile
from room.sources.hall import Hall
from room.sources.raw_clock import now_ns
from room.web.watch import LOCAL, Options, Watch, WatchError, listen, own_name, page_address

LOOK_S = 3.0  # for a look at the broker before the pages are there
PAGES = (
    ("room", "all boards, for the director"),
    ("board/ID", "one board, large"),
    ("overlay/ID", "one board, for a stream"),
    ("wall", "all boards, for a projector"),
    ("results", "the results"),
    ("addresses", "the addresses of the boards, to print"),
    ("practice", "a clock to practise on"),
    ("proof", "whether a log is whole"),
)
IN_CODE = "The QR code opens the director's page; whoever has its address is the director."
ON_LABELS = "The director's page needs the token that is on the director's label."
OPEN = "Everybody in this network can open the other pages."
CLOSED = "The other pages need the token too."


def watch_sources(sources: Sequence[Source], options: Options, *, opens: bool) -> None:
    """Watch until interrupted; `opens`: in a browser, too.

    Raises:
        WatchError: the database or the address cannot be used.
    """
    with listen(options.host, options.port) as listening:
        watch = Watch(options, listening)
        for source in sources:
            if isinstance(source, Hall):
                source.keep_in(watch.store)
        _serve(watch, sources, options, opens=opens)


def serve_room(
    keys: HubKeyFile, boards: Mapping[str, str], options: Options, *, opens: bool
) -> None:
    """Follow the clocks of a room by its broker until interrupted.

    Args:
        keys: the hub's login at the broker, and its keys.
        boards: the names of the boards, by clock.
        options: how to watch.
        opens: whether to open the browser.

    Raises:
        WatchError: the database or the address cannot be used, or another hub has the room.
    """
    if options.tls and (problem := options.tls.problem()):
        raise WatchError(f"[web]: {problem}")
    options = options._replace(token=keys.token)
    quota = Quota(options.quota.matches_per_hour, options.quota.megabytes_per_day)
    clocks = ClockList(boards, quota)
    with listen(options.host, options.port) as listening:
        lookout = Lookout(keys, _own_state(options, listening), now_ns)
        _require_free(lookout)
        watch = Watch(options, listening)
        room = Mqtt(keys.room, keys.broker, clocks, now_ns, watch.store, lookout)
        watch.hub.upstream = room.backlog
        room.takes = watch.hub.takes
        watch.enable_offers(bytes.fromhex(keys.master_key), room.send_offer)
        _serve(watch, [room], options, opens=opens)


def _require_free(lookout: Lookout) -> None:
    """Refuse to begin while another hub has the room; without a broker, look again later.

    Raises:
        WatchError: another hub has it.
    """

    async def look() -> None:
        with suppress(TimeoutError, MqttError, OSError):
            async with asyncio.timeout(LOOK_S):
                await lookout.look()

    try:  # sockets are watched, which the usual loop of Windows does not
        with asyncio.Runner(loop_factory=asyncio.SelectorEventLoop) as runner:
            runner.run(look())
    except RoomTakenError as error:
        raise WatchError(str(error)) from error


def _own_state(options: Options, listening: socket.socket) -> HubState:
    """Return what this hub says of itself to another one of the room."""
    address = "" if options.host in LOCAL else page_address(options, listening)
    return HubState("lost", name=own_name(listening), address=address)


def _serve(watch: Watch, sources: Sequence[Source], options: Options, *, opens: bool) -> None:
    def started() -> None:
        for line in _introduction(watch, options):
            click.echo(line)
        if opens:
            webbrowser.open(watch.director_address)

    watch.run(sources, started)


def _introduction(watch: Watch, options: Options) -> list[str]:
    """Return what the terminal says when the pages can be opened.

    A token that the director has on paper is not repeated: the terminal may be a journal.
    """
    local = options.host in LOCAL
    addresses = {page: f"{watch.address}{page}" for page, _ in PAGES}
    if watch.director_address != watch.address and (local or not options.token):
        addresses["room"] = watch.director_address
    width = max(map(len, addresses.values()))
    lines = [f"{addresses[page]:{width}}  {what}" for page, what in PAGES]
    if local:
        lines.append("Only this computer can open them; --host 0.0.0.0 lets others in its network.")
    else:
        lines += [ON_LABELS] if options.token else [_qr_text(watch.director_address), IN_CODE]
        lines.append(OPEN if options.public else CLOSED)
    if options.database is None:
        lines.append("Lines and results are kept in memory; --database FILE keeps them.")
    return [*lines, "The clock at the board counts. Ctrl-C ends."]


def _qr_text(address: str) -> str:
    drawn = StringIO()
    segno.make(address, error="l").terminal(drawn, border=2, compact=True)
    return drawn.getvalue().rstrip("\n")
