"""The pictures of docs/architecture.md show the packages, imports and phases that exist."""

import re
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import clock
import gammonclock
import gpiozero_gpiod
import hardware
import hardware.face
import room as watching
from lab.docs.generate_state_diagram import with_diagram
from lab.support.paths import ROOT

PAGE = (ROOT / "docs" / "architecture.md").read_text("utf-8")
PICTURE = PAGE.split("```mermaid")[1].split("```")[0]
NAMES = dict(re.findall(r'(\w+)\["([\w.]+)<br>', PICTURE))  # node -> package
ARROWS = {
    (NAMES[start], NAMES[end])
    for start, end in re.findall(r"^ *(\w+)(?:\[[^\]]*\])? --> (\w+)", PICTURE, re.MULTILINE)
}
ENTRY = {"clock.__init__", "hardware.__init__"}
PRIMITIVES = {  # used everywhere in clock or in hardware
    *("clock.extras", "clock.files", "clock.text", "clock.units"),
    *("hardware.latch", "hardware.units", "hardware.wakeup"),
}
# Found in the text, as parsing every module takes seconds.
IMPORT = re.compile(
    r"^ *from ((?:clock|gpiozero_gpiod|hardware|room)\.[\w.]+) import", re.MULTILINE
)
DEFINITION = re.compile(r"^(class|(?:async )?def) (\w+)", re.MULTILINE)


def room(module: str) -> str:
    """Return the package of a module: its first name, or two in clock and hardware."""
    return ".".join(module.split(".")[: 2 if module.startswith(("clock.", "hardware.")) else 1])


def modules() -> Iterator[tuple[str, Path]]:
    """Yield each module of the product with its file."""
    for package in (clock, gammonclock, gpiozero_gpiod, hardware, watching):
        root = Path(package.__path__[0])
        for path in root.rglob("*.py"):
            yield ".".join((root.name, *path.relative_to(root).with_suffix("").parts)), path


def imports() -> set[tuple[str, str]]:
    """Return the imports between packages: (importer, imported)."""
    return {
        (room(module), room(imported))
        for module, path in modules()
        for imported in IMPORT.findall(path.read_text("utf-8"))
    }


def reachable(start: str) -> set[str]:
    """Return the packages to which arrows lead from a package."""
    found = {start}
    while more := {end for begin, end in ARROWS if begin in found} - found:
        found |= more
    return found


def test_every_package_is_in_the_picture() -> None:
    packages = {room(module) for module, _ in modules()}
    assert set(NAMES.values()) == packages - ENTRY - PRIMITIVES


def test_every_import_follows_the_arrows() -> None:
    wrong = {
        (start, end)
        for start, end in imports()
        if not {start, end} & (ENTRY | PRIMITIVES) and end not in reachable(start)
    }
    assert wrong == set()


def test_no_name_stands_for_two_things() -> None:
    """No class has the name of another one in its package, nor anything public in the room."""
    classes, public = defaultdict[tuple[str, str], set[str]](set), defaultdict[str, set[str]](set)
    for module, path in modules():
        for kind, name in DEFINITION.findall(path.read_text("utf-8")):
            if kind == "class" and not name.startswith("_"):
                classes[module.rpartition(".")[0], name].add(module)
            if module.startswith("room.") and not name.startswith(("_", "main")):
                public[name].add(module)
    assert [found for found in (*classes.values(), *public.values()) if len(found) > 1] == []


def test_the_state_diagram_is_that_of_the_table() -> None:
    """The diagram is what `make docs` would write."""
    assert with_diagram(PAGE) == PAGE
