"""The commands hub, link and room-join: a wrong file is named, with what to do."""

import os
from pathlib import Path

import pytest
from click.testing import CliRunner

from clock.apps import simulator
from clock.config.offer import parse_key
from clock.storage.offer_file import KEY, read_key
from gammonclock.__main__ import main
from lab.support.commands import refused
from lab.support.mosquitto import make_room
from lab.support.room_hall import link_settings, room_file
from room.broker import run_link
from room.cards import join
from room.cards.toml_text import toml_text
from room.settings import link
from room.settings.link import FILE_NAME, load_key_file


def test_a_link_without_a_file(tmp_path: Path) -> None:
    said = refused("link", "--config", tmp_path / "link.toml")
    assert "link.toml: file is missing" in said
    assert "onto its card again" in said


def test_a_link_with_a_wrong_file(tmp_path: Path) -> None:
    room = make_room(tmp_path / "cards", {"red-1": "1"})
    settings = link_settings(room.folder, "red-1")
    file = tmp_path / "link.toml"
    file.write_text(toml_text(settings).replace('clock = "red-1"', 'clock = "RED 1"'))
    said = refused("link", "--config", file)
    assert "clock is" in said
    assert settings.broker.password not in said


def test_a_simulated_clock_is_that_of_a_room(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It has the clock's key, and takes offers from where the link with the same file puts them."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    logs, offers = tmp_path / "gammonclock", list[Path]()
    monkeypatch.setattr(simulator, "run_simulated", lambda *given: offers.append(given[-1].offers))
    monkeypatch.setattr(run_link, "run_link", lambda *given: offers.append(given[-1]))
    card = make_room(tmp_path / "cards", {"red-1": "1"}).folder / "clocks" / "red-1" / FILE_NAME
    for command in (
        ("run", "--simulate", "--room", card),
        ("link", "--config", card),
    ):
        assert CliRunner().invoke(main, list(map(str, command))).exit_code == 0
    assert offers == [logs, logs]
    assert read_key(logs) == parse_key(load_key_file(card).offer_key)


def test_the_room_of_a_simulated_clock_cannot_be_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    card = make_room(tmp_path / "cards", {"red-1": "1"}).folder / "clocks" / "red-1" / FILE_NAME
    assert "--room needs --simulate" in refused("run", "--room", card)
    both = ("--room", card, "--offers", tmp_path)
    assert "leave out --offers" in refused("run", "--simulate", *both)
    assert "none.toml: file is not readable" in refused("run", "--simulate", "--room", "none.toml")
    (tmp_path / "gammonclock" / KEY).mkdir(parents=True)
    assert f"{KEY}: Is a directory" in refused("run", "--simulate", "--room", card)


@pytest.mark.parametrize(
    ("missing", "named"), [("room.toml", "room.toml"), ("hub.toml", "hub.toml")]
)
def test_a_hub_without_its_files(tmp_path: Path, missing: str, named: str) -> None:
    room = make_room(tmp_path / "cards", {"red-1": "1"})
    config = room_file(room)
    (room.folder / missing).unlink()
    assert f"{named}: file is not readable" in refused("hub", "--config", config)


def test_a_hub_whose_database_cannot_be_used(tmp_path: Path) -> None:
    room = make_room(tmp_path / "cards", {"red-1": "1"})
    config = room_file(room)
    said = refused("hub", "--config", config, "--port", "0", "--database", tmp_path)
    assert "--database" in said


def test_a_clock_without_files_looks_where_its_service_does(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The link's settings, and the file of a room on the boot partition."""
    monkeypatch.setattr(link, "PATH", tmp_path / "link.toml")
    assert f"{tmp_path}/link.toml: file is missing" in refused("link")
    monkeypatch.setattr(join, "KEY_FILE", tmp_path / FILE_NAME)
    done = CliRunner().invoke(main, ["room-join"])
    assert (done.exit_code, done.stdout) == (0, f"{tmp_path / FILE_NAME}: there is no such file\n")


def test_a_link_reads_the_logs_of_the_clock_beside_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """That of a simulated clock is where that clock logs."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    read: list[Path] = []
    monkeypatch.setattr("room.broker.run_link.run_link", lambda _, logs, offers: read.append(logs))
    room = make_room(tmp_path / "cards", {"red-1": "1"})
    simulated, own = room.folder / "clocks" / "red-1" / FILE_NAME, tmp_path / "link.toml"
    own.write_text(toml_text(link_settings(room.folder, "red-1")), encoding="utf-8")
    for file, *more in ((simulated,), (own,), (own, "--logs", "/mine")):
        asked = ["link", "--config", str(file), *more]
        assert CliRunner().invoke(main, asked).exit_code == 0
    assert read == [tmp_path / "gammonclock", Path("/var/lib/gammonclock"), Path("/mine")]


def test_a_hub_without_options_takes_the_room_of_the_folder_that_it_is_started_in(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert "room.toml: file is not readable" in refused("hub")


def test_a_clock_says_which_room_it_has_joined(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    clocks = make_room(tmp_path / "cards", {"red-1": "1"}).folder / "clocks"
    card = clocks / "red-1" / FILE_NAME
    places = join.Places(*(tmp_path / name for name in ("link.toml", "offer.key", "wifi")))
    monkeypatch.setattr(join, "PLACES", places)
    assert "there is no user" in refused("room-join", card)
    assert card.exists()
    monkeypatch.setattr(join, "owner_of", lambda _: (os.getuid(), os.getgid()))
    done = CliRunner().invoke(main, ["room-join", str(card)])
    assert (done.exit_code, done.stdout) == (0, f"{card}: red-1 has joined test\n")
    assert not card.exists()


def test_the_cards_of_a_room_are_described(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What was made, or what is wrong with the file of the room."""
    assert "none.toml: file is not readable" in refused("room-cards", "none.toml", tmp_path)
    config = room_file(make_room(tmp_path / "cards", {"red-1": "1"}))
    monkeypatch.setattr("room.cards.folder.make_files", lambda room, folder: (room, folder))
    monkeypatch.setattr("room.cards.folder.describe", lambda made, folder: [f"made {folder}"])
    done = CliRunner().invoke(main, ["room-cards", str(config), str(tmp_path / "cards")])
    assert (done.exit_code, done.stdout) == (0, f"made {tmp_path / 'cards'}\n")


def test_the_link_puts_offers_where_it_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    offers: list[Path] = []
    monkeypatch.setattr(run_link, "run_link", lambda *given: offers.append(given[-1]))
    monkeypatch.setattr("room.settings.link.load_link", lambda file: file)
    for options in (("--offers", str(tmp_path)), ()):
        assert CliRunner().invoke(main, ["link", *options]).exit_code == 0
    assert offers == [tmp_path, link.OFFERS]
