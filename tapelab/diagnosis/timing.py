"""The op ran at the wrong time: before the tape, after it, while it paused, in another thread."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, NamedTuple

from tapelab.diagnosis import edits
from tapelab.diagnosis.block import Block, block_of, line_of, marker, tape_name
from tapelab.diagnosis.finding import Finding, Step
from tapelab.diagnosis.flow import Cut
from tapelab.diagnosis.names import argument, name_of, shortened
from tapelab.diagnosis.wording import lost
from tapelab.recording import events as e

if TYPE_CHECKING:
    from tapelab.diagnosis.case import Case
    from tapelab.diagnosis.code import Code
    from tapelab.diagnosis.finding import Fix
    from tapelab.diagnosis.flow import Edge


class Sentence(NamedTuple):
    """How a finding about time is worded."""

    code: str
    title: str
    why: str
    lesson: str


SENTENCES = {
    Cut.BEFORE: Sentence("BEFORE_TAPE", "`{text}` ran before the tape", "before `{tape}` began to record in line {opened}", "05"),
    Cut.AFTER: Sentence("AFTER_TAPE", "`{text}` ran after the tape", "after the block of `{tape}` had ended", "05"),
    Cut.PAUSED: Sentence("RECORDING_PAUSED", "`{text}` ran while recording was paused", "inside `{tape}.stop_recording()`", "04"),
    Cut.THREAD: Sentence("OTHER_THREAD", "`{text}` ran in another thread", "in another thread than the one that opened `{tape}`", "04"),
    Cut.LATE: Sentence("WATCHED_TOO_LATE", "`{text}` ran before `{source}` was watched", "before `{tape}.watch({source})`", "04"),
}  # fmt: skip


def ran_off_tape(case: Case, edge: Edge) -> Finding:
    """An op between source and target that ran when or where the tape did not listen."""
    assert edge.cut is not None
    sentence, span = SENTENCES[edge.cut], case.recording.located[edge.event].span
    words = {
        "text": shortened(case.codes.text(span)) or name_of(case, edge.to),
        "tape": tape_name(case),
        "source": name_of(case, case.source),
        "opened": line_of(case, marker(case, e.Opened)),
    }
    made = name_of(case, edge.to)
    who = f"`{made}` was computed" if made != words["text"] else "It ran"
    fixes = {Cut.BEFORE: _move_in, Cut.AFTER: _move_up}
    return Finding(
        code=sentence.code,
        title=sentence.title.format(**words),
        message=f"{who} {sentence.why.format(**words)}, so it is not on the tape{lost(case, edge)}",
        where=case.codes.where(span),
        fix=fixes[edge.cut](case, edge) if edge.cut in fixes else None,
        lesson=sentence.lesson,
        evidence=_same_cut(case, edge),
        steps=_steps(case, edge, words["text"]),
    )


def _same_cut(case: Case, edge: Edge) -> tuple[int, ...]:
    """All events on the path that ran at the wrong time in the same way."""
    events = {each.event for each in case.path if each.cut is edge.cut} | {edge.event}
    return tuple(sorted(events))


def _steps(case: Case, edge: Edge, text: str) -> tuple[Step, ...]:
    opened, closed = marker(case, e.Opened), marker(case, e.Closed)
    steps = [Step(line_of(case, edge.event), f"`{text}` ran")]
    tape = tape_name(case)
    if edge.cut is Cut.BEFORE and opened >= 0:
        steps.append(Step(line_of(case, opened), f"`{tape}` began to record"))
    if edge.cut is Cut.AFTER and closed >= 0:
        steps.insert(0, Step(_last_line(case), f"`{tape}` stopped recording"))
    return tuple(steps)


def _last_line(case: Case) -> int:
    block = block_of(case)
    return block.code.extent(block.node).end_line if block else 0


def _move_in(case: Case, edge: Edge) -> Fix | None:
    """The statements from before the tape at the start of its block."""
    block = block_of(case)
    statements = _misplaced(case, Cut.BEFORE, block)
    if block is None or not statements:
        return None
    lines = [block.code.text(statement) for statement in statements]
    inserted = [edits.first_in_block(block.code, block.node, line) for line in lines]
    joined = edits.joined(inserted)
    moved = edits.fix(
        block.code, [*(edits.removed(block.code, s) for s in statements), joined]
    )
    short = moved and len(moved.before.split("\n")) <= len(lines) + 1
    return moved if short else edits.fix(block.code, [joined])


def _move_up(case: Case, edge: Edge) -> Fix | None:
    """The statements from behind the tape at the end of its block."""
    block = block_of(case)
    if block is None:
        return None
    statements = _misplaced(case, Cut.AFTER, block)
    if not statements:
        return _call_inside(case, block)
    lines = [block.code.text(statement) for statement in statements]
    added = edits.joined([edits.last_in_block(block.code, block.node, line) for line in lines])
    gone = [edits.removed(block.code, statement) for statement in statements]
    return edits.fix(block.code, [added, *gone])


def _misplaced(case: Case, cut: Cut, block: Block | None) -> list[ast.stmt]:
    """The statements, in order, whose ops on the path ran at the wrong time."""
    found: dict[ast.stmt, None] = {}
    for edge in reversed(case.path):
        if edge.cut is not cut or block is None:
            continue
        span = case.recording.located[edge.event].span
        statement = _in_scope(case, block, case.codes.statement(span))
        if statement is None:
            return []
        found[statement] = None
    return list(found)


def _in_scope(case: Case, block: Block, statement: ast.stmt | None) -> ast.stmt | None:
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


def _call_inside(case: Case, block: Block) -> Fix | None:
    """`tape.gradient(f(x), x)` with `f(x)` computed in the block under a name."""
    written = argument(case, case.target)
    if written is None or written.code is not block.code or isinstance(written.node, ast.Name):
        return None
    name = "out"
    added = edits.last_in_block(block.code, block.node, f"{name} = {written.text}")
    return edits.fix(block.code, [added, edits.replaced(block.code, written.node, name)])
