"""The pages of a process, as the kernel counts them."""

import subprocess
import sys

CODE = """
import resource
from hardware.system.memory import stay_in_memory
resource.setrlimit(resource.RLIMIT_MEMLOCK, (1 << 20, 1 << 20))
stays, used = stay_in_memory(), bytes(1 << 20)
lines = dict(each.split(":") for each in open("/proc/self/status"))
may = int(lines["CapEff"], 16) >> 14 & 1  # CAP_IPC_LOCK
print(stays, bool(may), lines["VmLck"].split()[0], lines["VmSize"].split()[0])
"""


def test_all_of_a_process_stays_or_nothing_does() -> None:
    """What it uses later too; a user who may lock one megabyte is told that nothing stays."""
    command = [sys.executable, "-c", CODE]
    stays, may, locked, size = subprocess.check_output(command, text=True).split()
    assert stays == may
    expected = int(size) * 0.99 if stays == "True" else 0  # all but what is not memory
    assert int(locked) >= expected
    assert (int(locked) > 0) == (stays == "True")
