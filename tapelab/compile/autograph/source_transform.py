"""AutoGraph: a function's source is rewritten so that its control flow can go by tensors.

`if`, `while`, `for`, `and`, `or`, `not`, `a if c else b` and calls of the user's own functions
become calls of `operators.py`, which look at run time whether tensors without numbers decide. The
rewritten code keeps the user's file, lines and columns.
"""

from __future__ import annotations

import ast
import inspect
import linecache
import textwrap
from collections.abc import Callable
from functools import partial
from itertools import pairwise
from types import CellType, CodeType, FunctionType, MethodType
from typing import Any, Final

from tapelab.compile.autograph import operators
from tapelab.compile.autograph.builtin_overloads import BUILTINS
from tapelab.compile.autograph.rewriter import HELPER, Rewriter
from tapelab.compile.pytree import Leaf
from tapelab.core.log import thread
from tapelab.recording.identity_cache import cached_by_identity

_OWN: Final = ("tapelab", "numpy", "scipy", "builtins", "functools", "collections", "itertools")


def do_not_convert(func: Callable[..., Any] | None = None) -> Any:
    """Leave a function as it is written: its control flow goes by Python values only."""
    if func is None:
        return do_not_convert
    func._autograph_off = True  # type: ignore[attr-defined]  # a mark on a function
    return func


def convert_function(function: Leaf) -> Any:
    """The function with its control flow rewritten; itself where that is not possible."""
    if isinstance(function, MethodType):
        inner = convert_function(function.__func__)
        return function if inner is function.__func__ else MethodType(inner, function.__self__)
    if isinstance(function, partial):
        return partial(convert_function(function.func), *function.args, **function.keywords)
    if not isinstance(function, FunctionType):
        return _converted_call(function)
    if _is_left_alone(function):
        return function
    code = _rewritten(function.__code__)
    if code is None:
        return function
    return _with_code(function, code)


def _converted_call(callee: Leaf) -> Any:
    """What calling one of the user's objects calls, rewritten; anything else as it is."""
    calls = (vars(kind).get("__call__") for kind in type(callee).__mro__)
    call = next((each for each in calls if each is not None), None)
    if isinstance(callee, type) or not isinstance(call, FunctionType) or _is_left_alone(call):
        return callee
    return MethodType(convert_function(call), callee)


def _is_left_alone(function: FunctionType) -> bool:
    home = (function.__module__ or "").partition(".")[0]
    off = getattr(function, "_autograph_off", False) or home in _OWN
    return off or HELPER in function.__code__.co_freevars or inspect.isgeneratorfunction(function)


def _with_code(function: FunctionType, code: CodeType) -> FunctionType:
    cells = dict(zip(function.__code__.co_freevars, function.__closure__ or (), strict=True))
    cells[HELPER] = CellType(Helpers)
    closure = tuple(cells[name] for name in code.co_freevars)
    rewritten = FunctionType(
        code, function.__globals__, function.__name__, function.__defaults__, closure
    )
    rewritten.__kwdefaults__ = function.__kwdefaults__
    rewritten.__qualname__ = function.__qualname__
    rewritten.__module__ = function.__module__
    return rewritten


@cached_by_identity(maxsize=1024)
def _rewritten(code: CodeType) -> CodeType | None:
    """The rewritten code of a function; None where its source is not to be had."""
    program = _program(code)
    if program is None:
        return None
    try:
        compiled = compile(program, code.co_filename, "exec")
    except (SyntaxError, ValueError):
        return None
    return _inner_code(compiled, code.co_name)


