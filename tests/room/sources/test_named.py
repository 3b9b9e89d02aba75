"""The sources that a person names."""

import pytest

from lab.support.paths import DATA
from room.sources.named import is_port

LOG = DATA / "ebf.jsonl"


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("COM3", True),
        ("/dev/null", True),
        ("/dev/ttyUSB99", True),
        ("socket://10.0.0.1:7000", True),
        (str(LOG), False),
        (str(DATA), False),
        ("missing", False),
    ],
)
def test_a_port_is_known_by_its_name(name: str, *, expected: bool) -> None:
    assert is_port(name) is expected
