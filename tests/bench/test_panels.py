"""The modelled panels under a real kernel: `/dev/i2c-0`, time travel and faults."""

import json
import sys
import threading
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from clock.match.types import Side
from clock.units import SECOND_NS
from hardware.face import Face
from lab.bench.i2c import HEADER
from lab.bench.i2c_bus import FAST_HZ
from lab.bench.i2c_time import related
from lab.bench.panel_faces import shift
from lab.bench.panels import LEFT_AT, PanelPair
from lab.bench.uml import Guest, GuestError
from lab.bench.vhost_ring import Chain, Ring
from lab.support.panel_models import MODELS

LEFT, RIGHT = Side.LEFT, Side.RIGHT
ADAPTERS_TIMEOUT_NS = SECOND_NS  # of the kernel's I2C core

BUS = """
import json, time
from smbus2 import SMBus, i2c_msg
bus = SMBus(0)
def error(function, *arguments):
    before_ns = time.monotonic_ns()
    try:
        function(*arguments)
    except OSError as failed:
        return failed.errno, time.monotonic_ns() - before_ns
    return 0, time.monotonic_ns() - before_ns
def command(at=0x3C):
    return error(bus.write_i2c_block_data, at, 0, [0xAF])
def data(at=0x3C, size=1024):
    return error(bus.i2c_rdwr, i2c_msg.write(at, [0x40] + [0] * size))
def tell(what):
    print(json.dumps(what))
"""

CLOCK = """
import threading, time
from hardware.face import Face
from hardware.display.panels import Panels, on_this_computer
def face(reserve, running):
    return Face(reserve=reserve, running=running, delay="12", delay_permille=1000, score="3-5/11")
panels = Panels({driver!r}, 0, (0x3C, 0x3D), {rotate!r}, outside=on_this_computer())
second = threading.Event()
for left in range({seconds}, 0, -1):
    panels.show((face(f"{{left // 60}}:{{left % 60:02}}", True), face("22:00", False)))
    second.wait(1)
"""


def face(reserve: str, *, running: bool) -> Face:
    """Return the face that `CLOCK` draws."""
    return Face(reserve=reserve, running=running, delay="12", delay_permille=1000, score="3-5/11")


def run(guest: Guest, program: str) -> Any:
    """Run a Python program in the guest; return its last line of output, which is JSON."""
    said: str = guest.ask("run", command=[sys.executable, "-c", program])
    return json.loads(said.splitlines()[-1]) if said else None


def guest_with(panels: PanelPair, folder: Path, *, time_travel: bool = False) -> Guest:
    """Start a guest with these panels on its bus."""
    return Guest(folder, sys.executable, panels.options, time_travel=time_travel)


@pytest.mark.parametrize("time_travel", [False, True])
def test_only_the_panels_addresses_answer(tmp_path: Path, time_travel: bool) -> None:
    """Both panels answer; any other address gives EREMOTEIO, as on a Pi."""
    ask = BUS + "tell([call(at)[0] for at in (0x3C, 0x3D, 0x22) for call in (command, data)])"
    with (
        PanelPair(tmp_path / "i2c", time_travel=time_travel) as panels,
        guest_with(panels, tmp_path, time_travel=time_travel) as guest,
    ):
        assert run(guest, ask) == [0, 0, 0, 0, 121, 121]
        assert panels.bus.count == 4


@pytest.mark.parametrize("time_travel", [False, True])
def test_a_bus_that_hangs(tmp_path: Path, time_travel: bool) -> None:
    """A transfer on a hanging bus fails after a second; after `mend` the bus works again."""
    with (
        PanelPair(tmp_path / "i2c", time_travel=time_travel) as panels,
        guest_with(panels, tmp_path, time_travel=time_travel) as guest,
    ):
        panels.bus.hang()
        [(number, took_ns)] = run(guest, BUS + "tell([command()])")
        assert number == 110
        assert took_ns >= ADAPTERS_TIMEOUT_NS
        panels.bus.mend()
        assert run(guest, BUS + "tell([command()[0] for _ in range(3)])") == [0, 0, 0]


