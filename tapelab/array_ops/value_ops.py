"""Public functions that select, clip, cast and pass values on: where, clip_by_norm, identity."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from tapelab.core.arrays import typed_array
from tapelab.core.cell import Holder
from tapelab.core.convert import new_constant, to_tensor
from tapelab.core.dispatch import public
from tapelab.core.indexed_slices import IndexedSlices
from tapelab.core.logger import warn
from tapelab.core.tensor import Tensor
from tapelab.core.text_forms import brackets, require_one_dtype
from tapelab.dtypes import DType, as_dtype, bool_
from tapelab.errors import InvalidArgumentError, invalid_argument
from tapelab.ops import casts, pass_through, selection, sort_order
from tapelab.ops.arithmetic import conjugated
from tapelab.ops.comparison import greater, is_finite
from tapelab.ops.concatenation import stack
from tapelab.ops.integer_arguments import refuse_no_number
from tapelab.ops.losses import l2_loss
from tapelab.ops.powers import sqrt
from tapelab.ops.public import axes_of, matched, strict_operand, tensor, unary
from tapelab.ops.reduce_ops import reduce_sum
from tapelab.ops.selection import maximum, minimum, ones_like, select, zeros_like

stop_gradient = unary(pass_through.stop_gradient)


@public(graph_name="SelectV2")
def where(condition: Any, x: Any = None, y: Any = None, name: str | None = None) -> Tensor:
    """Each entry is taken from x where the condition holds, else from y.

    With the condition alone: the positions of its entries that are true or not 0.
    """
    selected: Tensor
    if x is None and y is None:
        selected = sort_order.true_positions(tensor(condition))
        return selected
    if x is None or y is None:
        raise ValueError("x and y must both be non-None or both be None.")
    picks, (first, second) = tensor(condition, "bool"), matched(x, y)
    shapes = [each._array.shape for each in (picks, first, second)]
    if _broadcast(*shapes) is None:
        raise _not_broadcastable(*map(brackets, shapes))
    selected = selection.select(picks, first, second)
    return selected


def _not_broadcastable(condition: str, then: str, other: str) -> InvalidArgumentError:
    return invalid_argument(
        "SelectV2",
        f"condition {condition}, then {then}, and else {other} must be broadcastable",
    )


@public(elementwise=True)
def clip_by_value(
    t: Any, clip_value_min: Any, clip_value_max: Any, name: str | None = None
) -> Tensor:
    """Each entry, but never below the lower limit nor above the upper one."""
    x = tensor(t)
    low, high = (strict_operand(each, x.dtype) for each in (clip_value_min, clip_value_max))
    shape = x._array.shape
    for limit in (low, high):
        require_one_dtype("Minimum", (x._array, limit._array))
        together = _broadcast(shape, limit._array.shape)
        if together is None:
            raise invalid_argument(
                "Minimum",
                f"Incompatible shapes: {brackets(shape)} vs. {brackets(limit._array.shape)}",
            )
        if together != shape:
            raise ValueError(f"Shapes {x.shape} and {limit.shape} are incompatible")
    return selection.clip_by_value(x, low, high)


def _broadcast(*shapes: tuple[int, ...]) -> tuple[int, ...] | None:
    """The shape that several shapes broadcast to, None if there is none."""
    try:
        return np.broadcast_shapes(*shapes)
    except ValueError:
        return None


@public(elementwise=True)
def cast(x: Any, dtype: Any, name: str | None = None) -> Tensor:
    """The same numbers in another dtype; floats are cut off towards 0 where it holds whole ones."""
    wanted = as_dtype(dtype)
    if isinstance(x, Holder) and x._cell.dtype is wanted:
        return x  # type: ignore[return-value]  # TensorFlow hands the variable itself on
    if not isinstance(x, (Tensor, Holder)):
        constant = _direct(x, wanted)
        if constant is not None:
            return constant
    given = tensor(x)
    if given.dtype is wanted:
        return given
    if given.dtype.is_complex and wanted.is_floating:
        warn(
            "You are casting an input of type %s to an incompatible dtype %s. This will discard "
            "the imaginary part and may not be what you intended. Try tf.math.real or tf.abs.",
            given.dtype.name, wanted.name,
        )  # fmt: skip
    return casts.cast(given, dtype=np.dtype(wanted.as_numpy_dtype))


def _direct(x: Any, wanted: DType) -> Tensor | None:
    """Python and NumPy data that fit the dtype need no op; fractions are float32 first."""
    try:
        array, natural = typed_array(x, wanted), typed_array(x)
    except (TypeError, ValueError):
        return None
    if natural.dtype == np.float32:
        array = natural.astype(array.dtype)
    return new_constant(array, x)


@public(elementwise=True)
def saturate_cast(value: Any, dtype: Any, name: str | None = None) -> Tensor:
    """The same numbers in another dtype, those that do not fit held at its nearest bound."""
    x, wanted = tensor(value), as_dtype(dtype)
    if x.dtype.is_bool or wanted.is_bool:
        raise TypeError(f"Cannot find minimum value of {bool_} with type {bool_}.")
    if not x.dtype.is_complex:
        return cast(_within(x, wanted), wanted)
    real: Any = casts.real(x)
    if not wanted.is_complex:
        warn("Casting complex to real discards imaginary part.")
        return cast(_within(real, wanted), wanted)
    if wanted.size < x.dtype.size:
        x = complex(_within(real, wanted), _within(casts.imag(x), wanted))
    return cast(x, wanted)


def _within(x: Tensor, wanted: DType) -> Tensor:
    """The numbers held within the bounds of both dtypes, so that infinity becomes finite."""
    low, high = (_held(bound, wanted.real_dtype, x.dtype) for bound in ("min", "max"))
    return clip_by_value(x, low, high)


def _held(bound: str, wanted: DType, given: DType) -> Any:
    """The bound of the narrower of two dtypes, as a number of the given dtype within both."""
    ours, theirs = getattr(given, bound), getattr(wanted, bound)
    narrower = (min if bound == "max" else max)(int(ours), int(theirs))
    if narrower == int(ours):
        return ours
    kind = given.as_numpy_dtype
    held = kind(theirs)
    beyond = float(held) > float(theirs) if bound == "max" else float(held) < float(theirs)
    return np.nextafter(held, kind(0)) if beyond else held


@public(elementwise=True)
def bitcast(input: Any, type: Any, name: str | None = None) -> Tensor:
    """The same bits read as another dtype; the last axis makes up for a difference in width."""
    return casts.bitcast(tensor(input), dtype=as_dtype(type)._numpy)


@public(elementwise=True)
def complex(real: Any, imag: Any, name: str | None = None) -> Tensor:
    """A complex number from its real and its imaginary part."""
    first, second = tensor(real), tensor(imag)
    names = first.dtype.name, second.dtype.name
    if names not in (("float32",) * 2, ("float64",) * 2):
        raise TypeError(
            f"The `real` and `imag` components have incorrect types: {' '.join(names)}. They must "
            "be consistent, and one of [tf.float32, tf.float64]"
        )
    return casts.complex(first, second)


@public
def real(input: Any, name: str | None = None) -> Tensor:
    """The real part of each entry; real numbers are returned as they are."""
    x = to_tensor(input)
    if not x.dtype.is_numeric:
        raise TypeError(f"input must be a numeric tensor, but got tensor with dtype {x.dtype}")
    part: Tensor = casts.real(x) if x.dtype.is_complex else x
    return part


@public
def imag(input: Any, name: str | None = None) -> Tensor:
    """The imaginary part of each entry: 0 for real numbers, whatever they are."""
    x = to_tensor(input)
    if x.dtype.name == "string":
        return new_constant(
            np.full(x._array.shape, b"", object), x
        )  # what is no number has an empty part
    part: Tensor = casts.imag(x) if x.dtype.is_complex else selection.zeros_like(x)
    return part


@public
def conj(x: Any, name: str | None = None) -> Tensor:
    """The complex conjugate of each entry; real numbers are returned as they are."""
    given = to_tensor(x)
    refuse_no_number(given)
    conjugate: Tensor = conjugated(given)
    return conjugate


@public(group=True)
def clip_by_norm(t: Any, clip_norm: Any, axes: Any = None, name: str | None = None) -> Any:
    """The tensor itself, or made as long as the limit where it is longer."""
    if isinstance(t, IndexedSlices):
        return IndexedSlices(clip_by_norm(t.values, clip_norm, axes), t.indices, t.dense_shape)
    x: Any = tensor(t)
    total = reduce_sum(x * x, axis=axes_of(x, axes, "Sum"), keepdims=True)
    positive = greater(total, zeros_like(total))
    # The root is taken of 1 where the tensor is 0, so that its derivative there is no NaN.
    length = select(positive, sqrt(select(positive, total, ones_like(total))), total)
    given = strict_operand(clip_norm, x.dtype)
    limit = maximum(given, zeros_like(given))
    limit = limit if limit.dtype is x.dtype else casts.cast(limit, dtype=x.dtype._numpy)
    return x * limit / maximum(length, limit)


@public(group=True)
def global_norm(t_list: Any, name: str | None = None) -> Any:
    """The norm of all the entries of a list of tensors together; `None` in the list counts 0."""
    halves = [l2_loss(_entries(x)) for x in _dense(t_list) if x is not None]
    return sqrt(reduce_sum(stack(*halves)) * 2.0) if halves else tensor(0.0)


@public(group=True)
def clip_by_global_norm(
    t_list: Any, clip_norm: Any, use_norm: Any = None, name: str | None = None
) -> tuple[list[Any], Any]:
    """The tensors, all made shorter by one factor if their joint norm is above the limit.

    Returns the tensors and the joint norm; all are NaN where the norm is not finite.
    """
    tensors = _dense(t_list)
    length: Any = tensor(global_norm(tensors) if use_norm is None else use_norm)
    limit: Any = strict_operand(clip_norm, length.dtype)
    one = ones_like(length)
    factor = limit * minimum(one / length, one / limit)
    factor = select(is_finite(length), factor, one * np.nan)
    return [None if x is None else _scaled(x, factor) for x in tensors], length


def _dense(t_list: Any) -> list[Any]:
    if isinstance(t_list, (str, Tensor)) or not isinstance(t_list, Sequence):
        raise TypeError(f"`t_list` should be a sequence of tensors. Received {type(t_list)}.")
    kept = (IndexedSlices, type(None))
    return [each if isinstance(each, kept) else tensor(each) for each in t_list]


def _entries(x: Any) -> Any:
    """The rows of IndexedSlices as they are, also where two have one number; else the tensor."""
    return x.values if isinstance(x, IndexedSlices) else x


def _scaled(x: Any, factor: Any) -> Any:
    if isinstance(x, IndexedSlices):
        return IndexedSlices(x.values * factor, x.indices, x.dense_shape)
    return x * factor
