"""The drawings and the table of the wiring: the pins of the header, and those of the settings."""

import re
from html import unescape
from itertools import pairwise

import pytest

from clock.config.schema import DisplayTable, PinsTable
from lab.support.paths import ROOT

DOCS = ROOT / "docs"
TABLE = (
    (DOCS / "hardware.md").read_text("utf-8").partition("| signal | BCM |")[2].partition("\n\n")[0]
)
HEADER = {  # pin -> BCM number, on every Raspberry Pi with 40 pins
    3: 2, 5: 3, 7: 4, 8: 14, 10: 15, 11: 17, 12: 18, 13: 27, 15: 22, 16: 23, 18: 24, 19: 10, 21: 9,
    22: 25, 23: 11, 24: 8, 26: 7, 29: 5, 31: 6, 32: 12, 33: 13, 35: 19, 36: 16, 37: 26, 38: 20,
    40: 21,
}  # fmt: skip
SUPPLY = {"3V3": {1, 17}, "GND": {6, 9, 14, 20, 25, 30, 34, 39}}


def pins(drawing: str) -> dict[int, str]:
    """Return what a drawing writes beside the pins of the header."""
    texts = re.findall(r">([^<>]+)</text>", (DOCS / drawing).read_text("utf-8"))
    return {
        int(pin): unescape(label)
        for pin, label in pairwise(texts)
        if pin.isdigit() and not label.isdigit()
    }


@pytest.mark.parametrize("drawing", ["wiring.svg", "wiring-spi.svg"])
def test_each_pin_has_its_name(drawing: str) -> None:
    """GPIO17 is pin 11, and so on; supply and ground are where the header has them."""
    for pin, label in pins(drawing).items():
        name = label.split()[0]
        if name.startswith("GPIO"):
            assert HEADER[pin] == int(name[4:]), label
        elif name in SUPPLY:
            assert pin in SUPPLY[name], label


@pytest.mark.parametrize("drawing", ["wiring.svg", "wiring-spi.svg"])
def test_both_pins_of_5_v_are_marked(drawing: str) -> None:
    marked = r'fill="(#\w+)"/>\n<text [^>]*>(\d+)</text>'
    found = re.findall(marked, (DOCS / drawing).read_text("utf-8"))
    colours = {int(pin): colour for colour, pin in found}
    alike = {pin for pin, colour in colours.items() if colour == colours[2]}
    assert alike == {2, 4}


def test_the_pins_are_those_of_the_settings() -> None:
    buttons, display = PinsTable(), DisplayTable(interface="spi")
    assert {buttons.left, buttons.right, buttons.centre} <= numbers("wiring.svg")
    assert {display.dc_pin, display.reset} <= numbers("wiring-spi.svg")
    rows = [line.split("|")[2:4] for line in TABLE.splitlines()[2:]]
    named = [
        (re.findall(r"\b\d+", bcm), re.findall(r"\d+", pin)) for bcm, pin in rows if bcm.strip()
    ]
    assert len(named) >= 6
    for bcm, header in named:
        assert [HEADER[int(pin)] for pin in header] == [int(each) for each in bcm]


def numbers(drawing: str) -> set[int]:
    """Return the BCM numbers that a drawing names."""
    return {HEADER[pin] for pin, label in pins(drawing).items() if label.startswith("GPIO")}
