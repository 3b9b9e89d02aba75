"""A short match through each of gpiozero's pin factories that a configuration can name.

`gpiod` and `lgpio` give the kernel's stamps; `rpigpio` takes them itself, when a thread of its own
has come to it, and the log says so. Two of them are programs of a thread that polls, so time does
not travel here.
"""

import json
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest
from bench.board import LEFT, RIGHT, Board, Made
from bench.configuration import Config, text
from bench.fingers import ERROR_NS
from bench.logbook import Logbook
from bench.plunger import MS_NS

LIBRARIES = {"gpiod": "gpiod", "lgpio": "lgpio", "rpigpio": "RPi"}
STAMPS = {"gpiod": None, "lgpio": None, "rpigpio": "software"}
LATEST_NS = {"gpiod": ERROR_NS, "lgpio": ERROR_NS, "rpigpio": 1000 * MS_NS}
# The package rpi-lgpio finds a Pi's revision and pins by itself; not those of a simulated one.
PI_4 = {"RPI_LGPIO_REVISION": "c03115", "RPI_LGPIO_CHIP": "0"}
PRESSES = 20
HELD_NS = 200 * MS_NS
# A computer that holds the guest up for as long as a plunger is held leaves software no press to
# see; the kernel's stamps lose none.
ATTEMPTS = {"gpiod": 1, "lgpio": 1, "rpigpio": 4}


@pytest.mark.parametrize("factory", LIBRARIES)
def test_a_short_match(tmp_path: Path, factory: str) -> None:
    """Each press is there once, at its instant; who took that, the log says."""
    if find_spec(LIBRARIES[factory]) is None:
        pytest.skip(f"no library for {factory}: pip install --group bench")
    attempts = (short_match(tmp_path / str(number), factory) for number in range(ATTEMPTS[factory]))
    whole = (each for each in attempts if len(each[1].of("pressed")) == PRESSES)
    made, log = next(whole, (None, None))
    assert made
    assert log
    records = log.of("pressed")
    assert log.records[0].get("stamps") == STAMPS[factory]
    assert [each["side"] for each in records] == ["left", "right"] * (PRESSES // 2)
    assert all(each["accepted"] for each in records)
    late = [each["at_ns"] - down.after_ns for each, down in zip(records, made, strict=True)]
    assert max(late) <= LATEST_NS[factory]
    early = [down.before_ns - each["at_ns"] for each, down in zip(records, made, strict=True)]
    assert max(early) <= ERROR_NS


def short_match(folder: Path, factory: str) -> tuple[list[Made], Logbook]:
    """Presses by turns, as they were made, and what the log tells."""
    folder.mkdir()
    config: Config = {"match": {"length": 3}, "buttons": {"pin_factory": factory}}
    with Board(config, folder, environ=PI_4) as board:
        board.confirm()
        made = [board.press((LEFT, RIGHT)[number % 2], HELD_NS) for number in range(PRESSES)]
        board.wait("0:01")
        log = board.log()
    log.verified()
    return made, log


def test_a_clock_without_pins(tmp_path: Path) -> None:
    """The factory `mock`, for programs that try the clock out; its stamps are software's too."""
    with Board({}, tmp_path) as board:
        board.stop()
        config = text({"buttons": {"pin_factory": "mock"}, "log": {"directory": "/run/mock"}})
        board.guest.ask("write", path="/run/mock.toml", text=config)
        program = str(Path(sys.executable).with_name("gammonclock"))
        run = ["timeout", "--preserve-status", "5", program, "run", "--config", "/run/mock.toml"]
        board.guest.ask("run", command=run)
        log = board.guest.ask("read", path="/run/mock/current.jsonl")
        assert json.loads(log.splitlines()[0])["stamps"] == "software"
