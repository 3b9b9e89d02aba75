"""docs/report.schema.json says what `report --json` prints, and no less."""

import json
from typing import Any

import jsonschema
import pytest

from clock.report.build import summary
from clock.report.results import Reported, as_json
from clock.ui.i18n import sayer
from lab.docs.generate_report_schema import text
from lab.support.paths import DATA, ROOT

FILE = ROOT / "docs" / "report.schema.json"
LOGS = sorted(DATA.rglob("*.jsonl"))


def strict(schema: Any) -> Any:
    """Return a schema of this version: nothing that it does not name, either."""
    match schema:
        case {"properties": names}:
            closed = {name: strict(kind) for name, kind in names.items()}
            return schema | {"properties": closed, "additionalProperties": False}
        case {"items": items}:
            return schema | {"items": strict(items)}
        case _:
            return schema


@pytest.mark.slow
def test_every_report_fits() -> None:
    schema = strict(json.loads(FILE.read_bytes()))
    valid = jsonschema.Draft202012Validator(schema)
    for log in LOGS:
        lines = log.read_bytes().splitlines()
        ends = {1, 5, 10, 20, 40, len(lines)}
        reports = [Reported(log.name, summary(lines[:end])) for end in ends]
        valid.validate(json.loads(as_json(reports, sayer("en"))))


def test_it_is_that_of_the_program() -> None:
    """`make docs` writes it."""
    assert FILE.read_text(encoding="utf-8") == text()
