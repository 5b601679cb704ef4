"""The context of a layer's call: training flag, arguments as tensors, group and errors."""

from __future__ import annotations

import inspect
import sys
import threading
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import lru_cache
from typing import Any, Final

import numpy as np

from tapelab import nest
from tapelab.core.cell import Holder
from tapelab.core.log import origin_here, thread
from tapelab.core.origin import ModuleScope
from tapelab.core.tensor import Tensor
from tapelab.dtypes import as_dtype
from tapelab.keras import backend
from tapelab.keras.keras_tensor import KerasTensor
from tapelab.keras.masks import masks_of
from tapelab.linalg import matmul
from tapelab.sparse.sparse_math_ops import sparse_dense_matmul
from tapelab.sparse.sparse_tensor import SparseTensor


class _Context(threading.local):
    """The outermost layer that is called, and the training flag."""

    entry: Any = None
    training: bool | None = None


_context: Final = _Context()


@contextmanager
def call_scope(layer: Any, training: bool | None) -> Iterator[None]:
    """Run a call: layers inside inherit its training flag, ops belong to its group."""
    outer = _context.entry, _context.training
    if _context.entry is None:
        _context.entry = layer
        layer._clear_losses()
    _context.training = training
    scope, origin = thread.scope, origin_here()
    thread.scope = ModuleScope(layer.name, scope, origin.code, origin.instruction)
    try:
        yield
    finally:
        thread.scope = scope
        _context.entry, _context.training = outer


@lru_cache(maxsize=256)
def parameters_of(function: Callable[..., Any]) -> dict[str, inspect.Parameter]:
    """Return the parameters of a method, without `self`."""
    return dict(list(inspect.signature(function).parameters.items())[1:])


def has_parameter(function: Callable[..., Any], name: str) -> bool:
    """Return whether a method has a parameter of this name."""
    return name in parameters_of(function)


@lru_cache(maxsize=256)
def mask_parameters(function: Callable[..., Any]) -> tuple[str, ...]:
    """Return the parameters of a method that have a mask of their own: `query` of `query_mask`."""
    names = parameters_of(function)
    return tuple(name for name in names if f"{name}_mask" in names)


def with_masks(call: Callable[..., Any], args: Any, kwargs: dict[str, Any]) -> dict[str, Any]:
    """Return keyword arguments with the mask of each tensor that has one."""
    given = {**dict(zip(parameters_of(call), args, strict=False)), **kwargs}
    masks = {f"{name}_mask": masks_of(given.get(name)) for name in mask_parameters(call)}
    known = {name: mask for name, mask in masks.items() if mask is not None}
    return {**known, **{name: value for name, value in kwargs.items() if value is not None}}


def training_flag(layer: Any, given: Any) -> Any:
    """Return the training flag: the argument, else that of the outer layer, else the default."""
    if given is not None:
        return given
    if _context.training is not None:
        return _context.training
    parameter = parameters_of(type(layer).call).get("training")
    default = None if parameter is None else parameter.default
    return None if default is inspect.Parameter.empty else default


def convert_arguments(args: Any, kwargs: Any, dtype: str | None) -> tuple[Any, Any, bool]:
    """Return the arguments as tensors of the layer's dtype, and whether some are symbolic."""
    if all(type(each) is Tensor for each in args) and all(
        type(each) is bool for each in kwargs.values()
    ):
        return tuple(_convert(each, dtype) for each in args), kwargs, False
    check_positional(args)
    symbolic = is_symbolic((args, kwargs))
    return convert_nest(args, dtype), convert_nest(kwargs, dtype), symbolic


def convert_nest(values: Any, dtype: str | None) -> Any:
    """Return a nest with tensors for its tensors and arrays; floats get the layer's dtype."""
    return nest.pack_sequence_as(values, [_convert(each, dtype) for each in nest.flatten(values)])


def cast_symbols(values: Any, dtype: str | None) -> Any:
    """Return a nest with symbolic tensors of floats in a dtype; None leaves it as it is."""
    if dtype is None:
        return values
    return nest.pack_sequence_as(
        values, [_cast_symbol(each, dtype) for each in nest.flatten(values)]
    )


def _cast_symbol(value: Any, dtype: str) -> Any:
    if not isinstance(value, KerasTensor) or value.dtype == dtype:
        return value
    if not backend.is_float_dtype(value.dtype):
        return value
    cast = KerasTensor(
        value.shape, dtype, name=value.name, sparse=value.sparse, ragged=value.ragged
    )
    cast.history, cast.origin = value.history, value.origin
    return cast


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
    """Raise ValueError for a Python number among positional arguments."""
    for value in nest.flatten(values):
        if isinstance(value, (bool, int, float, complex, str, bytes)):
            raise ValueError(
                "Only input tensors may be passed as positional arguments. The following argument "
                f"value should be passed as a keyword argument: {value!s} (of type {type(value)}). "
                "If it is data, try tf.constant(...) around it."
            )


