"""Where the files of this project lie, for tests."""

from pathlib import Path

ROOT = Path(__file__).parents[2]
TESTS = ROOT / "tests"
DATA = TESTS / "data"
PICTURES = TESTS / "pictures"
