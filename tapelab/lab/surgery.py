"""What a cell's code does with tapes, and what is put around it to record it."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Final, TypeVar

OPEN: Final = "_tapelab_open_"
TAPE: Final = "_tapelab_tape_"
SHOW: Final = "_tapelab_show_"
VALUE: Final = "_tapelab_value_"
HIDDEN: Final = (OPEN, TAPE, SHOW, VALUE)
"""The names that the added code uses, for as long as the cell runs."""

Tree = TypeVar("Tree", ast.Module, ast.Expression)
_LOAD: Final = ast.Load()


def tapes_opened(code: ast.AST) -> Iterator[str]:
    """The names of the tapes that code opens, outermost ones only; "" for one without a name."""
    for node in ast.iter_child_nodes(code):
        own = [item for item in getattr(node, "items", []) if _is_tape(item)]
        for item in own:
            name = item.optional_vars
            yield name.id if isinstance(name, ast.Name) else ""
        if not own:
            yield from tapes_opened(node)


def _is_tape(item: object) -> bool:
    match item:
        case ast.withitem(context_expr=ast.Call(func=ast.Attribute(attr=name) | ast.Name(id=name))):
            return name == "GradientTape"
    return False


def result_of(body: list[ast.stmt]) -> str:
    """The name that the last line gives to its result; empty if it gives none."""
    match body[-1:]:
        case [ast.Assign(targets=[ast.Name(id=name)])]:
            return name
        case [ast.AnnAssign(target=ast.Name(id=name)) | ast.AugAssign(target=ast.Name(id=name))]:
            return name
        case [ast.Expr(value=ast.Name(id=name))]:
            return name
        case [ast.With(body=inner)]:
            return result_of(inner)
    return ""


def keep_last_value(code: ast.Module) -> None:
    """Keep the value of a last expression, which a notebook displays."""
    match code.body[-1:]:
        case [ast.Expr(value=value) as last]:
            kept = ast.Assign([ast.Name(VALUE, ast.Store())], value)
            code.body[-1] = ast.fix_missing_locations(ast.copy_location(kept, last))


def on_a_tape(code: ast.Module, first_line: str) -> ast.Module:
    """The code in the block of a tape that opens in the first line of the cell."""
    opened = ast.Call(ast.Name(OPEN, _LOAD), [], [])
    block = ast.With([ast.withitem(opened, ast.Name(TAPE, ast.Store()))], code.body or [ast.Pass()])
    return _in_first_line(ast.Module([block], []), first_line)


def showing(tape: str, names: list[str], first_line: str) -> ast.Expression:
    """The call `show(tape, z, [x, y])`, as if it stood in the first line of the cell."""
    arguments: list[ast.expr] = [ast.Name(name, _LOAD) for name in [tape, *names[:1]]]
    if len(names) > 1:
        arguments.append(ast.List([ast.Name(name, _LOAD) for name in names[1:]], _LOAD))
    call = ast.Call(ast.Name(SHOW, _LOAD), arguments, [])
    return _in_first_line(ast.Expression(call), first_line)


def _in_first_line(tree: Tree, line: str) -> Tree:
    """Give the nodes that we made their place; the learner's have theirs."""
    for node in ast.walk(tree):
        if isinstance(node, (ast.stmt, ast.expr)) and not hasattr(node, "lineno"):
            place = ast.Pass(
                lineno=1, col_offset=0, end_lineno=1, end_col_offset=len(line.encode())
            )
            ast.copy_location(node, place)
    return tree
