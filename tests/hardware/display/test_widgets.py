"""The elements of a face: bars, and pages that scroll."""

import pytest

from hardware.display.widgets import DARK, LIT, bar, text_lines


@pytest.mark.parametrize("count", [4, 5, 9])
def test_the_selected_line_is_seen(count: int) -> None:
    """A page scrolls to its selection, and arrows show where there are more lines."""
    for selected in range(count):
        drawn = list(text_lines([f"line {place}" for place in range(count)], selected, 10))
        shown = [widget for widget in drawn if widget.name.startswith("line")]
        lit = [widget.name for widget in shown if widget.picture.getpixel((0, 0)) == LIT]
        assert (len(shown), lit) == (4, [f"line {selected}"])
        names = {widget.name for widget in drawn}
        assert ("more above" in names) == (shown[0].name != "line 0")
        assert ("more below" in names) == (shown[-1].name != f"line {count - 1}")


@pytest.mark.parametrize(
    ("permille", "lit"), [(-5, 0), (0, 0), (1, 1), (500, 48), (999, 96), (1000, 96), (5000, 96)]
)
def test_bar(permille: int, lit: int) -> None:
    row = bar(permille, 100, 10).crop((2, 5, 98, 6))
    assert [row.getpixel((column, 0)) for column in range(96)] == [LIT] * lit + [DARK] * (96 - lit)
