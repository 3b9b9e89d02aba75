"""Plungers, panels and log lines: what they look like, and what the mouse does to them.

After a change that is meant: `NEW_PICTURES=1 pytest tests/hardware/terminal/test_widgets.py` writes
the panels anew; look at those that changed.
"""

import os
from collections.abc import Callable
from pathlib import Path
from textwrap import dedent

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from PIL import Image, ImageChops
from textual.pilot import Pilot
from textual.widgets import Log

from hardware.display.layout import arrange, draw
from hardware.display.widgets import HEIGHT, LIT, WIDTH
from hardware.face import Face
from hardware.terminal.app import Terminal
from hardware.terminal.widgets import (
    DOTS,
    HALVES,
    QUARTERS,
    Cells,
    Line,
    Plunger,
    characters,
    condensed,
    exact,
)
from lab.support.terminal import Moves, becomes, play, tap


def test_a_tapped_plunger_looks_pressed_for_a_moment(monkeypatch: pytest.MonkeyPatch) -> None:
    """A timer ends that; a second tap starts the timer again."""
    timers: list[Callable[[], None]] = []
    stopped: list[bool] = []

    class Waiting:
        def stop(self) -> None:
            stopped.append(True)

    def set_timer(_plunger: Plunger, delay: float, callback: Callable[[], None]) -> Waiting:
        assert 0 < delay < 1
        timers.append(callback)
        return Waiting()

    async def story(app: Terminal, pilot: Pilot[None], moves: Moves) -> None:
        await pilot.press("a", "a")
        plunger = app.query_one("#left", Plunger)
        await becomes(lambda: (len(timers), stopped), (2, [True]))
        assert plunger.has_class("-down")
        timers[-1]()
        assert not plunger.has_class("-down")

    monkeypatch.setattr(Plunger, "set_timer", set_timer)
    play(story)


@pytest.mark.parametrize("button", ["left", "centre", "right"])
def test_the_mouse_holds_a_button(button: str) -> None:
    async def story(app: Terminal, pilot: Pilot[None], moves: Moves) -> None:
        plunger = app.query_one(f"#{button}", Plunger)
        await pilot.mouse_down(f"#{button}")
        await becomes(lambda: (moves, plunger.has_class("-down")), ([(button, True)], True))
        await pilot.hover(Log)
        assert app.screen.selections == {}  # which ctrl+c would copy
        await pilot.mouse_up(Log)
        await becomes(lambda: (moves, plunger.has_class("-down")), (tap(button), False))
        assert app.mouse_captured is None

    play(story)


def test_the_other_mouse_buttons_do_nothing() -> None:
    async def story(app: Terminal, pilot: Pilot[None], moves: Moves) -> None:
        await pilot.click("#left", button=3)
        assert moves == []

    play(story)


def test_the_log_shows_its_last_lines_after_the_window_has_shrunk() -> None:
    """At once: they do not roll by."""
    seen = set[str]()

    async def story(app: Terminal, pilot: Pilot[None], moves: Moves) -> None:
        def last() -> str:
            text = log.render_line(log.size.height - 1).text.strip()
            seen.add(text)
            return text

        log = app.query_one(Log)
        for number in range(20):
            app.log_line(f"line {number}")
        await becomes(last, "")  # there is more room than lines
        seen.clear()
        await pilot.resize_terminal(80, 24)
        await becomes(last, "line 19")
        assert seen <= {"", "line 5", "line 19"}
        app.log_line("line 20")
        await becomes(last, "line 20")

    play(story, (120, 60))


def label(app: Terminal, button: str) -> str:
    """Return the text on a plunger."""
    return str(app.query_one(f"#{button}", Plunger).render())


def test_a_lamp_is_shown_on_its_plunger_lit_or_dark() -> None:
    """Only where the clock has one; a held plunger still shows it."""

    async def story(app: Terminal, _pilot: Pilot[None], _moves: Moves) -> None:
        app.light({"left": True, "right": False})
        await becomes(lambda: label(app, "left"), "● LEFT  a ←")
        assert label(app, "right") == "○ RIGHT  l →"
        assert label(app, "centre") == "CENTRE  space ↓  hold h"
        app.query_one("#left", Plunger).down = True
        await becomes(lambda: label(app, "left"), "● held")
        app.light({"left": False, "right": True})
        await becomes(lambda: label(app, "right"), "● RIGHT  l →")
        assert label(app, "left") == "○ held"

    play(story)


