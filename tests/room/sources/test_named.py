"""The sources that a person names."""

import time

import pytest

from lab.support.paths import DATA
from room.sources.directories import Directories
from room.sources.hall import Hall
from room.sources.named import PacedFile, SourceError, is_port, named_sources
from room.sources.raw_clock import now_ns
from room.sources.serial_line import SerialLine

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


@pytest.mark.parametrize("pace", [None, 2.5])
def test_each_name_has_its_source(pace: float | None) -> None:
    """One that is named twice has one; a log is followed, or replayed at a pace."""
    names = ["https://hub-2:8037/?token=t", "socket://10.0.0.1:7000", "http:///room"]
    found = named_sources([*names, str(DATA), str(LOG), str(DATA)], pace, 9600)
    paced = [PacedFile] if pace else []
    kinds = [Hall, SerialLine, SerialLine, *paced, Directories]
    assert [type(each) for each in found] == kinds
    assert isinstance(directories := found[-1], Directories)
    assert directories._paths == [DATA, *([] if pace else [LOG])]
    keys = [each._place.key for each in found if isinstance(each, PacedFile)]
    assert keys == [f"{LOG}@{pace}" for _ in paced]
    assert named_sources([], pace, 9600) == []


def test_what_is_no_source_is_named() -> None:
    with pytest.raises(SourceError, match="missing: there is no such file; a source is a log"):
        named_sources(["missing"], None, 9600)


def test_the_hub_counts_by_the_clock_of_the_logs() -> None:
    before = time.clock_gettime_ns(time.CLOCK_MONOTONIC_RAW)
    assert before <= now_ns() <= time.clock_gettime_ns(time.CLOCK_MONOTONIC_RAW)
