"""The pages' modules under a JavaScript engine: their own code, without a browser."""

import json
import re
from pathlib import Path
from typing import Any

import quickjs

import room

PAGES = Path(room.__file__).parent / "pages"
_INTL = "globalThis.Intl = { Collator: class {} };"  # the engine has none; it sorts no names
_IMPORT = re.compile(r"^import\s[^;]*?from\s+\"\./(?P<name>\w+\.js)\";\n", re.MULTILINE)


class Engine:
    """A module of the pages and what it imports, all in one scope."""

    def __init__(self, *names: str) -> None:
        self._context = quickjs.Context()
        self._context.eval(_INTL)
        self._loaded: set[str] = set()
        for name in names:
            self.load(name)

    def load(self, name: str) -> None:
        """Load a module and what it imports, if that has not been done."""
        if name in self._loaded:
            return
        self._loaded.add(name)
        source = (PAGES / name).read_text(encoding="utf-8")
        for imported in _IMPORT.finditer(source):
            self.load(imported["name"])
        self._context.eval(re.sub(r"^export ", "", _IMPORT.sub("", source), flags=re.MULTILINE))

    def run(self, code: str) -> None:
        """Run more code in the modules' scope, and all that waits."""
        self._context.eval(code)
        while self._context.execute_pending_job():
            pass

    def call(self, function: str, *arguments: object) -> Any:
        """Return what a function returns; arguments and result as JSON."""
        self._context.set("given", json.dumps(arguments))
        return json.loads(self._context.eval(f"JSON.stringify({function}(...JSON.parse(given)))"))
