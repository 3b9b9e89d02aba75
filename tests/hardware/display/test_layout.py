"""Pictures of the panels: golden ones, and what must hold for every face.

After an intended change, `NEW_PICTURES=1 pytest tests/hardware/display` saves the new pictures;
look at them before committing.
"""

import os
from collections.abc import Sequence
from itertools import combinations, product
from pathlib import Path
from random import Random

import msgspec
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from PIL import Image, ImageChops

from hardware.display.glyphs import font, width
from hardware.display.layout import FIRST_LINE, FLAG, WARNING, arrange, draw
from hardware.display.widgets import GAP, HEIGHT, PADDING, WIDTH, Widget
from hardware.face import Face
from lab.support.paths import PICTURES, ROOT

README_PICTURE = ROOT / "docs" / "panels.png"

CODE = "GC2:1WWBSMXEH4YAN0R3NXEYMVG3V4:137:11-7"
MENU = ("Approve settings", "Start a clock", "Set a time", "Add/take time", "Give time back",
        "Flag", "Overtime")  # fmt: skip

FACES = {
    "running-delay": Face(
        reserve="21:37", running=True, delay="9", delay_permille=750, status="Delay", score="3-5/11"
    ),
    "running-hour": Face(
        reserve="1:05:00", running=True, delay="12", delay_permille=1000, status="Delay",
        score="0-0/25",
    ),
    "waiting": Face(reserve="9:59", delay="12", delay_permille=1000, score="3-5/11"),
    "waiting-no-delay-norwegian": Face(
        reserve="20:48", delay="0", delay_note="INGEN TREKKTID", score="3-5/11"
    ),
    "overtime-flagged-warned": Face(
        reserve="10:00", delay="12", delay_permille=1000, score="9-9/11", flag="FLAG 1",
        warnings=("LOG NOT SAVED", "POWER LOW"),
    ),
    "warned-running": Face(
        reserve="21:37", running=True, delay="9", delay_permille=750, status="Tidsbank",
        score="3-5/11", warnings=("LOGG IKKE LAGRET",),
    ),
    "warned-twice-hour": Face(
        reserve="1:59:59", delay="12", delay_permille=1000, status="Turnierleiter",
        score="10-9/11 C", warnings=("SPANNUNG NIEDRIG", "SERIELL"),
    ),
    "both-on-one": Face(
        reserve="21:37", running=True, delay="9", delay_permille=750, status="Delay",
        score="3-5/11", warnings=("DISPLAY FAULT",), other_reserve="1:05:00",
    ),
    "both-on-one-waiting": Face(
        reserve="8:37", delay="12", delay_permille=1000, score="3-5/11", other_reserve="12:04"
    ),
    "stopped-flagged": Face(
        reserve="0:00", status="TURNIERLEITER!", score="9-9/11", flag="FLAGGE 1",
        lines=("Zeit ist abgelaufen", "TL: Mitte halten"), warnings=("LOG NICHT SICHER",),
    ),
    "menu-scrolled": Face(
        reserve="18:05", status="Director", score="7-3/17", lines=MENU, selected=3,
        keys=("<", "OK", ""), fingerprint="WMQ8-0MWM-DWQM",
    ),
    "menu-end-flagged-warned": Face(
        reserve="0:00", status="Turnierleiter", score="7-3/17", flag="FLAGGE 2",
        warnings=("TASTE DEFEKT",), lines=MENU, selected=6, keys=("<", "OK", ""),
    ),
    "fingerprint-two-lines": Face(
        reserve="1:08:04", status="Bereit", score="10-6/11 C", flag="FLAGGE 1",
        lines=("CRAWFORDSPIEL", "Niedriger Wurf drückt"), keys=("", "Pause", "→ Links"),
        warnings=("LOG NICHT SICHER",), fingerprint="7KHF-9MXT-4KSA",
    ),
    "fingerprint-three-lines": Face(
        reserve="8:04", status="Klar", score="4-5/7", flag="FLAG 1",
        lines=("Forsinket: 6:12", "TL gir 1 poeng", "Laveste kast trykker"),
        keys=("→ Høyre", "pause", ""), fingerprint="7KHF-9MXT-4KSA",
    ),
    "fingerprint-without-keys": Face(
        reserve="0:00", status="TURNIERLEITER!", score="9-9/11", flag="FLAGGE 1",
        lines=("Zeit ist abgelaufen", "TL: Mitte halten"), warnings=("LOG NICHT SICHER",),
        fingerprint="7KHF-9MXT-4KSA",
    ),
    "finished-warned": Face(
        reserve="1:08:04", status="Matchende", score="24-25/25", flag="FLAGGE 1",
        lines=("Rechts GEWINNT", "24-25 Gegner verspätet"), keys=("", "halten: TD", ""),
        warnings=("LOG NICHT SICHER",),
        fingerprint="WMQ8-0MWM-DWQM", qr=CODE, name="Christiansen",
        result=("Verspätung", "24-25"),
    ),
    "finished-alone": Face(
        reserve="1:08:04", status="Matchende", score="24-25/25",
        lines=("Rechts GEWINNT", "24-25 Gegner verspätet"), keys=("", "halten: TD", ""),
        warnings=("DISPLAY DEFEKT",), other_reserve="12:04",
        fingerprint="7KHF-9MXT-4KSA", qr=CODE, name="Christiansen",
        result=("Verspätung", "24-25"),
    ),
    "unknown-letters": Face(
        reserve="--:--", status="Łukasz 🎲 Šíp", score="?",
        lines=("a\tb", "日本", "naïve → Ångström …"),
    ),
}  # fmt: skip


