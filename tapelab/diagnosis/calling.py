"""Where a function was called whose ops ran at the wrong time: that line is to be moved."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from tapelab.diagnosis.block import Block, block_of
from tapelab.diagnosis.flow import Cut

if TYPE_CHECKING:
    from tapelab.diagnosis.case import Case
    from tapelab.diagnosis.code import Code, Extent


def call_at_fault(case: Case, span: int, cut: Cut | None = None) -> Extent | None:
    """The one call of the function that an op stands in, at the time in question; else None.

    Without a cut, the first inside the block of the tape.
    """
    block, code, statement = block_of(case), case.codes.of(span), case.codes.statement(span)
    if block is None or code is not block.code or statement is None:
        return None
    function = getattr(code.scope(statement), "name", "")
    if not function or code.scope(statement) is code.scope(block.node):
        return None
    calls = [node for node in ast.walk(code.tree) if _is_call_of(node, function)]
    found = sorted(code.extent(node) for node in calls if _is_at(code, node, block, cut))
    return found[0] if len(found) == 1 or (found and cut is None) else None


def _is_call_of(node: ast.AST, function: str) -> bool:
    return isinstance(node, ast.Call) and ast.unparse(node.func) == function


def _is_at(code: Code, call: ast.AST, block: Block, cut: Cut | None) -> bool:
    """Whether a call stands where what it does runs before, behind or in a pause of the tape."""
    at, tape = code.extent(call), code.extent(block.node)
    if cut is None:
        return tape.holds(at)
    if cut is Cut.BEFORE:
        return at < tape
    if cut is Cut.AFTER:
        return at[:2] >= tape[2:]
    if cut is Cut.PAUSED:
        return tape.holds(at) and any(_pauses(each) for each in _around(code, call))
    watch = next((node for node in ast.walk(block.node) if _watches(node)), None)
    return cut is Cut.LATE and tape.holds(at) and watch is not None and at < code.extent(watch)


def _around(code: Code, node: ast.AST) -> list[ast.AST]:
    found = []
    while node in code.parent:
        node = code.parent[node]
        found.append(node)
    return found


def _pauses(node: ast.AST) -> bool:
    items = node.items if isinstance(node, ast.With) else ()
    return any(ast.unparse(each.context_expr).endswith("stop_recording()") for each in items)


def _watches(node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and ast.unparse(node.func).endswith(".watch")
