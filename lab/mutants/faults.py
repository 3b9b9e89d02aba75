"""One-line faults in a module: a comparison that is off by one, a call that is left out, and so on.

A fault replaces a piece of the text and keeps the number of lines. Not made: what the type checker
finds, and what no test should see (annotations, texts, log messages, declarations of types).
"""

import ast
import re
from bisect import bisect
from collections import Counter
from collections.abc import Iterator
from hashlib import sha256
from typing import NamedTuple

OPERATORS: dict[type, tuple[str, str]] = {
    ast.Lt: ("<", "<="),
    ast.LtE: ("<=", "<"),
    ast.Gt: (">", ">="),
    ast.GtE: (">=", ">"),
    ast.Eq: ("==", "!="),
    ast.NotEq: ("!=", "=="),
    ast.Is: ("is", "is not"),
    ast.IsNot: ("is not", "is"),
    ast.In: ("in", "not in"),
    ast.NotIn: ("not in", "in"),
    ast.Add: ("+", "-"),
    ast.Sub: ("-", "+"),
    ast.Mult: ("*", "//"),
    ast.Div: ("/", "*"),
    ast.FloorDiv: ("//", "*"),
    ast.Mod: ("%", "//"),
    ast.Pow: ("**", "*"),
    ast.LShift: ("<<", ">>"),
    ast.RShift: (">>", "<<"),
    ast.BitAnd: ("&", "|"),
    ast.BitOr: ("|", "&"),
    ast.BitXor: ("^", "&"),
}
FUNCTIONS = {"min": "max", "max": "min", "any": "all", "all": "any"}
NEGATED = (ast.Eq, ast.NotEq, ast.Is, ast.IsNot, ast.In, ast.NotIn)  # by what replaces them
ORDINARY = (ast.Name, ast.Attribute, ast.Call, ast.Constant, ast.Subscript)  # need no brackets
LOGGERS = {"log", "logger", "logging"}
TYPE_MAKERS = {"NewType", "TypeVar", "ParamSpec", "TypeVarTuple", "Annotated", "cast"}
KEYWORDS_LEFT = {"strict", "encoding", "stacklevel"}  # a mistake in them would be another one's
COLLECTIONS = {"dict", "frozenset", "list", "set", "sorted", "tuple"}
BUILT_IN = {"bool", "float", "int", "str"}
UNCAUGHT = "ZeroDivisionError"  # in place of what a handler catches

Piece = tuple[int, int, str]  # from and to which byte, and what is there instead


class Fault(NamedTuple):
    """A piece of a module's text, and what stands there instead."""

    path: str
    """The module, from the root of the repository."""
    first: int
    """Where the statement begins: a test reaches the fault if it reaches a line from here on."""
    line: int
    last: int
    scope: str
    """The function's qualified name; "" outside of functions: only an import runs such code."""
    before: str
    after: str
    start: int
    """The piece, in bytes from the beginning of the file."""
    end: int
    text: str
    key: str = ""
    """The same as long as the function's text is the same."""

    def apply(self, source: bytes) -> bytes:
        """Return the module with the fault, with as many lines as before."""
        piece = source[self.start : self.end]
        lines = b"\n" * (piece.count(b"\n") - self.text.count("\n"))
        return source[: self.start] + self.text.encode() + lines + source[self.end :]

    def __str__(self) -> str:
        """Show where it is, and the line before and after."""
        return f"{self.path}:{self.line}  {self.before}  ->  {self.after}"


def faults(path: str, source: bytes) -> list[Fault]:
    """Return all faults of a module in the order of its text."""
    seen, kept = Counter[str](), []
    for fault in sorted(_Finder(path, source).found(), key=lambda each: (each.start, each.end)):
        try:
            compile(fault.apply(source), path, "exec", dont_inherit=True)
        except SyntaxError:
            continue
        name = f"{path}\0{fault.key}\0{fault.before}\0{fault.after}"
        seen[name] += 1
        kept.append(fault._replace(key=sha256(f"{name}\0{seen[name]}".encode()).hexdigest()))
    return kept


