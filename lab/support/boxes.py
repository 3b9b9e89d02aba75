"""Virtual clocks whose settings, logs and hub lie in a folder, and which scripts press."""

import json
from pathlib import Path
from typing import Any, Self

from clock.apps.script import parse
from clock.eventlog.unfinished import Unfinished
from clock.match.types import Pair, Phase, Side
from clock.runtime.adapters import ConfiguredMatch
from clock.runtime.handover import MatchFinder
from clock.runtime.loop import Runtime
from clock.runtime.offer_folder import OfferFolder
from clock.runtime.ports import Ports
from clock.storage.disk import Disk
from clock.storage.unfinished import HANDED
from clock.ui.dialogue import PresetPage
from clock.virtual import VirtualClock
from lab.support.offers import OfferDesk

ADA_BEN = ("Ada", "Ben")


class StartedClock(VirtualClock):
    """A clock on the logs in a folder, which finds its match in a way of its own."""

    def __init__(
        self, logs: Path, find: MatchFinder, settings: str = "", disk: Disk | None = None
    ) -> None:
        self._find, self._disk = find, disk
        super().__init__(settings, logs)


class Clock(VirtualClock):
    """A clock whose file and logs lie in a folder."""

    def __init__(
        self,
        folder: Path,
        text: str,
        offers: Path | None = None,
        *,
        logs: Path | None = None,
        disk: Disk | None = None,
    ) -> None:
        """Switch on.

        Args:
            folder: gets the settings file.
            text: of the settings file.
            offers: where the clock's link puts what comes from the room.
            logs: where the logs go, if not beside the file.
            disk: for the logs, if not this computer's.
        """
        self._offers, self._disk, self._handed = offers, disk, folder / HANDED
        self.card = folder
        self._file, self.logs = folder / "gammonclock.toml", logs or folder / "logs"
        super().__init__(self.write(text)._file, self.logs)

    def _joined(self, ports: Ports, next_match: ConfiguredMatch) -> Ports:
        if self._offers is None:
            return ports
        from_room = OfferFolder(self._offers, self.logs, next_match)
        return ports._replace(offers=from_room, rulings=from_room)

    def write(self, text: str) -> Self:
        """The director changes the file."""
        self._file.write_text(text, encoding="utf-8")
        return self

    def do(self, script: str) -> Self:
        """Presses as in a script."""
        [segment] = parse(script, "script")
        begun_ns = self.now_ns
        moves = [move._replace(at_ns=begun_ns + move.at_ns) for move in segment.moves]
        return self._pass(begun_ns + segment.end_ns, *moves)

    def turn_to(self, item: str) -> Self:
        """Open the director's menu, turn it to an item, and choose it; carry nothing out."""
        self.hold()
        names = [each.name for each in self._offered]
        return self.do("1 press right\n" * names.index(item) + "1 press centre")

    @property
    def runtime(self) -> Runtime:
        """The loop."""
        return self._runtime

    @property
    def all_lines(self) -> list[bytes]:
        """The lines of all logs, in their order, with line feeds."""
        logs = sorted(self.logs.glob("2*.jsonl"))
        return [line for log in logs for line in log.read_bytes().splitlines(keepends=True)]

    def logged(self, *events: str) -> list[dict[str, Any]]:
        """The lines of some events in all logs."""
        return [line for line in map(json.loads, self.all_lines) if line["event"] in events]

    def chosen(self) -> tuple[str | None, int, bool]:
        """The preset, the length, and whether the page of the presets is open."""
        return self.state.preset, self.state.length, isinstance(self._dialogue.page, PresetPage)

    @property
    def shown(self) -> str:
        """The status on both panels."""
        [status] = {face.status for face in self.faces}
        return status


class Box(Clock):
    """A clock with a card of its own, on which matches are adjourned and resumed."""

    def __init__(self, folder: Path, disk: Disk | None = None) -> None:
        folder.mkdir(exist_ok=True)
        self._board = folder.name[:8]
        super().__init__(folder, self._text(ADA_BEN), disk=disk)

    def _text(self, names: tuple[str, str]) -> str:
        match = f'length = 3\nnames = {json.dumps(names)}\nboard = "{self._board}"\n'
        return f"[match]\n{match}"

    def play(self, names: tuple[str, str]) -> Self:
        """The file names the players of the next match."""
        return self.write(self._text(names))

    def adjourn(self) -> Path:
        """Adjourn the match; return its log."""
        self.choose("put_aside")
        assert self.state.phase is Phase.PUT_ASIDE
        return self.log

    def resume_match(self, names: tuple[str, str]) -> Self:
        """Choose a match by its names in the list, and resume it."""
        of_names = (each.log for each in self.runtime.unfinished() if each.names == Pair(*names))
        return self.choose("take_up", next(of_names))

    @property
    def listed(self) -> tuple[Unfinished, ...]:
        """The matches in the list that is open."""
        return self._dialogue.unfinished

    def stands(self) -> tuple[object, ...]:
        """What must be the same when the match is resumed."""
        state = self.state
        times = [state.reserve_ns(side, state.at_ns) for side in Side]
        turn = state.turn and (state.turn.side, state.turn.used_ns, state.turn.delay_ns)
        rest = (state.score, state.length, state.names, state.crawford, state.game_points)
        return (state.phase, times, turn, state.reason, state.games, *rest)


class RoomClock(Clock):
    """A clock in a room, for which a director makes offers."""

    def __init__(self, folder: Path, text: str = "[match]\nlength = 1\n") -> None:
        self.desk = OfferDesk(folder, folder / "logs")
        super().__init__(folder, text, self.desk.directory)

    def offer(self, id_: str = "offer-001", **settings: Any) -> Self:
        """Offer a match to Cid and Dora, or one with these settings, and let the clock look."""
        self.desk.put(self.desk.line(id_, **(settings or {"names": ["Cid", "Dora"], "length": 7})))
        return self.do("3 wait")

    @property
    def offered(self) -> tuple[Phase, str, int, Pair[str]]:
        """The phase, and the offer, the length and the names of the match."""
        state = self.state
        return state.phase, state.offer, state.length, state.names

    @property
    def legend(self) -> str:
        """What the left panel says of the centre button."""
        return self.faces.left.keys[1]

    def refusals(self) -> list[tuple[str, str, str]]:
        """Who refused which offer and why, in all logs."""
        found = self.logged("offer_refused")
        return [(line["offer"], line["by"], line["why"]) for line in found]
