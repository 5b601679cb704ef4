"""bfloat16: the eight bits of a float32's exponent, and only seven of its fraction.

NumPy knows these numbers from a package and takes them for no floats. Ops compute them as float32
and round the result, as TensorFlow's kernels do.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np


def is_brain_float(dtype: Any) -> bool:
    """Whether a NumPy dtype is that of bfloat16."""
    return bool(dtype.kind == "V" and dtype.name == "bfloat16")


def widened(kernel: Callable[..., Any], dtype: np.dtype[Any]) -> Callable[..., Any]:
    """A kernel that computes in float32 and rounds what it gives to the narrow dtype."""

    def compute(*values: Any, **settings: Any) -> Any:
        wide = [x.astype(np.float32) if x.dtype == dtype else x for x in values]
        found = kernel(*wide, **settings)
        if isinstance(found, tuple):
            return tuple(narrowed(each, dtype) for each in found)
        return narrowed(found, dtype)

    return compute


def narrowed(found: Any, dtype: Any) -> Any:
    """Float32 numbers rounded to bfloat16 where that is wanted; anything else as it is."""
    round_it = is_brain_float(dtype) and found.dtype == np.float32
    return found.astype(dtype) if round_it else found
