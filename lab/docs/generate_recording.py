"""Write the recording of the terminal clock in the README, an animated SVG; a test compares it.

A script is played in virtual time, and the terminal's screen is taken at some instants. Textual
exports a screen as SVG; its block characters look right in few fonts, so they are drawn here.
"""

import asyncio
import re
from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import NamedTuple
from xml.etree import ElementTree as ET
from xml.sax.saxutils import escape

from textual.widgets import Log

from clock.apps.playback import Disk, NullPanels
from clock.apps.script import parse
from clock.eventlog.codec import decode
from clock.match.types import Pair
from clock.runtime.loop import UiOptions
from clock.ui.descriptions import log_line
from clock.ui.i18n import sayer
from clock.units import SECOND_NS
from clock.virtual import VirtualButtons, VirtualTime
from hardware.face import Face
from hardware.terminal.app import Terminal
from hardware.terminal.widgets import BRAILLE_BITS, QUARTERS, Panel
from lab.support.loops import make_loop
from lab.support.paths import ROOT
from lab.support.world import match_settings

RECORDING = ROOT / "docs" / "terminal.svg"
SIZE = COLUMNS, LINES = 132, 29
STATUS = "log: ~/.local/state/gammonclock/current.jsonl"
SCRIPT = """\
5  press left
4  press right
2  press centre
9  press right
31 press left
38 press right
24 press left
33 press right
21 press left
16 press centre
3  press right
3  press centre
5  wait
"""
TAKEN_S = (147, 150, 158, 163, 166, 167.5, 173, 179, 182.5, 185.5, 188.5)
FRAME_S = 1.5  # how long each is shown

RICH_CELL = 12.2, 24.4  # pixels in a character of Textual's export, across and down
BASELINE = 20  # pixels from the top of a line to its baseline
SVG = "{http://www.w3.org/2000/svg}"

WIDE, HIGH = 2, 4  # units in a character here: a dot of a Braille pattern is one unit square
FONT_SIZE = 3.28  # units, for letters 2 units wide
LETTERS_DOWN = 3.1  # units from the top of a line to its baseline
EIGHTHS = {"▔": 0.0, "▁": 3.5}  # half a unit high: their tops


class Moment(NamedTuple):
    """What the clock shows at an instant."""

    at_ns: int
    faces: Pair[Face]
    lines: tuple[str, ...]


class Run(NamedTuple):
    """Characters of one style in a line, or the ground behind some."""

    column: int
    colour: str
    text: str  # of a ground "█" for each character
    style: str = ""


Screen = list[list[Run]]  # the runs of each line


# --- the match ------------------------------------------------------------------------------------


def moments() -> list[Moment]:
    """Play the script; return what the clock shows at each instant that is taken."""
    settings, say = match_settings(score=(3, 5)), sayer("en")
    time, null, lines = VirtualTime(), NullPanels(settings), list[str]()
    disk = Disk(lambda line: lines.append(log_line(decode(line[:-1], 0), say)))
    [segment] = parse(SCRIPT, "recording")
    buttons = VirtualButtons(time, segment.moves, segment.end_ns)
    runtime = make_loop(time, buttons, null, disk, UiOptions(say, "0"))
    shown: list[Moment] = []
    while not buttons.done:
        runtime.turn()
        if null.faces is not None:
            shown.append(Moment(time.ns, null.faces, tuple(lines)))
    return [
        max((each for each in shown if each.at_ns <= at_s * SECOND_NS), key=lambda each: each.at_ns)
        for at_s in TAKEN_S
    ]


async def exported(taken: Sequence[Moment]) -> list[str]:
    """Return the terminal's screen at each moment, as Textual exports it."""
    terminal, screens, logged = Terminal(lambda *_: None), list[str](), 0
    async with terminal.run_test(size=SIZE) as pilot:
        await pilot.pause()
        terminal.status(STATUS)
        for moment in taken:
            terminal.show(moment.faces)
            for line in moment.lines[logged:]:
                terminal.log_line(line)
            logged = len(moment.lines)
            while not _is_shown(terminal, moment):  # noqa: ASYNC110 (nothing sets an event for it)
                await asyncio.sleep(0)
            screens.append(terminal.export_screenshot(simplify=True))
    return screens


def _is_shown(terminal: Terminal, moment: Moment) -> bool:
    log, panels = terminal.query_one(Log), list(terminal.query(Panel))
    return (
        [panel.face for panel in panels] == list(moment.faces)
        and [panel.size.height for panel in panels] == [16, 16]
        and log.line_count == len(moment.lines)
        and log.scroll_y == log.max_scroll_y
    )


# --- reading an exported screen -------------------------------------------------------------------


def read_screen(picture: str) -> Screen:
    """Return the grounds and texts of a screen, line by line."""
    fills = dict(re.findall(r"-(r\d+) \{ fill: ([^}]*?) ?\}", picture))
    screen: Screen = [[] for _ in range(LINES)]
    groups = ET.fromstring(picture).iter(f"{SVG}g")  # noqa: S314 (Textual has just made it)
    [cells] = [group for group in groups if "clip-path" in group.attrib]
    for rect in cells.iter(f"{SVG}rect"):
        ground = Run(_columns(rect, "x"), rect.attrib["fill"], "█" * _columns(rect, "width"))
        screen[int(float(rect.attrib["y"]) / RICH_CELL[1])].append(ground)
    for text in cells.iter(f"{SVG}text"):
        colour, _, style = fills[text.attrib["class"].rpartition("-")[2]].partition(";")
        line = round((float(text.attrib["y"]) - BASELINE) / RICH_CELL[1])
        letters = (text.text or "").replace("\N{NO-BREAK SPACE}", " ")
        screen[line].append(Run(_columns(text, "x"), colour, letters, style))
    return screen


