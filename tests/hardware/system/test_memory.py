"""The pages of a process, as the kernel counts them."""

import os
import resource
from pathlib import Path

import pytest

from hardware.system.memory import stay_in_memory


def told() -> str:
    """Return whether this process stays, whether it may, and its kB that are locked, and all."""
    resource.setrlimit(resource.RLIMIT_MEMLOCK, (1 << 20, 1 << 20))
    stays, _used = stay_in_memory(), bytes(1 << 26)
    lines = dict(each.split(":") for each in Path("/proc/self/status").read_text().splitlines())
    may = int(lines["CapEff"], 16) >> 14 & 1  # CAP_IPC_LOCK
    return f"{stays} {bool(may)} {lines['VmLck'].split()[0]} {lines['VmSize'].split()[0]}"


@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
def test_all_of_a_process_stays_or_nothing_does() -> None:
    """What it uses later too; a user who may lock one megabyte is told that nothing stays."""
    reading, writing = os.pipe()
    if (child := os.fork()) == 0:
        try:
            os.write(writing, told().encode())
        finally:
            os._exit(0)
    os.waitpid(child, 0)
    stays, may, locked, size = os.read(reading, 100).decode().split()
    for end in (reading, writing):
        os.close(end)
    assert stays == may
    expected = int(size) * 0.99 if stays == "True" else 0  # all but what is not memory
    assert int(locked) >= expected
    assert (int(locked) > 0) == (stays == "True")
