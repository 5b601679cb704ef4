"""What happens around the `call` of a layer: training or not, which tensors, which group."""

from __future__ import annotations

import inspect
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import lru_cache
from typing import Any, Final

import numpy as np

from tapelab import nest
from tapelab.core.cell import Holder
from tapelab.core.log import origin_here, thread
from tapelab.core.origin import Scope
from tapelab.core.tensor import Tensor
from tapelab.dtypes import as_dtype
from tapelab.keras import backend
from tapelab.keras.keras_tensor import KerasTensor
from tapelab.linalg import matmul
from tapelab.sparse.sparse_math_ops import sparse_dense_matmul
from tapelab.sparse.sparse_tensor import SparseTensor


class _Context(threading.local):
    """Which layer was called from outside, and whether it trains."""

    entry: Any = None
    training: bool | None = None


_context: Final = _Context()


@contextmanager
def inside(layer: Any, training: bool | None) -> Iterator[None]:
    """The length of a call: layers called inside take its training flag, ops its name."""
    outer = _context.entry, _context.training
    if _context.entry is None:
        _context.entry = layer
        layer._forget_losses()
    _context.training = training
    scope, origin = thread.scope, origin_here()
    thread.scope = Scope(layer.name, scope, origin.code, origin.instruction)
    try:
        yield
    finally:
        thread.scope = scope
        _context.entry, _context.training = outer


@lru_cache(maxsize=256)
def parameters_of(function: Callable[..., Any]) -> dict[str, inspect.Parameter]:
    """The parameters of a method, without `self`."""
    return dict(list(inspect.signature(function).parameters.items())[1:])


def takes(function: Callable[..., Any], name: str) -> bool:
    """Whether a method has a parameter of this name."""
    return name in parameters_of(function)


def settle_training(layer: Any, given: Any) -> Any:
    """Whether a call trains: as it is told, else as the layer outside does, else by default."""
    if given is not None:
        return given
    if _context.training is not None:
        return _context.training
    parameter = parameters_of(type(layer).call).get("training")
    default = None if parameter is None else parameter.default
    return None if default is inspect.Parameter.empty else default


def accepted(args: Any, kwargs: Any, dtype: str | None) -> tuple[Any, Any, bool]:
    """What a layer is given, as tensors in its dtype, and whether there are symbolic ones."""
    if all(type(each) is Tensor for each in args) and all(
        type(each) is bool for each in kwargs.values()
    ):
        return tuple(_convert(each, dtype) for each in args), kwargs, False
    check_positional(args)
    symbolic = is_symbolic((args, kwargs))
    return converted(args, dtype), converted(kwargs, dtype), symbolic


def converted(values: Any, dtype: str | None) -> Any:
    """Tensors for all tensors and arrays in a nest; floats in the dtype of the layer."""
    return nest.pack_sequence_as(values, [_convert(each, dtype) for each in nest.flatten(values)])


def _convert(value: Any, dtype: str | None) -> Any:
    if isinstance(value, (np.ndarray, np.generic)):
        wanted = dtype if value.dtype.kind == "f" else None
        return backend.convert_to_tensor(value, wanted)
    if isinstance(value, Holder):
        value = backend.convert_to_tensor(value)
    if isinstance(value, Tensor) and value.dtype.is_floating and dtype is not None:
        return backend.convert_to_tensor(value, dtype)
    return value


def check_positional(values: Any) -> None:
    """ValueError for a Python number where a layer takes tensors."""
    for value in nest.flatten(values):
        if isinstance(value, (bool, int, float, complex, str, bytes)):
            raise ValueError(
                "Only input tensors may be passed as positional arguments. The following argument "
                f"value should be passed as a keyword argument: {value!s} (of type {type(value)}). "
                "If it is data, try tf.constant(...) around it."
            )


def is_symbolic(values: Any) -> bool:
    """Whether a nest holds symbolic tensors: then a functional model is being made."""
    return any(isinstance(each, KerasTensor) for each in nest.flatten(values))


def shapes_of(values: Any) -> Any:
    """The shapes of a nest of tensors, as tuples in the same nest."""
    if nest.is_nested(values):
        if isinstance(values, dict):
            return {key: shapes_of(value) for key, value in values.items()}
        return [shapes_of(value) for value in values]
    shape = getattr(values, "shape", None)
    return None if shape is None else tuple(shape)


def product(x: Any, kernel: Any) -> Any:
    """The matrix product; rows of sparse tensors skip what is 0."""
    return sparse_dense_matmul(x, kernel) if isinstance(x, SparseTensor) else matmul(x, kernel)


def in_float(x: Any, dtype: str) -> Any:
    """The tensor in the dtype of a layer's weights, also where it holds whole numbers.

    Complex numbers stay: no part of them is dropped silently.
    """
    fits = x.dtype == as_dtype(dtype) or x.dtype.is_complex
    return x if fits else backend.convert_to_tensor(x, dtype)
