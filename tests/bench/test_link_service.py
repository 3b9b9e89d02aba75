"""A link that misbehaves does not touch the clock: the project's own units, on one boot.

Clock and link share one processor and one memory. Where a test puts another program in the place of
the link, the rest of the unit stays as it is, unless the test says so. How soon a press is seen is
compared with presses of the same seconds, while all processes of the link are stopped.
"""

import statistics
from bisect import bisect_left
from collections.abc import Iterator
from signal import SIGCONT, SIGKILL, SIGSTOP
from typing import NamedTuple

import pytest

from clock.match.types import Button
from clock.units import SECOND_NS
from lab.bench.board import CENTRE, LEFT, RIGHT, STAMP_ERROR_NS, MadeEdge
from lab.bench.i2c_time import Relation, relate
from lab.bench.link_service import DISK, LINK, OFFERS, WATCHDOG_S, LinkBoard
from lab.bench.logbook import Record
from lab.bench.plunger import MS_NS, PlungerMove, pressed, together
from lab.bench.press_check import PressEdge, check_presses, pressed_edges
from lab.bench.sandbox import HARMLESS, probed
from lab.bench.service import LOGS
from lab.bench.service_probe import PRIVATE, PUBLIC

CONFIG = {"match": {"length": 7}}
APART_NS = 150 * MS_NS  # no digit changes so soon after a press
SOME = 6  # presses while the link does one thing
ROUNDS = 5
RATIO = 2.0  # of two medians that are alike; 0.9 to 1.1 were measured
FEW_READS = 10  # of what it has not used before; 90 and more if the kernel takes its pages
SEEN_S = 120.0  # timeout for a transfer, in real time
RUN_KB = 40 * 1024  # of /run on a Raspberry Pi with 512 MB


class Game:
    """A match on a board whose clock no link has touched, with all its presses."""

    def __init__(self, board: LinkBoard) -> None:
        board.confirm()
        self.board = board
        self._next = LEFT
        self._edges: list[PressEdge] = []
        self.press(1)
        self._restarts = 0
        log = board.wait_for("pressed")
        self._begun, self.match = len(log) - 1, log.last["match"]

    def press(self, count: int = SOME) -> list[MadeEdge]:
        """Press both plungers by turns; return when each went down."""
        buttons = [self._next if number % 2 == 0 else other(self._next) for number in range(count)]
        presses = [(number * APART_NS, pressed(button)) for number, button in enumerate(buttons)]
        moves = together(*presses)
        made = pressed_edges(moves, self.board.play(moves, polls=False))
        self.board.wait(APART_NS)
        self._edges += made
        self._next = other(buttons[-1])
        return [each.made for each in made]

    def check(self) -> None:
        """Check that the clock runs on, and that its log has each press and nothing else.

        Only a card that is slow for two seconds may be told: on a busy computer, whose guest
        has no memory left, it is.
        """
        board = self.board
        assert board.wait_until(lambda: len(board.log().of("pressed")) >= len(self._edges))
        log = board.log()
        check_presses(log, self._edges, STAMP_ERROR_NS)
        new = [
            (each["event"], each.get("side"), each.get("accepted"))
            for each in log.records[self._begun :]
            if not is_slow_card(each)
        ]
        assert new == [("pressed", each.button.value, True) for each in self._edges]
        state = [board.systemd_property(name) for name in ("ActiveState", "NRestarts")]
        assert state == ["active", str(self._restarts)]
        assert board.systemd_property("StatusText").startswith("RUNNING, 0-0/7, match ")

    def kill(self) -> None:
        """Kill the clock; press while it is away, and wait until it is back."""
        self.board.kill(SIGKILL)
        self._restarts += 1
        self.press()
        self.board.wait_until_restarted(self._restarts)


def is_slow_card(record: Record) -> bool:
    """Return whether a record tells that the card is slow, or is no longer."""
    is_fault = record["event"].startswith("fault") and record["part"] == "log"
    return is_fault and str(record.get("what", "card slow")).startswith("card slow")


def other(button: Button) -> Button:
    """Return the other player's plunger."""
    return RIGHT if button is LEFT else LEFT


@pytest.fixture(scope="module")
def board(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LinkBoard]:
    """Switch a clock on that has joined a room."""
    with LinkBoard(CONFIG, tmp_path_factory.mktemp("link")) as board:
        yield board