COLUMNS, ROWS = 38, 12  # of a panel in a terminal of 80x24

SEVEN = """\
███████████
██▛▀▀▀▀▜██▀
      ▗██▛
      ███▘
     ███▘
    ▟██▘
   ▗██▛
  ▗██▛"""

TEXTS = st.text(st.characters(codec="latin-1", categories=("L", "N", "P", "Zs")), max_size=30)
TIMES = st.one_of(st.sampled_from(["21:37", "1:05:00", "9.4", "0:00", "", "--:--"]), TEXTS)
ANY_FACE = st.builds(
    Face,
    reserve=TIMES,
    running=st.booleans(),
    delay=st.sampled_from(["", "0", "9", "12"]),
    delay_permille=st.integers(0, 1000),
    delay_note=TEXTS,
    status=TEXTS,
    score=TEXTS,
    flag=TEXTS,
    warnings=st.lists(TEXTS, max_size=3).map(tuple),
    lines=st.lists(TEXTS, max_size=25).map(tuple),
    selected=st.none() | st.integers(0, 24),
    keys=st.tuples(TEXTS, TEXTS, TEXTS),
    fingerprint=TEXTS,
    other_reserve=TIMES,
)


def texts(lines: list[Line]) -> list[str]:
    return ["".join(run.text for run in line) for line in lines]


def lit(lines: list[Line]) -> list[bool]:
    return [line[0].lit for line in lines]


@given(ANY_FACE, st.integers(0, 64), st.integers(0, 20))
@example(Face(reserve="21:37"), 1, 9)
def test_a_face_fills_its_space(face: Face, columns: int, rows: int) -> None:
    """It has as many lines and columns as asked for, whatever it shows."""
    lines = texts(condensed(face, columns, rows))
    assert len(lines) == rows
    if columns:
        assert {len(line) for line in lines} <= {columns}


def test_a_clock_has_figures_between_two_lines() -> None:
    """Status and score are on top, then eight rows of figures, then the delay."""
    face = Face(
        reserve="21:37", delay="9", delay_permille=572, status="Delay", score="3-5/11",
        delay_note="WAIT",
    )  # fmt: skip
    top, *figures, alarm, delay = texts(condensed(face, COLUMNS, ROWS))
    assert top == " Delay                         3-5/11 "
    assert [bool(line.strip()) for line in figures] == [True] * 8 + [False]
    assert not alarm.strip()
    assert delay == "  9 ▆▆▆▆▆▆▆▆▆▆▆▆▆▆▆▆▆▁▁▁▁▁▁▁▁▁▁▁ WAIT "


def test_figures_are_legible() -> None:
    """A 7 has its shape, as wide and as high as the space allows."""
    lines = texts(condensed(Face(reserve="7"), COLUMNS, ROWS))[1:9]
    assert dedent("\n".join(map(str.rstrip, lines))) == SEVEN


def test_hours_are_as_high_as_minutes() -> None:
    """And higher on a wider panel."""
    for columns, high in ((COLUMNS, 8), (64, 14)):
        for reserve in ("21:37", "1:05:00"):
            figures = texts(condensed(Face(reserve=reserve), columns, 24))[1:-2]
            assert sum(bool(line.strip()) for line in figures) == high


def test_a_running_side_is_inverted() -> None:
    running = Face(reserve="0:00", running=True, flag="FLAG 2")
    assert lit(condensed(running, COLUMNS, ROWS)) == [True] * 10 + [False, True]


def test_all_alarms_are_shown() -> None:
    face = Face(reserve="9:59", flag="FLAG 1", warnings=("LOG NOT SAVED", "LOW"))
    lines = condensed(face, COLUMNS, ROWS)
    assert texts(lines)[10].strip() == "FLAG 1  ! LOG NOT SAVED  ! LOW"
    assert lines[10][0].lit


def test_the_other_reserve_is_shown_without_a_delay() -> None:
    face = Face(reserve="9:59", delay_note="NO DELAY", other_reserve="1:05:00")
    assert texts(condensed(face, COLUMNS, ROWS))[-1] == " NO DELAY                     1:05:00 "


def test_a_short_page_has_figures() -> None:
    """Below are its lines of text, and the keys' legends under a rule."""
    face = Face(
        reserve="13:02", status="Stopped", lines=("Director", "go on"), keys=("<", "DO", ">")
    )
    lines = texts(condensed(face, COLUMNS, ROWS))
    assert lines[0].split() == ["Stopped"]
    assert all(line.strip() for line in lines[1:6])
    assert [line.strip() for line in lines[6:11]] == ["Director", "go on", "", "", "─" * COLUMNS]
    assert lines[11] == "<                 DO                 >"


