"""A second verifier of logs, written from docs/event-log.md and its schema and from nothing else.

It imports nothing of the program, so that a fault of the one is not a fault of the other. It checks
all that the page asks of a log, but for the replay.
"""

import gzip
import hashlib
import json
import re
import zlib
from contextlib import suppress
from pathlib import Path
from typing import Any

SCHEMA = json.loads((Path(__file__).parents[2] / "docs" / "event-log.schema.json").read_bytes())
TYPES = {"object": dict, "array": list, "string": str, "integer": int, "boolean": bool}
DIGITS = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"


class BadLineError(Exception):
    """A line is not what the page asks for."""

    def __init__(self, line: int, why: object) -> None:
        super().__init__(f"line {line}: {why}")
        self.line = line


def fingerprints(data: bytes) -> list[str]:
    """Return the fingerprint of each line of a good log.

    Raises:
        BadLineError: it is not good; the message says which line, and why.
    """
    lines = as_written(data).split(b"\n")
    if not lines[-1]:
        del lines[-1]
    if not lines:
        raise BadLineError(1, "there is none")
    before, fields, found = "0" * 32, dict[str, Any](), list[str]()
    for number, line in enumerate(lines, 1):
        try:
            before = checked_hash(line, before)
            fields = checked_fields(line, fields)
        except (ValueError, RecursionError) as error:
            raise BadLineError(number, error) from error
        found.append(fingerprint(before))
    return found


def as_written(data: bytes) -> bytes:
    """Return a file as the clock wrote it, whoever saved it since."""
    with suppress(OSError, EOFError, zlib.error):
        data = gzip.decompress(data)
    with suppress(UnicodeDecodeError):
        data = data.decode("utf-16").encode() if data[:2] in {b"\xff\xfe", b"\xfe\xff"} else data
    return data.removeprefix(b"\xef\xbb\xbf").replace(b"\r\n", b"\n").removesuffix(b"\r")


def checked_hash(line: bytes, before: str) -> str:
    """Return the hash of a line that ends with it."""
    body, end = line[:-43], line[-43:]
    right = hashlib.sha256(before.encode() + body).hexdigest()[:32]
    if end != f',"hash":"{right}"}}'.encode():
        raise ValueError("its hash is wrong")
    return right


def checked_fields(line: bytes, before: dict[str, Any]) -> dict[str, Any]:
    """Return the fields of a line that may follow another one; before the first there are none."""
    text = line.decode()
    check_depth(text)
    fields: dict[str, Any] = json.loads(
        text, parse_float=not_an_integer, parse_constant=not_an_integer
    )
    if json.dumps(fields, ensure_ascii=False, separators=(",", ":")) != text:
        raise ValueError("it is written in another way")
    if not is_valid(fields, SCHEMA):
        raise ValueError("it is not valid under the schema")
    begins = fields["event"] == "match_opened" or fields.get("origin") is not None
    if begins != (not before) or fields["seq"] != before.get("seq", 0) + 1:
        raise ValueError("it does not belong here")
    if before and fields["match"] != before["match"]:
        raise ValueError("it is of another match")
    restored = fields["event"] == "restored" and not fields.get("same_boot", False)
    if before and fields["boot"] != before["boot"] and not restored:
        raise ValueError("the boot changes")
    return fields


def check_depth(text: str) -> None:
    """Refuse brackets that are more than 50 deep, but for those in strings."""
    depth = 0
    for sign in re.findall(r"[\[\]{}]", re.sub(r'"(?:[^"\\]|\\.)*"', "", text)):
        depth += 1 if sign in "[{" else -1
        if depth > 50:
            raise ValueError("its brackets are too deep")


def not_an_integer(text: str) -> float:
    """Refuse a number."""
    raise ValueError(f"{text} is not an integer")


def is_valid(value: Any, schema: dict[str, Any]) -> bool:
    """Return whether a value is valid under a schema of the kinds that this one has."""
    if "$ref" in schema and not is_valid(value, SCHEMA["$defs"][schema["$ref"].split("/")[-1]]):
        return False
    if "type" in schema and not is_of_type(value, schema["type"]):
        return False
    if "enum" in schema and value not in schema["enum"]:
        return False
    if "const" in schema and value != schema["const"]:
        return False
    pattern = schema.get("pattern", "").replace("$", r"\Z")
    if pattern and not re.search(pattern, value, re.ASCII):
        return False
    if "anyOf" in schema and not any(is_valid(value, x) for x in schema["anyOf"]):
        return False
    if "oneOf" in schema and sum(is_valid(value, x) for x in schema["oneOf"]) != 1:
        return False
    return are_parts_valid(value, schema)


def is_of_type(value: Any, name: str) -> bool:
    """Return whether a value is of a type of JSON; true is not an integer."""
    return value is None if name == "null" else type(value) is TYPES[name]


def are_parts_valid(value: Any, schema: dict[str, Any]) -> bool:
    """Return whether the parts of an object or an array are valid."""
    if isinstance(value, dict):
        known = schema.get("properties", {})
        if "event" in known and "event" in value and not is_valid(value["event"], known["event"]):
            return False  # of many events one, and this says most quickly that it is another
        missing = set(schema.get("required", ())) - value.keys()
        return not missing and all(is_valid(value[k], known[k]) for k in value if k in known)
    if isinstance(value, list):
        first, rest = schema.get("prefixItems", []), schema.get("items")
        length_is_right = schema.get("minItems", 0) <= len(value) <= schema.get("maxItems", 1e9)
        pairs = [*zip(value, first, strict=False), *((v, rest) for v in value[len(first) :])]
        return length_is_right and all(kind is None or is_valid(v, kind) for v, kind in pairs)
    return True


def fingerprint(hash_: str) -> str:
    """Return what the panels show of a hash."""
    number = int(hash_[:15], 16)
    text = "".join(DIGITS[number >> shift & 31] for shift in range(55, -1, -5))
    return "-".join(text[at : at + 4] for at in (0, 4, 8))
