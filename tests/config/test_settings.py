"""The settings in force, as text."""

from clock.config.loader import parse_settings
from clock.config.schema import ConfigFile
from clock.config.settings import describe


def test_describe_shows_the_values_in_force() -> None:
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


def test_describe_shows_the_contrast() -> None:
    """Without a value it is the driver's default; 0 is a value."""
    wanted = {"": "the driver's default", "contrast = 0": "0", "contrast = 255": "255"}
    for text, shown in wanted.items():
        lines = dict(describe(parse_settings(f"[display]\n{text}", "match.toml")))
        assert lines["display.contrast"] == shown


def test_describe_shows_the_board() -> None:
    code = parse_settings("", "match.toml").match.code
    for text, shown in (("", "none"), ('[match]\nboard = "A-12"', "A-12")):
        lines = dict(describe(parse_settings(text, "match.toml")))
        assert (lines["match.board"], lines["settings code"]) == (shown, code)


def test_describe_hides_the_directors_code() -> None:
    text = "\n".join(
        text for _, text in describe(parse_settings('[director]\ncode = "LRRL"', "match.toml"))
    )
    assert "LRRL" not in text
    assert "4 presses" in text


def test_describe_has_a_line_for_every_key() -> None:
    lines = dict(describe(parse_settings("", "match.toml")))
    for table in {*ConfigFile.__struct_fields__} - {"preset"}:
        for key in getattr(ConfigFile(), table).__struct_fields__:
            assert f"{table}.{key}" in lines or f"{table}.{key}" in ("match.play", "log.baud")
