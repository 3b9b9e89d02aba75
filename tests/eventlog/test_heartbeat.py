"""The heartbeat is what docs/event-log.md says."""

import re

import msgspec

from clock.eventlog.codec import Chain
from clock.eventlog.heartbeat import LOG, heartbeat_line
from clock.match.faults import PARTS
from lab.support.paths import ROOT


def test_the_example_in_the_document_is_a_heartbeat() -> None:
    """The same fields in the same order; the boot id is left out there."""
    text = (ROOT / "docs" / "event-log.md").read_text(encoding="utf-8")
    [example] = re.findall(r'^\{"v":2,"heartbeat".*\}$', text, re.MULTILINE)
    said = msgspec.json.decode(example)
    chain = Chain(said["match"], "earlier boot", said["seq"])
    line = heartbeat_line(said["heartbeat"], said["boot"], said["now_ns"], chain, ())
    assert line.decode() == f"{example}\n"


def test_the_log_is_a_part_that_can_fail() -> None:
    """Its fault is what makes `log_saved` false."""
    assert LOG in PARTS
    for warnings, saved in (((), True), (("serial",), True), (("serial", LOG), False)):
        found = msgspec.json.decode(heartbeat_line(1, "b", 0, Chain("m", "b"), warnings))
        assert (found["log_saved"], found["warnings"]) == (saved, list(warnings))
