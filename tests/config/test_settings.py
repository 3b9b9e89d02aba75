"""The effective settings, as a person reads them."""

from clock.config.loader import describe, parse_settings
from clock.config.schema import ConfigFile


def test_describe_says_what_is_in_force() -> None:
    """Both starting banks, the settings code, and the profile's own values."""
    settings = parse_settings(
        '[match]\nscore = [3, 2]\n[rules]\nprofile = "nbgf-hurtig"', "match.toml"
    )
    lines = dict(describe(settings))
    assert lines["left bank"] == lines["right bank"] == "8:30"
    assert lines["settings code"] == settings.match.code
    assert lines["rules.time_per_point"] == "1:00"
    assert lines["rules.lateness"] == "start-clock, shall"
    assert lines["display.addresses"] == "0x3C, 0x3D"
    assert lines["log.serial"] == "none"


def test_describe_says_how_bright_the_panels_are() -> None:
    """Unset it is not for this side of the program to know; 0 is set."""
    wanted = {"": "as the driver sets it", "contrast = 0": "0", "contrast = 255": "255"}
    for text, told in wanted.items():
        lines = dict(describe(parse_settings(f"[display]\n{text}", "match.toml")))
        assert lines["display.contrast"] == told


def test_describe_keeps_the_directors_code_to_itself() -> None:
    """Players may look over the director's shoulder."""
    text = "\n".join(
        text for _, text in describe(parse_settings('[director]\ncode = "LRRL"', "match.toml"))
    )
    assert "LRRL" not in text
    assert "4 presses" in text


def test_describe_has_a_line_for_every_key() -> None:
    """A key of the file that is missing from it could not be checked."""
    lines = dict(describe(parse_settings("", "match.toml")))
    for table in ConfigFile.__struct_fields__:
        for key in getattr(ConfigFile(), table).__struct_fields__:
            assert f"{table}.{key}" in lines or f"{table}.{key}" in ("match.play", "log.baud")
