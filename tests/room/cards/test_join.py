"""A clock takes its file of a room: whole, once, and again after a power cut at any step."""

import errno
import os
import shutil
import stat
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest
from click.testing import CliRunner
from msgspec import structs

from clock.config.reader import ConfigError
from gammonclock.__main__ import main
from room.cards import join
from room.cards.join import (
    CLOCK_USER,
    LINK_USER,
    JoinError,
    Places,
    join_room,
    join_simulated,
    network_file,
    owner_of,
    pending,
)
from room.cards.toml_text import toml_text
from room.settings.link import FILE_NAME, KeyFile, load_link
from room.settings.room import WifiTable

KEY = "0123456789abcdef" * 4
LOGIN = "a-password-of-24-letters"
KEY_FILE = msgspec.toml.decode(
    f'room = "open-2026"\nclock = "red-1"\nboard = "1"\noffer_key = "{KEY}"\n'
    f'[broker]\nhost = "192.168.8.2"\nport = 8883\npassword = "{LOGIN}"\n'
    'ca = "-----BEGIN CERTIFICATE-----\\nMII=\\n-----END CERTIFICATE-----\\n"\n'
    '[wifi]\nssid = "gammon"\npassword = "eight letters"\n',
    type=KeyFile,
)


class PowerCutError(Exception):
    """The program ends here."""


class Clock:
    """The places of a clock, below a folder."""

    def __init__(self, root: Path) -> None:
        self.file = root / "boot" / FILE_NAME
        folders = (root / "boot", root / "link", root / "logs", root / "networks")
        for folder in folders:
            folder.mkdir(parents=True)
        self.places = Places(
            root / "link" / "link.toml", root / "logs" / "offer.key", root / "networks" / "room"
        )
        self.users: list[str] = []

    def owner(self, user: str) -> tuple[int, int]:
        """Every user is the one who runs the test."""
        self.users.append(user)
        return os.getuid(), os.getgid()

    def insert(self, card: KeyFile = KEY_FILE) -> None:
        """Copy a file onto the boot partition."""
        self.file.write_text(toml_text(card), encoding="utf-8")

    def join(self) -> KeyFile | None:
        return join_room(self.file, self.places, self.owner)

    def parts(self) -> list[str]:
        """What stands in the parts of the file."""
        return [place.read_text(encoding="utf-8") for place in self.places]


@pytest.fixture
def clock(tmp_path: Path) -> Clock:
    """A clock that is in no room yet."""
    return Clock(tmp_path)


def test_a_clock_joins(clock: Clock) -> None:
    """Each part is where its reader alone finds it, and the file is gone."""
    clock.insert()
    assert clock.join() == KEY_FILE
    assert load_link(clock.places.link) == KEY_FILE.link_settings
    assert clock.places.offer_key.read_text() == f"{KEY}\n"
    assert "psk=eight letters\n" in clock.places.wifi.read_text()
    assert not clock.file.exists()
    assert clock.users == [LINK_USER, CLOCK_USER]
    assert {stat.S_IMODE(place.stat().st_mode) for place in clock.places} == {0o600}


def test_without_a_file_nothing_happens(clock: Clock) -> None:
    assert clock.join() is None
    assert [place.exists() for place in clock.places] == [False] * 3


def test_without_a_network_in_the_file_none_is_written(clock: Clock) -> None:
    clock.insert(structs.replace(KEY_FILE, wifi=WifiTable()))
    clock.join()
    assert not clock.places.wifi.exists()


def test_another_room_takes_the_place_of_the_first(clock: Clock) -> None:
    clock.insert()
    clock.join()
    other = structs.replace(KEY_FILE, room="club", offer_key="f" * 64, wifi=WifiTable(ssid="club"))
    clock.insert(other)
    assert clock.join() == other
    assert load_link(clock.places.link).room == "club"
    assert clock.places.offer_key.read_text() == "f" * 64 + "\n"
    assert "psk=" not in clock.places.wifi.read_text()


