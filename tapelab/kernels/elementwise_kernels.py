"""Functions of each entry, for arrays that are large.

What NumPy does in one fast pass stays with NumPy (exp, log, log1p, expm1, tanh, sin, cos, sqrt in
float32 take it 0.2 to 0.4 ns an entry), in slices, on several threads and in memory that is used
again. Compiled is what takes it many passes or a slow one, in ns an entry in float32:

    sigmoid 2.6 → 0.22 · silu 3 → 0.23 · softplus 18.8 → 0.36 · erf 12.8 → 0.48
    sigmoid cross entropy 3 → 0.37 · VJPs of these and of tanh: 0.12 to 0.28

(one thread of an AVX-512 machine). How far off they are, in units in the last place:
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np

from tapelab.kernels.loader import ran_in_slices
from tapelab.kernels.memory import empty, in_rows
from tapelab.kernels.threads import in_slices

COMPILED_FROM: Final = 2**15
"""From so many entries on, compiled code: below, a third of a second for numba is never won."""
FEW: Final = 64
"""Below, one call of NumPy that is slow for each entry costs less than several that are fast."""
LARGE: Final = 2**18
"""From so many entries on, NumPy's functions run in slices and in memory that is used again."""
ULPS: Final = {"sigmoid": 2.5, "silu": 3, "softplus": 2, "erf": 1.5}
"""The most that a compiled function is off, in units in the last place of its float32 result.

That of silu holds where its sigmoid is a normal number, which is for x > -87."""

__doc__ += "\n".join(f"    {name}: {bound}" for name, bound in ULPS.items())

_KERNELS: Final = {"sigmoid": "sigmoid32", "silu": "silu32", "softplus": "softplus32",
                   "erf": "erf32", "sigmoid_cross_entropy": "sigmoid_cross_entropy32",
                   "sigmoid_vjp": "sigmoid_vjp", "tanh_vjp": "tanh_vjp",
                   "softplus_vjp": "softplus_vjp32", "silu_vjp": "silu_vjp32",
                   "erf_vjp": "erf_vjp32"}  # fmt: skip
_BY_HAND_IN_BOTH: Final = ("sigmoid_vjp", "tanh_vjp")


def compiled(name: str, *arrays: Any) -> Any:
    """The result of a compiled function of arrays of one shape and dtype; None where it is not."""
    first = arrays[0]
    if first.size < COMPILED_FROM:
        return None
    kinds = "fd" if name in _BY_HAND_IN_BOTH else "f"
    for each in arrays:
        if each.dtype.char not in kinds or each.dtype != first.dtype or each.shape != first.shape:
            return None
    result = empty(first.shape, first.dtype)
    flat = [np.ascontiguousarray(each).reshape(-1) for each in arrays]
    return result if ran_in_slices(_KERNELS[name], *flat, result.reshape(-1)) else None


def compiled_vjp(name: str, dy: Any, known: Any) -> Any:
    """The gradient by a compiled VJP; None for tensors and wherever else it does not run."""
    if type(dy) is not np.ndarray or dy.size < COMPILED_FROM or type(known) is not np.ndarray:
        return None
    return compiled(name, dy, known)


def by_numpy(function: Callable[..., Any], x: Any) -> Any:
    """A function of NumPy of each entry of a large array."""
    if x.dtype.char not in "fd" or not x.flags.c_contiguous:
        return function(x)
    result = empty(x.shape, x.dtype)
    in_slices(function, x.reshape(-1), result.reshape(-1))
    return result


def by_slices(function: Callable[[Any], Any], x: Any) -> Any:
    """A function of several steps of each entry; what lies between them stays in the cache."""
    if x.size < LARGE or x.dtype.char not in "fd":
        return function(x)

    def step(part: Any, result: Any) -> None:
        result[...] = function(part)

    result = empty(x.shape, x.dtype)
    in_slices(step, in_rows(x).reshape(-1), result.reshape(-1))
    return result


def sigmoid(x: Any) -> Any:
    """1 / (1 + e**-x) without overflow: the larger of 1 and e**x above, both divided by e**|x|."""
    return np.exp(np.minimum(x, x.dtype.type(0))) / (1 + np.exp(-np.abs(x)))


def softplus(x: Any) -> Any:
    """ln(1 + e**x) as max(x, 0) + ln(1 + e**-|x|), which takes NumPy less than its logaddexp."""
    return np.maximum(x, x.dtype.type(0)) + np.log1p(np.exp(-np.abs(x)))
