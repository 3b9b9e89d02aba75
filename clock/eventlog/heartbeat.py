"""The heartbeat: a line for readers of the serial line that is in no file (docs/event-log.md)."""

from collections.abc import Sequence

import msgspec

from clock.eventlog.codec import VERSION, Chain

LOG = "log"  # the part whose fault means that lines are not on the disk


def heartbeat_line(
    number: int, boot: str, now_ns: int, chain: Chain, warnings: Sequence[str]
) -> bytes:
    """Return heartbeat `number`, from 1, with its line feed; `warnings` are parts with a fault."""
    heartbeat = {
        "v": VERSION,
        "heartbeat": number,
        "boot": boot,
        "now_ns": now_ns,
        "match": chain.match,
        "seq": chain.seq,
        "log_saved": LOG not in warnings,
        "warnings": warnings,
    }
    return msgspec.json.encode(heartbeat) + b"\n"
