"""The configuration file: where it is found, how it is read and what it means."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from clock.config.loader import MAX_BYTES, PLACES, find_config, ignored_beside, load_settings
from clock.config.reader import ConfigError
from clock.match.durations import parse_duration
from clock.match.profiles import PROFILES
from clock.match.rules import EarlyPickup, FirstFlag, Format, IllegalMove, Lateness, Method
from clock.match.types import Pair
from clock.text import message
from lab.support.paths import ROOT
from lab.support.settings_files import parse

EXAMPLE = ROOT / "config" / "nbgf-lyn.toml"
DEFAULTS = load_settings(None)


# --- what a file means ------------------------------------------------------------------------


def test_the_defaults_are_an_ebf_match_to_eleven() -> None:
    """The contract says: "with none, the EBF defaults"."""
    assert DEFAULTS.match.rules == PROFILES["ebf"]
    assert not DEFAULTS.board
    assert (DEFAULTS.match.length, DEFAULTS.match.score) == (11, Pair(0, 0))
    assert DEFAULTS.match.format is Format.SINGLE
    assert parse("") == DEFAULTS


def test_missing_keys_have_their_defaults() -> None:
    settings = parse("[match]\nlength = 5\n[buttons]\npins = { left = 4 }")
    assert settings.match.length == 5
    assert settings.buttons.pins.left == 4
    assert settings.buttons.pins.right == 27
    assert settings.display == DEFAULTS.display


@pytest.mark.parametrize(
    ("text", "contrast"), [("", None), ("contrast = 0", 0), ("contrast = 0xFF", 255)]
)
def test_without_contrast_the_driver_decides(text: str, contrast: int | None) -> None:
    """0 is a value too. The contrast is no part of the settings code."""
    settings = parse(f"[display]\n{text}")
    assert settings.display.contrast == contrast
    assert settings.match.code == DEFAULTS.match.code


def test_the_match_is_as_written() -> None:
    text = 'length = 7\nscore = [3, 2]\nnames = ["Søren Ø.", "Zoë"]\nformat = "best-of-three"'
    match = parse(f"[match]\n{text}").match
    assert (match.length, match.score) == (7, Pair(3, 2))
    assert match.names == Pair("Søren Ø.", "Zoë")
    assert match.format is Format.BEST_OF_THREE


@pytest.mark.rule("R7", "R12", "R48", "R49", "R63")
@pytest.mark.parametrize(
    ("line", "field", "value"),
    [
        ('time_per_point = "1:30"', "time_per_point_ns", parse_duration("1:30")),
        ('time_per_match = "10:00"', "time_per_match_ns", parse_duration("10:00")),
        ('delay = "0:15"', "delay_ns", parse_duration("0:15")),
        ('method = "bronstein"', "method", Method.BRONSTEIN),
        ('on_first_flag = "freeze"', "on_first_flag", FirstFlag.FREEZE),
        ('overtime = "1:00"', "overtime_ns", parse_duration("1:00")),
        ('early_pickup = "wait"', "early_pickup", EarlyPickup.WAIT),
        ('early_pickup = "warn"', "early_pickup", EarlyPickup.WARN),
        ('illegal_move = "fresh"', "illegal_move", IllegalMove.FRESH),
        ('lateness = "start-clock"', "lateness", Lateness.START_CLOCK),
        ('lateness = "none"', "lateness", Lateness.NONE),
        ('late_step = "10:00"', "late_step_ns", parse_duration("10:00")),
        ("breaks = 3", "breaks", ((99, 3),)),
        ('break_length = "15:00"', "break_ns", parse_duration("15:00")),
        ("penalty_points_score = false", "penalty_points_score", False),
        ("penalty_forfeit = false", "penalty_forfeit", False),
    ],
)
def test_the_director_may_change_every_rule(line: str, field: str, value: object) -> None:
    rules = parse(f"[rules]\n{line}").match.rules
    changed = {
        name
        for name in rules.__struct_fields__
        if getattr(rules, name) != getattr(PROFILES["ebf"], name)
    }
    assert changed == {field}
    assert getattr(rules, field) == value


@pytest.mark.rule("R7", "R37")
def test_the_norwegian_award_follows_the_directors_time_per_point() -> None:
    """NBgF 4-3-2: PN is the time per point of this match."""
    rules = parse('[rules]\nprofile = "nbgf"\ntime_per_point = "1:30"').match.rules
    assert rules.not_decided_ns == parse_duration("1:30")


# --- where it is and how it is read -----------------------------------------------------------


def file_fault(path: Path) -> ConfigError:
    with pytest.raises(ConfigError) as caught:
        load_settings(path)
    assert caught.value.file == str(path)
    return caught.value


@pytest.mark.parametrize(
    "change",
    [
        lambda content: b"\xef\xbb\xbf" + content,
        lambda content: content.replace(b"\n", b"\r\n"),
        lambda content: b"\xef\xbb\xbf" + content.replace(b"\n", b"\r\n"),
        lambda content: content.replace(b"\n", b"\r"),
        lambda content: content + b"#" * (MAX_BYTES - len(content)),
    ],
    ids=["byte order mark", "Windows lines", "both", "an old Mac", "as large as may be"],
)
def test_byte_order_marks_and_windows_line_ends_are_accepted(
    tmp_path: Path, change: Callable[[bytes], bytes]
) -> None:
    path = tmp_path / "gammonclock.toml"
    path.write_bytes(change(EXAMPLE.read_bytes()))
    assert load_settings(path) == load_settings(EXAMPLE)


@pytest.mark.parametrize(
    ("content", "found"),
    [
        (b'[match]\nnames = ["J\xf8rgen", "B"]', "not UTF-8 in line 2"),
        (b"\n# J\xf8rgen", "not UTF-8 in line 2"),
        ("[match]\nlength = 7".encode("utf-16"), "in UTF-16"),
        ("[match]\nlength = 7".encode("utf-16-le"), "in UTF-16"),
        (b"\x7fELF\x02\x01\x01\x00\xff", "not UTF-8 in line 1"),
        (b"#" * (MAX_BYTES + 1), "too large"),
    ],
)
def test_a_file_that_is_not_text_is_reported(tmp_path: Path, content: bytes, found: str) -> None:
    path = tmp_path / "gammonclock.toml"
    path.write_bytes(content)
    error = file_fault(path)
    allowed = message("text_file", size=64)  # KB
    assert (error.key, error.found, error.allowed) == ("file", found, allowed)


def test_a_missing_file_or_a_directory_is_reported(tmp_path: Path) -> None:
    assert file_fault(tmp_path / "none.toml").found == "not readable (No such file or directory)"
    assert file_fault(tmp_path).found == "not readable (Is a directory)"


def test_a_file_without_read_permission_is_reported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(os, "open", refuse)
    assert file_fault(tmp_path / "locked.toml").found == "not readable (Permission denied)"


OWN = ("boot/gammonclock.toml", "etc/gammonclock.toml")
COPIES = (".toml.txt", " (1).toml", " - Copy.toml", " - Kopie.toml", ".txt", ".toml.bak", ".toml~")
OF_OTHERS = ("gammonclock-room.toml", "cmdline.txt", "config.txt", "other.toml", "matches")


@pytest.mark.parametrize("own", [*OWN, "home/my.toml", None])
@pytest.mark.parametrize("rest", COPIES)
def test_a_copy_that_is_not_read_is_named(tmp_path: Path, own: str | None, rest: str) -> None:
    """Beside the file, or where the clock's own would be; of others nothing is said."""
    for folder in ("boot", "etc", "home"):
        (tmp_path / folder).mkdir()
    places = [tmp_path / each for each in OWN]
    path = None if own is None else tmp_path / own
    beside = path or places[0]
    if path is not None:
        path.touch()
    for name in (*OF_OTHERS, f"{beside.name}.new"):
        (beside.parent / name).touch()
    assert ignored_beside(path, places) == ()
    copy = beside.with_name(beside.stem.capitalize() + rest)
    copy.touch()
    assert ignored_beside(path, places) == (str(copy),)