@pytest.fixture(scope="module")
def game(board: LinkBoard) -> Game:
    """Begin the match of all tests."""
    return Game(board)


# --- the link itself ------------------------------------------------------------------------------


@pytest.fixture
def link(board: LinkBoard) -> None:
    """Start the link if it does not run."""
    board.start_link()


def is_whole(game: Game) -> bool:
    """Wait until the hub has the log of the match, byte for byte; return whether it has."""
    return game.board.wait_until(lambda: game.board.heard(game.match) == game.board.log().text)


def restarted(board: LinkBoard, count: int) -> bool:
    """Wait until systemd has restarted the link so often; return whether it has."""
    return board.wait_until(lambda: int(board.link_property("NRestarts")) >= count)


@pytest.mark.usefixtures("link")
def test_the_hub_has_each_press(game: Game) -> None:
    """The clock has joined the room from its file, and its link sends the log."""
    game.press()
    assert is_whole(game)
    game.check()


@pytest.mark.usefixtures("link")
def test_a_press_is_seen_as_soon_with_a_link(game: Game, relation: Relation) -> None:
    assert reactions(game, relation).ratio() <= RATIO
    game.check()


@pytest.mark.usefixtures("link")
def test_a_link_is_stopped(board: LinkBoard, game: Game) -> None:
    board.signal_link(SIGSTOP)
    game.press()
    game.check()
    board.signal_link(SIGCONT)


@pytest.mark.usefixtures("link")
def test_a_link_is_killed_again_and_again(board: LinkBoard, game: Game) -> None:
    """Each time it comes back, and the hub gets what was pressed meanwhile."""
    count = int(board.link_property("NRestarts"))
    for number in (1, 2):
        board.signal_link(SIGKILL)
        game.press()
        assert restarted(board, count + number)
    game.check()
    assert is_whole(game)


# --- another program in the place of the link -----------------------------------------------------


@pytest.fixture
def stand_in(board: LinkBoard) -> Iterator[None]:
    """End at last what runs in the place of the link."""
    yield
    board.remove_stand_in()


@pytest.fixture(scope="module")
def relation(board: LinkBoard) -> Relation:
    """Relate the guest's clock to that of the bus."""
    still = [PlungerMove(MS_NS, CENTRE, down=False)]
    return relate(lambda: board.play(still)[0].before_ns)


class Reactions(NamedTuple):
    """How long after its edge each press is seen on the bus, in ms."""

    stopped: list[float]
    """While all processes of the link are stopped."""
    running: list[float]

    def ratio(self) -> float:
        """Return how much longer it takes while the link runs, by the medians."""
        return statistics.median(self.running) / statistics.median(self.stopped)


def reactions(game: Game, relation: Relation) -> Reactions:
    """Press by turns while the link's processes are stopped and while they run."""
    found = Reactions([], [])
    for _ in range(ROUNDS):
        for number, kept in ((SIGSTOP, found.stopped), (SIGCONT, found.running)):
            game.board.signal_link(number)
            kept.extend(reactions_ms(game, relation))
    return found


def reactions_ms(game: Game, relation: Relation) -> list[float]:
    """Press some times; return the time from each edge to the next transfer to a panel."""
    edges = [relation.host_ns(made.before_ns) for made in game.press()]
    panels = game.board.panels
    assert panels.wait(lambda: panels.bus.latest[-1].begun_ns >= edges[-1], SEEN_S)
    begun = [each.begun_ns for each in panels.bus.latest]
    return [(begun[bisect_left(begun, edge)] - edge) / MS_NS for edge in edges]


@pytest.mark.usefixtures("stand_in")
@pytest.mark.parametrize("changes", [(), ("CPUQuota=",)], ids=["quota", "no quota"])
def test_a_link_floods_the_processor(
    board: LinkBoard, game: Game, relation: Relation, changes: tuple[str, ...]
) -> None:
    board.replace_link("flood", *changes)
    assert board.has(f"{OFFERS}/done")
    assert board.link_property("TasksCurrent") == board.link_property("TasksMax")
    used_ns = int(board.link_property("CPUUsageNSec"))
    found = reactions(game, relation)
    used_ns = int(board.link_property("CPUUsageNSec")) - used_ns
    assert used_ns > SECOND_NS // 2
    game.check()
    assert found.ratio() <= RATIO


def kills(board: LinkBoard) -> list[str]:
    """Return what the kernel says of processes that it killed because memory ran out."""
    return [line for line in board.shell("dmesg").splitlines() if "Killed process" in line]


