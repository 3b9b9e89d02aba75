"""What stands in examples/ works, each with the program for which it is made."""

import json
import os
import subprocess
import sys
import tty
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jinja2
import pytest
import yaml

from lab.support.paths import DATA, ROOT
from lab.support.programs import running, wait_for, watching
from room.hub.notices import Notice
from room.hub.outbox import Batch
from room.hub.post import About, request_of
from room.settings.tables import NotifyTable

EXAMPLES = ROOT / "examples"
LOG = DATA / "ebf.jsonl"


@pytest.fixture(scope="module")
def hub() -> Iterator[str]:
    """The address of a hub that knows one match, under other settings than the director's."""
    with watching(str(LOG), "--code", "XXXX") as address:
        wait_for(address, str(LOG), "FINISHED")
        yield address


def get(address: str) -> bytes:
    """Return what an address of the hub answers; fail if that is an error."""
    with urllib.request.urlopen(address) as answer:  # noqa: S310 (its own address)
        return bytes(answer.read())


def test_the_overlay_shows_the_end_of_a_match(hub: str, tmp_path: Path) -> None:
    file = tmp_path / "overlay.txt"
    text = "Ada 2 - 6 Ben   0:00  12:24"
    with running(str(EXAMPLES / "overlay.py"), hub, "ebf", str(file)) as said:
        while (line := said.readline()) != f"{text}\n":
            assert line.startswith("Ada 2 - 6 Ben ")
    assert file.read_text(encoding="utf-8") == text


def test_calls_are_printed(hub: str) -> None:
    """Here for other settings; it waits for more."""
    with running(str(EXAMPLES / "calls.py"), hub) as said:
        assert said.readline() == "Board ebf: settings\n"


def test_the_scenes_of_obs_show_overlays(hub: str) -> None:
    """Each scene has one source that there is, which shows an address that there is."""
    scenes = json.loads((EXAMPLES / "obs-scenes.json").read_bytes())
    sources = {source["name"]: source for source in scenes["sources"]}
    for order in scenes["scene_order"]:
        (item,) = sources[order["name"]]["settings"]["items"]
        url = sources[item["name"]]["settings"]["url"]
        assert b"overlay.js" in get(url.replace("http://127.0.0.1:8037/", hub))
    assert scenes["current_scene"] == scenes["scene_order"][0]["name"]


def test_home_assistant_understands_boards_and_notices(hub: str) -> None:
    """Its templates give the score and the call; another notice is no call."""
    config = yaml.safe_load((EXAMPLES / "home-assistant.yaml").read_text(encoding="utf-8"))
    (rest,), (automation,) = config["rest"], config["automation"]
    (sensor,) = rest["sensor"]
    path = rest["resource"].partition(":8037/")[2]
    board = json.loads(get(hub + path.replace("/7", "/ebf")))
    assert rendered(sensor["value_template"], value_json=board) == "Ada 2 - 6 Ben"
    assert set(sensor["json_attributes"]) <= set(board)
    (condition,), (action,) = automation["conditions"], automation["actions"]
    for kind in ("call", "late"):
        notices = Batch((Notice(kind, "7", f"Board 7: {kind}", ("Anna", "Bob")),), 0)
        url = "http://homeassistant.local/"
        body = request_of(notices, NotifyTable(url=url), About({}, "Open", url)).data
        trigger = {"json": json.loads(bytes(body or b""))}  # type: ignore[arg-type]
        holds = rendered(condition["value_template"], trigger=trigger)
        assert holds == str(kind == "call")
        assert rendered(action["data"]["message"], trigger=trigger) == f"Board 7: {kind}"
        assert rendered(action["data"]["title"], trigger=trigger) == "Open"


def rendered(template: str, **values: Any) -> str:
    """Return what Home Assistant makes of a template."""
    return jinja2.Environment(autoescape=False).from_string(template).render(values)  # noqa: S701


def test_the_serial_reader_tells_what_it_hears() -> None:
    """Repeated lines once; it says which lines were lost and which was changed."""
    first, second, third, _, fifth, *_, last = LOG.read_bytes().splitlines(keepends=True)
    changed = third.replace(b'"side":"right"', b'"side":"left"')
    assert changed != third
    writer, port = os.openpty()
    tty.setraw(port)
    heartbeat = b'{"v":2,"heartbeat":1}\n'
    with running(str(EXAMPLES / "serial_reader.py"), os.ttyname(port)) as said:
        assert said.readline() == f"Listening to {os.ttyname(port)}\n"
        os.write(
            writer, b'half a line"}\n' + first + heartbeat + first + second + changed + fifth + last
        )
        found = [said.readline().rstrip() for _ in range(9)]
    os.close(writer)
    os.close(port)
    assert found == [
        "Match play-1",
        "12:00:00 match_opened    14:00  14:00",
        "12:00:20 confirmed       14:00  14:00",
        "Line 3, or one before it, was changed",
        "12:00:25 confirmed       14:00  14:00",
        "Nothing was heard between lines 3 and 5",
        "12:00:37 pressed         14:00  14:00",
        "Nothing was heard between lines 5 and 114",
        "12:31:51 match_over       0:00  12:24",
    ]


def test_a_log_is_replayed(tmp_path: Path) -> None:
    lines = LOG.read_bytes().splitlines(keepends=True)
    command = [sys.executable, str(EXAMPLES / "replay.py")]
    done = subprocess.run([*command, str(LOG)], capture_output=True, text=True, check=True)
    assert len(done.stdout.splitlines()) == len(lines)
    assert done.stdout.splitlines()[-1].split() == [
        "114",
        "match_over",
        "FINISHED",
        "0:00",
        "12:24",
    ]
    damaged = tmp_path / "log.jsonl"
    damaged.write_bytes(b"".join([*lines[:4], lines[4].replace(b"left", b"right"), *lines[5:]]))
    done = subprocess.run([*command, str(damaged)], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert len(done.stdout.splitlines()) == 4
    assert done.stderr.endswith("line 5: the hash is wrong: the line was changed, moved or torn\n")
