"""Findings about PyTorch programs: the detectors of tapelab's own, in the words of PyTorch.

Why no gradient arrives is read from the same `Case`: its cuts and its source. The sentences and the
fixes are PyTorch's, since `detach` is no `stop_gradient` to its users. Findings about numbers, such
as an infinite derivative, are those of tapelab's own detectors, if their fix is PyTorch code.
Pitfalls that only PyTorch has (a `.grad` that accumulates) are declared here, in `FOREIGN`.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Final, NamedTuple

from tapelab.diagnosis import edits
from tapelab.diagnosis.autograd_errors import failed_call, failure
from tapelab.diagnosis.declarations import FOREIGN, Declaration, Rank
from tapelab.diagnosis.descriptions import consequence, name_of, sentence
from tapelab.diagnosis.edges import Cut
from tapelab.diagnosis.non_differentiable_ops import withheld
from tapelab.diagnosis.site import Site, site_at, site_of
from tapelab.recording import events as e
from tapelab.recording.schema import Role

if TYPE_CHECKING:
    from tapelab.diagnosis.case import Case
    from tapelab.diagnosis.edges import Edge
    from tapelab.diagnosis.finding import Finding, Fix
    from tapelab.diagnosis.source_code import Code


class Wording(NamedTuple):
    """What is said of a cut: the code of the finding, its title and its sentence."""

    code: str
    title: str
    sentence: str


DETACHED: Final = Wording(
    "STOPPED",
    sentence("`{text}` holds the gradient back"),
    sentence("In line {line} the value passes on without its history."),
)
UNDER_NO_GRAD: Final = Wording(
    "RECORDING_PAUSED",
    sentence("`{text}` ran without autograd"),
    sentence(
        "Line {line} runs under `torch.no_grad()` or `torch.inference_mode()`, where nothing is "
        "recorded. Move it out of that block."
    ),
)
DISCRETE: Final = Wording(
    "NON_DIFFERENTIABLE",
    sentence("`{text}` has no derivative"),
    sentence("In line {line} it gives integers or truth values, which no gradient passes."),
)
LEFT: Final = Wording(
    "LEFT_ENGINE",
    sentence("`{text}` left PyTorch"),
    sentence(
        "In line {line} the value became one of Python or NumPy. What came back as a tensor has no "
        "history. Compute with tensors throughout."
    ),
)
COPIED: Final = Wording(
    "COPIED_VALUE",
    sentence("`{text}` copies the value without its history"),
    sentence("In line {line} a new tensor was made of the value. Use the tensor itself."),
)
SAMPLED: Final = Wording(
    "SAMPLER",
    sentence("`{text}` draws without a gradient"),
    sentence(
        "In line {line} `sample()` runs without autograd. `rsample()` draws the same numbers as a "
        "function of the parameters."
    ),
)
AT_CUT: Final = {
    Cut.STOPPED: DETACHED, Cut.PAUSED: UNDER_NO_GRAD, Cut.FLAT: DISCRETE, Cut.INTEGER: DISCRETE,
    Cut.LEFT: LEFT, Cut.COPIED: COPIED,
}  # fmt: skip
"""What is said of each cut; of others nothing, since PyTorch has none."""

COPYING: Final = frozenset({"torch.detach", "torch.tensor"})
"""Functions whose first argument is the tensor that they copy or detach."""

FROZEN: Final = sentence("`{source}` has `requires_grad=False`")
FREEZING: Final = sentence(
    "PyTorch computes no gradient for it. If it should be trained, write "
    "`{source}.requires_grad_()` before the first use."
)
PLAIN: Final = sentence("`{source}` does not require a gradient")
REQUIRING: Final = sentence(
    "Make it with `requires_grad=True`, or write `{source}.requires_grad_()` before the first use."
)
INTEGERS: Final = sentence("`{source}` has integers, for which there is no gradient.")
UNUSED: Final = sentence("`{target}` does not depend on `{source}`")
NOT_USED: Final = sentence("No op on the way to `{target}` uses `{source}`, so its `.grad` stays.")

INTERMEDIATE: Final = sentence("`{source}` is no leaf, so its `.grad` stays None")
RETAIN: Final = sentence(
    "An op computed it in line {line}. PyTorch keeps `.grad` for leaves only. Write "
    "`{source}.retain_grad()` before `backward()`."
)
STALE: Final = sentence("`{text}` adds to the gradient of an earlier step")
STALE_WHY: Final = sentence(
    "The optimizer has used `{source}.grad` already, and it was not cleared since. So the next "
    "step uses a sum of gradients."
)
TWICE: Final = sentence("`{text}` applies {activation} a second time")
LOGITS: Final = sentence(
    "`{loss}` takes logits, but in line {line} it gets probabilities. The gradient becomes much "
    "too small."
)
ON_PROBABILITIES: Final = {
    "cross_entropy": "softmax", "binary_cross_entropy_with_logits": "sigmoid",
}  # fmt: skip
"""Losses that take logits, and the activation that they apply."""
REBOUND: Final = sentence("`{statement}` makes `{source}` the result of an op")
UPDATE: Final = sentence(
    "It is no leaf any more, so the next backward pass leaves its `.grad` None. Change the tensor "
    "in place, without autograd."
)
CLEARED: Final = sentence("`{text}` discards the gradient before the optimizer uses it")
CLEARED_WHY: Final = sentence(
    "`backward()` in line {first} computed `{source}.grad`, and line {line} cleared it. So "
    "`step()` leaves `{source}` as it is."
)
HOOKED: Final = sentence("A hook replaces the gradient of `{source}`")
HOOKED_WHY: Final = sentence(
    "The backward pass gives a gradient that is not zero, but `{source}.grad` is zero after "
    "`backward()` in line {line}. Look at the functions passed to `register_hook`."
)

NUMERIC: Final = frozenset(
    {
        *("INF_LOCAL", "ZERO_TIMES_INF", "OVERFLOW", "UNDERFLOW", "SATURATED", "DEAD_UNITS"),
        *("VANISHING", "EXPLODING", "DEGENERATE", "UNINTENDED_BROADCAST"),
    }
)
"""Findings whose sentences hold for each framework."""

IN_PYTORCH: Final = {
    "tf.nn.relu(": "torch.relu(", "tf.where(": "torch.where(", "tf.abs(": "torch.abs(",
    "tf.maximum(": "torch.maximum(", "tf.minimum(": "torch.minimum(", "tf.sqrt(": "torch.sqrt(",
    "tf.reduce_logsumexp(": "torch.logsumexp(", "tf.nn.softplus(": "torch.nn.functional.softplus(",
}  # fmt: skip
"""Functions that a fix may use, and what PyTorch calls them."""


def findings(case: Case, numeric: Iterable[Finding]) -> Iterator[Finding]:
    """What there is to say about a gradient of a PyTorch program."""
    if failed_call(case) is not None and case.connected:
        yield from failure(case)
        return
    if not case.connected:
        yield from _at_source(case)
        yield from (_at_cut(case, edge) for edge in case.cuts if edge.cut in AT_CUT)
        yield from (withheld(case, edge) for edge in case.cuts if edge.cut is Cut.WITHHELD)
        return
    yield from _intermediate(case)
    yield from _stale(case)
    yield from _cleared(case)
    yield from _hooked(case)
    yield from _double_softmax(case)
    for each in numeric:
        if each.code in NUMERIC:
            yield replace(each, fix=_in_pytorch(each.fix))


def _at_cut(case: Case, edge: Edge) -> Finding:
    assert edge.cut is not None
    wording = AT_CUT[edge.cut]
    site = site_of(case, edge.event, name_of(case, edge.to))
    fix = _without_detach(site) if edge.cut is Cut.STOPPED else None
    if edge.cut is Cut.PAUSED and _is_sample(site):
        wording, fix = (
            SAMPLED,
            edits.replace_expression(
                case, edge.event, site.case.codes.text(site.span).replace(".sample(", ".rsample(")
            ),
        )
    said = (site.say(wording.sentence), consequence(case, is_known=True))
    return site.finding(wording.code, site.say(wording.title), *said, fix=fix)


def _is_sample(site: Site) -> bool:
    """Whether a line draws from a distribution, which `sample` does without autograd."""
    call = site.case.codes.expression(site.span)
    return isinstance(call, ast.Call) and ast.unparse(call.func).endswith(".sample")


def _without_detach(site: Site) -> Fix | None:
    """The line without `.detach()`, `.data` or the copy; none if it would say `h = h`."""
    code, node = site.case.codes.of(site.span), site.case.codes.expression(site.span)
    method = node.func if isinstance(node, ast.Call) else node
    if code is None or node is None or not isinstance(method, ast.Attribute):
        return None
    arguments = node.args if isinstance(node, ast.Call) else []
    takes_it = arguments and ast.unparse(method) in COPYING
    kept = ast.unparse(arguments[0] if takes_it else method.value)
    statement = site.case.codes.statement(site.span)
    is_whole = isinstance(statement, ast.Assign) and statement.value is node
    targets = statement.targets if isinstance(statement, ast.Assign) and is_whole else []
    if statement is not None and [ast.unparse(each) for each in targets] == [kept]:
        return edits.fix(code, [edits.removed(code, statement)])
    return edits.fix(code, [edits.replaced(code, node, kept)])


def _at_source(case: Case) -> Iterator[Finding]:
    facts = case.recording.tensor(case.source)
    site = site_at(case, _span_of_source(case), name_of(case, case.source))
    if not case.flow.is_floating(case.source):
        yield site.finding("INT_DTYPE", site.say(PLAIN), site.say(INTEGERS))
    elif not case.path:
        yield site.finding("UNUSED_SOURCE", site.say(UNUSED), site.say(NOT_USED))
    elif facts.variable >= 0 and not case.recording.variables[facts.variable].trainable:
        yield site.finding("NOT_TRAINABLE", site.say(FROZEN), site.say(FREEZING))
    elif facts.variable < 0 and facts.role == Role.CONSTANT and not _is_watched(case):
        yield site.finding("NOT_WATCHED", site.say(PLAIN), site.say(REQUIRING))


def _span_of_source(case: Case) -> int:
    """Where the source was made, or used first if a model made it; -1 if nothing tells."""
    uses, facts = case.uses_of_source(), case.recording.tensor(case.source)
    own = facts.variable < 0 or not case.recording.variables[facts.variable].path
    ran = case.recording.placed(e.Ran)
    late = bool(ran) and max((*case.made(case.source), -1)) > ran[-1].index
    if own and not late:
        return facts.span
    return case.recording.event_spans[uses[0].index] if uses else -1


def _is_watched(case: Case) -> bool:
    return any(state in case.flow.watched_at for state in case.states)


def _intermediate(case: Case) -> Iterator[Finding]:
    """The result of an op has no `.grad` after `backward()`, unless it keeps it on request."""
    calls = [place.event for place in case.recording.placed(e.Asked)]
    wanted = any(isinstance(call, e.Asked) and case.source in call.sources for call in calls)
    is_result = case.recording.tensor(case.source).role == Role.RESULT
    if is_result and not wanted and not _is_watched(case) and case.source not in case.targets:
        site = site_at(case, case.recording.tensor(case.source).span)
        rebinding = _rebinding(site)
        yield rebinding or site.finding(
            "NON_LEAF_GRADIENT", site.say(INTERMEDIATE), site.say(RETAIN)
        )


def _rebinding(site: Site) -> Finding | None:
    """`w = w - rate * w.grad`, with the update in place that keeps `w` a leaf."""
    code, statement = site.case.codes.of(site.span), site.case.codes.statement(site.span)
    match statement:
        case ast.Assign(
            targets=[ast.Name(id=name)],
            value=ast.BinOp(left=ast.Name(id=left), op=ast.Sub(), right=change),
        ) if name == left and code is not None and f"{name}.grad" in ast.unparse(change):
            indent = " " * code.extent(statement).column
            lines = (
                "with torch.no_grad():",
                f"    {name} -= {code.text(change)}",
                f"{name}.grad = None",
            )
            fix = edits.fix(code, [edits.replaced(code, statement, f"\n{indent}".join(lines))])
            title = site.say(REBOUND, statement=code.text(statement))
            return site.finding("REBOUND_TO_TENSOR", title, site.say(UPDATE), fix=fix)
    return None


def _stale(case: Case) -> Iterator[Finding]:
    """A backward pass added to a gradient that an optimizer had used before."""
    is_used = False
    for place in case.recording.placed(e.Accumulated, e.Assigned):
        event = place.event
        if isinstance(event, e.Assigned) and event.variable == case.variable >= 0:
            is_used = True
        elif isinstance(event, e.Accumulated) and case.is_source(event.tensor):
            if event.before >= 0 and event.call >= 0 and is_used:
                site = site_of(case, place.index)
                title, why = site.say(STALE), site.say(STALE_WHY)
                yield site.finding("STALE_GRADIENT", title, why, fix=_with_zero_grad(site))
                return
            is_used = False


def _with_zero_grad(site: Site) -> Fix | None:
    """The line of the backward pass with `optimizer.zero_grad()` before it."""
    code, statement = site.case.codes.of(site.span), site.case.codes.statement(site.span)
    step = re.search(r"(\w[\w.]*)\.step\(", "\n".join(code.lines)) if code else None
    if code is None or statement is None or step is None:
        return None
    line = f"{step[1]}.zero_grad()"
    return edits.fix(code, edits.before_statement(code, statement, line))


def _cleared(case: Case) -> Iterator[Finding]:
    """A gradient was cleared between the backward pass and the step of the optimizer."""
    accumulated = -1
    cleared = -1
    for place in case.recording.placed(e.Accumulated, e.Assigned):
        event = place.event
        if isinstance(event, e.Assigned) and event.variable == case.variable >= 0:
            accumulated = cleared = -1
        elif isinstance(event, e.Accumulated) and case.is_source(event.tensor):
            if event.call >= 0:
                accumulated, cleared = place.index, -1
            elif accumulated >= 0:
                cleared = place.index
    if cleared < 0:
        return
    site = site_of(case, cleared)
    code, statement = site.case.codes.of(site.span), site.case.codes.statement(site.span)
    first = case.recording.event_spans[accumulated]
    backward = site.case.codes.statement(first)
    if code is None or statement is None or not isinstance(backward, ast.stmt):
        return
    block = _block_of(code, statement)
    if backward not in block or block.index(backward) > block.index(statement):
        return
    if any(_is_step(each, statement) for each in block[block.index(statement) :]):
        line = code.text(statement)
        changes = [*edits.before_statement(code, backward, line), edits.removed(code, statement)]
        why = site.say(CLEARED_WHY, first=case.codes.line(first))
        yield site.finding("CLEARED_GRADIENT", site.say(CLEARED), why, fix=edits.fix(code, changes))


def _block_of(code: Code, statement: ast.stmt) -> list[ast.stmt]:
    """The statements among which one stands."""
    parent = code.parent.get(statement, code.tree)
    blocks = (getattr(parent, name, []) for name in ("body", "orelse", "finalbody"))
    return next((block for block in blocks if statement in block), [])


def _is_step(statement: ast.stmt, clearing: ast.stmt) -> bool:
    """Whether a statement is the step of the optimizer whose gradients another one clears."""
    owner = ast.unparse(clearing).partition(".zero_grad(")[0]
    return ast.unparse(statement).startswith(f"{owner}.step(")


def _hooked(case: Case) -> Iterator[Finding]:
    """A leaf keeps zeros, though the backward pass gave another gradient."""
    recording = case.recording
    results = {
        (call.event.call, source): result
        for call in recording.placed(e.Asked)
        if isinstance(call.event, e.Asked)
        for source, result in zip(call.event.sources, call.event.results, strict=True)
    }
    for place in recording.placed(e.Accumulated):
        event = place.event
        assert isinstance(event, e.Accumulated)
        result = results.get((event.call, event.tensor), -1)
        if not case.is_source(event.tensor) or result < 0 or event.before >= 0:
            continue
        given, kept = (recording.tensor(each).value for each in (result, event.after))
        if given is not None and kept is not None and given.any() and not kept.any():
            site = site_of(case, place.index)
            yield site.finding("HOOKED_GRADIENT", site.say(HOOKED), site.say(HOOKED_WHY))
            return


def _double_softmax(case: Case) -> Iterator[Finding]:
    """The input of a loss that takes logits was made by softmax or sigmoid."""
    backward = case.backward
    for loss, activation in ON_PROBABILITIES.items():
        for step in backward.through({loss}) if backward else ():
            assert backward is not None
            event, given = backward.event[step], backward.tensor[step]
            producer = case.producer(given)
            if producer and case.recording.ops[producer.op].name == activation:
                site = site_of(case, event)
                title = site.say(TWICE, activation=activation)
                yield site.finding("DOUBLE_SOFTMAX", title, site.say(LOGITS, loss=loss))
                return


def _in_pytorch(fix: Fix | None) -> Fix | None:
    """A fix with PyTorch's functions; None where it needs one that has no counterpart."""
    if fix is None:
        return None
    after = fix.after
    for ours, theirs in IN_PYTORCH.items():
        after = after.replace(ours, theirs)
    return None if "tf." in after else replace(fix, after=after)


FOREIGN.update(
    {
        each.code: each
        for each in (
            Declaration(
                "NON_LEAF_GRADIENT", Rank.MISLEADING, "01",
                "The `.grad` of a computed tensor is None.", "`retain_grad()`", None, _intermediate,
            ),
            Declaration(
                "STALE_GRADIENT", Rank.MISLEADING, "02",
                "A backward pass added to a gradient that was used already.",
                "`optimizer.zero_grad()`", None, _stale,
            ),
            Declaration(
                "CLEARED_GRADIENT", Rank.MISLEADING, "02",
                "A gradient was cleared before the optimizer used it.",
                "`optimizer.zero_grad()` before `backward()`", None, _cleared,
            ),
            Declaration(
                "HOOKED_GRADIENT", Rank.VANISHED, "06",
                "A hook replaced a gradient by zeros.", "", None, _hooked,
            ),
        )
    }
)  # fmt: skip
