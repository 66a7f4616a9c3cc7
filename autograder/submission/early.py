"""What is certain of a program without running it: Python cannot read it, a function is missing, or it takes other parameters.

So these are told before any engine starts, in the very words of the replay (``untrusted.submission``). Whatever a program may
still change while it is loaded is not certain, and left to the replay.
"""

from __future__ import annotations

import ast
import threading
import warnings
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from inspect import Parameter, Signature
from typing import Any

from autograder.machine.syntax import parse
from autograder.model import Failure

#: Letters of a program that the grader itself reads, as of a notebook's code; a longer one is the replay's.
_MOST = 200_000
#: Copies of statements in ``finally`` that compiling may make: one for every way out of the block.
_MOST_COPIES = 100_000
#: A failure's text and the functions that it names, cut as the replay cuts them.
_MOST_TEXT, _MOST_NAMES = 600, 8
#: With these words a program can bind or change a name in a way that its text does not show.
_HIDING = {
    "exec", "eval", "globals", "locals", "vars", "setattr", "delattr", "modules", "_getframe", "f_globals", "f_locals",
    "import_module", "importlib", "builtins", "ctypes", "gc", "runpy", "wraps", "update_wrapper", "submission", "autograder",
}  # fmt: skip
#: Double underscores that hide nothing when they are read.
_HARMLESS = {
    "__name__", "__main__", "__file__", "__doc__", "__future__", "__annotations__", "__init__", "__post_init__", "__repr__",
    "__str__", "__eq__", "__hash__", "__lt__", "__enter__", "__exit__", "__iter__", "__next__", "__len__", "__call__",
    "__all__",
}  # fmt: skip
_READING = threading.Lock()  # warnings are the whole process's
_DEFS = (ast.FunctionDef, ast.AsyncFunctionDef)


@dataclass(frozen=True)
class Reading:
    """What was read of a program: ``syntax`` is why Python cannot; ``tree`` is there where its text tells what it binds."""

    syntax: Failure | None = None
    tree: ast.Module | None = None
    bound: Mapping[str, int] = field(default_factory=Counter)

    def failure(self, name: str, positional: int, keywords: Iterable[str]) -> Failure | None:
        """The failure of calling a function with so many arguments by position and these by keyword; None when it is not certain."""
        if self.syntax or self.tree is None:
            return self.syntax
        if name not in self.bound:
            return _no_function(self.tree)
        return _wrong_parameters(self.tree, name, positional, keywords) if self.bound[name] == 1 else None


def read(text: str) -> Reading:
    """Read a program without running anything of it."""
    if len(text) > _MOST:
        return Reading()
    try:
        with _READING, warnings.catch_warnings():
            warnings.simplefilter("ignore")  # as the replay does
            return _read(text.encode())
    except SyntaxError as error:
        return Reading(Failure("syntax", (error.msg or "")[:_MOST_TEXT], error.lineno, "SyntaxError"))
    except (ValueError, LookupError, RecursionError, MemoryError):
        return Reading()  # how deep is too deep depends on who reads: the replay says it


def _read(source: bytes) -> Reading:
    tree = parse(source)
    if not _compiles_fast(tree):
        return Reading()
    compile(source, "submission.py", "exec", dont_inherit=True)  # refuses what the parser takes, a return outside a function for one
    bound = Counter(_bound(tree))
    hides = any(isinstance(node, (ast.Global, ast.NamedExpr)) for node in ast.walk(tree)) or any(map(_is_hiding, _words(tree)))
    return Reading() if hides or "__name__" in bound else Reading(tree=tree, bound=bound)


def _compiles_fast(tree: ast.Module) -> bool:
    """Whether compiling is cheap: Python copies a ``finally`` into every way out of its block, nested ones into each other's copies."""
    nodes = list(ast.walk(tree))
    copied = [node for block in nodes for last in getattr(block, "finalbody", ()) for node in ast.walk(last)]
    leaving = (ast.Try, ast.TryStar, ast.Return, ast.Break, ast.Continue)
    ways_out = sum(isinstance(node, leaving) for node in nodes)
    return not any(isinstance(node, leaving) for node in copied) and ways_out * len(copied) <= _MOST_COPIES


def _bound(tree: ast.AST) -> Iterator[str]:
    """Every name that is bound anywhere, as often as it is; parameters are not counted, methods are."""
    for node in ast.walk(tree):
        match node:
            case ast.FunctionDef(name=str(name)) | ast.AsyncFunctionDef(name=str(name)) | ast.ClassDef(name=str(name)):
                yield name
            case ast.Name(id=name, ctx=ast.Store() | ast.Del()):
                yield name
            case ast.alias(name=name, asname=other):
                yield other or name.partition(".")[0]
            case ast.ExceptHandler(name=str(name)) | ast.MatchAs(name=str(name)) | ast.MatchStar(name=str(name)):
                yield name
            case ast.MatchMapping(rest=str(name)):
                yield name


