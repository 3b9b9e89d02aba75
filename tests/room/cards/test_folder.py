"""The files of a room: made once, made again, and never over anything else."""

import os
import re
import stat
import subprocess
import sys
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from msgspec import structs

from clock.config.offer import offer_key
from clock.config.reader import ConfigError
from lab.support.camera import read_codes
from lab.support.paths import ROOT
from room.cards.folder import Made, RoomFilesError, describe, label_sheet, make_files
from room.cards.toml_text import toml_text
from room.settings.hub import load_hub_key_file
from room.settings.link import FILE_NAME, KeyFile, load_key_file, load_link
from room.settings.room import RoomSettings, parse_room

TEXT = """
[room]
name = "open-2026"
[broker]
host = "192.168.8.2"
[wifi]
ssid = "Gammon \\"hall\\" é"
password = "eight \\\\ letters"
[clocks]
red-1 = "1"
red-2 = "2"
"""


CURVE = Ed25519PrivateKey.generate().private_bytes(
    Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()
)  # another than that of the room's keys


def room(*changes: tuple[str, str]) -> RoomSettings:
    """The settings of a room, with other words in its file."""
    text = TEXT
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    return parse_room(text, "room.toml")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Where the files are made."""
    return tmp_path / "cards"


@pytest.fixture
def files(folder: Path) -> Path:
    make_files(room(), folder)
    return folder


def card(folder: Path, clock: str) -> KeyFile:
    return load_key_file(folder / "clocks" / clock / FILE_NAME)


def contents(folder: Path) -> dict[str, bytes]:
    files = [path for path in folder.rglob("*") if path.is_file()]
    return {str(path.relative_to(folder)): path.read_bytes() for path in files}


def test_a_clocks_file_has_all_that_it_needs(files: Path) -> None:
    found, hub = card(files, "red-1"), load_hub_key_file(files / "hub.toml")
    assert (found.room, found.clock, found.board) == ("open-2026", "red-1", "1")
    assert (found.wifi.ssid, found.wifi.password) == ('Gammon "hall" é', "eight \\ letters")
    assert (found.broker.host, found.broker.port) == ("192.168.8.2", 8883)
    assert found.broker.ca == hub.broker.ca
    assert found.offer_key == offer_key(bytes.fromhex(hub.master_key), "red-1").hex()
    (files / "link.toml").write_text(toml_text(found.link_settings))
    assert load_link(files / "link.toml") == found.link_settings


def test_every_secret_is_a_secret_of_its_own(files: Path) -> None:
    cards = [card(files, name) for name in ("red-1", "red-2")]
    hub = load_hub_key_file(files / "hub.toml")
    passwords = {each.broker.password for each in cards} | {hub.broker.password}
    assert len(passwords | {hub.stand_by} - {""}) == 4
    assert len({hub.master_key, *(each.offer_key for each in cards)}) == 3


def test_only_its_owner_reads_a_file(files: Path) -> None:
    modes = {path: stat.S_IMODE(path.stat().st_mode) for path in (files, *files.rglob("*"))}
    assert {mode for path, mode in modes.items() if path.is_file()} == {0o600}
    assert {mode for path, mode in modes.items() if path.is_dir()} == {0o700}


def test_made_again_nothing_changes(folder: Path) -> None:
    folder.mkdir()
    first = make_files(room(), folder)
    before = contents(folder)
    again = make_files(room(), folder)
    assert contents(folder) == before
    assert again == Made([], [], len(first.new), [])
    assert first.kept == 0
    assert "13 files stay as they are" in describe(again, folder)


def test_a_new_clock_is_added(files: Path) -> None:
    before = contents(files)
    made = make_files(room(('red-2 = "2"', 'red-2 = "2"\nred-3 = "3"')), files)
    assert made.new == [f"clocks/red-3/{FILE_NAME}"]
    assert set(made.changed) == {"broker/gammonclock.conf", "broker/passwords", "labels.html"}
    after = contents(files)
    assert [name for name in before if after[name] != before[name]] == sorted(
        made.changed, key=list(before).index
    )
    assert after["broker/passwords"].startswith(before["broker/passwords"])
    assert made.kept == len(before) - len(made.changed)
    assert "Copy the files of broker/ to the broker" in " ".join(describe(made, files))


def test_another_board_or_network_keeps_the_password(files: Path) -> None:
    before = card(files, "red-1")
    changes = (('red-1 = "1"', 'red-1 = "9"'), ("eight", "nine"))
    made = make_files(room(*changes), files)
    after = card(files, "red-1")
    assert (after.board, after.wifi.password) == ("9", "nine \\ letters")
    assert after == structs.replace(before, board="9", wifi=after.wifi)
    assert f"clocks/red-1/{FILE_NAME}" in made.changed
    said = describe(made, files)
    assert f"changed: {files}/clocks/red-1/{FILE_NAME}" in said
    assert [FILE_NAME in line for line in said[-2:]] == [True, False]  # nothing for the broker


def test_another_broker_has_another_certificate(files: Path) -> None:
    before = load_hub_key_file(files / "hub.toml")
    made = make_files(room(("192.168.8.2", "room.local")), files)
    after = load_hub_key_file(files / "hub.toml")
    assert "broker/server.crt" in made.changed
    assert (after.broker.ca, after.master_key) == (before.broker.ca, before.master_key)
    for name in ("broker/server.crt", "web/hub.crt"):
        certificate = x509.load_pem_x509_certificate((files / name).read_bytes())
        names = certificate.extensions.get_extension_for_class(x509.SubjectAlternativeName)
        assert [each.value for each in names.value] == ["room.local"]


def test_what_the_director_sets_stands_in_the_files(files: Path) -> None:
    at = f"certfile {files}/broker/server.crt\n".encode()
    assert at in contents(files)["broker/gammonclock.conf"]
    more = 'board_topic = true\n[broker]\nport = 9883\nfolder = "/etc/mosq"\n'
    make_files(room(("[broker]\n", more)), files)
    assert b"certfile /etc/mosq/server.crt\n" in contents(files)["broker/gammonclock.conf"]
    assert b"memory_limit 268435456\n" in contents(files)["broker/gammonclock.conf"]
    access = contents(files)["broker/access"].decode()
    assert "pattern write gammonclock/1/open-2026/%u/log\n" in access
    assert "topic write gammonclock/1/open-2026/+/offer\n" in access
    found = card(files, "red-1")
    assert (found.board_topic, found.broker.port) == (True, 9883)


def test_a_clock_whose_folder_was_deleted_has_a_new_password(files: Path) -> None:
    before = card(files, "red-1").broker.password
    (files / "clocks" / "red-1" / FILE_NAME).unlink()
    made = make_files(room(), files)
    assert card(files, "red-1").broker.password != before
    assert made.new == [f"clocks/red-1/{FILE_NAME}"]
    assert "broker/passwords" in made.changed


def test_a_clock_that_is_gone_is_said(files: Path) -> None:
    """It has no password any more; its file is left to the director."""
    made = make_files(room(('red-2 = "2"', "")), files)
    assert made.gone == ["red-2"]
    assert b"red-2" not in contents(files)["broker/passwords"]
    assert f"clocks/red-2/{FILE_NAME}" in contents(files)
    assert any("red-2 is not in room.toml any more" in line for line in describe(made, files))


def test_no_secret_is_on_the_terminal(folder: Path) -> None:
    for _ in range(2):
        said = "\n".join(describe(make_files(room(), folder), folder))
        hub = load_hub_key_file(folder / "hub.toml")
        cards = [card(folder, name) for name in ("red-1", "red-2")]
        secrets = [hub.token, hub.master_key, hub.broker.password]
        secrets += [each.broker.password for each in cards] + [each.offer_key for each in cards]
        assert not [secret for secret in [*secrets, "eight"] if secret in said]


def test_the_directors_own_token(files: Path) -> None:
    settings = room(
        ("[clocks]", '[pages]\naddress = "http://:1/"\ntoken = "my-own-token"\n[clocks]')
    )
    make_files(settings, files)
    assert load_hub_key_file(files / "hub.toml").token == settings.pages.token
    assert b"?token=my-own-token" in contents(files)["labels.html"]


# --- what is refused --------------------------------------------------------------------------


def test_a_folder_with_other_files(folder: Path) -> None:
    folder.mkdir()
    (folder / "thesis.txt").write_text("mine")
    with pytest.raises(RoomFilesError, match=r"has other files, and no hub\.toml"):
        make_files(room(), folder)
    assert contents(folder) == {"thesis.txt": b"mine"}


def test_the_files_of_another_room(files: Path) -> None:
    """Its clocks would lose their room."""
    before = contents(files)
    with pytest.raises(RoomFilesError, match='of the room "open-2026", not of "club"'):
        make_files(room(("open-2026", "club")), files)
    assert contents(files) == before


def test_a_file_in_place_of_the_folder(folder: Path) -> None:
    folder.write_text("")
    with pytest.raises(RoomFilesError, match="is not a folder; name another one"):
        make_files(room(), folder)


@pytest.mark.parametrize("name", ["hub.toml", f"clocks/red-1/{FILE_NAME}"])
def test_a_damaged_file_is_not_made_anew(files: Path, name: str) -> None:
    """A password that clocks have would be lost."""
    (files / name).write_text("x")
    before = contents(files)
    with pytest.raises(ConfigError, match=name):
        make_files(room(), files)
    assert contents(files) == before


def test_a_lost_authority_is_not_made_anew(files: Path) -> None:
    """The clocks would not trust the broker any more; its certificates are made anew."""
    (files / "broker/server.crt").write_bytes(b"\xff damaged")
    (files / "web/hub.key").unlink()
    made = make_files(room(), files)
    assert made.new == ["web/hub.key"]
    assert made.changed == ["broker/server.crt", "broker/server.key", "web/hub.crt"]
    for damage in (b"\xff", CURVE):
        (files / "authority.key").write_bytes(damage)
        with pytest.raises(
            RoomFilesError, match=r"authority\.key is damaged\. Take it from a copy"
        ):
            make_files(room(("192.168.8.2", "room.local")), files)
    (files / "authority.key").unlink()
    with pytest.raises(RoomFilesError, match=r"authority\.key: No such file"):
        make_files(room(), files)


@pytest.mark.parametrize(
    "name", ["authority.key", "broker/server.key", "web/authority.crt", "hub.toml"]
)
def test_a_pipe_is_not_waited_for(files: Path, name: str) -> None:
    (files / name).unlink()
    os.mkfifo(files / name)
    with pytest.raises((RoomFilesError, ConfigError), match=f"{name}.*not a regular file"):
        make_files(room(), files)


# --- the command ------------------------------------------------------------------------------


def command(*arguments: object) -> subprocess.CompletedProcess[str]:
    """Run the command, and return its end."""
    return subprocess.run(
        [sys.executable, "-m", "gammonclock", "room-cards", *map(str, arguments)],
        capture_output=True,
        text=True,
        check=False,
        cwd=ROOT,
    )


def test_the_command(folder: Path, tmp_path: Path) -> None:
    file = tmp_path / "room.toml"
    file.write_text(TEXT, encoding="utf-8")
    done = command(file, folder)
    assert (done.returncode, done.stderr) == (0, "")
    assert f"new: {folder}/clocks/red-2/{FILE_NAME}\n" in done.stdout


@pytest.mark.parametrize(("text", "said"), [("", "room is not given"), (TEXT, "has other files")])
def test_an_error_ends_the_command(folder: Path, tmp_path: Path, text: str, said: str) -> None:
    file = tmp_path / "room.toml"
    file.write_text(text, encoding="utf-8")
    folder.mkdir()
    (folder / "other").touch()
    done = command(file, folder)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("gammonclock: ")
    assert said in done.stderr


def test_a_label_for_each_board() -> None:
    boards = {"1": "red-1", "2": "red-2"}
    sheet = label_sheet("open-2026", "http://192.168.8.2:8037/", "my-own-token", boards)
    assert sheet.count("<svg") == 3
    director, others = sheet.split("</section>")[:2]
    assert "?token=my-own-token" in director
    assert "?token=" not in others
    assert "http://192.168.8.2:8037/board/1</p>" in others


def test_the_qr_code_of_a_label_can_be_read() -> None:
    from PIL import Image, ImageDraw

    sheet = label_sheet("open-2026", "http://192.168.1.7:8037/", "t", {"7": "red-1"})
    drawn = sheet.split("<article>")[2]
    size = int(re.findall(r'viewBox="0 0 (\d+)', drawn)[0])
    picture = Image.new("L", (8 * size, 8 * size), 255)
    x = y = 0.0  # of a path's strokes, each a row of cells long
    for command, across, _, down in re.findall(r"([Mmh])(-?\d+)( (-?[\d.]+))?", drawn):
        if command == "h":
            ends = (8 * x, 8 * y - 4, 8 * (x + int(across)) - 1, 8 * y + 3)
            ImageDraw.Draw(picture).rectangle(ends, fill=0)
        y += float(down or 0)
        x = int(across) if command == "M" else x + int(across)
    assert read_codes(picture) == ["http://192.168.1.7:8037/board/7"]
