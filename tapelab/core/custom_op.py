"""Ops whose gradient is a function of the user: a whole body is one op on the tape.

The ops inside the body are recorded as well, in a `CustomGradientScope`, because the gradient
function may use their values and be differentiated itself. The results of the body are wrapped as
new tensors, the results of the op, so that a backward pass meets the op and never the body.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import lru_cache
from typing import Any, Final

from tapelab.core.cell import Cell, Holder
from tapelab.core.convert import to_tensor
from tapelab.core.execute import recording_tapes, write_observed
from tapelab.core.indexed_slices import IndexedSlices
from tapelab.core.large_values import truncated
from tapelab.core.log import ActiveTape, origin_here, thread
from tapelab.core.op import RunnableOp
from tapelab.core.op_declaration import GradRule, Op
from tapelab.core.origin import CustomGradientScope, GraphScope, next_id, within
from tapelab.core.records import (
    CUSTOM_VJP,
    TapeEvent,
    TapePaused,
    TapeResumed,
    op_run,
    write_tape_event,
)
from tapelab.core.tensor import Tensor, constant_of, wrap
from tapelab.core.value_types import Cotangent, Nest, Value
from tapelab.recording.facts import Rule

VJP = Callable[..., Sequence[Any]]
"""From one upstream gradient (a tensor) per result to a gradient, or None, per input."""

OWN_RULE: Final = "The gradient function that was given in place of the body's own gradient."


@lru_cache(maxsize=1024)
def declare(
    name: str, sentence: str, inputs: tuple[str, ...], *, many: bool, because: str = ""
) -> Op:
    """The op that stands for a user's function; `because` says why no gradient passes, if so."""
    name = name.strip("<>") or "function"
    words = name.replace("_", " ")
    symbols = [each if each.isalnum() else rf"\text{{{each}}}" for each in inputs]
    function = rf"\operatorname{{{words}}}"
    op = RunnableOp(
        name=name,
        kernel=off_the_log,
        inputs=inputs,
        settings=() if because else (CUSTOM_VJP, "body"),
        formula=f"y = {function}({', '.join(symbols)})",
        glyph=words if len(words) <= 16 else f"{words[:15]}…",
        title=words[:1].upper() + words[1:],
        raw=name,
        sentence=sentence,
        multi=many,
        pattern="outside" if because else "differentiable",
    )
    for input_name, letter in zip(inputs, symbols, strict=True):
        formula = rf"\bar {letter} = \operatorname{{gradient of {words}}}(\bar y)"
        own_rule = GradRule(_custom_vjp, Rule(formula=formula, sentence=OWN_RULE))
        op.rules[input_name] = GradRule(None, Rule(because=because)) if because else own_rule
    op.joint = None if because else _custom_vjp
    return op


def off_the_log(*_: object, **__: object) -> Any:
    raise TypeError("A function with a gradient of its own is run by calling it, not as an op.")


def _custom_vjp(
    dy: Cotangent, y: Value, *inputs: Nest, vjp: VJP, body: tuple[int, ...]
) -> list[Any]:
    """The contributions of the user's gradient function, which always sees tensors."""
    upstream = dy if type(dy) is tuple else (dy,)
    gradients = vjp(*[as_tensor(each) for each in upstream])
    return [as_cotangent(gradient, x) for gradient, x in zip(gradients, inputs, strict=True)]


def as_tensor(value: Value) -> Any:
    """A cotangent, or a value from the tape, as a tensor."""
    return value if isinstance(value, Tensor) else constant_of(value)


def as_cotangent(gradient: Cotangent, x: Value) -> Any:
    """What the user returned as the gradient of x: a tensor if a tape is active, else an array."""
    if gradient is None or isinstance(gradient, IndexedSlices):
        return gradient
    plain = not isinstance(gradient, (Tensor, Holder))
    tensor = to_tensor(gradient, as_tensor(x).dtype if plain else None)
    return tensor if thread.active_tapes else tensor._array


def are_followed(tensors: Sequence[Tensor]) -> bool:
    """Whether an active tape follows one of these tensors."""
    return any(each._id in tape._tracked for tape in thread.active_tapes for each in tensors)


def is_eager() -> bool:
    """Whether code runs eagerly here, and not as part of the graph of a traced function."""
    return within(thread.scope, GraphScope) is None


def record(
    op: Op, inputs: Sequence[Tensor], results: Sequence[Tensor], vjp: VJP | None = None
) -> list[Tensor]:
    """Record one op from the inputs to new tensors with the values of the results."""
    origin = origin_here(op)
    for observer in thread.observers:
        observer.op_starts(inputs)
    ids = tuple([each._id for each in inputs])
    values = tuple([each._array for each in inputs])
    outputs = [wrap(each._array, next_id(), origin) for each in results]
    result_ids: Any = tuple([each._id for each in outputs])
    result_values: Any = tuple([each._array for each in outputs])
    if not op.multi:
        result_ids, result_values = result_ids[0], result_values[0]
    tapes = recording_tapes(op, ids, result_ids, result_values) if thread.active_tapes else ()
    settings: dict[str, Any] = {}
    if vjp is not None:
        settings = {CUSTOM_VJP: vjp if tapes else None, "body": tuple([y._id for y in results])}
    if tapes and thread.log is not None:
        thread.log.expect_large_values()
    if not tapes:
        values = tuple(map(truncated, values))
        is_one = not op.multi
        result_values = truncated(result_values) if is_one else tuple(map(truncated, result_values))
    write_observed(op_run(
        outputs[0]._id, thread.number, origin, input_ids=ids, inputs=values, result_ids=result_ids,
        results=result_values, settings=settings, tapes=tapes,
    ))  # fmt: skip
    return outputs


@contextmanager
def body(name: str) -> Iterator[None]:
    """Record what runs inside as the body of a function with a custom gradient."""
    outer, origin = thread.scope, origin_here()
    thread.scope = CustomGradientScope(name, outer, origin.code, origin.instruction)
    try:
        yield
    finally:
        thread.scope = outer


@contextmanager
def tapes_paused() -> Iterator[None]:
    """Pause every tape and accumulator for the length of a block, and note it in the log.

    A tape that observes everything (the trace of a compiled function) stays active.
    """
    active = thread.active_tapes
    paused = [each for each in active if not getattr(each, "_observes_all", False)]
    thread.active_tapes = tuple([each for each in active if each not in paused])
    for each in paused:
        _note(TapePaused, each)
    try:
        yield
    finally:
        thread.active_tapes = active
        for each in paused:
            _note(TapeResumed, each)


def _note(kind: type[TapeEvent], tape: ActiveTape) -> None:
    write_tape_event(thread.__dict__, next_id(), origin_here(None, 3), kind, tape=tape._serial)


@contextmanager
def collected_reads(seen: dict[int, Cell]) -> Iterator[None]:
    """Collect the trainable variables that are read inside, each once, in order of their reads."""

    def notice(cell: Cell) -> None:
        if cell.identity.trainable:
            seen.setdefault(cell.identity.id, cell)

    outer = thread.read_callbacks
    thread.read_callbacks = (*outer, notice)
    try:
        yield
    finally:
        thread.read_callbacks = outer
