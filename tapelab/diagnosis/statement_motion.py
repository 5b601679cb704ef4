"""Fixes that move statements: into the block of the tape, around it, out of a pause or a thread.

Each function returns the lines before and after, or None where the code is not simple enough to be
rewritten safely.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Final

from tapelab.diagnosis import edits
from tapelab.diagnosis.descriptions import argument
from tapelab.diagnosis.edges import Cut
from tapelab.diagnosis.source_code import Extent
from tapelab.diagnosis.tape_block import Block, block_of

if TYPE_CHECKING:
    from tapelab.diagnosis.case import Case
    from tapelab.diagnosis.finding import Fix
    from tapelab.diagnosis.source_code import Code


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
    calls_at_fault = sorted(code.extent(node) for node in calls if _is_at(code, node, block, cut))
    return (
        calls_at_fault[0] if len(calls_at_fault) == 1 or (calls_at_fault and cut is None) else None
    )


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
    ancestors = []
    while node in code.parent:
        node = code.parent[node]
        ancestors.append(node)
    return ancestors


def _pauses(node: ast.AST) -> bool:
    items = node.items if isinstance(node, ast.With) else ()
    return any(ast.unparse(each.context_expr).endswith("stop_recording()") for each in items)


def _watches(node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and ast.unparse(node.func).endswith(".watch")


FREE_NAMES: Final = ("out", "result", "target", "computed_inside")
"""What an expression may be called that is computed inside the block, if the name is free."""


def into_the_block(case: Case) -> Fix | None:
    """The statements from before the tape at the start of its block."""
    block = block_of(case)
    statements = _misplaced(case, block, Cut.BEFORE)
    if block is None or not statements:
        return None
    lines = [block.code.text(statement) for statement in statements]
    watched = _watch_calls(block)
    inserted = [
        edits.after_statement(block.code, watched[-1], line)
        if watched
        else edits.first_in_block(block.code, block.node, line)
        for line in lines
    ]
    joined = edits.joined(inserted)
    moved = edits.fix(block.code, [*(edits.removed(block.code, s) for s in statements), joined])
    short = moved and len(moved.before.split("\n")) <= len(lines) + 1
    return moved if short else edits.fix(block.code, [joined])


def _watch_calls(block: Block) -> list[ast.stmt]:
    """The statements `tape.watch(...)` with which a block begins."""
    watches: list[ast.stmt] = []
    for statement in block.node.body:
        call = statement.value if isinstance(statement, ast.Expr) else None
        if not isinstance(call, ast.Call) or not ast.unparse(call.func).endswith(".watch"):
            break
        watches.append(statement)
    return watches


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


def around_what_came_before(case: Case, event: int) -> Fix | None:
    """The block, begun before the block of the inner tape and all that follows on it."""
    block, span = block_of(case), case.recording.located[event].span
    statement = case.codes.statement(span)
    if block is None or statement is None or case.codes.of(span) is not block.code:
        return None
    code, beside = block.code, _siblings(block.code, block.node)
    inner = next((each for each in beside[: beside.index(block.node)] if _opens(each)), None)
    if inner is None or statement.lineno < inner.lineno or statement.lineno >= block.node.lineno:
        return None
    start, outer, first = (code.extent(each) for each in (inner, block.node, block.node.body[0]))
    margin = " " * (first.column - outer.column)
    if first.line == outer.line or start.column != outer.column:
        return None
    rows = [code.line(number) for number in range(start.line, outer.line)]
    header = code.text(Extent(*outer[:2], first.line - 1, len(code.line(first.line - 1))))
    body = "\n".join([header, *(f"{margin}{row}" for row in rows if row.strip())])
    at = Extent(start.line, 0, first.line - 1, len(code.line(first.line - 1)))
    return edits.fix(code, [edits.Edit(at, f"{' ' * outer.column}{body}")])


def _opens(statement: ast.stmt) -> bool:
    """Whether a statement is the block of a tape."""
    if not isinstance(statement, ast.With):
        return False
    return any("GradientTape(" in ast.unparse(each.context_expr) for each in statement.items)


def _misplaced(case: Case, block: Block | None, *cuts: Cut) -> list[ast.stmt]:
    """The statements, in order, whose ops on the path ran at the wrong time."""
    misplaced: dict[ast.stmt, None] = {}
    for edge in case.between(*cuts) if block else ():
        if edge.cut is Cut.DERIVED and case.flow.activity.is_recorded(edge.event):
            continue
        span = case.recording.located[edge.event].span
        statement = block and _in_scope(block, case.codes.statement(span))
        if statement is None:
            return []
        misplaced[statement] = None
    return list(misplaced)


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
    name, known = _named(block, written.text)
    changes = [edits.replaced(block.code, written.node, name)]
    if not known:
        changes.append(edits.last_in_block(block.code, block.node, f"{name} = {written.text}"))
    return edits.fix(block.code, sorted(changes))


def _named(block: Block, text: str) -> tuple[str, bool]:
    """The name under which the block computes an expression, or a new one, and whether it does."""
    names = {node.id for node in ast.walk(block.code.tree) if isinstance(node, ast.Name)}
    for statement in block.node.body:
        match statement:
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                if block.code.text(value) == text:
                    return name, True
    return next(name for name in FREE_NAMES if name not in names), False


def recorded_again(case: Case) -> Fix | None:
    """The statements of a block `with tape.stop_recording():` without the block."""
    for edge in (*case.between(Cut.PAUSED), *case.between(Cut.DERIVED)):
        span = case.recording.located[edge.event].span
        code, call = case.codes.of(span), call_at_fault(case, span, Cut.PAUSED)
        node = code.statement(call) if code and call else case.codes.statement(span)
        while code is not None and node is not None and not _is_pause(node):
            parent = code.parent.get(node)
            node = parent if isinstance(parent, ast.stmt) else None
        if code is not None and isinstance(node, ast.With) and len(node.items) == 1:
            return edits.fix(code, [edits.replaced(code, node, _unwrapped(code, node))])
    return None


def _is_pause(node: ast.stmt) -> bool:
    if not isinstance(node, ast.With):
        return False
    return any(ast.unparse(each.context_expr).endswith("stop_recording()") for each in node.items)


def _unwrapped(code: Code, block: ast.With) -> str:
    """The body of a block, as far to the left as its header."""
    first, last = code.extent(block.body[0]), code.extent(block.body[-1])
    margin = code.line(first.line)[: first.column]
    text = code.text(Extent(first.line, first.column, last.end_line, last.end_column))
    if margin.strip():  # the body stands in the line of its header
        return text
    return text.replace(f"\n{margin}", f"\n{' ' * code.extent(block).column}")


def in_this_thread(case: Case) -> Fix | None:
    """A function that is called, not submitted to a pool of threads."""
    for edge in (*case.between(Cut.THREAD), *case.between(Cut.DERIVED)):
        code = case.codes.of(case.recording.located[edge.event].span)
        for node in ast.walk(code.tree) if code else ():
            new = _called(code, node) if code else ""
            if code and new and isinstance(node, ast.Call):
                text = edits.bracketed(code, node, new)
                return edits.fix(code, [edits.replaced(code, node, text)])
    return None


def _called(code: Code, node: ast.AST) -> str:
    """`pool.submit(f, x).result()` as `f(x)`, `pool.map(f, xs)` as `map(f, xs)`; else empty."""
    match node:
        case ast.Call(
            func=ast.Attribute(
                attr="result",
                value=ast.Call(func=ast.Attribute(attr="submit"), args=[function, *given]),
            )
        ):
            name = code.text(function)
            name = f"({name})" if isinstance(function, ast.Lambda) else name
            return f"{name}({', '.join(code.text(each) for each in given)})"
        case ast.Call(func=ast.Attribute(attr="map", value=ast.Name()), args=[function, *given]):
            return f"map({', '.join(code.text(each) for each in (function, *given))})"
    return ""