def _program(code: CodeType) -> ast.Module | None:
    """A module with a function that has the free variables of the code and makes the function.

    It stands in a class of the method's class's name, so that private names are the same. A
    function that is no local one finds itself by its global name, as it did.
    """
    source = lambda_of(code) if code.co_name == "<lambda>" else definition_of(code)
    if source is None:
        return None
    rewriter = Rewriter()
    if isinstance(source, ast.Lambda):
        inner: ast.stmt = ast.Return(rewriter.visit(source))
    else:
        source.decorator_list = []
        source.returns = None
        inner = rewriter.function(source)
    names = [*code.co_freevars, HELPER]
    parameters = ast.arguments(
        posonlyargs=[], args=[ast.arg(arg=name) for name in names], kwonlyargs=[],
        kw_defaults=[], defaults=[],
    )  # fmt: skip
    home: Any = ast.parse(f"class {_class_of(code) or 'Home'}:\n    def maker(): pass").body[0]
    maker: Any = home.body[0]
    maker.args = parameters
    own = isinstance(inner, ast.Return) or code.co_name in code.co_freevars
    maker.body = [inner] if own else [ast.Global(names=[code.co_name]), inner]
    return ast.fix_missing_locations(ast.Module(body=[home], type_ignores=[]))


def _class_of(code: CodeType) -> str:
    """The name of the innermost class around a function; "" for none."""
    parts = code.co_qualname.split(".")
    names = [one for one, after in pairwise(parts) if after != "<locals>"]
    return next((name for name in reversed(names) if name.isidentifier()), "")


def _inner_code(code: CodeType, name: str) -> CodeType | None:
    home = next(each for each in code.co_consts if isinstance(each, CodeType))
    maker = next(each for each in home.co_consts if isinstance(each, CodeType))
    inside = (each for each in maker.co_consts if isinstance(each, CodeType))
    return next((each for each in inside if each.co_name == name), None)


def converted_code(function: Callable[..., Any]) -> str:
    """The rewritten source of a function as text."""
    program = _program(function.__code__)
    if program is None:
        raise ValueError(f"The source code of {function!r} is not available.")
    home: Any = program.body[0]
    return ast.unparse(home.body[0].body[-1])


def callee(function: Callable[..., Any]) -> Any:
    """What a call in rewritten code calls: the user's own functions are rewritten, too."""
    if thread.trace is None:
        return function
    try:
        stand_in = BUILTINS.get(function)
    except TypeError:
        return function
    return stand_in or convert_function(function)


class Helpers:
    """What rewritten code finds under the name `ag__`."""

    Undefined = operators.Undefined
    if_ = staticmethod(operators.if_)
    while_ = staticmethod(operators.while_)
    for_ = staticmethod(operators.for_)
    left_by_return = staticmethod(operators.left_by_return)
    known = staticmethod(operators.known)
    part = staticmethod(operators.part)
    and_ = staticmethod(operators.and_)
    or_ = staticmethod(operators.or_)
    not_ = staticmethod(operators.not_)
    compared = staticmethod(operators.compared)
    if_expression = staticmethod(operators.if_expression)
    callee = staticmethod(callee)


def definition_of(code: CodeType) -> ast.FunctionDef | None:
    """The `def` of a function; None where its source is not to be had."""
    try:
        lines, first = inspect.getsourcelines(code)
    except (OSError, TypeError, IndexError):
        return None
    try:
        tree = ast.parse(textwrap.dedent("".join(lines)))
    except SyntaxError:
        return None
    definition = tree.body[0] if len(tree.body) == 1 else None
    if not isinstance(definition, ast.FunctionDef) or definition.name != code.co_name:
        return None
    _move(tree, first - 1, len(lines[0]) - len(lines[0].lstrip()))
    return definition


def lambda_of(code: CodeType) -> ast.Lambda | None:
    """The lambda expression of a function; None where several may be meant."""
    try:
        tree = ast.parse("".join(linecache.getlines(code.co_filename)))
    except SyntaxError:
        return None
    names = list(code.co_varnames[: code.co_argcount + code.co_kwonlyargcount])
    lambdas = [
        node
        for node in ast.walk(tree)
        if isinstance(node, ast.Lambda)
        and node.lineno == code.co_firstlineno
        and [each.arg for each in (*node.args.args, *node.args.kwonlyargs)] == names
    ]
    return lambdas[0] if len(lambdas) == 1 else None


def _move(tree: ast.AST, lines: int, columns: int) -> None:
    ast.increment_lineno(tree, lines)
    for node in ast.walk(tree):
        if isinstance(node, (ast.expr, ast.stmt, ast.arg, ast.keyword, ast.alias)):
            node.col_offset += columns
            node.end_col_offset = (node.end_col_offset or 0) + columns