MIXED: dict[str, Sequence[object]] = {
    "reserve": ("21:37", "1:05:00", "9.4", "0:00", ""),
    "running": (False, False, True),
    "delay": ("", "9", "12", "0"),
    "delay_permille": (0, 0, 1, 40, 1000),
    "delay_note": ("", "", "WAIT", "NO DELAY", "INGEN TREKKTID"),
    "turn": ("", "", "0:34", "1:02:34"),
    "status": ("", "Delay", "Opening roll", "TURNIERLEITER!", "Resume the adjourned match"),
    "name": ("", "", "Ford Prefect", "Zaphod Beeblebrox the First"),
    "short_names": ((), ("Zaphod B.", "ZB")),
    "score": ("", "3-5/11", "10-9/11 C"),
    "flag": ("", "", "FLAG 1", "FLAGGE 2"),
    "warnings": ((), (), ("SERIAL",), ("LOG NOT SAVED", "POWER LOW"), ("SPANNUNG NIEDRIG",) * 11),
    "lines": ((), (), ("Low roll presses",), ("CRAWFORD GAME", "Niedriger Wurf drückt"),
              ("Late: 6:12", "1 point", ""), ("", "Marvin", "12:04", ""), MENU),
    "selected": (None, None, 0, 2, 6),
    "keys": (("", "", ""), ("<", "OK", ""), ("→ Links", "halten: TD", "Zurück"), ("", "Pause", "")),
    "fingerprint": ("", "WMQ8-0MWM-DWQM"),
    "qr": ("", "", CODE),
    "result": (("opponent late", "24-25"), ("11-9",), ()),
    "other_reserve": ("", "", "12:04", "1:05:00"),
}  # fmt: skip


def mixed(count: int) -> list[Face]:
    """Return faces of which each field was chosen by itself."""
    pick = Random(1).choice
    return [
        msgspec.convert({name: pick(each) for name, each in MIXED.items()}, Face)
        for _ in range(count)
    ]


ANY_FACE = st.builds(
    Face,
    reserve=st.text() | st.from_regex(r"([1-9]:)?[0-9]{1,2}:[0-5][0-9]", fullmatch=True),
    running=st.booleans(),
    delay=st.text() | st.from_regex("[0-9]{1,3}", fullmatch=True),
    delay_permille=st.integers(),
    delay_note=st.text(),
    status=st.text(),
    name=st.text() | st.just(""),
    score=st.text(),
    flag=st.text(),
    warnings=st.lists(st.text()).map(tuple),
    lines=st.just(()) | st.lists(st.text()).map(tuple),
    selected=st.none() | st.integers(-2, 12),
    keys=st.just(("", "", "")) | st.tuples(st.text(), st.text(), st.text()),
    fingerprint=st.text() | st.just("") | st.just("WMQ8-0MWM-DWQM"),
    qr=st.just("") | st.just(CODE),
    result=st.lists(st.text()).map(tuple),
    other_reserve=st.text() | st.just("") | st.just("1:05:00"),
)


