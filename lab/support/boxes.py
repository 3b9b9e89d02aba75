"""A clock with a card of its own, on which matches are adjourned and resumed."""

from pathlib import Path

from clock.eventlog.unfinished import Unfinished
from clock.match.types import Pair, Phase, Side
from clock.storage.disk import DISK, Disk
from clock.storage.log_reader import CURRENT, log_path
from clock.ui.dialogue import ResumeMatchPage
from tests.stories.test_presets import Clock

HOLD = "1 hold centre"
STOP = "1 press centre"
ADA_BEN = ("Ada", "Ben")


class Box(Clock):
    """A clock with a card of its own."""

    def __init__(self, folder: Path, disk: Disk = DISK) -> None:
        folder.mkdir(exist_ok=True)
        super().__init__(folder, disk=disk)
        self.folder = folder
        self.play(ADA_BEN).switch_on()

    def play(self, names: tuple[str, str]) -> "Box":
        """The file names the players of the next match."""
        left, right = names
        board = self.folder.name[:8]
        match = f'length = 3\nnames = ["{left}", "{right}"]\nboard = "{board}"\n'
        self.write(f"[match]\n{match}")
        return self

    def do(self, item: str) -> "Box":
        """Open the director's menu and choose an item."""
        self.press(HOLD)
        self.choose_item(item)
        return self

    def adjourn(self) -> Path:
        """Adjourn the match; return its log."""
        self.do("put_aside").press(STOP)
        assert self.runtime.state.phase is Phase.PUT_ASIDE
        return log_path(self.written() / CURRENT)

    def written(self) -> Path:
        """The log directory, with all lines on the disk."""
        self.restart()
        return self.logs

    def resume_match(self, names: tuple[str, str]) -> "Box":
        """Choose a match by its names in the list, and resume it."""
        self.do("take_up")
        while self.listed[self.at].names != Pair(*names):
            self.press("1 press right")
        self.press(STOP)
        return self

    @property
    def listed(self) -> tuple[Unfinished, ...]:
        """The matches in the list."""
        return self.runtime.session.dialogue.unfinished

    @property
    def at(self) -> int:
        """The place of the selected one."""
        page = self.runtime.session.dialogue.page
        assert isinstance(page, ResumeMatchPage)
        return self.listed.index(page.selected(self.listed))

    def stands(self) -> tuple[object, ...]:
        """What must be the same when the match is resumed."""
        state = self.runtime.state
        times = [state.reserve_ns(side, state.at_ns) for side in Side]
        turn = state.turn and (state.turn.side, state.turn.used_ns, state.turn.delay_ns)
        rest = (state.score, state.length, state.names, state.crawford, state.game_points)
        return (state.phase, times, turn, state.reason, state.games, *rest)
