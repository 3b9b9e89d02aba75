"""Short names are names, fit, and tell the two players apart."""

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from clock.config.loader import load_settings
from clock.match.types import Pair
from clock.ui.i18n import LINE_LENGTH
from clock.ui.names import LEAST, both_names, short_name, short_names, shortened
from hardware.display.glyphs import short_name as drawn
from lab.support.paths import DATA

CASES = DATA / "cases"
FAMILIES = ("Hansen", "Sørensen-Holm", "de La Fontaine", "van der Westhuizen", "Robertson", "Li")
NAMES = st.builds(
    "{} {}{}".format,
    st.sampled_from(["Bjørn Christian", "Bjarne", "Inger Marie", "Li", "William Henry", "Wilma"]),
    st.sampled_from([*FAMILIES, "Christoffersen", "Christofferson"]),
    st.sampled_from(["", "", " Jr.", " Sr.", " III", " (GER)"]),
)


@pytest.mark.rule("R216")
@pytest.mark.parametrize(
    ("name", "other", "short"),
    [
        ("Inger Marie Sørensen", "Bjørn Holm", "Sørensen"),
        ("Inger Marie Sørensen-Holm", "Bjørn Christian Sørensen-Holm", "I. Sørensen-Holm"),
        ("Bjørn Christian Hansen", "Bjarne Mikkel Hansen", "Bjø. Hansen"),
        ("William Henry Robertson Jr.", "Ada Bell", "Robertson"),
        ("William Henry Robertson Jr.", "William Henry Robertson Sr.", "Robertson Jr."),
        ("Christopher Alexander Hill III", "", "Hill"),
        ("Karl-Heinz Schmidt-Bauer (GER)", "Ada Bell (GER)", "Schmidt-Bauer"),
        ("(GER) Karl-Heinz Schmidt-Bauer", "", "Schmidt-Bauer"),
        ("van der Westhuizen, Johannes", "", "Westhuizen"),
        ("Johannes van der Merwe", "", "van der Merwe"),
        ("Jean-Baptiste de La Fontaine", "", "de La Fontaine"),
        ("Robertson, William Henry, Jr.", "", "Robertson"),
        ("Prof. Dr. Hans-Georg Müller", "Ada Bell", "Müller"),
        ("Dr. Müller, Hans-Georg", "Prof. Müller, Ida", "H. Müller"),
        ("Robertson, A. Bert", "Robertson, A.", "A. B. Robertson"),
        ("Robertson III, William Henry", "Hill, Ada", "Robertson"),
        ("Sørensen, Lars Christian", "Sørensen, Ole Christian", "L. Sørensen"),
        ("Wolfeschlegelsteinhausen", "", "Wolfeschlegelst…"),
        ("Ada", "Ben", "Ada"),
        ("William Henry Robertson, Jr.", "", "Robertson"),
        ("Wilhelmina Robertson, Jr.", "Ada Robertson", "W. Robertson"),
        ("Robertson, William Henry, Jr.", "Robertson, William Henry, Sr.", "Robertson Jr."),
        ("Robertson III, William Henry", "Robertson, William Henry", "Robertson III"),
        ("Bjørn Christian Hansen,", "", "Hansen"),
        (", Bjørn Christian Hansen", "", "Hansen"),
        ("(Bjørn Christian Hansen)", "", "Hansen)"),
        ("Johannes Nepomuk von Merwe", "", "von Merwe"),
        ("van der Westhuizen", "", "Westhuizen"),
        ("Junior, William Henry", "", "Junior"),
        ("Herr, Hans-Georg Wilhelm", "", "Herr"),
        ("Dr. Hans-Georg Wilhelm Müller", "Dr. Ida Marie Müller", "H. Müller"),
        ("Lia Hansen (Denmark)", "Li Hansen (Norway)", "Lia Hansen"),
    ],
)
def test_short_names_are_names(name: str, other: str, short: str) -> None:
    assert short_name(name, 16, other) == short


@pytest.mark.rule("R216")
@given(NAMES, NAMES, st.integers(LEAST + 2, 40), st.integers(24, 128))
def test_two_short_names_differ_and_fit(one: str, other: str, most: int, room: int) -> None:
    assume(one != other)
    shorts = short_name(one, most, other), short_name(other, most, one)
    assert all(0 < len(short) <= most for short in shorts)
    assert shorts[0].casefold() != shorts[1].casefold()
    pixels = [
        drawn("text", name, room, short_names(name, against))
        for name, against in ((one, other), (other, one))
    ]
    assert pixels[0] != pixels[1]
    shown = short_names(one, other)
    for few in range(LEAST, len(one)):
        assert next(form for form in shown if len(form) <= few) == short_name(one, few, other)
    assert shown[-1] == short_name(one, LEAST, other)
    assert shortened(one, len(one)) == one
    assert [shortened(text, 3) for text in ("A1 Bo", "A 17:05")] == ["A1…", "A…"]
    for left, right in ((one, other), (one[:5], other), (one, other[:5])):
        assert len(both_names(Pair(left, right), LINE_LENGTH)) <= LINE_LENGTH


@pytest.mark.rule("R121", "R216")
def test_who_won_is_said_of_two_of_one_family() -> None:
    left, right = load_settings(CASES / "same_family.toml").match.names
    most = LINE_LENGTH - len(" WINS")
    assert short_name(left, most, right) == "B. Sørensen-Holm"
    assert short_name(right, most, left) == "I. Sørensen-Holm"


def test_rounds_and_presets_are_named_as_events_name_them() -> None:
    assert load_settings(CASES / "round.toml").match.round == "Viertelfinale"
    presets = load_settings(CASES / "viennagammon.toml").presets
    assert [preset.name for preset in presets] == ["Viertelfinale", "Halbfinale", "Finale"]


@pytest.mark.rule("R216")
@pytest.mark.parametrize(
    ("one", "other", "most", "shorts"),
    [
        ("Karl Schmidt (GER)", "Karl Schmidt (AUT)", 14, ("Schmidt…GER", "Schmidt…AUT")),
        ("William Robertson Jr.", "William Robertson Sr.", 8, ("Robe…Jr.", "Robe…Sr.")),
        ("Alexander Smith", "Alexandra Smith", 8, ("Alexa…er", "Alexa…ra")),
        ("Schmidt, Karl (GER)", "Schmidt, Karl (AUT)", 14, ("Schmidt…GER", "Schmidt…AUT")),
        ("Karl Schmidt (Germany)", "Karl Schmidt (Austria)", 8, ("S…German", "S…Austri")),
        ("Karl Schmidt", "Karl Schmidt (Austria)", 8, ("Karl Sc…", "S…Austri")),
        ("Dr. Ida Müller", "Prof. Ida Müller", 9, ("Dr. Ida…", "Prof. Id…")),
        ("", "Ida Müller", -1, ("", "…")),
        ("Ali Al-Wolfsbergerdorff", "Ali Al-Wolfsbergerdorfer", 9, ("Al-Wolf…f", "Al-Wol…er")),
    ],
)
def test_where_nothing_else_is_left_the_end_tells_them_apart(
    one: str, other: str, most: int, shorts: tuple[str, str]
) -> None:
    """A short name begins as a name does."""
    assert (short_name(one, most, other), short_name(other, most, one)) == shorts
