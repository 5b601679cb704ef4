"""`tf.test`: compare gradients with differences, and ask what machine this is."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np

from tapelab.core.convert import to_tensor
from tapelab.core.indexed_slices import IndexedSlices
from tapelab.core.tape import GradientTape
from tapelab.core.tensor import Tensor, constant_of
from tapelab.namespace.missing_names import in_module

STEP: Final = 1.0 / 1024

Jacobians = tuple[Any, ...]


def compute_gradient(
    f: Callable[..., Any], x: Any, delta: float | None = None
) -> tuple[Jacobians, Jacobians]:
    """The Jacobians of a function by its gradients, and by central differences.

    Each is a tuple with one matrix per argument, a row for each number of the result and a column
    for each number of the argument; a complex number counts as two.
    """
    if not isinstance(x, (list, tuple)):
        raise ValueError(
            "`x` must be a list or tuple of values convertible to a Tensor (arguments to `f`), "
            f"not a {type(x)}"
        )
    values = [to_tensor(each) for each in x]
    for at, each in enumerate(values):
        _check_dtype(each, f"argument {at}")
    y = f(*values)
    if not isinstance(y, Tensor):
        raise AttributeError(
            f"'{type(y).__name__}' object has no attribute 'shape': f must return one tensor."
        )
    _check_dtype(y, "y")
    rows = [_rows(f, values, seed) for seed in _units(y._value)]
    widths = [len(_units(each._value)) for each in values]
    by_rule = [
        np.array([row[at] for row in rows], each._value.real.dtype).reshape(len(rows), width)
        for at, (each, width) in enumerate(zip(values, widths, strict=True))
    ]
    step = STEP if delta is None else delta
    by_difference = [_differences(f, values, at, step) for at in range(len(values))]
    return tuple(by_rule), tuple(by_difference)


def _check_dtype(value: Tensor, what: str) -> None:
    if not value.dtype.is_differentiable:
        raise AssertionError(
            f"Cannot compute gradient for unsupported type {value.dtype.name} of {what}"
        )


def _units(value: Any) -> list[Any]:
    """Arrays like the value with a single 1, and with a single i where it is complex."""
    units = []
    for index in range(value.size):
        for one in (1, 1j) if value.dtype.kind == "c" else (1,):
            unit = np.zeros(value.size, value.dtype)
            unit[index] = one
            units.append(unit.reshape(value.shape)[()])
    return units


def _rows(f: Callable[..., Any], values: list[Tensor], seed: Any) -> list[Any]:
    """One row of the Jacobian for each argument."""
    with GradientTape() as tape:
        tape.watch(values)
        y = f(*values)
    gradients = tape.gradient(y, values, constant_of(seed), unconnected_gradients="zero")
    return [_numbers(each) for each in gradients]


def _numbers(gradient: Any) -> Any:
    """The real numbers of a gradient in a row, a complex one as two."""
    dense = gradient.dense() if isinstance(gradient, IndexedSlices) else gradient
    array = np.atleast_1d(dense._value if isinstance(dense, Tensor) else dense).reshape(-1)
    return array.view(array.real.dtype) if array.dtype.kind == "c" else array


def _differences(f: Callable[..., Any], values: list[Tensor], at: int, step: float) -> Any:
    base, columns = values[at]._value, []
    for unit in _units(base):
        above, below = (
            f(*values[:at], constant_of((base + way * unit).astype(base.dtype)), *values[at + 1 :])
            for way in (step, -step)
        )
        columns.append(_numbers((above._value - below._value) / (2 * step)))
    height = len(columns[0]) if columns else 0
    return np.array(columns, base.real.dtype).reshape(len(columns), height).T


def gpu_device_name() -> str:
    """The name of a graphics processor; empty, everything runs on the processor."""
    return ""


def is_gpu_available(cuda_only: bool = False, min_cuda_compute_capability: Any = None) -> bool:
    """Whether there is a graphics processor to run on; never."""
    return False


def is_built_with_cuda() -> bool:
    """Whether CUDA could be used; never."""
    return False


def is_built_with_rocm() -> bool:
    """Whether ROCm could be used; never."""
    return False


def is_built_with_gpu_support() -> bool:
    """Whether a graphics processor could be used; never."""
    return False


def is_built_with_xla() -> bool:
    """Whether functions can be compiled by XLA; never, `tf.function` compiles in its own way."""
    return False


__getattr__, __dir__ = in_module(__name__)