class _Place(NamedTuple):
    """What is around a node."""

    scope: str = ""
    """The function; "" outside of one."""
    names: str = ""
    """Classes and functions around it, joined by dots."""
    function: ast.AST | None = None
    statement: ast.stmt | None = None


class _Finder:
    """Walks one module."""

    def __init__(self, path: str, source: bytes) -> None:
        self.path, self.source = path, source
        self.starts = [0, *(found.end() for found in re.finditer(b"\n", source))]

    def found(self) -> Iterator[Fault]:
        """Yield all faults, before it is known whether each can be compiled."""
        yield from self.walk(ast.parse(self.source), _Place())

    def walk(self, node: ast.AST, place: _Place) -> Iterator[Fault]:
        """Yield the faults of a node and of all below it."""
        if isinstance(node, ast.stmt):
            place = place._replace(statement=node)
        yield from self.at(node, place)
        for child in wanted(node):
            yield from self.walk(child, inside(node, child, place))

    def at(self, node: ast.AST, place: _Place) -> Iterator[Fault]:
        """Yield the faults of one node."""
        for start, end, text in self.pieces(node):
            line, last = bisect(self.starts, start), bisect(self.starts, end)
            low, high = self.starts[line - 1], [*self.starts, len(self.source) + 1][last] - 1
            before = self.source[low:high].decode()
            after = (self.source[low:start] + text.encode() + self.source[end:high]).decode()
            assert place.statement is not None
            has_branches = isinstance(node, ast.ExceptHandler | ast.Match | ast.pattern)
            first = line if has_branches else place.statement.lineno
            around = self.text(place.function or place.statement)
            shown = " ".join(before.split()), " ".join(after.split())
            yield Fault(self.path, first, line, last, place.scope, *shown, start, end, text, around)

    def pieces(self, node: ast.AST) -> Iterator[Piece]:
        """Yield where to replace what, and by what."""
        yield from self.in_expression(node)
        yield from self.in_condition(node)
        yield from self.in_statement(node)
        yield from self.in_branch(node)

    def in_expression(self, node: ast.AST) -> Iterator[Piece]:
        """Yield the faults of operators, numbers, calls and sides."""
        match node:
            case ast.Compare():
                operands = [node.left, *node.comparators]
                for left, right, operator in zip(operands, operands[1:], node.ops, strict=False):
                    yield from self.swapped(left, right, operator)
            case ast.BinOp():
                yield from self.swapped(node.left, node.right, node.op)
            case ast.UnaryOp(op=ast.Not() | ast.USub()):
                yield *self.span(node), self.text(node.operand)
            case ast.Constant(value=bool(value)):
                yield *self.span(node), str(not value)
            case ast.Constant(value=int() | float() as number):
                yield *self.span(node), str(number + 1)
            case ast.Call():
                yield from self.called(node)
            case ast.Attribute(attr="other"):
                yield *self.span(node), self.text(node.value)
            case _:
                pass

    def in_condition(self, node: ast.AST) -> Iterator[Piece]:
        """Yield the faults of conditions."""
        match node:
            case ast.BoolOp():
                yield from self.shortened(node)
            case ast.If() | ast.While() | ast.IfExp() if not has_own_faults(node.test):
                yield *self.span(node.test), f"not ({self.text(node.test)})"
            case ast.comprehension():
                for test in node.ifs:
                    yield *self.span(test), "True"
            case _:
                pass

    def in_statement(self, node: ast.AST) -> Iterator[Piece]:
        """Yield the faults of whole statements, most of which are left out."""
        match node:
            case ast.Expr(value=value) if is_log(value):
                return
            case ast.Expr(value=ast.Call() | ast.Await()) | ast.Delete() | ast.Raise():
                yield *self.span(node), "pass"
            case ast.Assign():
                yield from self.in_assignment(node)
            case ast.AugAssign(op=operator):
                yield from self.swapped(node.target, node.value, operator)
                yield *self.span(node), "pass"
            case ast.Break():
                yield *self.span(node), "continue"
            case ast.Continue():
                yield *self.span(node), "break"
            case _:
                pass

    def in_assignment(self, node: ast.Assign) -> Iterator[Piece]:
        """Leave out an assignment, one of its targets, or only an assignment of an empty value."""
        if changes(node):
            yield *self.span(node), "pass"
        match node.targets:
            case [ast.Tuple(elts=targets)]:
                for each in targets:
                    if isinstance(each, ast.Attribute | ast.Subscript):
                        yield *self.span(each), "_"
            case [ast.Attribute() as target] if is_collection(node.value):
                value = self.text(node.value)
                yield *self.span(node.value), f"{value} or {self.text(target)}"
            case _:
                pass

    def in_branch(self, node: ast.AST) -> Iterator[Piece]:
        """Yield the faults of handlers and cases."""
        match node:
            case ast.ExceptHandler(type=ast.expr() as caught):
                yield *self.span(caught), UNCAUGHT
            case ast.Match(cases=cases):
                for case in cases[:-1] if does_nothing(cases[-1]) else cases:
                    yield from self.in_case(case)
            case ast.MatchOr():
                for pattern in node.patterns:
                    rest = [self.text(each) for each in node.patterns if each is not pattern]
                    yield *self.span(node), " | ".join(rest)
            case _:
                pass

    def in_case(self, case: ast.match_case) -> Iterator[Piece]:
        """Never take a case, or take it whatever its guard says, or the opposite."""
        if case.guard is None:
            yield *self.span(case.pattern), f"{self.text(case.pattern)} if False"
        else:
            yield *self.span(case.guard), "True"
            yield *self.span(case.guard), f"not ({self.text(case.guard)})"

    def swapped(
        self, left: ast.expr, right: ast.expr, operator: ast.operator | ast.cmpop
    ) -> Iterator[Piece]:
        """Put another operator between two operands."""
        if isinstance(operator, ast.BitOr) and (is_type(left) or is_type(right)):
            return
        (_, start), (end, _) = self.span(left), self.span(right)
        old, new = OPERATORS[type(operator)]
        pattern = re.escape(old).replace(r"\ ", r"\s+")
        found = re.search(pattern.encode(), self.source[start:end])
        if found:
            yield start + found.start(), start + found.end(), new

    def shortened(self, node: ast.BoolOp) -> Iterator[Piece]:
        """Leave out one operand of `and` or `or`."""
        word = " and " if isinstance(node.op, ast.And) else " or "
        for left_out in node.values:
            kept = [each for each in node.values if each is not left_out]
            texts = [
                self.text(each) if isinstance(each, ORDINARY) else f"({self.text(each)})"
                for each in kept
            ]
            yield *self.span(node), word.join(texts)

    def called(self, node: ast.Call) -> Iterator[Piece]:
        """Call the opposite function, take one of two operands, or leave out a named argument."""
        if isinstance(node.func, ast.Name) and node.func.id in FUNCTIONS:
            yield *self.span(node.func), FUNCTIONS[node.func.id]
            if len(node.args) == 2:  # of `min` or `max`
                for operand in node.args:
                    yield *self.span(node), f"({self.text(operand)})"
        for keyword in node.keywords:
            if keyword.arg and keyword.arg not in KEYWORDS_LEFT:
                start, end = self.span(keyword)
                comma = re.match(rb"\)*\s*,\s*", self.source[end:])
                yield start, end + (comma.end() if comma else 0), ""

    def span(self, node: ast.AST) -> tuple[int, int]:
        """Return where a node's text begins and ends."""
        assert isinstance(node, ast.expr | ast.stmt | ast.keyword | ast.pattern)
        assert node.end_lineno is not None
        assert node.end_col_offset is not None
        start = self.starts[node.lineno - 1] + node.col_offset
        return start, self.starts[node.end_lineno - 1] + node.end_col_offset

    def text(self, node: ast.AST) -> str:
        """Return a node's text."""
        start, end = self.span(node)
        return self.source[start:end].decode()


