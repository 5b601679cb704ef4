"""What is still known of large values that a tape has released: the program may still hold them."""

from __future__ import annotations

import gc
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from tapelab.core.backward_report import BackwardStep
from tapelab.core.large_values import Dropped
from tapelab.core.tensor import Tensor
from tapelab.core.value_types import Value

if TYPE_CHECKING:
    from tapelab.core.backward_report import GradientCall
    from tapelab.recorder.symbol_table import SymbolTable


def measure_living(symbols: SymbolTable) -> None:
    """Measure large tensors that the tape has released, such as `h` and the gradients, if alive.

    Python's garbage collector lists all that is alive; it is asked once, if a value is missing.
    """
    tensors = symbols.tensors
    if not tensors.gone:  # as on most tapes, however long
        return
    places = [*tensors.by_id.items(), *symbols.derived.items()]
    missing = {number: at for number, at in places if at in tensors.gone}
    if not missing:
        return
    for each in gc.get_objects():
        if type(each) is Tensor:
            at = missing.get(getattr(each, "_id", None))
            if at is not None:
                tensors.measure(at, each._array)


def own_results(answer: GradientCall) -> tuple[Any, ...]:
    """The results of a gradient call, each large one that was not measured as an object of its own.

    Otherwise one object is what is left of all large values of one shape and dtype.
    """
    ids = answer.result_ids or (-1,) * len(answer.results)
    return tuple(
        Dropped(value.shape, value.dtype) if number >= 0 and _is_unmeasured(value) else value
        for value, number in zip(answer.results, ids, strict=True)
    )


def with_ends(
    flows: list[BackwardStep], results: dict[int, Any], known: Callable[[int], int]
) -> list[BackwardStep]:
    """Backward steps in which the last sum at a source is the very result of the gradient call.

    `results` are by the index of their source, and `known` tells the index of a tensor.
    """
    ends = {source: each for source, each in results.items() if _is_unmeasured(each)}
    last: dict[int, list[int]] = {}
    for at, flow in enumerate(flows if ends else ()):
        if (source := known(flow.tensor)) in ends:
            last.setdefault(source, []).append(at)
    ended = [*flows] if last else flows
    for source, arrivals in last.items():
        flow, end = flows[arrivals[-1]], ends[source]
        if _is_unmeasured(flow.sum):
            alone = len(arrivals) == 1 and _is_unmeasured(flow.contribution)
            ended[arrivals[-1]] = flow._replace(
                contribution=end if alone else flow.contribution, sum=end
            )
    return ended


def _is_unmeasured(value: Value) -> bool:
    return type(value) is Dropped and value.measure is None
