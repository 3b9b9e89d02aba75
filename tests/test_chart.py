"""The chart: each corner stands where its instant and reserve belong; any name can be drawn."""

from xml.etree import ElementTree as ET

import pytest
from match_scripts import log_of, named, random_match
from world import match_settings

from clock.report.chart import chart
from clock.report.chart_frame import BOTTOM, COLOURS, LEFT, RIGHT, TOP, framed
from clock.report.chart_png import png
from clock.report.chart_signs import hatching
from clock.report.chart_svg import svg
from clock.report.drawing import Area, Dot, Drawing, Line, Shape, Spot, Words
from clock.report.lettering import Letter, letters
from clock.report.build import summary
from clock.match.rules import SECOND_NS, MatchSettings
from clock.match.sides import Side

SVG = "{http://www.w3.org/2000/svg}"
ODD_NAME = '<&"\x01Ž\u65e5'

# From the confirmation at 0:03 to the last record at 1:43 there are 100 s; a minute's reserve each.
SCRIPT = """
1   press left
1   press right
1   press centre
5   press left     # 0:08 the right clock starts
32  press right    # 0:40 20 s of his reserve
63  press left     # 1:43 51 s of hers
"""


def settings(left: str = "Anna", right: str = "Bo", **rules: object) -> MatchSettings:
    """A match of a point and a minute."""
    changed = {"length": 1, "time_per_point_ns": 60 * SECOND_NS, **rules}
    return named(match_settings(**changed), left, right)  # type: ignore[arg-type]


def drawn(script: str = SCRIPT, match: MatchSettings | None = None) -> Drawing:
    """The chart of a script's match."""
    return chart(summary(log_of(script, match or settings())))


def reserve(drawing: Drawing, player: Side) -> Line:
    """A player's line: the longest in his colour."""
    lines = [shape for shape in drawing.shapes if isinstance(shape, Line)]
    return max(
        (line for line in lines if line.colour == COLOURS[player]), key=lambda x: len(x.spots)
    )


def spots(shape: Shape) -> tuple[Spot, ...]:
    """The corners of a shape."""
    match shape:
        case Line(corners, _, _) | Area(corners, _, _):
            return corners
        case Dot(at, _, _, _) | Words(at, _, _, _, _):
            return (at,)


def x(seconds: int) -> int:
    """The place of an instant in the chart of `SCRIPT`."""
    return LEFT + (seconds - 3) * (RIGHT - LEFT) // 100


def y(seconds: int) -> int:
    """The place of a reserve in the chart of `SCRIPT`."""
    return BOTTOM - seconds * (BOTTOM - TOP) // 60


def test_a_reserve_is_flat_and_then_falls() -> None:
    """A turn's line is flat during its delay and has its corner where the delay is over."""
    drawing = drawn()
    full = Spot(x(3), y(60))
    falls, fallen, end = Spot(x(20), y(60)), Spot(x(40), y(40)), Spot(x(103), y(40))
    assert reserve(drawing, Side.RIGHT).spots == (full, falls, fallen, end)
    assert reserve(drawing, Side.LEFT).spots == (full, Spot(x(52), y(60)), Spot(x(103), y(9)))


def test_a_flag_stands_where_the_reserve_ends() -> None:
    """The flag's pole stands on the ground at the instant at which it fell, and has its order."""
    drawing = drawn(SCRIPT.replace("63 ", "73 "))
    poles = [shape for shape in drawing.shapes if isinstance(shape, Line) and shape.width == 22]
    frame = framed(summary(log_of(SCRIPT.replace("63 ", "73 "), settings())))
    assert [pole.spots[0] for pole in poles] == [Spot(frame.x(112 * SECOND_NS), BOTTOM)]
    assert Spot(frame.x(112 * SECOND_NS), BOTTOM) in reserve(drawing, Side.LEFT).spots
    assert "1" in [shape.text for shape in drawing.shapes if isinstance(shape, Words)]


def test_title_and_scores() -> None:
    """Who played, how it stands, and by which settings."""
    texts = [shape.text for shape in drawn().shapes if isinstance(shape, Words)]
    assert "Anna  0 - 0  Bo" in texts
    assert any(f"code {settings().code}" in text for text in texts)


@pytest.mark.parametrize("seed", range(4))
def test_everything_is_in_the_picture(seed: int) -> None:
    """No shape stands outside, however the match went."""
    match = settings(length=5, profile="nbgf", time_per_point_ns=20 * SECOND_NS)
    drawing = drawn(random_match(match, seed).script, match)
    for spot in (spot for shape in drawing.shapes for spot in spots(shape)):
        assert 0 <= spot.x <= drawing.width
        assert 0 <= spot.y <= drawing.height


def test_hatching_stays_inside() -> None:
    """The slanting lines end at the edges of their rectangle, at 45 degrees."""
    for shape in hatching(100, 200, 500, 900):
        assert isinstance(shape, Line)
        (one, other) = shape.spots
        assert all(100 <= spot.x <= 500 and 200 <= spot.y <= 900 for spot in shape.spots)
        assert one.x == other.x or one.x + one.y == other.x + other.y


def test_svg_is_well_formed() -> None:
    """Whatever the players are called, the SVG can be read and says their names."""
    root = ET.fromstring(svg(drawn("0 wait", settings(ODD_NAME, "]]>'"))))  # noqa: S314 (our own)
    assert root.attrib["viewBox"] == "0 0 16000 9000"
    texts = [text.text or "" for text in root.iter(f"{SVG}text")]
    assert "<&\"?Ž\u65e5  0 - 0  ]]>'" in texts
    assert len(list(root)) == len(drawn("0 wait", settings()).shapes)


def test_svg_has_no_forbidden_character() -> None:
    """A character that XML does not allow is replaced, not written."""
    words = Words(Spot(0, 0), "a\x00b\ufffe", 10, "#000000")
    text = svg(Drawing(10, 10, (words,)))
    assert ET.fromstring(text)[0].text == "a\ufffdb\ufffd"  # noqa: S314 (our own)


@pytest.mark.parametrize("name", ["Anna", "Jørgen Åse", "Müller-Łęß", ODD_NAME, ""])
def test_png_has_1600_by_900_pixels(name: str) -> None:
    """The picture has its size and is not empty."""
    picture = png(drawn("0 wait", settings(name)))
    assert picture.size == (1600, 900)
    colours = picture.getcolors(1 << 20) or []
    assert len(colours) > 10


def test_letters_that_the_font_lacks() -> None:
    """A letter with a mark is a plain one and its mark; what cannot be drawn is a question mark."""
    assert letters("Aé") == [Letter("A"), Letter("e", "\N{COMBINING ACUTE ACCENT}")]
    assert "".join(each.plain for each in letters("Jørgen Straße æ 日")) == "Jorgen Strasse ae ?"


def test_the_same_picture_each_time() -> None:
    """The same log gives the same bytes."""
    assert png(drawn()).tobytes() == png(drawn()).tobytes()
    assert svg(drawn()) == svg(drawn())
