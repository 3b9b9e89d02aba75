"""Writes docs/requirements.md: each requirement and trap with the tests that prove it.

The numbers and their texts stand in docs/requirements.toml, the proofs in the tests themselves, as
`@pytest.mark.rule("R38", "T2")`. The one rule: tests are read, not imported, and a marker that
would prove nothing is an error.
"""

import ast
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

TESTS = Path(__file__).parent
DOCS = TESTS.parent / "docs"
REQUIREMENTS = DOCS / "requirements.toml"
TABLE = DOCS / "requirements.md"

HEAD = """\
# What the clock must do, and what proves it

Made by `make docs` from [requirements.toml](requirements.toml) and the tests' markers; not to be
edited. R are requirements of the rules' texts, T traps that caught other clocks.

| | requirement | source | proven by |
|---|---|---|---|
"""


class MarkerError(Exception):
    """A marker that proves nothing: the test's author has to write it otherwise."""


class Requirement(NamedTuple):
    """One number: what must hold, who says so, and where it is proven if not by a test here."""

    text: str
    source: str
    later: str | None = None


class Proof(NamedTuple):
    """A test, as `file::function`, that names a number."""

    number: str
    test: str


class Marker(NamedTuple):
    """A marker in a file, and the test that it belongs to."""

    call: ast.Call
    test: str


def requirements() -> dict[str, Requirement]:
    """All numbers, in their order."""
    tables = tomllib.loads(REQUIREMENTS.read_text("utf-8"))
    return {number: Requirement(**table) for number, table in tables.items()}


def proofs() -> list[Proof]:
    """What the tests under `tests/` say that they prove, by file and line.

    Raises:
        MarkerError: A marker whose numbers or whose test cannot be told by reading.
    """
    return [
        proof
        for path in sorted(TESTS.rglob("test_*.py"))
        for proof in proofs_in(path.read_text("utf-8"), path.relative_to(TESTS).as_posix())
    ]


def proofs_in(source: str, file: str) -> list[Proof]:
    """What the tests of one file say that they prove.

    A marker counts as a decorator of a test or of a class of tests, within the parameters of one
    (also when they are a list of the module), and as `pytestmark`.

    Raises:
        MarkerError: As for `proofs`.
    """
    module = ast.parse(source, file)
    found = list(dict.fromkeys(_markers(module, file)))
    belonging = {marker.call for marker in found}
    for call in _rule_calls(module):
        if call not in belonging:
            raise MarkerError(f"{file}:{call.lineno}: this marker belongs to no test")
    return list(
        dict.fromkeys(
            Proof(number, test) for call, test in found for number in _numbers(call, file)
        )
    )


def table() -> str:
    """The text of docs/requirements.md."""
    tests: dict[str, list[str]] = {}
    for number, test in proofs():
        tests.setdefault(number, []).append(f"`{test}`")
    rows = []
    for number, (text, source, later) in requirements().items():
        proven = tests.get(number, []) + ([f"later: {later}"] if later else [])
        rows.append(f"| {number} | {text} | {source} | {'<br>'.join(proven)} |\n")
    return HEAD + "".join(rows)


def _markers(module: ast.Module, file: str) -> Iterator[Marker]:
    lists = _named_values(module)
    for node in module.body:
        match node:
            case ast.Assign(targets=[ast.Name(id="pytestmark")], value=value):
                yield from _of(value, file)
            case ast.Assign(
                targets=[ast.Attribute(value=ast.Name(id=owner), attr="pytestmark")], value=value
            ):
                yield from _of(value, f"{file}::{owner}")
            case ast.FunctionDef(name=name) if name.startswith("test"):
                yield from _decorating(node, f"{file}::{name}", lists)
            case ast.ClassDef(name=name):
                yield from _decorating(node, f"{file}::{name}", lists)
                for member in node.body:
                    if isinstance(member, ast.FunctionDef) and member.name.startswith("test"):
                        yield from _decorating(member, f"{file}::{name}::{member.name}", lists)
            case _:
                pass  # what is left over, `proofs_in` reports


def _named_values(module: ast.Module) -> dict[str, ast.expr]:
    values: dict[str, ast.expr] = {}
    for node in module.body:
        match node:
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.expr() as value):
                values[name] = value
            case ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value):
                values[name] = value
            case _:
                pass
    return values


def _decorating(
    node: ast.FunctionDef | ast.ClassDef, test: str, lists: dict[str, ast.expr]
) -> Iterator[Marker]:
    for decorator in node.decorator_list:
        yield from _of(decorator, test)
        for part in ast.walk(decorator):
            if isinstance(part, ast.Name) and part.id in lists:
                yield from _of(lists[part.id], test)


def _of(node: ast.AST, test: str) -> Iterator[Marker]:
    for call in _rule_calls(node):
        yield Marker(call, test)


def _rule_calls(node: ast.AST) -> Iterator[ast.Call]:
    for part in ast.walk(node):
        if isinstance(part, ast.Call) and ast.unparse(part.func) in {
            "pytest.mark.rule",
            "mark.rule",
        }:
            yield part


def _numbers(call: ast.Call, file: str) -> Iterator[str]:
    if not call.args or call.keywords:
        raise MarkerError(f"{file}:{call.lineno}: a marker names its numbers: rule('R1', 'T2')")
    for argument in call.args:
        match argument:
            case ast.Constant(value=str(number)):
                yield number
            case ast.Starred(value=ast.Tuple(elts=several)):  # a long line of them, wrapped
                yield from _numbers(ast.Call(call.func, several, [], lineno=call.lineno), file)
            case _:
                raise MarkerError(
                    f"{file}:{call.lineno}: numbers are written out: rule('R1', 'T2')"
                )


if __name__ == "__main__":
    TABLE.write_text(table(), encoding="utf-8")
    print(f"wrote {TABLE.relative_to(TESTS.parent)}")
