"""The clock to practise on: a `VirtualClock` whose time the page gives it, and its pixels."""

import json
from collections.abc import Mapping
from pathlib import Path

import pixels

from clock.config.reader import ConfigError
from clock.match.profiles import PROFILES
from clock.virtual import VirtualClock
from hardware.face import Face

FOLDER = Path("/match")
KEPT = "settings.toml"  # beside the logs
_open: dict[str, VirtualClock] = {}


def begin(settings: str, kept: str) -> str:
    """Switch a clock on, with the files of a match that a browser has kept, as JSON; "": none."""
    pixels.register()
    FOLDER.mkdir(exist_ok=True)
    for old in FOLDER.iterdir():
        old.unlink()
    files: Mapping[str, str] = json.loads(kept) if kept else {}
    for name, content in files.items():
        (FOLDER / name).write_bytes(bytes.fromhex(content))
    text = (files and bytes.fromhex(files[KEPT]).decode()) or settings
    (FOLDER / KEPT).write_text(text, encoding="utf-8")
    try:
        _open["clock"] = VirtualClock(text, FOLDER)
    except ConfigError as error:
        return json.dumps({"error": str(error)})
    return _shown()


def wait(seconds: float) -> str:
    """Let time pass."""
    _open["clock"].wait(seconds)
    return _shown()


def move(button: str, down: bool, seconds: float) -> str:  # noqa: FBT001 (from JavaScript)
    """Press a button or let it go, so many seconds after the call before."""
    _open["clock"].move(button, down=down, after=seconds)
    return _shown()


def cut() -> str:
    """Cut the power, and switch on again: what a computer that slept comes to."""
    _open["clock"].cut()
    return _shown()


def profiles() -> str:
    """Return the names of the federations' rules."""
    return json.dumps([*PROFILES])


def files() -> str:
    """Return the files of the match, to be kept: names, and contents in hexadecimal digits.

    The checkpoint is left out: a browser keeps 5 MB, and the log has the times of the last line.
    """
    found = sorted(path for path in FOLDER.glob("*l") if not path.is_symlink())
    return json.dumps({path.name: path.read_bytes().rstrip(b"\0").hex() for path in found})


def _shown() -> str:
    """Return what the clock shows as JSON: pixels and words of both panels, and its log."""
    clock = _open["clock"]
    panels = [
        {"pixels": picture.tobytes().hex(), "words": _words(face)}
        for picture, face in zip(clock.pictures, clock.faces, strict=True)
    ]
    return json.dumps({"panels": panels, "log": clock.log.name, "lines": len(clock.lines)})


def _words(face: Face) -> str:
    texts = (face.name, face.reserve, face.score, face.status, face.flag, *face.lines, *face.keys)
    return ", ".join(filter(None, map(str, texts)))
