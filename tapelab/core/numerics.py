"""NumPy's floating-point arithmetic where it falls short: the error state, and bfloat16.

`np.errstate` is three calls of Python, 1.3 µs; a backward pass over a few ops takes ten times that
(`start_gradient` and `third` of benchmarks/). NumPy keeps the state of floating-point errors in a
context variable, so it is enough to set that: `token = ERRORS.set(IGNORED)`, and
`ERRORS.reset(token)` in the end.

bfloat16 has the eight exponent bits of a float32 and seven bits of its fraction. Another package
adds it to NumPy, which does not count it among its floats. Ops compute it as float32 and round the
result, as TensorFlow's kernels do.
"""

from __future__ import annotations

from collections.abc import Callable
from contextvars import ContextVar, copy_context
from typing import Any

import numpy as np

from tapelab.core.value_types import Value, Values


def _where_ignored() -> tuple[ContextVar[Any], Any]:
    """The variable that `np.seterr` sets in a context, and its value where all is ignored."""
    before, context = copy_context(), copy_context()
    context.run(np.seterr, all="ignore")
    changed = [each for each in context.items() if before.get(each[0]) is not each[1]]
    ((variable, value),) = changed
    return variable, value


ERRORS, IGNORED = _where_ignored()


def is_brain_float(dtype: np.dtype[Any]) -> bool:
    """Whether a NumPy dtype is that of bfloat16."""
    return bool(dtype.kind == "V" and dtype.name == "bfloat16")


def widened(kernel: Callable[..., Any], dtype: np.dtype[Any]) -> Callable[..., Any]:
    """A kernel that computes in float32 and rounds what it gives to the narrow dtype."""

    def compute(*values: Values, **settings: Any) -> Any:
        wide = [x.astype(np.float32) if x.dtype == dtype else x for x in values]
        result = kernel(*wide, **settings)
        if isinstance(result, tuple):
            return tuple(narrowed(each, dtype) for each in result)
        return narrowed(result, dtype)

    return compute


def narrowed(value: Value, dtype: np.dtype[Any]) -> Any:
    """Float32 numbers rounded to bfloat16 where that is wanted; anything else as it is."""
    round_it = is_brain_float(dtype) and value.dtype == np.float32
    return value.astype(dtype) if round_it else value