def _columns(element: ET.Element, name: str) -> int:
    return round(float(element.attrib[name]) / RICH_CELL[0])


# --- drawing --------------------------------------------------------------------------------------


def _pieces(run: Run, top: int) -> Iterator[str]:
    """Yield a run's letters as texts, its block characters as paths."""
    paths: dict[str, list[str]] = {}
    letters = enumerate(run.text, run.column)
    for (kind, _), group in groupby(letters, key=lambda each: _kind(each[1])):
        places = list(group)
        left, text = places[0][0] * WIDE, "".join(letter for _, letter in places)
        if kind == "letters":
            yield _text(run, left, top, text)
        elif kind:
            paths.setdefault(kind, []).append(_path(text, left, top))
    for kind, drawn in paths.items():
        yield f'<path class="{kind}" stroke="{run.colour}" d="{"".join(drawn)}"/>'


def _kind(letter: str) -> tuple[str, str]:
    """Return how a character is drawn, and what its neighbours must share to be drawn with it."""
    if letter == " ":
        return "", ""
    if letter in EIGHTHS:
        return "eighths", letter
    if letter in QUARTERS.glyphs:
        return "blocks", ""
    return ("dots", "") if "\u2800" < letter <= "\u28ff" else ("letters", "")


def _text(run: Run, left: int, top: int, text: str) -> str:
    """Return letters, as wide as in a terminal whatever the font."""
    style = f' style="{run.style}"' if run.style else ""
    place = f'x="{left}" y="{top + LETTERS_DOWN:g}" textLength="{len(text) * WIDE}"'
    return f'<text fill="{run.colour}"{style} {place}>{escape(text)}</text>'


def _path(text: str, left: int, top: int) -> str:
    """Return block characters as lines across: one of each row of pixels, or of each half."""
    if text[0] in EIGHTHS:
        return f"M{left} {top + EIGHTHS[text[0]] + 0.25:g}h{len(text) * WIDE}"
    braille = text[0] not in QUARTERS.glyphs
    rows = range(HIGH) if braille else range(2)
    path = ""
    for row in rows:
        middle = top + row + 0.5 if braille else top + 2 * row + 1
        lit = [_is_lit(letter, column, row) for letter in text for column in range(WIDE)]
        at = 0
        for is_lit, group in groupby(lit):
            width = len(list(group))
            path += f"M{left + at} {middle:g}h{width}" * is_lit
            at += width
    return path


def _is_lit(letter: str, column: int, row: int) -> bool:
    """Return whether a pixel of a Braille pattern or a quarter block is lit."""
    at = row * WIDE + column
    if letter in QUARTERS.glyphs:
        return bool(QUARTERS.glyphs.index(letter) >> at & 1)
    return bool((ord(letter) - 0x2800) >> BRAILLE_BITS[at] & 1)


# --- the animation --------------------------------------------------------------------------------


def recording() -> str:
    """Return the animated SVG; without animation it is its first frame."""
    frames = [read_screen(picture) for picture in asyncio.run(exported(moments()))]
    width, height = COLUMNS * WIDE, LINES * HIGH
    lines = "".join(_animated([frame[line] for frame in frames], line) for line in range(LINES))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}"'
        f' width="{4 * width}" height="{4 * height}">\n'
        "<title>The clock on a terminal: turns, a stop, its reason</title>\n"
        f"<style>text{{font:{FONT_SIZE}px monospace;white-space:pre}}path{{fill:none}}"
        ".dots{stroke-width:.84;stroke-dasharray:.84 .16;stroke-dashoffset:-.08}"
        ".blocks{stroke-width:2}.eighths{stroke-width:.5}</style>\n"
        f'<rect width="{width}" height="{height}" fill="#2b1b10"/>\n{lines}</svg>\n'
    )


def _animated(frames: Sequence[Sequence[Run]], line: int) -> str:
    """Return a line: the grounds, then what stands on them, each piece in its frames."""
    shown: dict[tuple[bool, str], list[bool]] = {}
    for number, runs in enumerate(frames):
        for run in runs:
            for piece in _pieces(run, line * HIGH):
                key = run.text.strip("█") != "", piece
                shown.setdefault(key, [False] * len(frames))[number] = True
    grouped: dict[tuple[bool, tuple[bool, ...]], str] = {}
    for (above, piece), seen in shown.items():
        key_of_group = above, tuple(seen)
        grouped[key_of_group] = grouped.get(key_of_group, "") + piece
    return "".join(_shown(grouped[each], each[1]) for each in sorted(grouped))


def _shown(picture: str, seen: Sequence[bool]) -> str:
    """Return a picture that is seen in some of the frames."""
    if all(seen):
        return f"{picture}\n"
    values = ["inline" if each else "none" for each in seen]
    return (
        f'<g display="{values[0]}"><animate attributeName="display" calcMode="discrete"'
        f' dur="{len(seen) * FRAME_S:g}s" repeatCount="indefinite" values="{";".join(values)}"/>'
        f"{picture}</g>\n"
    )


if __name__ == "__main__":
    RECORDING.write_text(recording(), encoding="utf-8")
    print(f"wrote {RECORDING.name}")
