"""Each module of the product has its test at the mirrored path: `tests/x/test_y.py` for `x/y.py`.

The leading `clock/` is left out. A module without one stands below with the reason.
"""

from importlib import import_module
from pathlib import Path

from lab.support.paths import TESTS

PRODUCT = ("clock", "gammonclock", "gpiozero_gpiod", "hardware", "room")

WITHOUT = {
    "Declarations alone: what uses them is tested with their values": (
        "clock/eventlog/unfinished.py",
        "clock/match/events.py",
        "clock/match/faults.py",
        "clock/match/inputs.py",
        "clock/runtime/ports.py",
        "clock/units.py",
        "hardware/face.py",
        "hardware/units.py",
        "room/boards/effects.py",
        "room/lines/events.py",
    ),
    "Tested through other modules of clock so far": (
        "clock/extras.py",
        "clock/match/types.py",
        "clock/text.py",
    ),
    "Tested through other modules of room so far": (
        "room/boards/watched_place.py",
        "room/cards/private_files.py",
        "room/cards/toml_text.py",
        "room/hub/health.py",
        "room/boards/pairing_columns.py",
        "room/settings/hub.py",
        "room/settings/tables.py",
        "room/simulation/__main__.py",
        "room/sources/hall_client.py",
        "room/sources/hall_logs.py",
        "room/sources/log_names.py",
        "room/sources/raw_clock.py",
        "room/sources/tail.py",
        "room/hub/store/database.py",
        "room/hub/store/items.py",
        "room/hub/store/tables.py",
        "room/web/serve.py",
        "room/web/requests.py",
        "room/web/answers.py",
        "room/web/export.py",
        "room/web/middleware.py",
        "room/web/match_site.py",
        "room/web/page_files.py",
    ),
}

LONGEST = {"gammonclock": 200, "room": 280}  # lines of a module


def mirrored(module: str) -> str:
    """Return where the test of a module is, below `tests`."""
    folder, _, name = module.removeprefix("clock/").rpartition("/")
    return f"{folder}/test_{name}".lstrip("/")


def installed(package: str) -> Path:
    """Return where a package is: in the checkout, or where a wheel was installed."""
    return Path(import_module(package).__path__[0])


def test_each_module_has_its_test_or_a_reason() -> None:
    """And no reason stands for a module that has a test, or is gone."""
    modules = {
        str(path.relative_to(folder.parent))
        for folder in map(installed, PRODUCT)
        for path in folder.rglob("*.py")
        if path.name != "__init__.py"
    }
    missing = {module for module in modules if not (TESTS / mirrored(module)).exists()}
    listed = [module for group in WITHOUT.values() for module in group]
    assert sorted(listed) == sorted(missing)


def test_no_module_is_too_long() -> None:
    """Of the commands, which only tell others what to do, and of the room."""
    lengths = {
        path: (len(path.read_bytes().splitlines()), most)
        for package, most in LONGEST.items()
        for path in installed(package).rglob("*.py")
    }
    assert {path: length for path, (length, most) in lengths.items() if length > most} == {}
