"""Statements from before or behind the block of a tape, moved into it."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from tapelab.diagnosis import edits
from tapelab.diagnosis.block import Block, block_of
from tapelab.diagnosis.flow import Cut
from tapelab.diagnosis.names import argument

if TYPE_CHECKING:
    from tapelab.diagnosis.case import Case
    from tapelab.diagnosis.code import Code
    from tapelab.diagnosis.finding import Fix


def into_the_block(case: Case) -> Fix | None:
    """The statements from before the tape at the start of its block."""
    block = block_of(case)
    statements = _misplaced(case, block, Cut.BEFORE)
    if block is None or not statements:
        return None
    lines = [block.code.text(statement) for statement in statements]
    inserted = [edits.first_in_block(block.code, block.node, line) for line in lines]
    joined = edits.joined(inserted)
    moved = edits.fix(block.code, [*(edits.removed(block.code, s) for s in statements), joined])
    short = moved and len(moved.before.split("\n")) <= len(lines) + 1
    return moved if short else edits.fix(block.code, [joined])


def up_into_the_block(case: Case) -> Fix | None:
    """The statements from behind the tape at the end of its block."""
    block = block_of(case)
    if block is None or case.between(Cut.BEFORE):
        return None
    statements = _misplaced(case, block, Cut.AFTER, Cut.DERIVED)
    computed = _computed_inside(case, block)
    if computed or not statements:
        return computed
    lines = [block.code.text(statement) for statement in statements]
    added = edits.joined([edits.last_in_block(block.code, block.node, line) for line in lines])
    gone = [edits.removed(block.code, statement) for statement in statements]
    return edits.fix(block.code, [added, *gone])


def _misplaced(case: Case, block: Block | None, *cuts: Cut) -> list[ast.stmt]:
    """The statements, in order, whose ops on the path ran at the wrong time."""
    found: dict[ast.stmt, None] = {}
    for edge in case.between(*cuts) if block else ():
        if edge.cut is Cut.DERIVED and case.flow.is_heard(edge.event):
            continue
        span = case.recording.located[edge.event].span
        statement = block and _in_scope(block, case.codes.statement(span))
        if statement is None:
            return []
        found[statement] = None
    return list(found)


def _in_scope(block: Block, statement: ast.stmt | None) -> ast.stmt | None:
    """The statement itself, or the one that called its function, beside the block of the tape."""
    if statement is None or not isinstance(statement, (ast.Assign, ast.AnnAssign, ast.Return)):
        return None
    code = block.code
    beside = _siblings(code, block.node)
    if statement in beside:
        return statement if isinstance(statement, (ast.Assign, ast.AnnAssign)) else None
    function = getattr(code.scope(statement), "name", "")
    calls = [each for each in beside if isinstance(each, ast.Assign) and _calls(each, function)]
    return calls[0] if function and len(calls) == 1 else None


def _siblings(code: Code, node: ast.stmt) -> list[ast.stmt]:
    around = code.parent.get(node, code.tree)
    bodies = (getattr(around, name, []) for name in ("body", "orelse", "finalbody"))
    return next((body for body in bodies if node in body), [])


def _calls(statement: ast.Assign, function: str) -> bool:
    calls = (node for node in ast.walk(statement.value) if isinstance(node, ast.Call))
    return any(ast.unparse(call.func) == function for call in calls)


def _computed_inside(case: Case, block: Block) -> Fix | None:
    """`tape.gradient(f(x), x)` with `f(x)` computed in the block under a name."""
    written = argument(case, case.target)
    if written is None or written.code is not block.code:
        return None
    if not isinstance(written.node, (ast.Call, ast.BinOp, ast.UnaryOp)):
        return None
    added = edits.last_in_block(block.code, block.node, f"out = {written.text}")
    return edits.fix(block.code, [added, edits.replaced(block.code, written.node, "out")])
