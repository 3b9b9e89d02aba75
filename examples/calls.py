"""Print what asks for the director, as it happens.

    python calls.py http://127.0.0.1:8037/ [TOKEN]

Written from docs/watch.md alone. Only Python is needed, nothing of gammonclock.
"""

import json
import sys
import time
import urllib.request

address, token = sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else ""
asked, latest = {}, ""  # what each board asked for last; the id of the latest event


def changed(board):
    """Print what a board asks for, if it did not ask for it before."""
    before = asked.get(board["id"], [])
    asked[board["id"]] = board["attention"]
    for kind in board["attention"]:
        if kind not in before:
            print(f"Board {board['id']}: {kind}", flush=True)


while True:
    request = urllib.request.Request(f"{address}api/1/events", headers={"Last-Event-ID": latest})
    if token:
        request.add_header("Authorization", f"Bearer {token}")
    try:
        with urllib.request.urlopen(request, timeout=30) as lines:
            for line in lines:
                field, _, value = line.decode().rstrip("\n").partition(": ")
                match field:
                    case "id":
                        latest = value
                    case "event":
                        event = value
                    case "data" if event == "board":
                        changed(json.loads(value))
    except OSError:
        time.sleep(2)  # the hub has gone; it may come back
