"""Where the files of this project lie, for tests."""

import os
from pathlib import Path

ROOT = Path(__file__).parents[2]
TESTS = ROOT / "tests"
DATA = TESTS / "data"
PICTURES = TESTS / "pictures"
MEMORY = Path("/dev/shm")  # noqa: S108 (a folder of its own is made there)
# None where this user may not write there, and on other systems than Linux.
IN_MEMORY = MEMORY if os.access(MEMORY, os.W_OK | os.X_OK) else None
