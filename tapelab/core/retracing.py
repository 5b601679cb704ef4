"""The way back while another tape listens: gradient rules on tensors, and each op in them is heard.

What happens to an op here is what `backprop` does: this file is only about speed. Each tensor from
the tape is made once for the whole way and bears the marks of the tapes that follow it, so that
the ops of the rules go the short way; and they all stand at the one place in the learner's code
that asked for the way back.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from typing import Any, Final

from numpy import ndarray

from tapelab.core.flows import Told, flow_of
from tapelab.core.handing import undo_broadcast
from tapelab.core.indexed_slices import accumulated
from tapelab.core.log import Origin, asked_from, thread
from tapelab.core.op import Op, is_ours
from tapelab.core.records import PAIRED, RAN, SINGLE, Record
from tapelab.core.tensor import Tensor, wrap

_NO_SETTINGS: Final[dict[str, Any]] = {}


def hand_back_on_tensors(
    records: Iterable[Record], adjoints: dict[int, Any], wanted: set[int], tracked: set[int],
    told: Told, otherwise: Callable[[Record], None],
) -> None:  # fmt: skip
    """Hand adjoints back through ops, the last first; what is not ordinary goes `otherwise`."""
    tensor, here, state = _tensors(), asked_from(), thread.__dict__
    origins: dict[Op, Origin] = {}
    try:
        for record in records:
            op: Op = record[3][0]
            if _is_ordinary(op):
                state["here"], state["origins"] = here, origins
                if _step_back(record, op, adjoints, wanted, tracked, told, tensor):
                    continue
            # A learner's rule stands where it is written.
            state["here"] = state["origins"] = None
            otherwise(record)
    finally:
        state["here"] = state["origins"] = None


@lru_cache(maxsize=1024)
def _is_ordinary(op: Op) -> bool:
    """Whether an op is one of ours, with one result and a rule of its own for each input."""
    return is_ours(op) and op.slopes is not None and not op.multi and not op.variadic


def _tensors() -> Callable[[Any, int, Origin], Tensor]:
    """What makes a tensor of a value from the tape, for each id once."""
    made: dict[int, Tensor] = {}
    marks, listening = thread.marks, thread.active
    followed: set[int] = set()
    if all(tape._simple for tape in listening):
        followed, *others = [tape._tracked for tape in listening]
        followed = followed.intersection(*others) if others else followed

    def tensor(value: Any, number: int, origin: Origin) -> Tensor:
        found = made.get(number)
        if found is None:
            found = made[number] = wrap(value, number, origin)
            if number in followed:
                found._tapes = marks
        return found

    return tensor


def _step_back(
    record: Record, op: Op, adjoints: dict[int, Any], wanted: set[int], tracked: set[int],
    told: Told, tensor: Callable[[Any, int, Origin], Tensor],
) -> bool:  # fmt: skip
    settings, kind, origin = _NO_SETTINGS, record[0], record[3]
    number = record[6] if kind == RAN else record[1]
    dy = adjoints.get(number)
    if type(dy) is not Tensor:
        return dy is None
    if number not in wanted:
        del adjoints[number]
    ids: tuple[int, ...]
    values: tuple[Any, ...]
    inputs: Sequence[Tensor]
    if kind == PAIRED:
        _, _, _, _, one, other, x, y, result, _ = record
        ids, values = (one, other), (x, y)
        inputs = tensor(x, one, origin), tensor(y, other, origin)
    elif kind == SINGLE:
        _, _, _, _, one, x, result, _ = record
        ids, values, inputs = (one,), (x,), (tensor(x, one, origin),)
    else:
        _, _, _, _, ids, values, _, result, settings, _ = record
        inputs = [tensor(value, each, origin) for value, each in zip(values, ids, strict=True)]
    y, arrays = tensor(result, number, origin), type(result) is ndarray
    for position, each in enumerate(ids):
        if each in tracked:
            slope = op.slopes[position]  # type: ignore[index]  # ordinary ops have slopes
            more = None if slope is None else slope(dy, y, *inputs, **settings)
            if more is not None:
                if op.broadcasts and (arrays or type(values[position]) is ndarray):
                    more = undo_broadcast(more, values[position])
                held = adjoints.get(each)
                adjoints[each] = more if held is None else _sum(held, more)
            if told is not None:
                told.append(flow_of(record[1], position, each, dy, more, adjoints))
    return True


def _sum(held: Any, more: Any) -> Any:
    if type(held) is Tensor and type(more) is Tensor:
        return held + more  # type: ignore[operator]  # tensors get their operators from `ops`
    return accumulated(held, more)
