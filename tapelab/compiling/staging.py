"""The functions of `tf` that call back what the learner wrote: their callbacks are traced once."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, Final

from tapelab.compiling import branching
from tapelab.compiling.symbolic import SymbolicTensor
from tapelab.engine.cell import Holder
from tapelab.engine.log import thread

Public = Callable[..., Any]


def _staged(stage: Public) -> Callable[..., Public]:
    """A door that lets a stage take a call over; where it declines, the function itself runs."""

    def door(original: Public, **unused: Any) -> Public:
        del unused

        @wraps(original)
        def through(*args: Any, **kwargs: Any) -> Any:
            trace = thread.trace
            if trace is not None:
                result = stage(trace, original, *args, **kwargs)
                if result is not NotImplemented:
                    return result
            return original(*args, **kwargs)

        return through

    return door


def _decides(value: Any) -> bool:
    return isinstance(value, (SymbolicTensor, Holder))


def _cond(
    trace: Any, original: Public, pred: Any, true_fn: Any = None, false_fn: Any = None,
    name: str | None = None,
) -> Any:  # fmt: skip
    if not _decides(pred):
        return NotImplemented
    return branching.cond(trace, pred, true_fn, false_fn)


def _while_loop(
    trace: Any, original: Public, cond: Any, body: Any, loop_vars: Any,
    shape_invariants: Any = None, parallel_iterations: int = 10, back_prop: bool = True,
    swap_memory: bool = False, maximum_iterations: Any = None, name: str | None = None,
) -> Any:  # fmt: skip
    result = branching.while_loop(
        trace, cond, body, loop_vars, most=maximum_iterations, invariants=shape_invariants
    )
    return type(loop_vars)(result) if isinstance(loop_vars, (list, tuple)) else result


def _switch_case(
    trace: Any, original: Public, branch_index: Any, branch_fns: Any, default: Any = None,
    name: str | None = None,
) -> Any:  # fmt: skip
    if not _decides(branch_index):
        return NotImplemented
    pairs = branch_fns.items() if isinstance(branch_fns, dict) else enumerate(branch_fns)
    numbered = {
        int(each[1][0]) if isinstance(each[1], tuple) else each[0]:
        each[1][1] if isinstance(each[1], tuple) else each[1]
        for each in pairs
    }  # fmt: skip
    last = default or numbered[max(numbered)]
    branches = [numbered.get(at, last) for at in range(max(numbered) + 1)]
    return branching.switch(trace, branch_index, [*branches, last])


FUNCTIONS: Final[dict[str, Callable[..., Any]]] = {
    "cond": _staged(_cond),
    "while_loop": _staged(_while_loop),
    "switch_case": _staged(_switch_case),
}
"""The doors of functions that call back."""
