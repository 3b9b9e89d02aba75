"""docs/room.md, as a director would follow it: its file, and its commands in their order."""

import csv
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from msgspec import structs

from lab.support.needs import needs
from lab.support.paths import DATA, ROOT
from room.broker.topics import Topic
from room.cards.broker_files import MAX_PACKET, access_list
from room.cards.folder import PAGES, PAGES_KEY, make_files
from room.settings.hub import load_hub_key_file
from room.settings.room import RoomSettings, parse_room
from room.settings.tables import NotifyTable
from room.simulation.broker import free_port

PAGE = (ROOT / "docs" / "room.md").read_text(encoding="utf-8")
EJABBERD, RABBITMQ = (
    (ROOT / "examples" / name).read_text("utf-8") for name in ("ejabberd.yml", "rabbitmq.conf")
)
TABLES, NOTICES, WEB = re.findall(r"^ *```toml\n(.*?)^ *```", PAGE, re.DOTALL | re.MULTILINE)
COMMANDS = [
    line.strip() for line in re.findall(r"^ *```sh\n(.*?)^ *```", PAGE, re.DOTALL | re.MULTILINE)
]
MATCH = "play-1"


def settings() -> RoomSettings:
    """What the file of the page sets."""
    return parse_room(TABLES, "docs/room.md")


def test_the_file_of_the_page_is_right() -> None:
    """And names each key with its default, or with what a hall needs."""
    found = settings()
    assert list(found.clocks) == ["red-1", "red-2", "red-3"]
    assert (found.pages.public, found.pages.names, found.pages.delay) == (True, "full", 0)
    assert (found.database.url, found.database.days) == ("room.sqlite", 90)


def test_the_table_of_the_notices_is_right() -> None:
    found = parse_room(f"{TABLES}\n{NOTICES}", "docs/room.md").notify
    assert structs.replace(found, url="", kind="json") == NotifyTable()


@pytest.mark.rule("R147")
def test_with_a_certificate_the_addresses_are_https() -> None:
    found = parse_room(f"{TABLES}\n{WEB}", "docs/room.md")
    assert found.web.files_in(Path("x")) == (Path("x/cards", PAGES), Path("x/cards", PAGES_KEY))
    assert (settings().address, found.address) == (
        "http://192.168.8.2:8037/",
        "https://192.168.8.2:8037/",
    )


def test_the_rules_for_another_broker_are_those_of_mosquitto() -> None:
    table = PAGE[PAGE.index("| login | may publish") :]
    assert [topic for topic in Topic if f"`{topic}`" not in table] == []
    assert f"{MAX_PACKET // 1024} KiB" in table
    assert f"max_payload_size: {MAX_PACKET}" in EJABBERD
    assert f"mqtt.max_packet_size_authenticated = {MAX_PACKET}" in RABBITMQ


@pytest.mark.parametrize(("right", "rules"), [("write", "publish"), ("read", "subscribe")])
def test_the_rules_of_ejabberd_are_those_of_mosquitto(right: str, rules: str) -> None:
    allowed = {"pattern": "all", "topic": "hub"}
    words = [line.split() for line in access_list("ROOM").splitlines() if f" {right} " in line]
    expected = {f'"{topic}": {allowed[kind]}' for kind, _, topic in words}
    [found] = re.findall(rf"^    access_{rules}:\n((?: {{6}}.*\n)+)", EJABBERD, re.MULTILINE)
    assert {line.strip() for line in found.splitlines()} == expected


def test_the_rules_of_rabbitmq_are_those_of_mosquitto(tmp_path: Path) -> None:
    """Of a clock and of the hub: each topic of the access list, and no other."""
    made = example("rabbitmq_definitions.py", "open-2026", made_files(tmp_path))
    rules = {rule["user"]: rule for rule in json.loads(made)["topic_permissions"]}
    assert {*rules} == {"hub", "hub_1", *settings().clocks}
    base = "gammonclock/1/open-2026"
    names = ("hub", *(f"{who}/{topic}" for who in ("red-1", "red-2", "+") for topic in Topic))
    topics = {f"{base}/{name}" for name in (*names, "#")}
    for user in ("red-1", "hub"):
        for right in ("write", "read"):
            allowed = {
                topic for topic in topics if re.match(rules[user][right], topic.replace("/", "."))
            }
            assert allowed == {topic for topic in topics if is_allowed(user, right, topic)}, (
                user,
                right,
            )


def test_the_users_of_ejabberd_have_the_passwords_of_the_files(tmp_path: Path) -> None:
    """A clustered broker lets in whom the files of `room-cards` let in."""
    cards = made_files(tmp_path)
    [host] = ET.fromstring(example("ejabberd_users.py", cards))  # noqa: S314 (its own)
    assert host.get("jid") == settings().broker.host
    hub = load_hub_key_file(Path(cards, "hub.toml"))
    users = {user.get("name"): user.get("password") for user in host}
    assert {*users} == {"hub", "hub_1", *settings().clocks}
    assert (users["hub"], users["hub_1"]) == (hub.broker.password, hub.stand_by)


