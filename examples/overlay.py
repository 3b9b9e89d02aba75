"""Keep the score and the times of a board in a text file, which OBS shows as text.

    python overlay.py http://127.0.0.1:8037/ BOARD FILE

Written from docs/watch.md alone. Only Python is needed, nothing of gammonclock.
"""

import json
import sys
import threading
import time
import urllib.request
from pathlib import Path

address, id_, file = sys.argv[1], sys.argv[2], Path(sys.argv[3])
board, late, shown = {}, [], ""  # late: by how much this computer's clock is ahead of the hub's


def follow():
    """Follow the board and the hub's time; without the hub, the times are not certain."""
    while True:
        try:
            read()
        except OSError:
            board.update(certain=False)
            late.clear()
        time.sleep(2)


def read():
    """Read events until the hub goes."""
    with urllib.request.urlopen(f"{address}api/1/events?board={id_}") as events:
        for line in events:
            name, _, value = line.decode().strip().partition(": ")
            if name == "event":
                event = value
            elif name == "data" and event == "board":
                board.update(json.loads(value))
            elif name == "data" and event in ("hello", "tick"):
                late.append(time.monotonic_ns() - json.loads(value)["hub_ns"])


def reserve(side):
    """Return what a player has left now."""
    left, turn = board["reserves"][side]["reserve_ns"], board["turn"]
    if turn and turn["side"] == side:  # this clock runs: first the delay, then the reserve
        passed = time.monotonic_ns() - min(late[-30:]) - turn["since_ns"]
        left -= max(0, passed - turn["delay_ns"])
    seconds = -(-max(0, left) // 1_000_000_000)
    return f"{'' if board['certain'] else '~'}{seconds // 60}:{seconds % 60:02}"


threading.Thread(target=follow, daemon=True).start()
while True:
    if board:
        left, right = (board["players"][side] for side in ("left", "right"))
        score = f"{left['name']} {left['points']} - {right['points']} {right['name']}"
        text = f"{score}   {reserve('left')}  {reserve('right')}"
        if text != shown:
            shown = text
            file.write_text(text, encoding="utf-8")
            print(text, flush=True)
    time.sleep(0.1)