def _words(tree: ast.Module) -> Iterator[str]:
    """Every name that is used, and every text, which may be a name too."""
    for node in ast.walk(tree):
        match node:
            case ast.Name(id=word) | ast.Attribute(attr=word) | ast.Constant(value=str(word)):
                yield word
            case ast.FunctionDef(name=word) | ast.AsyncFunctionDef(name=word) | ast.ClassDef(name=word):
                yield word
            case ast.ImportFrom(module=str(word)):
                yield from word.split(".")
            case ast.alias(name=word):
                yield from word.split(".")


def _is_hiding(word: str) -> bool:
    dunder = word.startswith("__") and word.endswith("__")
    return word in _HIDING or word == "*" or (dunder and word.isidentifier() and word not in _HARMLESS)


def _no_function(tree: ast.Module) -> Failure | None:
    """The failure that names the module's own functions; None where a statement may make or take away one unseen."""
    own = {node.name for node in tree.body if isinstance(node, (*_DEFS, ast.ClassDef))}.union(_stored(tree))
    is_function: dict[str, bool] = {}  # in the order in which the names are first bound, as the module has them
    for node in tree.body:
        found = _effect(node, own)
        if found is None:
            return None
        is_function.update(found)
    names = [name for name, is_one in is_function.items() if is_one]
    return Failure("no_function", ", ".join(names[:_MOST_NAMES])[:_MOST_TEXT])


def _effect(node: ast.stmt, own: set[str]) -> dict[str, bool] | None:  # noqa: PLR0911  # one case a kind
    """The names that a statement of a module binds, and whether to a function of its own; None when that cannot be told."""
    match node:
        case ast.FunctionDef(decorator_list=[]) | ast.AsyncFunctionDef(decorator_list=[]):
            return {node.name: True}
        case ast.ClassDef(decorator_list=[], keywords=[]):
            return {node.name: False}
        case ast.Import() | ast.ImportFrom():
            return dict.fromkeys(_bound(node), False)
        case ast.Assign(targets=targets, value=value) if _is_foreign(value, own):
            return dict.fromkeys((name for target in targets for name in _stored(target)), False)
        case ast.AnnAssign(target=target, value=ast.expr() as value) if _is_foreign(value, own):
            return dict.fromkeys(_stored(target), False)
        case ast.Expr() | ast.Pass() | ast.AnnAssign(value=None):
            return {}
        case ast.If(test=ast.Compare(ast.Name("__name__"), [ast.Eq()], [ast.Constant("__main__")]), orelse=[]):
            return {}  # it is never loaded as the main program
    return None


def _stored(node: ast.AST) -> list[str]:
    return [found.id for found in ast.walk(node) if isinstance(found, ast.Name) and isinstance(found.ctx, ast.Store)]


def _is_foreign(value: ast.expr, own: set[str]) -> bool:
    """Whether a value is made of constants and of what other modules have, so that it is no function of this one."""
    names = {found.id for found in ast.walk(value) if isinstance(found, ast.Name)}
    return not names & own and not any(isinstance(found, ast.Lambda) for found in ast.walk(value))


def _wrong_parameters(tree: ast.Module, name: str, positional: int, keywords: Iterable[str]) -> Failure | None:
    """The failure of a plain function of the module that cannot take these arguments."""
    found = next((node for node in tree.body if isinstance(node, _DEFS) and node.name == name and not node.decorator_list), None)
    if found is None:
        return None
    signature = _signature(found.args)
    try:
        signature.bind(*[None] * positional, **dict.fromkeys(keywords))
    except TypeError:
        return Failure("wrong_parameters", f"{name}({', '.join(signature.parameters)})"[:_MOST_TEXT], found.lineno)
    return None


def _signature(found: ast.arguments) -> Signature:
    by_position: list[tuple[ast.arg, Any]] = [(each, Parameter.POSITIONAL_ONLY) for each in found.posonlyargs]
    by_position += [(each, Parameter.POSITIONAL_OR_KEYWORD) for each in found.args]
    required = len(by_position) - len(found.defaults)
    parameters = [_parameter(each, kind, index >= required) for index, (each, kind) in enumerate(by_position)]
    parameters += [_parameter(each, Parameter.VAR_POSITIONAL) for each in [found.vararg] if each]
    defaults = zip(found.kwonlyargs, found.kw_defaults, strict=True)
    parameters += [_parameter(each, Parameter.KEYWORD_ONLY, default is not None) for each, default in defaults]
    parameters += [_parameter(each, Parameter.VAR_KEYWORD) for each in [found.kwarg] if each]
    return Signature(parameters)


def _parameter(found: ast.arg, kind: Any, optional: bool = False) -> Parameter:
    return Parameter(found.arg, kind, default=None if optional else Parameter.empty)
