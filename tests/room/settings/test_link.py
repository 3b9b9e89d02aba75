"""The link's own file."""

from pathlib import Path

import pytest

from clock.config.reader import ConfigError
from room.settings.link import LinkSettings, link_fault, load_key_file, load_link

PEM = "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n"
WHOLE = f'''
room = "open-2026"
clock = "red-7"
board = "7"
board_topic = true
[broker]
host = "192.168.8.2"
port = 8884
password = "0123456789abcdefXYZ"
ca = """
{PEM}"""
'''


def loaded(folder: Path, text: str) -> LinkSettings:
    """Return what a link's file of this text sets."""
    path = folder / "link.toml"
    path.write_text(text)
    return load_link(path)


def test_a_whole_file(tmp_path: Path) -> None:
    settings = loaded(tmp_path, WHOLE)
    assert (settings.room, settings.board, settings.board_topic) == ("open-2026", "7", True)
    login = settings.login
    assert (login.host, login.port, login.ca) == ("192.168.8.2", 8884, PEM)
    assert (login.username, login.password) == ("red-7", "0123456789abcdefXYZ")


def test_what_a_file_may_leave_out(tmp_path: Path) -> None:
    text = WHOLE.replace("port = 8884\n", "").replace("board_topic = true\n", "")
    settings = loaded(tmp_path, text)
    assert (settings.broker.port, settings.board_topic) == (8883, False)


@pytest.mark.parametrize(
    ("old", "new", "key"),
    [
        ('room = "open-2026"', "", "room"),
        ('clock = "red-7"', 'clock = "red/7"', "clock"),
        ('clock = "red-7"', 'clock = "hub"', "clock"),
        ("BEGIN CERTIFICATE", "BEGIN PRIVATE KEY", "broker.ca"),
        ("0123456789abcdefXYZ", "short", "broker.password"),
        ("port = 8884", 'wifi = "x"', "broker.wifi"),
    ],
    ids=["no-room", "slash", "hub", "no-certificate", "short-password", "unknown-key"],
)
def test_a_wrong_file(tmp_path: Path, old: str, new: str, key: str) -> None:
    with pytest.raises(ConfigError, match="onto its card again") as caught:
        loaded(tmp_path, WHOLE.replace(old, new))
    assert caught.value.key == key


def test_a_clocks_file_has_a_whole_key(tmp_path: Path) -> None:
    path = tmp_path / "room.toml"
    path.write_text('offer_key = "0123"\n' + WHOLE)
    with pytest.raises(ConfigError, match=r"offer_key .*64 digits and letters a to f"):
        load_key_file(path)


def test_a_missing_file(tmp_path: Path) -> None:
    """The message says that it should be there; for the self-test there is no room then."""
    path = tmp_path / "link.toml"
    with pytest.raises(ConfigError, match="file is missing"):
        load_link(path)
    assert link_fault(path) is None


def test_the_self_test_says_what_is_wrong_with_a_file(tmp_path: Path) -> None:
    path = tmp_path / "link.toml"
    path.write_text(WHOLE)
    assert link_fault(path) is None
    path.write_text(WHOLE.replace('"red-7"', '"red/7"'))
    fault = link_fault(path)
    assert fault is not None
    assert (fault.key, "onto its card again" in str(fault)) == ("clock", True)