def test_a_device_may_be_late(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A transfer that the kernel has given up still reaches the bus as it was written."""
    timed_out = threading.Event()
    requests: list[bytes] = []
    take = Ring.take

    def take_late(ring: Ring) -> Iterator[Chain]:
        timed_out.wait()
        for chain in take(ring):
            requests.append(chain.sent)
            yield chain

    monkeypatch.setattr(Ring, "take", take_late)
    with PanelPair(tmp_path / "i2c") as panels, guest_with(panels, tmp_path) as guest:
        try:
            assert run(guest, BUS + "tell(data(size=1500)[0])") == 110
        finally:
            timed_out.set()
        assert run(guest, BUS + "tell(command()[0])") == 0
    first, *_ = requests
    assert first[HEADER.size :] == bytes([0x40, *bytes(1500)])


def test_a_command_that_no_panel_knows_fails_the_test(tmp_path: Path) -> None:
    """What the model asserts ends the server's thread, and `close` raises it."""
    panels = PanelPair(tmp_path / "i2c")
    ask = BUS + "tell(error(bus.write_i2c_block_data, 0x3C, 0, [0xF7])[0])"
    with (
        pytest.raises(AssertionError, match="0xf7 is no command"),
        panels,
        guest_with(panels, tmp_path) as guest,
        suppress(GuestError),
    ):
        run(guest, ask)


def test_a_bus_has_a_speed(tmp_path: Path) -> None:
    """A transfer takes as long as its bytes at the bus's speed."""
    ask = BUS + "tell([data()[1] for _ in range(10)])"
    with PanelPair(tmp_path / "i2c", hz=FAST_HZ) as panels, guest_with(panels, tmp_path) as guest:
        assert min(run(guest, ask)) >= (1026 * 9 + 2) * SECOND_NS // FAST_HZ - 1_000
        assert panels.bus.bytes == 10 * 1026


@pytest.mark.parametrize("driver", MODELS)
@pytest.mark.parametrize("rotate", [(0, 0), (0, 2)])
def test_the_clocks_own_code_draws(tmp_path: Path, driver: str, rotate: tuple[int, int]) -> None:
    """The clock's code counts three minutes down through the kernel, to the right pixels."""
    program = CLOCK.format(driver=driver, rotate=rotate, seconds=180) + "print(panels.counts)"
    with (
        PanelPair(tmp_path / "i2c", driver=driver, rotate=rotate, time_travel=True) as panels,
        guest_with(panels, tmp_path, time_travel=True) as guest,
    ):
        stays = "\nimport os; os._exit(0)"  # a panel that is closed is dark
        guest.ask("run", command=[sys.executable, "-c", program + stays])
        left, right = panels.of
        assert shift(left.picture, face("0:01", running=True)) == (0, 0)
        assert shift(right.picture, face("22:00", running=False)) == (0, 0)


def test_the_next_kernel_finds_its_panels_dark(tmp_path: Path) -> None:
    with PanelPair(tmp_path / "i2c") as panels:
        with guest_with(panels, tmp_path) as guest:
            assert run(guest, BUS + "bus.write_i2c_block_data(0x3C, 0, [0x8D, 0x14, 0xAF])") is None
            assert panels.of[LEFT].model.shines
        assert panels.wait(lambda: panels.of[LEFT].dark, limit_s=10)
        with guest_with(panels, tmp_path) as guest:
            assert not panels.of[LEFT].model.shines
            assert run(guest, BUS + "tell(command()[0])") == 0


@pytest.mark.parametrize("name", ["CLOCK_MONOTONIC", "CLOCK_MONOTONIC_RAW"])
def test_a_guests_stamps_convert_to_this_computers_clock(tmp_path: Path, name: str) -> None:
    ask = BUS + (
        f"now = lambda: time.clock_gettime_ns(time.{name})\n"
        "def some():\n"
        "    for n in range(200):\n"
        "        before_ns = now(); command(); yield before_ns, now()\n"
        "stamps = list(some())\n"
        "import threading; threading.Event().wait(1)\n"
        "tell([*stamps, *some()])"
    )
    with PanelPair(tmp_path / "i2c") as panels, guest_with(panels, tmp_path) as guest:
        stamps = run(guest, ask)
        begun = [each.begun_ns for each in panels.bus.latest if each.address == LEFT_AT]
        relation = related(stamps, begun)
        first = panels.bus.first_after(
            relation.host_ns(stamps[200][0]) - relation.error_ns, LEFT_AT
        )
        assert first == panels.bus.latest[200]