def keep_or_compare(picture: Image.Image, file: Path) -> None:
    """Save the picture as the golden one if NEW_PICTURES is set, else compare them."""
    if os.environ.get("NEW_PICTURES"):
        file.parent.mkdir(exist_ok=True)
        picture.save(file, optimize=True)
    with Image.open(file) as golden:
        changed = ImageChops.difference(picture.convert("RGB"), golden.convert("RGB")).getbbox()
    assert changed is None, (
        f"{file.name} has changed within {changed}. If this is intended: "
        "NEW_PICTURES=1 pytest tests/hardware/display, and look at the new picture"
    )


def readme_picture() -> Image.Image:
    """Return both panels of a game, enlarged, in a dark bezel."""
    scale, bezel = 4, 24
    case = Image.new("RGB", (2 * WIDTH * scale + 3 * bezel, HEIGHT * scale + 2 * bezel), "#17181a")
    for place, name in enumerate(("running-delay", "waiting")):
        light = Image.new("L", (WIDTH * scale, HEIGHT * scale))
        light.paste(draw(FACES[name]).resize(light.size, Image.Resampling.NEAREST))
        glass = Image.new("RGB", light.size, "#050403")
        glass.paste("#ffb53c", (0, 0), light)
        case.paste(glass, (bezel + place * (WIDTH * scale + bezel), bezel))
    return case


def widget(face: Face, name: str) -> Widget:
    """Return the widget of a face with this name."""
    return next(widget for widget in arrange(face) if widget.name == name)


def overlap(one: Widget, other: Widget) -> bool:
    """Return whether two widgets have a pixel in common."""
    left, top, right, bottom = one.box
    other_left, other_top, other_right, other_bottom = other.box
    beside = right <= other_left or other_right <= left
    return not (beside or bottom <= other_top or other_bottom <= top)


