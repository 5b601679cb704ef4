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
from tapelab.diagnosis.declarations import FOREIGN, Declaration, Rank
from tapelab.diagnosis.descriptions import consequence, name_of, sentence
from tapelab.diagnosis.edges import Cut
from tapelab.diagnosis.site import Site, site_at, site_of
from tapelab.recording import events as e
from tapelab.recording.schema import Role

if TYPE_CHECKING:
    from tapelab.diagnosis.case import Case
    from tapelab.diagnosis.edges import Edge
    from tapelab.diagnosis.finding import Finding, Fix


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
AT_CUT: Final = {
    Cut.STOPPED: DETACHED, Cut.PAUSED: UNDER_NO_GRAD, Cut.FLAT: DISCRETE, Cut.INTEGER: DISCRETE,
    Cut.LEFT: LEFT, Cut.COPIED: COPIED,
}  # fmt: skip
"""What is said of each cut; of others nothing, since PyTorch has none."""

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
TWICE: Final = sentence("`{text}` applies softmax a second time")
LOGITS: Final = sentence(
    "`cross_entropy` takes logits, but in line {line} it gets probabilities. The gradient becomes "
    "much too small."
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
    if not case.connected:
        yield from _at_source(case)
        yield from (_at_cut(case, edge) for edge in case.cuts if edge.cut in AT_CUT)
        return
    yield from _intermediate(case)
    yield from _stale(case)
    yield from _double_softmax(case)
    for each in numeric:
        if each.code in NUMERIC:
            yield replace(each, fix=_in_pytorch(each.fix))


def _at_cut(case: Case, edge: Edge) -> Finding:
    assert edge.cut is not None
    wording = AT_CUT[edge.cut]
    site = site_of(case, edge.event, name_of(case, edge.to))
    said = (site.say(wording.sentence), consequence(case, is_known=True))
    fix = _without_detach(site) if edge.cut is Cut.STOPPED else None
    return site.finding(wording.code, site.say(wording.title), *said, fix=fix)


def _without_detach(site: Site) -> Fix | None:
    """The line without `.detach()` or `.data`."""
    code, node = site.case.codes.of(site.span), site.case.codes.expression(site.span)
    method = node.func if isinstance(node, ast.Call) else node
    if code is None or node is None or not isinstance(method, ast.Attribute):
        return None
    function = ast.unparse(method) == "torch.detach"
    kept = node.args[0] if function and isinstance(node, ast.Call) else method.value
    return edits.fix(code, [edits.replaced(code, node, ast.unparse(kept))])


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
        yield site.finding("NON_LEAF_GRADIENT", site.say(INTERMEDIATE), site.say(RETAIN))


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


def _double_softmax(case: Case) -> Iterator[Finding]:
    """The input of `cross_entropy` was made by softmax."""
    backward = case.backward
    for step in backward.through({"cross_entropy"}) if backward else ():
        assert backward is not None
        event, given = backward.event[step], backward.tensor[step]
        producer = case.producer(given)
        if producer and case.recording.ops[producer.op].name == "softmax":
            site = site_of(case, event)
            yield site.finding("DOUBLE_SOFTMAX", site.say(TWICE), site.say(LOGITS))
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
        )
    }
)  # fmt: skip
