"""Panels on SPI: the clock's own code through spidev, with DC and RES on lines of the header."""

import random
import sys
from pathlib import Path

import pytest
from PIL import Image

from clock.units import SECOND_NS
from hardware.diagnostics.check_bus import CANNOT_ANSWER
from hardware.display.spi import SPEED_HZ
from lab.bench.board import LEFT, RIGHT, Board
from lab.bench.panels import LINES, PanelPair
from lab.bench.service import ServiceBoard
from lab.bench.spi import HEADER, LINE, SpiWires
from lab.bench.uml import Guest
from lab.bench.vhost_ring import Chain
from lab.support.panel_models import HEIGHT, MODELS, WIDTH
from lab.support.paths import PICTURES
from tests.bench.test_doctor import OK, SKIPPED, run_without_input
from tests.bench.test_unplugged import end_turn, fault_events, wrong_panels

CONFIG: dict[str, dict[str, object]] = {
    "match": {"length": 7},
    "display": {"interface": "spi", "driver": "ssd1309"},
}
WHOLE_AGAIN_NS, PARTS = 5 * SECOND_NS // 2, 5
DIPS = 100

# Shows pictures on the left panel, and moves a line after each.
SHOWN, TAKES_S = 26, 240.0
SHOW = """
import sys, time
from PIL import Image
from hardware.display.controllers import controller
from hardware.display.framebuffer import frame
from hardware.display.panel import Panel, PanelState
from hardware.display.wires import Wires, connector, outputs
driver, size, places = sys.argv[1], ({width}, {height}), sys.argv[2:]
connect = connector(Wires("spi", {dc}, {reset}))
panel = Panel(controller(driver), lambda: connect(0, 0), time.monotonic_ns, write_only=True)
for number, place in enumerate(places):
    path, left, top = place.rsplit(":", 2)
    with Image.open(path) as picture:
        box = int(left), int(top), int(left) + size[0], int(top) + size[1]
        panel.show(PanelState(frame(picture.convert("1").crop(box)), False, 207))
    assert not panel.fault, panel.fault
    outputs().drive({shown}, number % 2 == 0)
"""


def golden_places() -> dict[str, bytes]:
    """The pixels of each panel in the golden pictures, by file and place."""
    places = {}
    for path in sorted(PICTURES.glob("*.png")):
        with Image.open(path) as golden:
            picture = golden.convert("1")
        for left in range(0, picture.width - WIDTH + 1, WIDTH + 8):
            for top in range(0, picture.height - HEIGHT + 1, HEIGHT + 1):
                pixels = picture.crop((left, top, left + WIDTH, top + HEIGHT)).tobytes()
                places[f"{path}:{left}:{top}"] = pixels
    return places


@pytest.mark.rule("R140")
@pytest.mark.parametrize("driver", MODELS)
def test_golden_pictures(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, driver: str) -> None:
    """Each goes through spidev, where only changes are sent, and is on the glass pixel by pixel."""
    seen: list[bytes] = []
    answer = SpiWires.answer

    def look(wires: SpiWires, chain: Chain) -> bytes:
        good = answer(wires, chain)
        select, line = chain.sent[0], chain.sent[HEADER.size]
        if (select, line) == (LINE, SHOWN):
            seen.append(wires.panels[0].picture().tobytes())
        return good

    monkeypatch.setattr(SpiWires, "answer", look)
    golden = golden_places()
    dc, reset = LINES
    program = SHOW.format(width=WIDTH, height=HEIGHT, dc=dc, reset=reset, shown=SHOWN)
    with (
        PanelPair(tmp_path / "i2c", driver=driver, on_spi=True, time_travel=True) as panels,
        Guest(tmp_path, sys.executable, panels.options, time_travel=True) as guest,
    ):
        guest.ask("run", TAKES_S, command=[sys.executable, "-c", program, driver, *golden])
        assert panels.spi.resets == 1
    assert len(golden) > 200
    assert dict(zip(golden, seen[-len(golden) :], strict=True)) == golden


@pytest.mark.rule("R140")
def test_a_panel_that_was_reset_is_whole_again(tmp_path: Path) -> None:
    """Within 2.5 s, a hundred times at any instant; the other is never dark, and RES stays high."""
    chance = random.Random(29)
    with Board(CONFIG, tmp_path, time_travel=True) as board:
        board.confirm()
        end_turn(board, LEFT)
        for number in range(DIPS):
            board.wait(chance.randrange(3 * SECOND_NS))
            side, other = chance.choice(((LEFT, RIGHT), (RIGHT, LEFT)))
            if number % 2:
                board.panel(side).unplug()
                board.panel(side).plug()
            else:
                board.panel(side).drop_supply()
            for _ in range(PARTS):
                assert not board.panel(other).dark
                board.wait(WHOLE_AGAIN_NS // PARTS)
            assert not wrong_panels(board), number
        assert board.panels.spi.resets == 1
        assert fault_events(board, "display") == []  # nothing of it can be noticed


@pytest.mark.rule("R140")
def test_the_doctor_finds_both_chip_selects(tmp_path: Path) -> None:
    """Without a person who looks at the panels nobody knows whether they work."""
    with Board(CONFIG, tmp_path, time_travel=True) as board:
        board.stop()
        found = run_without_input(board)
        assert (found.code, found.found("spi")) == (0, (OK, "/dev/spidev0.0 and /dev/spidev0.1"))
        for name in ("left", "right"):
            verdict, words = found.found(f"{name} panel")
            assert (verdict, words.endswith(CANNOT_ANSWER)) == (SKIPPED, True)
        assert board.panels.spi.hz == {SPEED_HZ}


@pytest.mark.rule("R140")
def test_the_service_may_use_spidev_and_the_lines_beside_it(tmp_path: Path) -> None:
    """In its sandbox, as its own user; started again, it pulses RES again, because it must."""
    with ServiceBoard(CONFIG, tmp_path) as board:
        assert board.wait_until(lambda: not board.panel(RIGHT).dark)
        assert board.panels.spi.resets == 1
        board.restart()
        assert board.wait_until(lambda: not board.panel(RIGHT).dark)
        assert board.panels.spi.resets == 2