def test_golden_pictures() -> None:
    """Every face looks as it did when its picture was last approved: a row has ten of them."""
    faces = [*FACES.values(), *mixed(222)]
    sheet = Image.new("1", (10 * (WIDTH + 8), -(-len(faces) // 10) * (HEIGHT + 8)), 1)
    for number, face in enumerate(faces):
        row, column = divmod(number, 10)
        sheet.paste(draw(face), (column * (WIDTH + 8), row * (HEIGHT + 8)))
    keep_or_compare(sheet, PICTURES / "sheet.png")


def test_readme_shows_the_panels_as_they_are() -> None:
    keep_or_compare(readme_picture(), README_PICTURE)


@given(ANY_FACE)
@example(Face(reserve="", lines=("", "", ""), keys=("Turneringsleder",) * 3))
def test_widgets_never_overlap_nor_leave_the_panel(face: Face) -> None:
    drawn = arrange(face)
    for one in drawn:
        left, top, right, bottom = one.box
        assert 0 <= left < right <= WIDTH, one
        assert 0 <= top < bottom <= HEIGHT, one
    for one, other in combinations(drawn, 2):
        assert not overlap(one, other), (one, other)


@pytest.mark.parametrize("name", [name for name in FACES if FACES[name].running])
def test_running_inverts_every_pixel(name: str) -> None:
    """R51: the running side is seen from afar."""
    still = draw(msgspec.structs.replace(FACES[name], running=False))
    assert draw(FACES[name]).tobytes() == ImageChops.invert(still).tobytes()


@pytest.mark.parametrize(
    ("shape", "height"), [("0:00", 39), ("00:00", 39), ("0:00:00", 34), ("0.0", 39), ("00.0", 39)]
)
def test_digits_do_not_jump(shape: str, height: int) -> None:
    """All reserves of one shape stand in the same place in the same size."""
    boxes = {
        widget(Face(reserve=shape.replace("0", digit)), "reserve").box for digit in "0123456789"
    }
    assert len(boxes) == 1
    _, top, _, bottom = boxes.pop()
    assert bottom - top == height


def test_the_bar_does_not_jump() -> None:
    boxes = {
        widget(Face(reserve="0:01", delay=delay), "bar").box for delay in ("12", "10", "9", "0")
    }
    assert len(boxes) == 1


@pytest.mark.parametrize("shape", ["0:00", "00:00", "0:00:00", "0.0"])
def test_an_alarm_leaves_large_digits(shape: str) -> None:
    """With a flag and a warning the digits are still 12 mm high."""
    face = Face(reserve=shape, flag="FLAG 1", warnings=("LOG NOT SAVED",))
    assert widget(face, "reserve").picture.height == 28


@pytest.mark.parametrize(
    ("status", "score"),
    [
        ("Turneringsleder", "10-9/11 C"),
        ("Mehr, weniger?", "10-9/11 C"),
        ("TURNIERLEITER!", "9-9/11"),
        ("TURNIERLEITER!", "4-9/25"),
    ],
)
def test_realistic_texts_are_whole(status: str, score: str) -> None:
    face = Face(reserve="21:37", status=status, score=score)
    assert widget(face, "status").picture.width >= width("text", status)
    assert widget(face, "score").picture.width >= width("text", score)


@pytest.mark.parametrize("other", ["", "1:05:00"])
def test_a_status_takes_no_room_from_the_reserves_of_a_page(other: str) -> None:
    for length in range(40):
        face = Face(reserve="21:37", other_reserve=other, status="x" * length, lines=tuple("abc"))
        shown = {each.name: each.picture.width for each in arrange(face)}
        assert shown["reserve"] >= width("text", "21:37")
        assert shown.get("other_reserve", 0) == width("text", other)


def test_warnings_are_seen_beside_flag_and_delay() -> None:
    face = FACES["overtime-flagged-warned"]
    names = {widget.name for widget in arrange(face)}
    assert {"warning", "more", "flag", "delay", "bar", "score"} <= names
    page = Face(reserve="", status="Clock", lines=("a", "b", "c"), warnings=("SERIAL",))
    assert f"symbol {WARNING}" in {widget.name for widget in arrange(page)}


def test_no_text_is_cut_where_another_fits() -> None:
    """A name has the longest form that fits, and a warning its symbol only if both fit."""
    face, score = Face(reserve="0:00", score="3-5/11"), width("text", "3-5/11")
    for text in ("x" * wide + "i" * thin for wide in range(1, 24) for thin in range(5)):
        forms = [text[:end] for end in range(len(text), 0, -1)]
        named = msgspec.structs.replace(face, name=text, short_names=tuple(forms))
        fitting = next(form for form in forms if width("text", form) + GAP + score <= WIDTH)
        alone = widget(msgspec.structs.replace(face, name=fitting), "name")
        assert widget(named, "name").picture.tobytes() == alone.picture.tobytes()
        drawn = arrange(msgspec.structs.replace(face, warnings=(text,)))
        both = width("text", text) + GAP + width("text-bold", WARNING) <= WIDTH
        assert ("symbol of warning" in {each.name for each in drawn}) == both
    thorn = Face(
        reserve="0:00", name="Þ" + "x" * 20, lines=("x",)
    )  # highest in its first column alone
    assert widget(thorn, "name").picture.height == font("text").height


@pytest.mark.parametrize(
    ("own", "other"), [*product(("0:00", "12:34", "1:05:00", "-12:34", "12.3"), repeat=2)]
)
def test_what_stands_beside_the_other_reserve(own: str, other: str) -> None:
    """A flag is whole or a symbol; a word is bold, or the reserve takes at most a third."""
    for flag in ("FLAG 1", "FLAGG 1", "FLAGGE 1"):
        face = Face(reserve=own, other_reserve=other, flag=flag, lines=("a", "b"), keys=("<",) * 3,
                    warnings=("W",), fingerprint="H", score="3-5/11")  # fmt: skip
        free = widget(face, "other_reserve").left - widget(face, "reserve").box[2] - 2 * GAP
        is_whole = widget(face, "flag").picture.width > width("text-bold", FLAG) + 2 * PADDING
        assert is_whole == (width("text", flag) + 2 * PADDING <= free)
    for word in ("NO DELAY", "AWAIT DELAY", "WARTEN BIS 0", "UNTIMED TURN", "INGEN TREKKTID"):
        clock = Face(reserve=own, other_reserve=other, delay_note=word)
        if widget(clock, "note").picture.width < width("text-bold", word) + 2 * PADDING:
            assert widget(clock, "other_reserve").picture.width <= WIDTH // 3


def test_lines_begin_under_the_header() -> None:
    """Pages of three lines and more begin at the same height, so that scrolling is calm."""
    tops = {widget(Face(reserve="0:00", lines=("x",) * count), "line 0").top for count in (3, 4, 5)}
    assert tops == {FIRST_LINE}
    assert widget(Face(reserve="0:00", lines=("x",)), "reserve").top == 0  # with nothing above
