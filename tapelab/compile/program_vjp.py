"""The VJP of a program, as a program: the forward part saves what the backward part needs.

Both parts come from one program, lowered from the ops of the function and the gradients of its
results. Instructions that depend on no upstream gradient are the forward part; the rest is the
backward part. Values that the backward part takes from the forward part are saved in the record of
the call.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from tapelab.compile.abstract_evaluation import fresh_state, thread_in
from tapelab.compile.capture import captured
from tapelab.compile.codegen import Run, generate_code
from tapelab.compile.fusion import fuse
from tapelab.compile.lowering import Lowered, NotLoweredError, lower_capture
from tapelab.compile.passes import optimise_program, remove_dead_code, run_instruction
from tapelab.compile.program import DynamicOp, Instruction, Program
from tapelab.compile.pytree import Leaf
from tapelab.core.host_values import compute_on_host
from tapelab.core.log import origin_here, thread
from tapelab.core.op_declaration import Op
from tapelab.core.origin import next_id
from tapelab.core.tape import GradientTape
from tapelab.core.tensor import Tensor, constant_of, wrap
from tapelab.recording.facts import KEPT_ELEMENTS

Flags = tuple[bool, ...]


class SplitProgram(NamedTuple):
    """A program in two parts, for results of which some are `asked`.

    `forward` takes the parameters and returns the results, then what `back` takes after the
    parameters and before the upstream gradients. `back` returns a gradient for each parameter that
    `reached` marks. It is `has_large` if some of what is saved is large.
    """

    requested: Flags
    reached: Flags
    forward: Run
    back: Run
    has_large: bool


def has_large_values(program: Program, slots: Iterable[int]) -> bool:
    """Whether there are values in some slots that a log keeps only as long as it needs them."""
    return any(program.kinds[slot].size > KEPT_ELEMENTS for slot in slots)


def evaluate_slots(program: Program, values: Sequence[Any]) -> dict[int, Any]:
    """What is in every slot of a program, for some values of its parameters."""
    slots: dict[int, Any] = {**program.constants}
    slots |= zip(program.parameters, values, strict=True)
    for each in program.instructions:
        if each.outputs:
            slots |= zip(each.outputs, run_instruction(each, slots), strict=True)
    return slots


def split_for_vjp(
    program: Program,
    values: Sequence[Any],
    followed: Flags,
    requested: Flags,
    upstream: Sequence[Any],
) -> SplitProgram | None:
    """The two parts of a program, for gradients of what is followed; None if there are none.

    The values of its parameters and the upstream gradients of what is asked stand for all others.
    """
    flags = (*requested, *(False,) * (len(program.results) - len(requested)))
    calls = thread.recent_calls
    thread.recent_calls = deque(maxlen=calls.maxlen)  # gradient calls of the user stay apart
    try:
        with thread_in(fresh_state()):
            lowering, reached = _both(program, values, followed, flags, upstream)
    except Exception:  # noqa: BLE001 - the ops inside raise it again
        return None
    finally:
        thread.recent_calls = calls
    if lowering.cells or lowering.draws.runs or lowering.assignments:
        return None
    return SplitProgram(
        requested, reached, *_parts(optimise_program(lowering.program), len(values), len(flags))
    )


def _both(
    program: Program,
    values: Sequence[Any],
    followed: Flags,
    requested: Flags,
    upstream: Sequence[Any],
) -> tuple[Lowered, Flags]:
    """One program for the results and the gradients, and which parameters have a gradient."""
    here = origin_here()
    given = [wrap(each, next_id(), here) for each in values]
    seeds = [wrap(each, next_id(), here) for each in upstream]
    sources = [each for each, flag in zip(given, followed, strict=True) if flag]
    with captured() as capture:
        with GradientTape(watch_accessed_variables=False) as tape:
            tape.watch(sources)
            results = _run_on_tensors(program, given)
        targets = [each for each, flag in zip(results, requested, strict=True) if flag]
        gradients = iter(tape.gradient(targets, sources, output_gradients=seeds))
    by_parameter = [next(gradients) if flag else None for flag in followed]
    if any(type(each) is not Tensor for each in by_parameter if each is not None):
        raise NotLoweredError("a gradient has rows")
    outputs = [*results, *(each for each in by_parameter if each is not None)]
    reached = tuple([each is not None for each in by_parameter])
    return lower_capture(capture, [*given, *seeds], outputs), reached


def _run_on_tensors(program: Program, given: Sequence[Tensor]) -> list[Tensor]:
    here = origin_here()
    slots: dict[int, Any] = {
        slot: wrap(value, next_id(), here) for slot, value in program.constants.items()
    }
    slots |= zip(program.parameters, given, strict=True)
    for each in program.instructions:
        results = _run_one(each, [slots[slot] for slot in each.inputs])
        slots |= zip(each.outputs, results if each.op.multi else (results,), strict=False)
    return [_as_tensor(slots[slot]) for slot in program.results]


def _run_one(each: Instruction, given: list[Any]) -> Any:
    """What an instruction makes of tensors, and of arrays that were worked out beside the tape."""
    op = each.op
    if isinstance(op, DynamicOp):
        count = len(given) - len(op.names)
        raw = [each._array if type(each) is Tensor else each for each in given[count:]]
        settings = dict(zip(op.names, raw, strict=True)) | dict(op.fixed)
        return op.op(*map(_as_tensor, given[:count]), **settings)
    if isinstance(op, Op):
        return op(*map(_as_tensor, given), **dict(each.settings))
    return compute_on_host(op.kernel, *given)


def _as_tensor(value: Leaf) -> Tensor:
    return value if type(value) is Tensor else constant_of(value)


def _parts(program: Program, taken: int, given: int) -> tuple[Run, Run, bool]:
    """The forward and the backward part, compiled, and whether large values are saved between."""
    parameters, seeds = program.parameters[:taken], program.parameters[taken:]
    late = set(seeds)
    early_ones: list[Instruction] = []
    late_ones: list[Instruction] = []
    for each in program.instructions:
        if late.isdisjoint(each.inputs):
            early_ones.append(each)
        else:
            late.update(each.outputs)
            late_ones.append(each)
    results, gradients = program.results[:given], program.results[given:]
    needed = dict.fromkeys([*(slot for each in late_ones for slot in each.inputs), *gradients])
    at_hand: Mapping[int, Any] = {**program.constants, **dict.fromkeys((*parameters, *late))}
    saved = tuple([slot for slot in needed if slot not in at_hand])
    forward = replace(
        program, parameters=parameters, results=(*results, *saved), instructions=tuple(early_ones)
    )
    back = replace(
        program, parameters=(*parameters, *saved, *seeds), results=gradients,
        instructions=tuple(late_ones),
    )  # fmt: skip
    return _compiled(forward), _compiled(back), has_large_values(program, saved)


def _compiled(program: Program) -> Run:
    return generate_code(fuse(remove_dead_code(program)))
