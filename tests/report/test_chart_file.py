"""The file of a chart: what is in it, and that it is the same each time."""

import os
from io import BytesIO
from xml.etree import ElementTree as ET

import pytest
from PIL import Image

from clock.report.chart_file import FORMATS, render
from lab.support.charts import BREAK, ODD_NAME, drawn, settings

pytestmark = pytest.mark.slow

SVG = "{http://www.w3.org/2000/svg}"


def test_svg_is_well_formed() -> None:
    """Whatever the players are called, the SVG can be read and says their names."""
    root = ET.fromstring(render(drawn("0 wait", settings(ODD_NAME, "]]>'")), ".svg"))  # noqa: S314 (our own)
    assert root.attrib["viewBox"] == "0 0 1152 648"
    written = [text.text or "" for text in root.iter(f"{SVG}text")]
    assert "<&\"?Ž\u65e5  0 - 0  ]]>'" in written


def test_a_name_is_no_formula() -> None:
    root = ET.fromstring(render(drawn("0 wait", settings("$x_1$")), ".svg"))  # noqa: S314 (our own)
    written = [text.text or "" for text in root.iter(f"{SVG}text")]
    assert any("$x_1$" in text for text in written)


def test_svg_has_tooltips() -> None:
    """A browser says what a sign stands for when it is pointed at."""
    root = ET.fromstring(render(drawn(BREAK, settings("$<A>$", length=5)), ".svg"))  # noqa: S314 (our own)
    titles = [title.text for title in root.iter(f"{SVG}title")]
    assert "game 1, Bo +1, 0-1" in titles
    assert "12:00:47 break, 1:40, allowed 5:00" in titles


def test_svg_has_no_forbidden_character() -> None:
    figure = drawn()
    figure.axes[1].lines[0].set_label("a\x00b\ufffe")
    root = ET.fromstring(render(figure, ".svg"))  # noqa: S314 (our own)
    assert "a?b?" in [title.text for title in root.iter(f"{SVG}title")]


@pytest.mark.parametrize(
    "names",
    [("Jørgen Åse", "Müller-Łęß"), ("Ωμέγα Юлия", "$x_1$"), ("W" * 60, ""), (ODD_NAME, "Bo")],
)
def test_png_has_1600_by_900_pixels(names: tuple[str, str]) -> None:
    with Image.open(BytesIO(render(drawn("0 wait", settings(*names)), ".png"))) as picture:
        assert picture.size == (1600, 900)
        assert len(picture.getcolors(1 << 20) or []) > 10


@pytest.mark.parametrize("suffix", FORMATS)
def test_the_same_file_each_time(suffix: str, monkeypatch: pytest.MonkeyPatch) -> None:
    first = render(drawn(), suffix)
    monkeypatch.setitem(os.environ, "SOURCE_DATE_EPOCH", "86400")
    assert render(drawn(), suffix) == first