@pytest.mark.parametrize("rows", [11, 12, 16, 22])
def test_figures_are_as_high_on_every_page_of_up_to_four_lines(rows: int) -> None:
    """Nothing jumps when the director goes from one item of the menu to the next."""

    def page(count: int) -> list[str]:
        lines = tuple(f"line {number}" for number in range(count))
        return texts(condensed(Face(reserve="13:02", lines=lines), COLUMNS, rows))

    four, height = page(4), min(rows - 7, 8)
    assert all(line.strip() for line in four[1 : 1 + height])
    assert four[1 + height].strip() == "line 0"
    for count in (1, 2, 3):
        assert page(count)[: 2 + height] == four[: 2 + height]


def test_the_loser_is_not_called_by_the_name_of_the_winner() -> None:
    """The lines say who won; the name is for the page of the QR code, which a terminal has not."""
    face = Face(reserve="", name="Zaphod", result=("WINS",), status="Match over", lines=("x",))
    assert texts(condensed(face, COLUMNS, ROWS))[0].split() == ["Match", "over"]


@pytest.mark.rule("R103")
def test_a_page_has_the_name_of_the_player() -> None:
    face = Face(reserve="13:02", name="Zaphod", status="Match over", lines=("x",))
    assert texts(condensed(face, COLUMNS, ROWS))[0].split() == ["Zaphod", "Match", "over"]


def test_a_page_has_the_fingerprint_of_the_log_over_the_legends() -> None:
    """In the rule, so that it takes no line; a narrow terminal shows what it can."""
    face = Face(reserve="13:02", lines=("x",), keys=("", "GO", ""), fingerprint="7KQ2-M9XT-4WDA")
    assert texts(condensed(face, COLUMNS, ROWS))[-2] == "─" * 11 + " 7KQ2-M9XT-4WDA " + "─" * 11
    assert texts(condensed(face, 10, ROWS))[-2] == " 7KQ2-M9X…"


@pytest.mark.parametrize("rows", [4, 5, ROWS])
def test_a_page_shows_as_many_lines_as_it_can_around_the_selected_one(rows: int) -> None:
    """That one alone is lit; without one they begin with the first."""
    for count in (1, rows - 3, rows - 2, 21):
        items = tuple(f"item {number}" for number in range(count))
        for selected in (None, *range(count)):
            face = Face(reserve="13:02", status="Director", lines=items, selected=selected)
            lines = condensed(face, COLUMNS, rows)
            if count > rows - 3:
                assert texts(lines)[0].split() == ["13:02", "Director"]
            seen = [text.strip() for text in texts(lines) if "item" in text]
            first = items.index(seen[0])
            assert seen == [*items[first : first + rows - 3]]
            assert len(seen) == min(count, rows - 3)
            marked = [run.text.strip() for line in lines for run in line if run.lit]
            assert marked == ([] if selected is None else [items[selected]])
            assert selected is not None or first == 0


def test_long_texts_are_shortened() -> None:
    """They end in an ellipsis; the score stays whole."""
    face = Face(reserve="9:59", status="x" * 50, score="10-9/11 C")
    assert texts(condensed(face, 20, ROWS))[0] == " xxxxxxx… 10-9/11 C "
    assert texts(condensed(face, 8, ROWS))[0] == "  10-9/…"


FACES = {
    "running": Face(reserve="21:37", running=True, delay="9", delay_permille=750, status="Delay"),
    "no delay": Face(reserve="20:48", delay="0", delay_note="NO DELAY", score="3-5/11"),
    "other reserve": Face(reserve="20:48", other_reserve="2:12", delay_note="NO DELAY"),
    "code": Face(reserve="", lines=("WINS",), qr="GC2:7KQ2", result=("WINS", "7-3")),
    "flagged": Face(reserve="0:00", flag="FLAG 1", delay="12", delay_permille=1000),
    "flagged, running": Face(reserve="0:00", running=True, flag="FLAG 1", warnings=("LOG LOST",)),
    "menu": Face(
        reserve="1:05:00", status="Director", lines=("a", "b", "c", "d", "e"), selected=1,
        keys=("<", "OK", ">"),
    ),
    "long menu": Face(
        reserve="13:02", name="Zaphod", lines=tuple("abcdefghijklmnop"), selected=9,
        keys=("no", "a long legend of a key", "yes"), fingerprint="7KQ2-M9XT-4WDA",
    ),
    "last item": Face(reserve="13:02", lines=tuple("abcdefghijklmnop"), selected=15),
    "no time": Face(reserve="", lines=("a",), keys=("", "OK", "")),
    "dark": Face(reserve="", delay="0", delay_permille=1),
}  # fmt: skip
GOLDEN = Path(__file__).parents[2] / "pictures" / "terminal.txt"
PANELS = ((38, 12), (9, 10))  # columns and rows