def test_a_second_file_of_the_clock_is_named_and_one_of_another_event_is_not(
    tmp_path: Path,
) -> None:
    for name in ("gammonclock.toml", "gammonclock2.toml", "my.toml", "my-final.toml"):
        (tmp_path / name).touch()
    own = tmp_path / "gammonclock.toml"
    for named in (own, None):
        assert ignored_beside(named, [own]) == (str(tmp_path / "gammonclock2.toml"),)
    assert ignored_beside(tmp_path / "my.toml", [own]) == ()
    assert ignored_beside(tmp_path / "gone" / "my.toml", [own]) == ()


def test_the_first_file_found_is_taken(tmp_path: Path) -> None:
    places = (tmp_path / "boot.toml", tmp_path / "etc.toml")
    environ = {"GAMMONCLOCK_CONFIG": "/somewhere/else.toml"}
    assert find_config(None, {}, places) is None
    places[1].touch()
    assert find_config(None, {}, places) == places[1]
    places[0].touch()
    assert find_config(None, {}, places) == places[0]
    assert find_config(None, {"GAMMONCLOCK_CONFIG": ""}, places) == places[0]
    assert find_config(None, environ, places) == Path("/somewhere/else.toml")
    assert find_config(Path("mine.toml"), environ, places) == Path("mine.toml")


def test_a_file_that_cannot_be_read_is_not_skipped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An error is better than a match under rules that the director did not choose."""
    broken_link = tmp_path / "gammonclock.toml"
    broken_link.symlink_to(tmp_path / "nowhere")
    assert find_config(None, {}, (broken_link,)) == broken_link
    assert find_config(None, {}, (tmp_path / "none" / "gammonclock.toml",)) is None

    def refuse(_: Path) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "lstat", refuse)
    assert find_config(None, {}, (tmp_path / "locked",)) == tmp_path / "locked"


def test_the_places_are_those_of_the_contract() -> None:
    assert [str(place) for place in PLACES] == [
        "/boot/firmware/gammonclock.toml",
        "/etc/gammonclock.toml",
    ]