def test_each_part_is_on_the_disk_before_the_file_is_deleted(
    clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The content before the name, the name before the next part, and the file last of all."""
    clock.insert()
    done: list[str] = []

    def noted(name: str, call: Callable[..., Any]) -> Callable[..., Any]:
        def one(*given: Any, **named: Any) -> Any:
            done.append(name)
            return call(*given, **named)

        return one

    monkeypatch.setattr(os, "fsync", noted("sync", os.fsync))
    monkeypatch.setattr(os, "fchown", noted("owner", os.fchown))
    monkeypatch.setattr(Path, "replace", noted("name", Path.replace))
    monkeypatch.setattr(Path, "unlink", noted("delete", Path.unlink))
    clock.join()
    part = ["sync", "name", "sync"]
    begin = ["delete", "owner"]  # the rest of an earlier attempt is deleted first
    assert done == [*begin, *part, *begin, *part, "delete", *part, "delete", "sync"]


# --- power cuts and full disks ----------------------------------------------------------------


def join_failing(clock: Clock, step: int, error: Exception) -> int:
    """Join, and fail at one of the calls that change or sync something; return how many came."""
    count = 0

    def counted(call: Callable[..., Any]) -> Callable[..., Any]:
        def one(*given: Any, **named: Any) -> Any:
            nonlocal count
            count += 1
            if count == step:
                raise error
            return call(*given, **named)

        return one

    with pytest.MonkeyPatch.context() as monkeypatch:
        for name in ("open", "fchown", "fsync"):
            monkeypatch.setattr(os, name, counted(getattr(os, name)))
        for name in ("unlink", "replace"):
            monkeypatch.setattr(Path, name, counted(getattr(Path, name)))
        clock.join()
    return count


def steps_of_a_join(folder: Path) -> int:
    """How many calls a whole join makes."""
    clock = Clock(folder)
    clock.insert()
    return join_failing(clock, 0, PowerCutError())


def test_after_a_power_cut_at_any_step_the_next_start_finishes(tmp_path: Path) -> None:
    steps = steps_of_a_join(tmp_path / "whole")
    assert steps > 15
    for step in range(1, steps + 1):
        clock = Clock(tmp_path / str(step))
        clock.insert()
        with pytest.raises(PowerCutError):
            join_failing(clock, step, PowerCutError())
        complete = all(place.exists() for place in clock.places)
        assert complete or clock.file.exists()
        clock.join()
        assert clock.parts() == [
            toml_text(KEY_FILE.link_settings),
            f"{KEY}\n",
            network_file("open-2026", KEY_FILE.wifi),
        ]
        assert not clock.file.exists()


def test_a_disk_that_fails_keeps_the_file(tmp_path: Path) -> None:
    """Whichever call it is; the message names what could not be written."""
    steps = steps_of_a_join(tmp_path / "whole")
    for step in range(2, steps + 1):  # the first reads the file, the last three delete it
        clock = Clock(tmp_path / str(step))
        clock.insert()
        full = OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        is_end = step > steps - 3
        said = r"the room's settings: No space left on device; .* was kept"
        said = r"not deleted: No space .* It is secret: delete it" if is_end else said
        with pytest.raises(JoinError, match=said):
            join_failing(clock, step, full)
        assert is_end or clock.file.exists()


def test_a_place_that_is_none_is_named(clock: Clock) -> None:
    """A simulated clock has its key alone, and keeps the file of the room."""
    clock.insert()
    folder = clock.places.offer_key.parent
    join_simulated(clock.file, folder)
    assert clock.places.offer_key.read_text() == f"{KEY}\n"
    shutil.rmtree(folder)
    folder.touch()
    for join_it in (clock.join, lambda: join_simulated(clock.file, folder)):
        with pytest.raises(JoinError, match=f"{folder}.*: (File exists|Not a directory)"):
            join_it()


# --- files that cannot be used ----------------------------------------------------------------


@pytest.mark.parametrize(
    ("old", "new", "key"),
    [
        ('clock = "red-1"', 'clock = "../x"', "clock"),
        ('room = "open-2026"', "", "room"),
        (KEY, KEY[1:], "offer_key"),
        ('ssid = "gammon"', 'ssid = "a\\nb"', "wifi.ssid"),
        ("eight letters", "x\\npsk=y12345", "wifi.password"),
        ("BEGIN CERT", "BEGIN CURT", "broker.ca"),
        ("192.168.8.2", "a b", "broker.host"),
        ("[wifi]", "[wifi", "line 13"),
    ],
)
def test_a_bad_file_is_kept_and_nothing_is_written(
    clock: Clock, old: str, new: str, key: str
) -> None:
    text = toml_text(KEY_FILE)
    assert old in text
    clock.file.write_text(text.replace(old, new), encoding="utf-8")
    with pytest.raises(ConfigError) as caught:
        clock.join()
    assert caught.value.key == key
    assert clock.file.exists()
    assert [place.exists() for place in clock.places] == [False] * 3


def test_a_clock_without_the_link(clock: Clock, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its user is missing; the message says how to install it."""
    monkeypatch.setattr(join, "LINK_USER", "gammonclock-none")  # this computer may be a clock
    clock.insert()
    with pytest.raises(JoinError, match=r"no user gammonclock-none\. Install"):
        join_room(clock.file, clock.places, owner_of)
    assert clock.file.exists()


@pytest.mark.parametrize(
    ("password", "written"),
    [
        ("eight letters", "eight letters"),
        ("  two before", "\\s\\stwo before"),
        ("back\\slash", "back\\\\slash"),
        ('q"u#o;t=e', 'q"u#o;t=e'),
    ],
)
def test_a_password_is_written_as_networkmanager_reads_it(password: str, written: str) -> None:
    """As `nmcli --offline` of version 1.42 writes the same ones."""
    text = network_file("club", WifiTable(ssid="12;13;", password=password))
    assert f"\npsk={written}\n" in text
    assert "\nssid=49;50;59;49;51;59;\n" in text


# --- what is said -----------------------------------------------------------------------------


def test_the_doctor_sees_a_file_that_was_not_taken(clock: Clock) -> None:
    assert pending(clock.file) is None
    clock.insert()
    found = pending(clock.file)
    assert found is not None
    assert "of the room open-2026 was not taken yet" in found.found
    assert "journalctl -u gammonclock-room" in found.advice
    clock.file.write_text("room = 7")
    found = pending(clock.file)
    assert found is not None
    assert found.found == f"{clock.file}: room"
    assert "must be 1 to 32 small letters" in found.advice


def test_the_command_says_what_it_did(clock: Clock, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(join, "PLACES", clock.places)
    monkeypatch.setattr(join, "owner_of", clock.owner)
    clock.insert()
    done = CliRunner().invoke(main, ["room-join", str(clock.file)])
    assert (done.exit_code, done.output) == (0, f"{clock.file}: red-1 has joined open-2026\n")
    again = CliRunner().invoke(main, ["room-join", str(clock.file)])
    assert (again.exit_code, again.output) == (0, f"{clock.file}: there is no such file\n")


def test_the_command_fails_with_a_message(clock: Clock) -> None:
    clock.file.write_text("room = 7")
    done = CliRunner().invoke(main, ["room-join", str(clock.file)])
    assert done.exit_code == 2
    assert done.output.startswith(f"gammonclock: {clock.file}: ")
