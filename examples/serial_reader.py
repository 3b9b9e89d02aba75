"""Read the events of a clock from its serial line, and say so if lines are missing or changed.

    python serial_reader.py /dev/ttyUSB0

Written from docs/event-log.md alone. Needs `pip install pyserial`, nothing of gammonclock.
"""

import hashlib
import json
import sys

import serial

SECOND_NS = 1_000_000_000
match, seq, before = "", 0, ""  # of the latest line: its match, its number and its hash


def right_hash(line, start):
    """Return the hash of a line over the one before it; None if the line says another."""
    body, _, tail = line.rpartition(b',"hash":"')
    found = hashlib.sha256(start.encode() + body).hexdigest()[:32]
    return found if tail == f'{found}"}}'.encode() else None


def minutes(time_ns):
    """Return a time as minutes and seconds."""
    seconds = abs(time_ns) // SECOND_NS
    return f"{'-' if time_ns < 0 else ''}{seconds // 60}:{seconds % 60:02}"


with serial.Serial(sys.argv[1], 115_200) as port:
    print(f"Listening to {port.name}", flush=True)
    for raw in port:
        line = raw.rstrip(b"\r\n")
        try:
            said = json.loads(line)
        except ValueError:
            continue  # the rest of a line, if this program begins to read within one
        if "heartbeat" in said:
            continue
        if said["match"] != match:
            match, seq, before = said["match"], 0, "0" * 32
            print(f"Match {match}", flush=True)
        if said["seq"] <= seq:
            continue  # the clock sends all lines again when its port is opened
        if said["seq"] > seq + 1:
            print(f"Nothing was heard between lines {seq} and {said['seq']}", flush=True)
        elif right_hash(line, before) is None:
            print(f"Line {said['seq']}, or one before it, was changed", flush=True)
        seq, before = said["seq"], said["hash"]
        left, right = minutes(said["left_ns"]), minutes(said["right_ns"])
        print(f"{said['wall'][11:19]} {said['event']:<14} {left:>6} {right:>6}", flush=True)
