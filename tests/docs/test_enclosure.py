"""The drawing of the enclosure: up to date, and its plates fit each other and what they hold."""

from math import hypot

import pytest

from tools.docs.generate_enclosure import DRAWING, Box, drawing, plates

BOXES = [Box(), Box(sheet=4, width=210, module=(72, 43), window_at=50)]


def test_the_drawing_is_up_to_date() -> None:
    """The file is what `make docs` would write."""
    assert DRAWING.read_text(encoding="utf-8") == drawing(Box())


@pytest.mark.parametrize("box", BOXES)
def test_the_plates_make_a_box(box: Box) -> None:
    """Its width and height are the ones that were asked for, and the front fills its gap."""
    front, top, back, bottom, left, right = plates(box)
    assert left.outline == right.outline
    assert top.size == (box.width, box.top_depth)
    between_sides = box.width - 2 * box.sheet
    assert {plate.size[0] for plate in (front, back, bottom)} == {between_sides}
    assert back.size[1] + box.sheet == left.size[1] + box.sheet == box.height
    assert bottom.size[1] + box.sheet == left.size[0] == box.depth
    (x, y), (to_x, to_y) = left.outline[2:4]
    assert front.size[1] == pytest.approx(hypot(x - to_x, y - to_y))


@pytest.mark.parametrize("box", BOXES)
def test_everything_fits_on_its_plate(box: Box) -> None:
    """Panels stand beside each other, buttons too, and each cut-out leaves an edge of 3 mm."""
    front, top, *others = plates(box)
    wide, high = box.module
    middles = [left + width / 2 for left, _, width, _ in front.windows]
    assert middles[1] - middles[0] > wide
    assert middles[0] > wide / 2 + 3
    assert front.size[1] > high + 6
    for plate in (top, *others):
        width, height = plate.size
        for x, y, diameter in plate.holes:
            assert diameter / 2 + 3 <= min(x, y, width - x, height - y)
    left, right, centre = sorted(top.holes, key=lambda hole: hole[2], reverse=True)
    assert min(abs(each[0] - centre[0]) for each in (left, right)) > (left[2] + centre[2]) / 2 + 10
