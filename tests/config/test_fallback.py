"""What of a file that cannot be used is used all the same: its hardware, and nothing of a match."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from clock.config.loader import parse_settings
from clock.config.schema import Buttons, ConfigFile, Display, Lamps, Pins, Sound
from clock.config.fallback import salvaged, salvaged_text

DANISH = Display(language="da", driver="sh1106")
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
        ("display = 7", Display()),
        ("", Display()),
        ("[[[", Display()),
    ],
)
def test_what_is_right_by_itself_is_used(text: str, display: Display) -> None:
    """Each key alone; lines that are no TOML are as if they were not there."""
    assert salvaged_text(text).display == display


def test_nothing_of_a_match_is_salvaged() -> None:
    """A clock does not run on half a file."""
    text = '[match]\nlength = 7\n[rules]\nprofile = "nbgf"\n'
    assert salvaged_text(text) == ConfigFile()


def test_the_directors_code_is_salvaged() -> None:
    """A mistake elsewhere does not open his menu to the players."""
    assert salvaged_text('[match]\nlength = 0\n[director]\ncode = "LR"\n').director.code == "LR"


def test_pins_that_are_wanted_twice_are_nobodys() -> None:
    """The defaults in their place, until nothing contradicts anything."""
    text = "[buttons]\npins = { left = 5, right = 5, centre = 6 }\n"
    text += "[sound]\nbuzzer_pin = 17\n[lamps]\nleft = 22\nright = 9\n"
    file = salvaged_text(text)
    assert (file.buttons, file.sound) == (Buttons(), Sound())
    assert file.lamps == Lamps(right=9)
    one = salvaged_text("[buttons]\npins = { left = 5, right = 99 }\n")
    assert one.buttons.pins == Pins(left=5)


def test_a_file_that_cannot_be_read_is_empty(tmp_path: Path) -> None:
    """Not there, a directory, not UTF-8."""
    for path in (None, tmp_path, tmp_path / "none"):
        assert salvaged(path) == parse_settings("", "test")
    path = tmp_path / "latin.toml"
    path.write_bytes(f"[match]\nnames = ['J\xf8rn', 'B']\n{TEXT}".encode("latin-1"))
    assert salvaged(path).display == DANISH


@given(st.text(st.sampled_from("[]{}=\"'#.\n adeilnpsuy05,"), max_size=60))
def test_whatever_a_text_holds_a_clock_could_run_on_its_hardware(text: str) -> None:
    """There is an answer, and its parts go together: written out, they are a right file."""
    file = salvaged_text(text)
    pins = file.buttons.pins
    written = (
        f"[display]\naddresses = [{file.display.addresses[0]}, {file.display.addresses[1]}]\n"
        f"[buttons]\npins = {{ left = {pins.left}, right = {pins.right}, "
        f"centre = {pins.centre} }}\n[sound]\nbuzzer_pin = {file.sound.buzzer_pin}\n"
    )
    assert parse_settings(written, "test").buttons.pins == pins