def made_files(folder: Path) -> str:
    """Return the folder of the files that `room-cards` makes."""
    make_files(settings(), folder / "cards")
    return str(folder / "cards")


def example(name: str, *arguments: str) -> bytes:
    """Return what a program of examples/ prints."""
    program = [sys.executable, str(ROOT / "examples" / name), *arguments]
    return subprocess.run(program, capture_output=True, check=True).stdout


def is_allowed(user: str, right: str, topic: str) -> bool:
    """Whether the access list of mosquitto lets a user write or read a topic."""
    lines = [line.split() for line in access_list("open-2026").splitlines() if line.strip()]
    for kind, allows, pattern in [line for line in lines if len(line) == 3]:
        wanted = pattern.replace("%u", user)
        is_own = kind == "pattern" or user == "hub"
        covers = wanted == topic or (wanted.endswith("#") and topic.startswith(wanted[:-1]))
        covers = covers or bool(re.fullmatch(wanted.replace("+", "[^/]+"), topic))
        if allows == right and is_own and covers:
            return True
    return False


class Evening:
    """The folder in which the director works."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.logs = folder, folder / "gammonclock"
        self.port = free_port()
        text = TABLES.replace(settings().broker.host, "127.0.0.1").replace(
            "port = 8883", f"port = {free_port()}"
        )
        text = text.replace("[pages] ", "[pages]").replace(
            "[pages]\n", f"[pages]\nport = {self.port}\n"
        )
        (folder / "room.toml").write_text(re.sub(r"^ +", "", text, flags=re.MULTILINE))
        self.logs.mkdir()
        shutil.copy(DATA / "ebf.jsonl", self.logs / f"{MATCH}.jsonl")
        shutil.copy(DATA / "ebf.jsonl", folder / "match.jsonl")
        (self.logs / "current.jsonl").symlink_to(f"{MATCH}.jsonl")

    def command(self, number: int) -> list[str]:
        """A command of the page, for this folder."""
        words = shlex.split(COMMANDS[number])
        if words[0] == "gammonclock":
            return [sys.executable, "-m", "gammonclock", *words[1:]]
        return [needs(Path(words[0]).name), *words[1:]]

    def run(self, number: int) -> str:
        """Run a command to its end, and return what it says."""
        done = subprocess.run(
            self.command(number),
            cwd=self.folder,
            env=self.environ,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    @property
    def environ(self) -> dict[str, str]:
        """In which the program is found, and a simulated clock's logs."""
        return os.environ | {"PYTHONPATH": str(ROOT), "XDG_STATE_HOME": str(self.folder)}

    @contextmanager
    def running(self, number: int, ready: str) -> Iterator[None]:
        """Run a command until the end of the block; begin when it says that it is ready."""
        program = subprocess.Popen(
            self.command(number),
            cwd=self.folder,
            env=self.environ,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        assert program.stdout is not None
        try:
            said = next((line for line in program.stdout if ready in line), "")
            assert said, program.wait()
            yield
        finally:
            program.terminate()
            program.communicate()

    def opened(self, path: str) -> urllib.request.Request:
        """A page of the hub, as the director opens it."""
        token = load_hub_key_file(self.folder / "cards" / "hub.toml").token
        address = f"http://127.0.0.1:{self.port}{path}"
        return urllib.request.Request(address, headers={"Authorization": f"Bearer {token}"})


@pytest.mark.slow
def test_one_evening(tmp_path: Path) -> None:
    """Cards, broker, hub, one clock on the page, its result, and its log against the hub."""
    cards, broker, hub, _, link, verify = range(len(COMMANDS))
    evening = Evening(tmp_path)
    assert "labels.html" in evening.run(cards)
    configuration = tmp_path / "cards" / "broker" / "gammonclock.conf"
    if os.geteuid() == 0:  # as another user the broker could not read its files
        configuration.write_text(f"user root\n{configuration.read_text()}")
    with (
        evening.running(broker, " running"),
        evening.running(hub, "The clock at the board counts"),
        evening.running(link, "connected to the broker"),
    ):
        with urllib.request.urlopen(evening.opened("/api/1/events")) as events:  # noqa: S310
            assert any(line == b"event: result\n" for line in events)
        with urllib.request.urlopen(evening.opened("/api/1/results.csv")) as answer:  # noqa: S310
            row = next(csv.DictReader(answer.read().decode().splitlines()))
        assert [row[key] for key in ("match", "board", "round")] == [MATCH, "1", "1"]
        assert [row[key] for key in ("left", "right")] == ["Ada", "Ben"]
        with urllib.request.urlopen(evening.opened(f"/api/1/matches/{MATCH}/log")) as log:  # noqa: S310
            (tmp_path / "hub.jsonl").write_bytes(log.read())
    lines = len((tmp_path / "match.jsonl").read_bytes().splitlines())
    assert f"match.jsonl and hub.jsonl have the same {lines} lines\n" in evening.run(verify)
