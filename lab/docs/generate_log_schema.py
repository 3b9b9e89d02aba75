"""Write docs/event-log.schema.json from the types of the log."""

import json
from inspect import cleandoc
from typing import Any

import msgspec

from clock.eventlog.codec import HASH_DIGITS, VERSION, Envelope
from clock.eventlog.verification import WALL
from clock.match.events import AnyEvent
from lab.support.paths import ROOT

FILE = ROOT / "docs" / "event-log.schema.json"
REFERENCE = "#/$defs/{name}"


def schema() -> dict[str, Any]:
    """Return the JSON Schema of a line of the present version."""
    kinds = AnyEvent.__args__
    _, types = msgspec.json.schema_components((Envelope, *kinds), ref_template=REFERENCE)
    envelope = types.pop("Envelope")
    common = envelope["properties"]
    common["v"] = {"const": VERSION}
    for each in (envelope, *types.values()):
        if "description" in each:
            each["description"] = cleandoc(each["description"])  # Python 3.13 does so by itself
    common["wall"]["pattern"] = f"^{WALL.pattern}$"
    common["hash"] = {"type": "string", "pattern": f"^[0-9a-f]{{{HASH_DIGITS}}}$"}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": f"A line of the log, version {VERSION}",
        "type": "object",
        "properties": common,
        "required": sorted({*envelope["required"], "event", "hash"}),
        "oneOf": [{"$ref": REFERENCE.format(name=kind.__name__)} for kind in kinds],
        "$defs": types,
    }


def text() -> str:
    """Return the text of the file."""
    return json.dumps(schema(), indent=2, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    FILE.write_text(text(), encoding="utf-8")
    print(f"wrote {FILE.relative_to(ROOT)}")
