"""Press buttons while no clock runs, on a real kernel, with and without a service manager.

A program, not a test: `kept_lines.py SIM` needs a kernel with gpio-sim (`tests/bench`), whose chip
has the label of a Pi's; SIM is the folder of its lines in /sys/devices/platform. This process
stands for the service manager: it keeps the descriptors that a clock's buttons send it, kills the
clock, presses, starts it again, and compares its output with what was pressed. Prints a line of
JSON for each start.

gpio-sim takes a pull that is set for a button that moves, so each story ends with all buttons up.
"""

import json
import os
import socket
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path

PINS = {"left": 17, "right": 27, "centre": 22}
STORY = (("right", 1), ("right", 0), ("left", 1), ("centre", 1), ("left", 0), ("centre", 0))
STARTS = 5
GAP_S = 0.02  # between two moves; longer than the settle time
ADDRESS = "/run/kept-lines"
PASSED = 3  # the first descriptor


def tell(what: object) -> None:
    """Print a line of JSON."""
    sys.stdout.write(json.dumps(what) + "\n")
    sys.stdout.flush()


def clock() -> None:
    """Run the clock's buttons as its service does; print each move with its kernel's stamp."""
    from gpiozero_gpiod.factory import GpiodFactory
    from hardware.buttons.plungers import Plungers
    from hardware.system.fd_store import FdStore, inherited

    class Stamps:
        """Instants on the kernel's clock."""

        now_ns = staticmethod(time.monotonic_ns)
        raw_of = staticmethod(int)

    store, factory = FdStore(inherited()), GpiodFactory()
    factory.keep_lines(store)
    before_ns = time.monotonic_ns()
    plungers = Plungers(PINS, 5, factory, clock=Stamps())
    tell({"claimed_us": (time.monotonic_ns() - before_ns) // 1000})
    while True:
        plungers.wait(None)
        for moved in plungers.drain(time.monotonic_ns())[0]:
            tell(moved)


def move(sim: Path, name: str, down: int) -> tuple[int, int]:
    """Move a button; return the instants before and after."""
    before_ns = time.monotonic_ns()
    (sim / f"sim_gpio{PINS[name]}" / "pull").write_text("pull-down" if down else "pull-up")
    return before_ns, time.monotonic_ns()


def started(kept: Mapping[str, int], environ: dict[str, str]) -> subprocess.Popen[str]:
    """Start a clock; pass it descriptors as systemd does."""
    copies = [os.dup(descriptor) for descriptor in kept.values()]
    names = f"LISTEN_FDS={len(kept)} LISTEN_FDNAMES={':'.join(kept)}"
    moves = " ".join(f"{PASSED + at}<&{copy}" for at, copy in enumerate(copies))
    script = f'{names} LISTEN_PID=$$ exec "$@" {moves}'
    command = ["bash", "-c", script, "bash", sys.executable, __file__]
    child = subprocess.Popen(
        command, env=environ, stdout=subprocess.PIPE, text=True, pass_fds=copies
    )
    for copy in copies:
        os.close(copy)
    return child


def story(sim: Path, kept: Mapping[str, int], environ: dict[str, str]) -> dict[str, int]:
    """Press, then start and kill the clock; return figures about what it printed."""
    killed_ns, told, right = time.monotonic_ns(), 0, 0
    moves = []
    for name, down in STORY:
        moves.append(((name, bool(down)), move(sim, name, down)))
        time.sleep(GAP_S)  # noqa: TID251 (the kernel's time passes, not a test's)
    with started(kept, environ) as child:
        assert child.stdout is not None
        figures: dict[str, int] = json.loads(child.stdout.readline())
        last = move(sim, "left", 1)  # something newer comes last
        for line in child.stdout:
            name, down, at_ns = json.loads(line)
            if last[0] <= at_ns <= last[1]:
                break
            what, (first_ns, then_ns) = moves[told]
            right += what == (name, down) and first_ns <= at_ns <= then_ns
            told += 1
        child.kill()
    move(sim, "left", 0)
    gone_ms = (time.monotonic_ns() - killed_ns) // 1_000_000
    return figures | {"moves": len(STORY), "told": told, "right": right, "gone_ms": gone_ms}


def main() -> None:
    """Run the story without a service manager, then with one."""
    sim, kept = Path(sys.argv[1]), dict[str, int]()
    for name in PINS:
        move(sim, name, 0)
    alone = {key: value for key, value in os.environ.items() if key != "NOTIFY_SOCKET"}
    tell({"kept": False} | story(sim, kept, alone))
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as manager:
        manager.bind(ADDRESS)
        environ = alone | {"NOTIFY_SOCKET": ADDRESS}
        with started(kept, environ) as first:
            while len(kept) < len(PINS):
                message, descriptors, _, _ = socket.recv_fds(manager, 4096, 4)
                kept[message.decode().rpartition("FDNAME=")[2]] = descriptors[0]
            first.kill()
        for _ in range(STARTS):
            tell({"kept": True} | story(sim, kept, environ))


if __name__ == "__main__":
    main() if sys.argv[1:] else clock()
