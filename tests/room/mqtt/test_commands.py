"""The commands hub and link: a wrong file is named, with what to do, and nothing is started."""

from pathlib import Path

import pytest
from click.testing import CliRunner

from clock.cli import main
from room.cards.toml_text import toml_text
from tests.support.mosquitto import make_room
from tests.support.room_hall import link_settings, room_text


def failed(*arguments: object) -> str:
    """The message of a command that ends with 2."""
    result = CliRunner().invoke(main, list(map(str, arguments)))
    assert result.exit_code == 2
    return result.stderr


def test_a_link_without_a_file(tmp_path: Path) -> None:
    """The journal says which file, and where it comes from."""
    said = failed("link", "--config", tmp_path / "link.toml")
    assert "link.toml: file is missing" in said
    assert "onto its card again" in said


def test_a_link_with_a_wrong_file(tmp_path: Path) -> None:
    """The key is named, and no secret."""
    room = make_room(tmp_path / "cards", {"red-1": "1"})
    settings = link_settings(room.folder, "red-1")
    file = tmp_path / "link.toml"
    file.write_text(toml_text(settings).replace('clock = "red-1"', 'clock = "RED 1"'))
    said = failed("link", "--config", file)
    assert "clock is" in said
    assert settings.broker.password not in said


@pytest.mark.parametrize(
    ("missing", "named"), [("room.toml", "room.toml"), ("hub.toml", "hub.toml")]
)
def test_a_hub_without_its_files(tmp_path: Path, missing: str, named: str) -> None:
    """The room, and the hub's login beside it."""
    room = make_room(tmp_path / "cards", {"red-1": "1"})
    config = room.folder / "room.toml"
    config.write_text(room_text(room))
    (room.folder / missing).unlink()
    assert f"{named}: file is not readable" in failed("hub", "--config", config)


def test_a_hub_whose_database_cannot_be_used(tmp_path: Path) -> None:
    """The option is named."""
    room = make_room(tmp_path / "cards", {"red-1": "1"})
    config = room.folder / "room.toml"
    config.write_text(room_text(room))
    said = failed("hub", "--config", config, "--port", 0, "--database", tmp_path)
    assert "--database" in said
