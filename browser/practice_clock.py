"""The clock to practise on: a `VirtualClock` whose time the page gives it, and its pixels."""

import json
from collections.abc import Mapping
from pathlib import Path

import pixels
from lessons import LESSONS, Lessons
from lessons import settings as settings_of

from clock.config.reader import ConfigError
from clock.match.profiles import PROFILES
from clock.virtual import VirtualClock
from hardware.face import Face

FOLDER = Path("/match")
KEPT = "settings.toml"  # beside the logs
_open: dict[str, VirtualClock] = {}
_lesson: dict[str, Lessons] = {}  # while one is open


def begin(settings: str, kept: str) -> str:
    """Switch a clock on, with the files of a match that a browser has kept, as JSON; "": none."""
    files: Mapping[str, str] = json.loads(kept) if kept else {}
    text = (files and bytes.fromhex(files[KEPT]).decode()) or settings
    _lesson.clear()
    try:
        _switch_on(text, files)
    except ConfigError as error:
        return json.dumps({"error": str(error)})
    return _shown()


def begin_lesson(name: str, language: str) -> str:
    """Switch a clock on, and lead it into the situation of a lesson."""
    _switch_on(settings_of(name, language), {})
    _lesson["lesson"] = Lessons(_open["clock"], name)
    return _shown()


def _switch_on(text: str, files: Mapping[str, str]) -> None:
    pixels.register()
    FOLDER.mkdir(exist_ok=True)
    for old in FOLDER.iterdir():
        old.unlink()
    for name, content in files.items():
        (FOLDER / name).write_bytes(bytes.fromhex(content))
    (FOLDER / KEPT).write_text(text, encoding="utf-8")
    _open["clock"] = VirtualClock(text, FOLDER)


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


def choices() -> str:
    """Return the names of the federations' rules, and of the lessons."""
    return json.dumps({"rules": [*PROFILES], "lessons": [*LESSONS]})


def files() -> str:
    """Return the files of the match, to be kept: names, and contents in hexadecimal digits.

    The checkpoint is left out: a browser keeps 5 MB, and the log has the times of the last line.
    """
    found = sorted(path for path in FOLDER.glob("*l") if not path.is_symlink())
    return json.dumps({path.name: path.read_bytes().rstrip(b"\0").hex() for path in found})


def _shown() -> str:
    """Return as JSON what the clock shows, its log, and the key of what a lesson asks for."""
    clock = _open["clock"]
    panels = [
        {"pixels": picture.tobytes().hex(), "words": _words(face)}
        for picture, face in zip(clock.pictures, clock.faces, strict=True)
    ]
    task = _lesson["lesson"].word() if _lesson else ""
    shown = {"panels": panels, "task": task, "log": clock.log.name, "lines": len(clock.lines)}
    return json.dumps(shown)


def _words(face: Face) -> str:
    texts = (face.name, face.reserve, face.score, face.status, face.flag, *face.lines, *face.keys)
    return ", ".join(filter(None, map(str, texts)))
