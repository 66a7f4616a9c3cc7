"""Programs that differ from a right one in one thing, made from its source: an operator, a constant, an argument, a statement."""

from __future__ import annotations

import ast
import copy
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from autograder.machine.syntax import parse

_COMPARISONS: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
}
_ARITHMETIC: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.FloorDiv,
    ast.Div: ast.Mult,
    ast.FloorDiv: ast.Mult,
    ast.Mod: ast.Mult,
}


@dataclass(frozen=True)
class Mutant:
    """A function of a program, changed in one place. ``id`` names it by what stood there and what stands there now."""

    id: str
    function: str
    text: str


def mutants(text: str, functions: Sequence[str]) -> Iterator[Mutant]:
    """Every mutant of these functions of a program; each text is the changed function alone. Raises SyntaxError for no Python."""
    seen: set[str] = set()
    for node in parse(text).body:
        if isinstance(node, ast.FunctionDef) and node.name in functions:
            for mutant in _of(node):
                if mutant.text not in seen:
                    seen.add(mutant.text)
                    yield mutant


def _of(function: ast.FunctionDef) -> Iterator[Mutant]:
    original = ast.unparse(function)
    for number, node in enumerate(_inside(function)):
        for place in range(len(list(_changes(node)))):
            changed = copy.deepcopy(function)
            target = list(_inside(changed))[number]
            before = ast.unparse(target)
            says = list(_changes(target))[place](target)
            text = ast.unparse(ast.fix_missing_locations(changed))
            if text != original:
                yield Mutant(f"{function.name}: {before} → {says}".replace("\n", " "), function.name, text)


def _inside(function: ast.FunctionDef) -> Iterator[ast.AST]:
    """What stands in a function's body, but its docstring."""
    body = function.body[1:] if ast.get_docstring(function) is not None else function.body
    for statement in body:
        yield from ast.walk(statement)


#: Changes a node in its place, and says what stands there now.
_Change = Callable[[ast.AST], str]


def _changes(node: ast.AST) -> Iterator[_Change]:
    match node:
        case ast.Constant():
            yield from (_constant(value) for value in _other_values(node.value))
        case ast.Compare():
            yield _compared
        case ast.BinOp() if type(node.op) in _ARITHMETIC:
            yield _computed
        case ast.BoolOp():
            yield _joined
        case ast.UnaryOp(op=ast.Not()):
            yield _negated
        case ast.If() | ast.While():
            yield _never
        case ast.Call():
            yield from (_without_keyword(index) for index in range(len(node.keywords)))
            yield from [_swapped] * (len(node.args) == 2)  # noqa: PLR2004  # two arguments
            yield from [_unchained] * isinstance(node.func, ast.Attribute)
        case ast.List() | ast.Tuple() | ast.Set() if len(node.elts) > 1:
            yield from (_without_element(index) for index in range(len(node.elts)))
    for field in ("body", "orelse", "finalbody"):
        statements = getattr(node, field, None)
        if isinstance(statements, list):
            yield from (_without_statement(field, index) for index, each in enumerate(statements) if not isinstance(each, ast.Return))


def _other_values(value: object) -> Sequence[object]:
    if isinstance(value, bool):
        return [not value]
    if isinstance(value, int):
        return [value + 1, value - 1]
    if isinstance(value, float):
        return [value * 2]
    if isinstance(value, str):
        return [f"{value}_" if value else "x"]
    return []


def _constant(value: object) -> _Change:
    def change(node: ast.AST) -> str:
        assert isinstance(node, ast.Constant)
        node.value = value  # type: ignore[assignment]  # of the same type
        return repr(value)

    return change


def _compared(node: ast.AST) -> str:
    assert isinstance(node, ast.Compare)
    node.ops = [_COMPARISONS[type(each)]() for each in node.ops]
    return ast.unparse(node)


def _computed(node: ast.AST) -> str:
    assert isinstance(node, ast.BinOp)
    node.op = _ARITHMETIC[type(node.op)]()
    return ast.unparse(node)


def _joined(node: ast.AST) -> str:
    assert isinstance(node, ast.BoolOp)
    node.op = ast.Or() if isinstance(node.op, ast.And) else ast.And()
    return ast.unparse(node)


def _negated(node: ast.AST) -> str:
    assert isinstance(node, ast.UnaryOp)
    node.operand = ast.UnaryOp(ast.Not(), node.operand)
    return ast.unparse(node)


def _never(node: ast.AST) -> str:
    assert isinstance(node, (ast.If, ast.While))
    node.test = ast.Constant(value=False)
    return "never"


def _without_keyword(index: int) -> _Change:
    def change(node: ast.AST) -> str:
        assert isinstance(node, ast.Call)
        gone = node.keywords.pop(index)
        return f"without {gone.arg}"

    return change


def _swapped(node: ast.AST) -> str:
    assert isinstance(node, ast.Call)
    node.args.reverse()
    return ast.unparse(node)


def _unchained(node: ast.AST) -> str:
    """``frame.where(…)`` becomes ``frame``: the call gives back what it is made on."""
    assert isinstance(node, ast.Call)
    assert isinstance(node.func, ast.Attribute)
    name, value = node.func.attr, node.func.value
    node.func, node.args, node.keywords = ast.Name("_same", ast.Load()), [value], []
    return f"without .{name}()"


def _without_element(index: int) -> _Change:
    def change(node: ast.AST) -> str:
        assert isinstance(node, (ast.List, ast.Tuple, ast.Set))
        gone = node.elts.pop(index)
        return f"without {ast.unparse(gone)}"

    return change


def _without_statement(field: str, index: int) -> _Change:
    def change(node: ast.AST) -> str:
        gone = getattr(node, field)[index]
        getattr(node, field)[index] = ast.Pass()
        return f"without {ast.unparse(gone).splitlines()[0]}"

    return change


#: What mutants call in place of a method that is taken away.
SAME = "def _same(value):\n    return value\n"
