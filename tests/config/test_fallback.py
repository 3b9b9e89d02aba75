"""Valid device keys of a file with errors are used, but nothing of the match."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from clock.config.fallback import MAX_BAD_LINES, salvage_settings, salvage_tables
from clock.config.loader import MAX_BYTES, parse_settings
from clock.config.schema import (
    ButtonsTable,
    ConfigFile,
    DisplayTable,
    LampsTable,
    PinsTable,
    SoundTable,
)

DANISH = DisplayTable(language="da", driver="sh1106")
TEXT = '[display]\nlanguage = "da"\ndriver = "sh1106"\n'


@pytest.mark.parametrize(
    ("text", "display"),
    [
        (TEXT, DANISH),
        (f"[match]\nlength = 0\n{TEXT}", DANISH),
        (f"[rules]\ndelay = 0:12\n{TEXT}", DANISH),  # no TOML
        (f"[rules\ndelay = 12\n{TEXT}addresses = [1, 2, 3]\n", DANISH),
        (f"{TEXT}colour = 7\nbus = -1\n", DANISH),
        (f"{TEXT}contrast = 300\n", DANISH),
        (f'{TEXT}contrast = "bright"\n', DANISH),
        (f"{TEXT}contrast = bright\n", DANISH),
        (f"[match]\nlength = 0\n{TEXT}contrast = 0\n", replace(DANISH, contrast=0)),
        (f"{TEXT}addresses = [0x3C, 0x3C]", DANISH),  # right alone, wrong together
        (f'\ufeff{TEXT}[match]\nnames = """', DANISH),
        ("[[[\n" * (MAX_BAD_LINES - 1) + TEXT, DANISH),
        ("[[[\n" * MAX_BAD_LINES + TEXT, DisplayTable()),
        ("[[[\n" * 2 + TEXT + "#" * MAX_BYTES, DANISH),
        ("[[[\n" * 4 + TEXT + "#" * MAX_BYTES, DisplayTable()),  # it takes too long
        ("display = 7", DisplayTable()),
        ("", DisplayTable()),
        ("[[[", DisplayTable()),
    ],
)
def test_valid_keys_are_used(text: str, display: DisplayTable) -> None:
    """Each key counts alone; lines with syntax errors are left out."""
    assert salvage_tables(text).display == display


def test_nothing_of_a_match_is_salvaged() -> None:
    text = '[match]\nlength = 7\n[rules]\nprofile = "nbgf"\n'
    assert salvage_tables(text) == ConfigFile()


def test_the_directors_code_is_salvaged() -> None:
    assert salvage_tables('[match]\nlength = 0\n[director]\ncode = "LR"\n').director.code == "LR"


def test_conflicting_pins_get_their_defaults() -> None:
    text = "[buttons]\npins = { left = 5, right = 5, centre = 6 }\n"
    text += "[sound]\nbuzzer_pin = 17\n[lamps]\nleft = 22\nright = 12\n"
    file = salvage_tables(text)
    assert (file.buttons, file.sound) == (ButtonsTable(), SoundTable())
    assert file.lamps == LampsTable(right=12)
    one = salvage_tables("[buttons]\npins = { left = 5, right = 99 }\n")
    assert one.buttons.pins == PinsTable(left=5)


def test_an_unreadable_file_gives_the_defaults(tmp_path: Path) -> None:
    """It is missing or a directory; of a file that is not UTF-8 the rest is used."""
    for path in (None, tmp_path, tmp_path / "none"):
        assert salvage_settings(path) == parse_settings("", "test")
    path = tmp_path / "latin.toml"
    path.write_bytes(f"[match]\nnames = ['J\xf8rn', 'B']\n{TEXT}".encode("latin-1"))
    assert salvage_settings(path).display == DANISH


@given(st.text(st.sampled_from("[]{}=\"'#.\n adeilnpsuy05,"), max_size=60))
def test_the_result_never_has_conflicts(text: str) -> None:
    file = salvage_tables(text)
    pins = file.buttons.pins
    written = (
        f"[display]\naddresses = [{file.display.addresses[0]}, {file.display.addresses[1]}]\n"
        f"[buttons]\npins = {{ left = {pins.left}, right = {pins.right}, "
        f"centre = {pins.centre} }}\n[sound]\nbuzzer_pin = {file.sound.buzzer_pin}\n"
    )
    assert parse_settings(written, "test").buttons.pins == pins
