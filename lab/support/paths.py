"""Where the files of this project lie, for tests."""

from pathlib import Path

ROOT = Path(__file__).parents[2]
TESTS = ROOT / "tests"
DATA = TESTS / "data"
PICTURES = TESTS / "pictures"
IN_MEMORY = Path("/dev/shm")  # noqa: S108 (a folder of its own is made there); only on Linux
