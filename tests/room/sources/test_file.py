"""A log file, replayed at its own pace."""

import threading
from itertools import pairwise
from pathlib import Path
from queue import SimpleQueue

import msgspec

from clock.storage.log_reader import CURRENT
from clock.units import SECOND_NS
from lab.support.logs import forged
from lab.support.paths import DATA
from room.lines.events import ClockHeard, LinesRead, Place, SourceEvent, TroubleChanged
from room.sources.named import ALIVE_NS, LONGEST_WAIT_NS, PacedFile, waits

LOG = (DATA / "ebf.jsonl").read_bytes().splitlines()
INSTANTS = [msgspec.json.decode(line)["at_ns"] for line in LOG]


def test_each_line_waits_as_long_as_it_did() -> None:
    """In the match; faster at another pace."""
    gaps = [after - before for before, after in pairwise(INSTANTS)]
    assert waits(LOG, 1) == [0, *gaps]
    assert waits(LOG, 10) == [0, *(gap // 10 for gap in gaps)]


def test_a_restart_does_not_wait() -> None:
    log = forged(LOG, 5, lambda fields: fields.update(boot="other"))
    assert waits(log, 1)[5:7] == [0, 0]
    assert waits(LOG, 1)[5]


def test_instants_that_jump_are_not_waited_for() -> None:
    jump = forged(LOG, 5, lambda fields: fields.update(at_ns=10**30))
    assert waits([*jump[:6], b"noise", *jump[6:]], 1)[5:8] == [LONGEST_WAIT_NS, 0, 0]


def test_a_file_is_replayed(tmp_path: Path) -> None:
    """Line by line, live; meanwhile the clock is heard."""
    path = tmp_path / "match.jsonl"
    path.write_bytes(b"".join(line + b"\n" for line in LOG))
    told: SimpleQueue[SourceEvent] = SimpleQueue()
    source = PacedFile(path, 10**6, lambda: 7)
    source.start(told.put)
    found = [told.get(timeout=60) for _ in LOG]
    source.close()
    place = Place(f"{path}@1000000", str(path))
    expected = [
        LinesRead(place, "match", (line,), 7, live=True, first=at) for at, line in enumerate(LOG)
    ]
    assert found == expected


def test_the_match_that_a_link_leads_to_is_replayed(tmp_path: Path) -> None:
    """A copy of `current.jsonl` has the name in its lines. The end does not wait for the rest."""
    for name, match in (("one.jsonl", "one"), (CURRENT, "play-1")):
        (tmp_path / name).write_bytes(b"".join(line + b"\n" for line in LOG))
        if name != CURRENT:
            (tmp_path / CURRENT).symlink_to(name)
        told: SimpleQueue[SourceEvent] = SimpleQueue()
        source = PacedFile(tmp_path / CURRENT, 1, lambda: 7)
        source.start(told.put)
        lines = told.get(timeout=60)
        assert "replay" in {each.name for each in threading.enumerate()}
        source.close()
        assert "replay" not in {each.name for each in threading.enumerate()}
        assert isinstance(lines, LinesRead)
        assert lines.match == match
        (tmp_path / CURRENT).unlink()


def test_a_long_wait_is_heard_and_can_be_ended(tmp_path: Path) -> None:
    source = PacedFile(tmp_path, 1, lambda: 7)
    told, waited = list[SourceEvent](), list[float | None]()

    def wait(timeout: float | None = None) -> bool:
        waited.append(timeout)
        return len(waited) > 4  # then it is ended

    source._stopping.wait = wait  # type: ignore[method-assign]
    assert source._pause(told.append, 2 * ALIVE_NS + SECOND_NS)
    assert not source._pause(told.append, 3 * ALIVE_NS)
    assert waited == [5, 5, 1, 5, 5]
    assert told == 3 * [ClockHeard(source._place, 7, alive=True)]


def test_a_file_that_vanished_is_told(tmp_path: Path) -> None:
    told: SimpleQueue[SourceEvent] = SimpleQueue()
    source = PacedFile(tmp_path / "missing.jsonl", 1, lambda: 7)
    source.start(told.put)
    assert isinstance(told.get(timeout=60), TroubleChanged)
    source.close()
