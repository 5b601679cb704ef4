"""Findings about `backward()` calls of PyTorch that raised an error: the line that caused it.

PyTorch's message names neither. A recording knows which op had saved the value that was gone, and
which statement overwrote it or which earlier backward pass freed it.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from tapelab.diagnosis import edits
from tapelab.diagnosis.declarations import FOREIGN, Declaration, Rank
from tapelab.diagnosis.descriptions import name_of, sentence, shortened, text_at
from tapelab.diagnosis.site import site_of
from tapelab.recording import events as e

if TYPE_CHECKING:
    from tapelab.diagnosis.case import Case
    from tapelab.diagnosis.finding import Finding, Fix
    from tapelab.diagnosis.site import Site
    from tapelab.diagnosis.source_code import Code
    from tapelab.recording.events import Located

OVERWRITES: Final = sentence("`{text}` overwrites a value that the backward pass needs")
NEEDED: Final = sentence(
    "`{op}` in line {first} saved the value for its derivative. Line {line} changed it in place, "
    "so `backward()` in line {call} raises an error."
)
NEW_TENSOR: Final = sentence("Make a new tensor instead of changing the old one.")
LATER: Final = sentence("Change it after the backward pass.")
FREED: Final = sentence("`{text}` runs through a graph that is freed already")
FREED_BY: Final = sentence(
    "The backward pass in line {earlier} freed what `{op}` in line {first} had saved."
)
KEEP: Final = sentence("Pass `retain_graph=True` to the first call if both are needed.")
CARRIED: Final = sentence(
    "`{name}` carries the graph of the iteration before into this one. Detach it between them."
)
NO_SCALAR: Final = sentence("`{target}` has shape {shape}, but `backward()` starts at one number")
REDUCE: Final = sentence("Sum or average it in line {line}, or pass the upstream gradient.")


def failed_call(case: Case) -> Located | None:
    """The last gradient call of these targets, if it raised an error."""
    calls = [
        place
        for place in case.recording.placed(e.Asked)
        if isinstance(place.event, e.Asked) and place.event.targets == case.targets
    ]
    return calls[-1] if calls and calls[-1].index in case.recording.failures else None


def failure(case: Case) -> Iterator[Finding]:
    """Why a gradient call raised an error."""
    call = failed_call(case)
    if call is None:
        return
    reason = case.recording.failures[call.index]
    if reason.event < 0:
        yield from _not_scalar(case, call)
    elif reason.writer >= 0:
        yield _overwritten(case, call, reason.event, reason.writer)
    else:
        yield _freed(case, call, reason.event)


def _line(case: Case, event: int) -> int:
    return case.codes.line(case.recording.event_spans[event])


def _overwritten(case: Case, call: Located, saver: int, writer: int) -> Finding:
    site = _statement_site(case, writer)
    fix = _out_of_place(site)
    why = site.say(
        NEEDED,
        op=shortened(text_at(case, saver)) or case.op_name(saver),
        first=_line(case, saver),
        call=_line(case, call.index),
    )
    instead = site.say(LATER if case.op_run(writer) is None else NEW_TENSOR)
    title = site.say(OVERWRITES)
    return site.finding("OVERWRITTEN_VALUE", title, why, instead, fix=fix, evidence=(saver, writer))


def _statement_site(case: Case, event: int) -> Site:
    """Where a write happened; its text is the statement, such as `h += 1`."""
    site = site_of(case, event)
    code, statement = case.codes.of(site.span), case.codes.statement(site.span)
    if code is None or not isinstance(statement, (ast.AugAssign, ast.Assign, ast.Expr)):
        return site
    return replace(site, text=shortened(code.text(statement)), part=code.extent(statement))


def _out_of_place(site: Site) -> Fix | None:
    """The statement that makes a new tensor instead of writing into the old one."""
    code, statement = site.case.codes.of(site.span), site.case.codes.statement(site.span)
    if code is None or statement is None or site.case.op_run(site.event) is None:
        return None
    match statement:
        case ast.AugAssign(target=ast.Name(id=name) as target, op=op, value=value):
            result = ast.BinOp(ast.Name(name, ast.Load()), op, value)
            text = ast.unparse(ast.Assign([target], result, lineno=1))
            return edits.fix(code, [edits.replaced(code, statement, text)])
        case (
            ast.Assign(targets=[ast.Subscript(value=ast.Name(id=name))])
            | ast.AugAssign(target=ast.Subscript(value=ast.Name(id=name)))
        ):
            return edits.fix(
                code, edits.before_statement(code, statement, f"{name} = {name}.clone()")
            )
        case ast.Expr(value=ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr=attr))):
            new = _method_without_underscore(code, statement.value, attr)
            changes = [edits.replaced(code, statement, f"{name} = {new}")] if new else []
            return edits.fix(code, changes)
    return _without_inplace(code, site)


def _method_without_underscore(code: Code, call: ast.expr, attr: str) -> str:
    """`h.add(1)` for `h.add_(1)`; empty for another method."""
    is_method = isinstance(call, ast.Call) and attr.endswith("_") and not attr.endswith("__")
    return code.text(call).replace(f".{attr}(", f".{attr[:-1]}(", 1) if is_method else ""


def _without_inplace(code: Code, site: Site) -> Fix | None:
    """A call without `inplace=True`, or the method without its underscore."""
    call = site.case.codes.expression(site.span)
    if not isinstance(call, ast.Call):
        return None
    for keyword in call.keywords:
        if keyword.arg == "inplace":
            return edits.fix(code, [edits.without_argument(code, call, keyword)])
    attr = call.func.attr if isinstance(call.func, ast.Attribute) else ""
    new = _method_without_underscore(code, call, attr)
    return edits.fix(code, [edits.replaced(code, call, new)]) if new else None


def _freed(case: Case, call: Located, saver: int) -> Finding:
    site = site_of(case, call.index)
    earlier = _call_through(case, call, saver)
    said = site.say(
        FREED_BY,
        earlier=_line(case, earlier.index) if earlier else "?",
        op=shortened(text_at(case, saver)) or case.op_name(saver),
        first=_line(case, saver),
    )
    carried = _carried(case, earlier, call) if earlier else ""
    instead = site.say(CARRIED, name=carried) if carried else site.say(KEEP)
    fix = _detached(case, earlier, carried) if earlier else None
    title = site.say(FREED)
    return site.finding("FREED_GRAPH", title, said, instead, fix=fix, evidence=(saver, call.index))


def _call_through(case: Case, call: Located, saver: int) -> Located | None:
    """The last backward pass before a call that went through an op."""
    passes = [
        place.event.call
        for place in case.recording.placed(e.Flowed)
        if isinstance(place.event, e.Flowed)
        and place.event.event == saver
        and place.index < call.index
    ]
    calls = (place for place in case.recording.placed(e.Asked))
    return next(
        (
            p
            for p in calls
            if passes and isinstance(p.event, e.Asked) and p.event.call == passes[-1]
        ),
        None,
    )


def _carried(case: Case, earlier: Located, call: Located) -> str:
    """The name of a tensor that leads from one iteration of a loop into the next; empty if none."""
    if earlier.span != call.span:
        return ""
    for edge in case.path:
        maker = case.flow.maker_of.get(edge.origin, -1)
        name = name_of(case, edge.origin)
        if 0 <= maker < earlier.index < edge.event and case.op_run(maker) and name.isidentifier():
            return name
    return ""


def _detached(case: Case, earlier: Located, carried: str) -> Fix | None:
    """The earlier call with `retain_graph=True`, or with the detached state behind it."""
    code, call = case.codes.of(earlier.span), case.codes.expression(earlier.span)
    statement = case.codes.statement(earlier.span)
    if code is None or statement is None or not isinstance(call, ast.Call):
        return None
    if carried:
        line = f"{carried} = {carried}.detach()"
        return edits.fix(code, [edits.after_statement(code, statement, line)])
    return edits.fix(code, [edits.with_argument(code, call, "retain_graph=True")])


def _not_scalar(case: Case, call: Located) -> Iterator[Finding]:
    """A backward pass that began at several numbers, without upstream gradients for them."""
    shape = case.recording.tensor(case.target).shape
    if not case.connected or len(case.targets) > 1 or all(size == 1 for size in shape):
        return
    site = site_of(case, call.index)
    code, written = case.codes.of(call.span), case.codes.expression(call.span)
    fix = None
    if (
        code is not None
        and isinstance(written, ast.Call)
        and isinstance(written.func, ast.Attribute)
    ):
        fix = edits.fix(code, [edits.behind(code, written.func.value, ".sum()")])
    title = site.say(NO_SCALAR, shape=str(shape))
    yield site.finding("NOT_SCALAR", title, site.say(REDUCE), fix=fix)


FOREIGN.update(
    {
        code: Declaration(code, Rank.REFUSED, lesson, what, instead, None, failure)
        for code, lesson, what, instead in (
            (
                "OVERWRITTEN_VALUE", "01", "A value that the backward pass needs was overwritten.",
                "A new tensor",
            ),
            (
                "FREED_GRAPH", "01", "A backward pass runs through a graph that was freed.",
                "`retain_graph=True`, or `detach()` between iterations",
            ),
            (
                "NOT_SCALAR", "01", "`backward()` was called on a tensor of several numbers.",
                "`loss.sum().backward()`",
            ),
        )
    }
)  # fmt: skip
