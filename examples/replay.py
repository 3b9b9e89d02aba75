"""Replay a log: each line, and what both players had left after it.

    python replay.py LOG

Needs gammonclock: `pip install .` in its folder. Replaying proves the log: a line that was changed,
or that does not follow from those before it, ends the program with the reason.
"""

import sys
from pathlib import Path

from clock.eventlog.codec import DamagedError
from clock.eventlog.replay import replay_lines
from clock.match.durations import duration_text
from clock.match.types import Side

lines = Path(sys.argv[1]).read_bytes().splitlines()
try:
    for step in replay_lines(lines):
        state = step.match.state
        left, right = (duration_text(state.reserve_ns(side, state.at_ns)) for side in Side)
        event = step.line.record.event.__struct_config__.tag
        print(f"{step.match.chain.seq:>5}  {event:<16} {state.phase:<10} {left:>10} {right:>10}")
except DamagedError as damage:
    sys.exit(f"{sys.argv[1]}: {damage}")
