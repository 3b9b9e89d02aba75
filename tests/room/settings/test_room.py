"""The director's file of a room."""

from pathlib import Path

import pytest
from msgspec import to_builtins

from clock.config.reader import ConfigError
from room.settings.room import EventTable, RoomSettings, load_room, parse_room
from room.settings.tables import NotifyTable

WHOLE = """
[room]
name = "open-2026"
[broker]
host = "192.168.8.2"
[wifi]
ssid = "gammon"
password = "eight letters"
[database]
url = "postgresql://hub@db/room"
days = 30
[event]
name = "Open"
begins = "2026-05-01 09:30"
[quota]
matches_per_hour = 9
[notify]
url = "https://ntfy.sh/open"
kind = "ntfy"
about = ["call"]
[web]
certificate = "c"
key = "k"
[pages]
host = "0.0.0.0"
names = "initials"
public = false
delay = 30
[clocks]
red-1 = "1"
red-2 = "2A"
"""
LEAST = '[room]\nname = "club"\n[broker]\nhost = "room.local"\n'
DEFAULTS = {
    "room": {"name": "club", "board_topic": False},
    "broker": {"host": "room.local", "port": 8883, "folder": ""},
    "wifi": {"ssid": "", "password": ""},
    "database": {"url": "room.sqlite", "days": 90},
    "pages": {"host": "127.0.0.1", "port": 8037, "address": "", "token": "", "public": True}
    | {"other_sites": False, "delay": 0, "names": "full", "browser": ""},
    "publish": {"folder": "", "language": "en"},
    "web": {"certificate": "", "key": ""},
    "event": {"name": "", "begins": ""},
    "quota": {"matches_per_hour": 60, "megabytes_per_day": 64},
    "notify": {"url": "", "kind": "json", "token": "", "language": "en", "per_minute": 6}
    | {"about": ("call", "flag", "late", "not_heard", "hub")},
    "clocks": {},
}


def parse(text: str) -> RoomSettings:
    return parse_room(text, "room.toml")


def fault(text: str) -> ConfigError:
    with pytest.raises(ConfigError) as caught:
        parse(text)
    return caught.value


def test_a_whole_file() -> None:
    settings = parse(WHOLE)
    assert settings.clocks == {"red-1": "1", "red-2": "2A"}
    assert (settings.broker.port, settings.wifi.ssid) == (8883, "gammon")
    assert (settings.database.days, settings.pages.names) == (30, "initials")
    assert (settings.pages.public, settings.pages.delay) == (False, 30)
    assert settings.address == "https://192.168.8.2:8037/"
    assert settings.web.files_in(Path("/r")) == (Path("/r/c"), Path("/r/k"))
    assert settings.database_in(Path("/r")) == "postgresql://hub@db/room"
    assert settings.event == EventTable(name="Open", begins="2026-05-01 09:30")
    assert (settings.quota.matches_per_hour, settings.quota.megabytes_per_day) == (9, 64)
    assert settings.notify == NotifyTable(url="https://ntfy.sh/open", kind="ntfy", about=("call",))


def test_what_a_file_leaves_out() -> None:
    """Only room and broker are needed; pages are for this computer alone."""
    settings = parse(LEAST)
    assert to_builtins(settings) == DEFAULTS
    assert settings.database_in(Path("/r")) == "/r/room.sqlite"
    assert (settings.address, settings.web.files_in(Path())) == ("http://room.local:8037/", None)
    published = parse(LEAST + '[publish]\nfolder = "/p"\n[pages]\naddress = "http://x/"')
    assert (published.address, published.publish.folder) == ("http://x/", "/p")


@pytest.mark.parametrize(
    ("key", "least", "most"),
    [
        ("pages.port", 1, 65535),
        ("pages.delay", 0, 3600),
        ("quota.matches_per_hour", 1, 10**6),
        ("quota.megabytes_per_day", 1, 10**6),
        ("database.days", 0, 36500),
        ("notify.per_minute", 1, 60),
    ],
)
def test_a_number_has_its_limits(key: str, least: int, most: int) -> None:
    table, name = key.split(".")
    for number in (least, most):
        assert to_builtins(parse(f"{LEAST}[{table}]\n{name} = {number}"))[table][name] == number
    for number in (least - 1, most + 1):
        error = fault(f"{LEAST}[{table}]\n{name} = {number}")
        assert (error.key, error.allowed[:14]) == (key, "a whole number")


@pytest.mark.parametrize(
    ("text", "key", "found"),
    [
        ("[room]\n", "room.name", "not given"),
        ('[room]\nname = "club"\n', "broker", "not given"),
        (LEAST.replace("club", "Club"), "room.name", '"Club"'),
        (LEAST.replace("club", "a/b"), "room.name", '"a/b"'),
        (LEAST + "port = 0", "broker.port", "0"),
        (LEAST.replace("room.local", "room..local"), "broker.host", '"room..local"'),
        (LEAST.replace("room.local", "room-"), "broker.host", '"room-"'),
        (LEAST.replace("room.local", "r" * 64), "broker.host", f'"{"r" * 64}"'),
        (LEAST + '[wifi]\npassword = "eight letters"', "wifi.ssid", "not given"),
        (LEAST + '[wifi]\nssid = "x"\npassword = "short"', "wifi.password", '"short"'),
        (LEAST + '[pages]\nnames = "some"', "pages.names", '"some"'),
        (LEAST + '[event]\nbegins = "May 1"', "event.begins", '"May 1"'),
        (LEAST + '[event]\nbegins = "2026-02-30"', "event.begins", '"2026-02-30"'),
        (LEAST + '[notify]\nurl = "file:///etc"', "notify.url", '"file:///etc"'),
        (LEAST + '[notify]\nabout = ["rain"]', "notify.about", '["rain"]'),
        ("clocks = 3\n" + LEAST, "clocks", "3"),
        (LEAST + '[event]\nbegins = "20260501"', "event.begins", '"20260501"'),
        (LEAST + '[pages]\ntoken = "short"', "pages.token", '"short"'),
        (LEAST + '[publish]\nfolder = "pages"', "publish.folder", '"pages"'),
        (LEAST + '[publish]\nfolder = "/p"\n[pages]\npublic = false', "publish.folder", '"/p"'),
        (LEAST + '[clocks]\nhub = "1"', "the name in clocks.hub", '"hub"'),
        (LEAST + '[clocks]\n"a/#" = "1"', "the name in clocks.a/#", '"a/#"'),
        (LEAST + '[clocks]\nred = ""', "clocks.red", '""'),
        (LEAST + '[clocks]\nred = "1"\nblue = "1"', "clocks.red", '"1"'),
    ],
)
def test_an_error_names_the_key_and_what_was_found(text: str, key: str, found: str) -> None:
    error = fault(text)
    assert (error.file, error.key, error.found) == ("room.toml", key, found)
    assert error.allowed in str(error)


def test_no_advice_of_the_clocks_own_file() -> None:
    """`gammonclock check-config` does not check a room's file."""
    assert "check-config" not in str(fault(LEAST + "port = 0"))


def test_ten_thousand_clocks(tmp_path: Path) -> None:
    """A federation's file is not too large, with the longest names and a comment at each."""
    names = (f"{'clock':-<27}{number:05}" for number in range(10_000))
    lines = "".join(f'# A\n{name} = "hall{name[-4:]}"\n' for name in names)
    path = tmp_path / "room.toml"
    path.write_text(f"{LEAST}[clocks]\n{lines}")
    assert len(load_room(path).clocks) == 10_000