def is_the_link(line: str) -> bool:
    """Return whether a process that was killed was the link, perhaps when it was just started.

    Then it has the unit's name and no score yet; `Game.check` sees that the clock was not started.
    """
    return line.endswith("oom_score_adj:500") or "((gammonclock)" in line


def reads(board: LinkBoard) -> int:
    """Return how often the clock has waited for a page of memory to be read from the disk."""
    process = board.systemd_property("MainPID")
    return int(board.shell(f"cut -d' ' -f12 /proc/{process}/stat"))


@pytest.mark.usefixtures("stand_in")
@pytest.mark.parametrize(
    ("changes", "why"),
    [((), "Memory cgroup out of memory"), (("MemoryMax=infinity",), "] Out of memory")],
    ids=["limit", "no limit"],
)
def test_a_link_takes_memory_without_end(
    board: LinkBoard, game: Game, changes: tuple[str, ...], why: str
) -> None:
    """It is killed, and nothing else: at its limit, or without one when all memory is taken.

    Raspberry Pi OS knows no such limit unless cmdline.txt says "cgroup_enable=memory". Nothing of
    the clock leaves memory meanwhile: it waits for no card.
    """
    before, read = len(kills(board)), reads(board)
    board.replace_link("eat", *changes)
    game.press()
    assert board.wait_until(lambda: len(kills(board)) > before)
    game.press()
    game.check()
    found = kills(board)[before:]
    assert all(why in line and is_the_link(line) for line in found), found
    assert reads(board) <= read + FEW_READS


@pytest.mark.usefixtures("stand_in")
def test_a_link_fills_what_it_may_write(board: LinkBoard, game: Game) -> None:
    """That is memory which others need, and not the card; a clock starts nevertheless."""
    free_kb = board.free_kb(LOGS)
    board.shell(f"mount -o remount,size={RUN_KB}k /run")
    board.replace_link("fill")
    assert board.wait_until(lambda: board.free_kb("/run") == 0)
    game.press()
    game.check()
    assert board.free_kb(LOGS) > free_kb - 1024
    game.kill()
    game.check()


@pytest.mark.usefixtures("stand_in")
def test_a_link_locks_the_logs(board: LinkBoard, game: Game) -> None:
    """It may read their directory; a clock locks it, so that no other clock writes there."""
    board.replace_link("lock")
    assert board.has(f"{OFFERS}/done")
    game.kill()
    game.check()


# --- its sandbox ----------------------------------------------------------------------------------


def test_the_sandbox_opens_the_offers_and_the_room_alone(board: LinkBoard, game: Game) -> None:
    """It writes no log, opens no device, reaches no public address and cannot become root."""
    for address in (PRIVATE, PUBLIC):
        board.add_address(address)
    board.shell(f"chmod 777 {LOGS}")
    inside, outside = probed(board, LINK, "gammonclock-link", OFFERS, LOGS, *DISK)
    board.shell(f"chmod 755 {LOGS}")
    assert {name for name, came in inside["devices"].items() if came == "done"} <= HARMLESS
    assert {outside["devices"][name] for name in ("/dev/gpiochip0", "/dev/i2c-0")} == {"done"}
    assert [name for name, came in inside["directories"].items() if came == "done"] == [OFFERS]
    assert set(outside["directories"].values()) == {"done"}
    assert inside["addresses"] == {"127.0.0.1": "done", PRIVATE: "done", PUBLIC: "EPERM"}
    assert set(outside["addresses"].values()) == {"done"}
    assert "done" not in inside["rights"].values()
    game.check()


@pytest.mark.usefixtures("stand_in")
def test_a_link_floods_the_service_manager(board: LinkBoard, game: Game) -> None:
    """A clock that it does not hear of for some seconds would be restarted."""
    board.replace_link("report")
    assert board.has(f"{OFFERS}/done")
    until_ns = game.press(1)[0].before_ns + (WATCHDOG_S + 1) * SECOND_NS
    while game.press()[-1].after_ns < until_ns:
        pass
    game.check()


@pytest.mark.usefixtures("stand_in")
def test_a_link_floods_the_journal(board: LinkBoard, game: Game) -> None:
    """The journal is busy with that for some seconds more, so this test is the last."""
    board.replace_link("talk")
    assert board.has(f"{OFFERS}/done")
    game.press()
    game.check()