def inside(node: ast.AST, child: ast.AST, place: _Place) -> _Place:
    """Return the place of a child: a function's body is in that function, its defaults are not."""
    if isinstance(node, ast.ClassDef):
        return place._replace(names=f"{place.names}{node.name}.")
    if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) or child not in node.body:
        return place
    name = f"{place.names}{node.name}"
    return place._replace(scope=name, names=f"{name}.", function=place.function or node)


def wanted(node: ast.AST) -> list[ast.AST]:
    """Return the parts of a node in which faults are wanted."""
    match node:
        case _ if has_no_faults(node):
            return []
        case ast.Match(subject=subject, cases=[*cases, last]) if does_nothing(last):
            return [subject, *cases]
        case ast.AnnAssign(value=value):
            return [value] if value else []
        case ast.ClassDef(bases=bases, body=body):
            return [] if any(is_protocol(base) for base in bases) else [*body]
        case ast.FunctionDef() | ast.AsyncFunctionDef():
            defaults = [*node.args.defaults, *filter(None, node.args.kw_defaults)]
            return [*node.decorator_list, *defaults, *node.body]
        case _:
            return list(ast.iter_child_nodes(node))


def has_no_faults(node: ast.AST) -> bool:
    """Return whether a node has no part in which faults are wanted."""
    match node:
        case ast.JoinedStr() | ast.Import() | ast.ImportFrom():
            return True  # positions within such a text are wrong before Python 3.12
        case ast.Call(func=ast.Name(id=name)):
            return name in TYPE_MAKERS
        case ast.Expr(value=value):
            return is_log(value)
        case ast.If(test=ast.Name(id="TYPE_CHECKING")):
            return True
        case ast.keyword(arg=name):
            return name in KEYWORDS_LEFT
        case ast.Assign(targets=[ast.Name(id="__all__")]):
            return True
        case _:
            return False