def is_symbolic(values: Any) -> bool:
    """Return whether a nest contains symbolic tensors, so that a functional model is built."""
    return any(isinstance(each, KerasTensor) for each in nest.flatten(values))


def shapes_of(values: Any) -> Any:
    """Return the shapes of a nest of tensors, as tuples in the same nest."""
    if nest.is_nested(values):
        if isinstance(values, dict):
            return {key: shapes_of(value) for key, value in values.items()}
        return [shapes_of(value) for value in values]
    shape = getattr(values, "shape", None)
    return None if shape is None else tuple(shape)


def shapes_in(data: Any) -> Any:
    """Return the shapes of a config, in which they are lists, as tuples in the same nest."""
    if isinstance(data, dict):
        return {key: shapes_in(each) for key, each in data.items()}
    if isinstance(data, (list, tuple)):
        nested = any(isinstance(each, (list, tuple, dict)) for each in data)
        return [shapes_in(each) for each in data] if nested else tuple(data)
    return data


def product(x: Any, kernel: Any) -> Any:
    """Return the matrix product; sparse tensors skip their zeros."""
    return sparse_dense_matmul(x, kernel) if isinstance(x, SparseTensor) else matmul(x, kernel)


def in_float(x: Any, dtype: str) -> Any:
    """Return the tensor in the dtype of a layer's weights, integers included.

    Complex tensors stay as they are: no part of them is dropped silently.
    """
    fits = x.dtype == as_dtype(dtype) or x.dtype.is_complex
    return x if fits else backend.convert_to_tensor(x, dtype)


def in_dtype(x: Any, dtype: Any) -> Any:
    """Return a tensor or a weight in a dtype; None and what has that dtype stay as they are."""
    fits = x is None or as_dtype(x.dtype) == as_dtype(dtype)
    return x if fits else backend.convert_to_tensor(x, dtype)


def bound_arguments(cls: type, args: Any, kwargs: Any) -> dict[str, Any]:
    """Return the named arguments of a constructor, defaults included; {} if they do not fit."""
    try:
        bound = inspect.signature(cls.__init__).bind(None, *args, **kwargs)  # type: ignore[misc]  # of any class
    except TypeError:
        return {}
    bound.apply_defaults()
    kinds = {name: p.kind for name, p in bound.signature.parameters.items()}
    named: dict[str, Any] = {}
    for name, value in list(bound.arguments.items())[1:]:
        if kinds[name] is inspect.Parameter.VAR_KEYWORD:
            named.update(value)
        elif kinds[name] is not inspect.Parameter.VAR_POSITIONAL:
            named[name] = value
    return named


def _user_level() -> int:
    """The `stacklevel` of the first caller outside this package, seen from the calling function."""
    level, frame = 1, sys._getframe(1)
    while frame.f_back is not None and frame.f_globals["__name__"].startswith("tapelab.keras"):
        level, frame = level + 1, frame.f_back
    return level


def pop_input_shape(kind: type, kwargs: dict[str, Any]) -> Any:
    """Return the deprecated `input_shape` of a first layer; ValueError for unknown arguments."""
    shape = kwargs.pop("input_shape", None)
    size = kwargs.pop("input_dim", None)
    if kwargs:
        raise ValueError(f"Unrecognized keyword arguments passed to {kind.__name__}: {kwargs}")
    if shape is None and size is None:
        return None
    warnings.warn(
        "Do not pass an `input_shape`/`input_dim` argument to a layer. When using Sequential "
        "models, prefer using an `Input(shape)` object as the first layer in the model instead.",
        stacklevel=_user_level(),
    )
    return (size,) if shape is None else tuple(shape)


def call_description(layer: Any, args: Any, kwargs: Any) -> str:
    """Return which layer failed, and with which arguments."""
    what = f"{type(layer).__name__}.call()"
    names = list(parameters_of(type(layer).call))
    given = {**dict(zip(names, args, strict=False)), **kwargs}
    lines = [f"  • {name}={_summary(value)}" for name, value in given.items()]
    heads = f"Exception encountered when calling {what}.", f"Arguments received by {what}:"
    return "\n".join([*heads, *lines])


def _summary(value: Any) -> str:
    shape = getattr(value, "shape", None)
    if shape is None:
        return repr(value)
    return f"tf.Tensor(shape={shape}, dtype={getattr(value.dtype, 'name', value.dtype)})"
