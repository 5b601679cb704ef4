"""The `with` block of a tape in the user's code, its name, and where `watch` belongs in it."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, NamedTuple

from tapelab.diagnosis import edits
from tapelab.diagnosis.descriptions import name_of, operand, visible
from tapelab.diagnosis.source_code import Code
from tapelab.recording import events as e

if TYPE_CHECKING:
    from tapelab.diagnosis.case import Case
    from tapelab.diagnosis.finding import Fix


class Block(NamedTuple):
    """A `with` statement, the code it stands in, and the name of the tape it opens."""

    code: Code
    node: ast.With
    tape: str


def tape_name(case: Case) -> str:
    """What the learner calls the tape."""
    block = block_of(case)
    return block.tape if block else case.recording.tape.name


def marker(case: Case, kind: type[e.Event]) -> int:
    """The first event of a kind, such as `Opened`; -1 without one."""
    return next((place.index for place in case.recording.placed(kind)), -1)


def line_of(case: Case, event: int) -> int:
    """The line at which an event happened; 0 where it is not known."""
    return case.codes.line(case.recording.event_spans[event]) if event >= 0 else 0


def block_of(case: Case) -> Block | None:
    """The block that opened the tape, where its text is known."""
    opened = marker(case, e.Opened)
    span = case.recording.located[opened].span if opened >= 0 else -1
    code, extent = case.codes.of(span), case.codes.extent(span)
    if code is None or extent is None:
        return None
    blocks = [node for _, node in code.placed if isinstance(node, ast.With)]
    headed = [node for node in blocks if node.lineno <= extent.line <= node.body[0].lineno]
    if not headed:
        return None
    return Block(code, headed[-1], _tape_of(case, code, headed[-1]))


def _tape_of(case: Case, code: Code, node: ast.With) -> str:
    known = case.recording.tape.name
    names = [code.text(item.optional_vars) for item in node.items if item.optional_vars]
    return known if known in names or not names else names[0]


def watch_call(case: Case) -> str:
    """`tape.watch(x)`, in the names that the block of the tape uses."""
    block = block_of(case)
    name = _name_inside(case, block) if block else name_of(case, case.source)
    return f"{tape_name(case)}.watch({name})"


def watch(case: Case) -> Fix | None:
    """The block with `tape.watch(x)` before the first use of the source."""
    block = block_of(case)
    if block is None:
        return None
    line = watch_call(case)
    making = case.codes.statement(case.recording.tensor(case.source).span)
    inside = making is not None and any(making in ast.walk(each) for each in block.node.body)
    if making is not None and inside:
        return edits.fix(block.code, [edits.after_statement(block.code, making, line)])
    return edits.fix(block.code, [edits.first_in_block(block.code, block.node, line)])


def _name_inside(case: Case, block: Block) -> str:
    """What the code of the block calls the source."""
    name = name_of(case, case.source)
    scope = block.code.scope(block.node)
    if visible(block.code, scope, name):
        return name
    for edge in case.flow.out_of.get(case.source, ()):
        written = operand(case, edge)
        if written and visible(block.code, scope, written.text):
            return written.text
    return name


def constructor(case: Case) -> tuple[Code, ast.Call] | None:
    """The call that made the tape."""
    block = block_of(case)
    if block is None:
        return None
    calls = [item.context_expr for item in block.node.items]
    calls += [
        node.value
        for _, node in block.code.placed
        if isinstance(node, ast.Assign) and block.tape in map(ast.unparse, node.targets)
    ]
    for call in calls:
        if isinstance(call, ast.Call) and ast.unparse(call.func).endswith("GradientTape"):
            return block.code, call
    return None