def does_nothing(case: ast.match_case) -> bool:
    """Return whether a case is `pass`: as the last one it may as well be left out."""
    return isinstance(case.body[0], ast.Pass)


def is_log(node: ast.AST) -> bool:
    """Return whether this writes a log message."""
    match node:
        case ast.Call(func=ast.Attribute(value=ast.Name(id=name))):
            return name.strip("_").lower() in LOGGERS
        case _:
            return False


def is_protocol(base: ast.expr) -> bool:
    """Return whether a base class makes a class a declaration of types."""
    return isinstance(base, ast.Name) and base.id == "Protocol"


def is_type(node: ast.expr) -> bool:
    """Return whether an operand of `|` is one of types."""
    match node:
        case ast.Constant(value=None):
            return True
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name in BUILT_IN or (name[0].isupper() and not name.isupper())
        case ast.BinOp(left=left, right=right):
            return is_type(left) or is_type(right)
        case _:
            return isinstance(node, ast.Subscript)


def is_collection(node: ast.expr) -> bool:
    """Return whether an expression makes a collection, which may be empty."""
    match node:
        case ast.Call(func=ast.Name(id=name)):
            return name in COLLECTIONS
        case _:
            return isinstance(node, ast.ListComp | ast.SetComp | ast.DictComp)


def has_own_faults(test: ast.expr) -> bool:
    """Return whether the faults of a condition's parts do what its negation would do."""
    match test:
        case ast.BoolOp() | ast.UnaryOp(op=ast.Not()):
            return True
        case ast.Compare(ops=[operator]):
            return isinstance(operator, NEGATED)
        case _:
            return False


def changes(node: ast.Assign) -> bool:
    """Return whether an assignment can be left out: to an attribute, an item, or a name anew."""
    used = {each.id for each in ast.walk(node.value) if isinstance(each, ast.Name)}
    match node.targets:
        case [ast.Name(id=name)]:
            return name in used
        case [ast.Attribute() | ast.Subscript()]:
            return True
        case [ast.Tuple(elts=targets)]:
            return any(isinstance(each, ast.Name) and each.id in used for each in targets)
        case _:
            return False