def marked(lines: list[Line]) -> str:
    """Return lines as text, what is lit between braces."""
    return "".join(
        "".join(f"{{{run.text}}}" if run.lit else run.text for run in line).rstrip() + "\n"
        for line in lines
    )


def test_golden_pictures() -> None:
    """Each face on a panel of each size, and some with lit plates pixel by pixel."""
    seen = ""
    for name, face in FACES.items():
        for columns, rows in PANELS:
            seen += f"--- {name}, {columns}x{rows}\n{marked(condensed(face, columns, rows))}"
        if name in ("flagged", "flagged, running", "menu", "long menu"):
            seen += f"--- {name}, pixels\n{marked(exact(face, DOTS))}"
    if os.environ.get("NEW_PICTURES"):
        GOLDEN.write_text(seen, "utf-8")
    assert seen == GOLDEN.read_text("utf-8")


def pixels_of(lines: list[Line], cells: Cells) -> Image.Image:
    """Return the lit pixels, read back from the characters and their grounds."""
    picture = Image.new("1", (WIDTH, HEIGHT))
    for row, line in enumerate(lines):
        glyphs = [(glyph, run.lit) for run in line for glyph in run.text]
        for column, (glyph, lit) in enumerate(glyphs):
            for bit in range(cells.columns * cells.rows):
                y, x = divmod(bit, cells.columns)
                at = column * cells.columns + x, row * cells.rows + y
                picture.putpixel(at, LIT * ((cells.glyphs.index(glyph) >> bit & 1) ^ lit))
    return picture


@pytest.mark.parametrize("cells", [HALVES, QUARTERS, DOTS], ids=["halves", "quarters", "dots"])
@pytest.mark.parametrize("name", FACES)
def test_every_pixel_is_there(name: str, cells: Cells) -> None:
    lines = exact(FACES[name], cells)
    assert ImageChops.difference(pixels_of(lines, cells), draw(FACES[name])).getbbox() is None
    assert len({*cells.glyphs}) == len(cells.glyphs) == 1 << cells.columns * cells.rows


@given(st.binary(min_size=8, max_size=8))
def test_dots_stand_where_the_pixels_are(rows: bytes) -> None:
    """Unicode counts the dots 1 2 3 7 down the left, 4 5 6 8 down the right."""
    picture = Image.frombytes("1", (2, 4), bytes(row & 0xC0 for row in rows[:4]))
    [glyph] = characters(picture, DOTS)
    order = ((0, 0), (0, 1), (0, 2), (1, 0), (1, 1), (1, 2), (0, 3), (1, 3))
    dots = sum(1 << dot for dot, place in enumerate(order) if picture.getpixel(place))
    assert glyph == (chr(0x2800 + dots) if dots else " ")


def test_half_blocks_are_two_pixels() -> None:
    picture = Image.frombytes("1", (4, 2), bytes([0b10100000, 0b01100000]))
    assert characters(picture, HALVES) == ["▀▄█ "]


@pytest.mark.parametrize("cells", [HALVES, DOTS], ids=["halves", "dots"])
def test_text_in_a_lit_box_is_dark_on_solid_light(cells: Cells) -> None:
    """And all that is not in one, on the panel of a running side; a bar stays dots."""
    for name, face in FACES.items():
        boxes = {"flag", "note", "qr", f"line {face.selected}"}
        inside = Image.new("1", (WIDTH, HEIGHT))
        for widget in arrange(face):
            if widget.name in boxes:
                inside.paste(LIT, widget.box)
        for row, line in enumerate(exact(face, cells)):
            for column, lit in enumerate(run.lit for run in line for _ in run.text):
                x, y = column * cells.columns, row * cells.rows
                cell = inside.crop((x, y, x + cells.columns, y + cells.rows))
                in_box = cell.getextrema() == (LIT, LIT)
                assert lit is (in_box is not face.running), (name, row, column)
