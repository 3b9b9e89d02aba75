"""Write docs/report.schema.json: what `gammonclock report --json` prints.

Most names say what they hold: `..._line`, `..._wall`, `..._s`. The names themselves are compared
with reports by a test.
"""

import json
from typing import Any

from clock.match.events import AnyEvent
from clock.match.rules import Gammon, Reason, Ruler
from clock.match.types import Phase, Side
from clock.report.fields import NAMES
from lab.support.paths import ROOT

FILE = ROOT / "docs" / "report.schema.json"

Schema = dict[str, Any]

SIDE = {"enum": [*Side]}
TRUTH = {"type": "boolean"}
NUMBER = {"type": "integer"}
BY_END = {  # of a name
    "line": NUMBER | {"description": "number of a line of the log"},
    "wall": {"type": "string", "format": "date-time"},
    "s": {"type": "number", "description": "seconds"},
}
PLACES = ("left", "right", "before_left", "before_right", "after_left", "after_right")
BY_NAME: dict[str, Schema] = {
    "about": {"type": "string", "description": "what the case is about, as a key"},
    "called": TRUTH | {"description": "the panels called for the director"},
    "carried_left": NUMBER,
    "carried_right": NUMBER,
    "complete": TRUTH,
    "crawford": TRUTH,
    "began": BY_END["wall"],
    "corrections": NUMBER,
    "end": {"description": "why the match is over: as match_over in event-log.md"},
    "ended": BY_END["wall"],
    "ended_by_plunger": TRUTH,
    "cube": NUMBER | {"description": "with which the game was played"},
    "event": {"enum": [kind.__struct_config__.tag for kind in AnyEvent.__args__]},
    "flagged_left": TRUTH,
    "flagged_right": TRUTH,
    "forks": {"type": "null", "description": "known to a hub alone"},
    "damage": {"type": "null", "description": "known to a hub alone"},
    "game": NUMBER,
    "gammon": {"enum": [*Gammon]},
    "granted": TRUTH | {"description": "by the director"},
    "length": NUMBER,
    "limit_from": NUMBER | {"description": "the first game with a time limit"},
    "lines": {"type": "array", "items": NUMBER},
    "match": NUMBER,
    **{f"matches_{place}": NUMBER for place in PLACES},
    "order": NUMBER,
    "phase": {"enum": [*Phase]},
    "player": SIDE,
    "points": NUMBER,
    "practice": TRUTH,
    "reason": {"enum": [*Reason]},
    "restorations": NUMBER,
    "ruled_by": {"enum": [*Ruler]},
    "rulings": {"type": "array", "items": NUMBER},
    "scheduled": {"type": "string", "description": "time of day"},
    **{f"score_{place}": NUMBER for place in PLACES},
    "taken_left": NUMBER,
    "taken_right": NUMBER,
    "turn": NUMBER | {"description": "number of a turn, from 1; 0: before the first"},
    "winner": SIDE,
}
OF_A_MATCH: dict[str, Schema] = {  # where a name means something else in the lists
    "event": {"type": "string", "description": "the event that the settings name"},
    "match": {"type": "string", "description": "name of the log"},
}
LISTS = {  # "?": null where there is none
    "games": "game match line? wall? ended_line? ended_wall? winner? points? score_left score_right"
    " crawford cube? gammon? corrected_line? corrected_wall? used_left_s used_right_s"
    " reserve_left_s reserve_right_s",
    "turns": "turn line wall player game length_s off_clock_s reserve_before_s reserve_after_s"
    " ended_by_plunger ended_line? ended_wall?",
    "stops": "line wall ended_line? ended_wall? turn player? reason length_s?"
    " reserve_left_s reserve_right_s",
    "flags": "line wall turn player? order claimed_line? claimed_wall? cleared_line? cleared_wall?",
    "breaks": "line wall ended_line? ended_wall? taken_left taken_right allowed_s took_s?"
    " reserve_left_s reserve_right_s granted",
    "cases": "line wall ended_line? ended_wall? turn about text player? called rulings lines"
    " reserve_before_left_s reserve_before_right_s reserve_after_left_s reserve_after_right_s"
    " score_before_left score_before_right score_after_left score_after_right"
    " matches_before_left matches_before_right matches_after_left matches_after_right game?",
    "acts": "line wall turn event player? ruled_by? text",
    "reserve_changes": "line wall turn player old_s new_s",
}
MAY_LACK = (  # of a match
    *("winner", "end", "duration_s", "round", "event", "continues", "winner_name", "loser_name"),
    *("limit_from", "scheduled"),
)


def schema() -> Schema:
    """Return the JSON Schema of the whole output."""
    names = [f"{name}?" if name in MAY_LACK else name for name in NAMES]
    match = _object(names, OF_A_MATCH)
    for name, items in LISTS.items():
        match["properties"][name] = {"type": "array", "items": _object(items.split())}
        match["required"].append(name)
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "The output of gammonclock report --json",
        "type": "array",
        "items": match,
    }


def _object(names: list[str], special: dict[str, Schema] | None = None) -> Schema:
    """Return the schema of an object with these names; others may be added by later versions."""
    plain = [name.rstrip("?") for name in names]
    types = {name: _type(name.rstrip("?"), special or {}) for name in names}
    known = [_or_null(kind) if name[-1] == "?" else kind for name, kind in types.items()]
    return {"type": "object", "properties": dict(zip(plain, known, strict=True)), "required": plain}


def _type(name: str, special: dict[str, Schema]) -> Schema:
    text = {"type": "string"}
    return special.get(name) or BY_NAME.get(name) or BY_END.get(name.rpartition("_")[2], text)


def _or_null(kind: Schema) -> Schema:
    if "enum" in kind:
        return kind | {"enum": [*kind["enum"], None]}
    return kind | {"type": [kind.get("type", "string"), "null"]}


def text() -> str:
    """Return the text of the file."""
    return json.dumps(schema(), indent=1) + "\n"


if __name__ == "__main__":
    FILE.write_text(text(), encoding="utf-8")
    print(f"wrote {FILE.relative_to(ROOT)}")
