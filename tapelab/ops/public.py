"""From ops to public functions: they convert what they are given, and take TensorFlow's `name=`."""

from __future__ import annotations

import inspect
import operator
from collections.abc import Callable
from functools import cache, partial, wraps
from typing import Any, Final

import numpy as np

from tapelab.core.cell import Holder
from tapelab.core.convert import operand, to_tensor
from tapelab.core.dispatch import public
from tapelab.core.execute import run
from tapelab.core.fast_path import binary_fast_path, fast_path_with_settings, unary_fast_path
from tapelab.core.op_declaration import Op
from tapelab.core.tensor import Tensor
from tapelab.core.variable import read
from tapelab.dtypes import DType, as_dtype, int64
from tapelab.errors import invalid_argument
from tapelab.ops import arithmetic, products, selection
from tapelab.ops.casts import cast
from tapelab.ops.integer_arguments import lengths, number

Public = Callable[..., Any]

ON_FLOATS: Final[dict[Op, tuple[Public, Public]]] = {
    arithmetic.add: (operator.add, np.add),
    arithmetic.subtract: (operator.sub, np.subtract),
    arithmetic.multiply: (operator.mul, np.multiply),
    arithmetic.divide: (operator.truediv, np.true_divide),
    selection.maximum: (np.maximum, np.maximum),
    selection.minimum: (np.minimum, np.minimum),
    products.matmul: (products.of_matrices, products.of_matrices),
}
"""What an op of two tensors is on scalars, and what on arrays, of ordinary floats."""


def tensor(x: Any, dtype: Any = None) -> Tensor:
    """The argument as a tensor; a variable is read."""
    if type(x) is Tensor:
        return x
    return read(x) if isinstance(x, Holder) else to_tensor(x, dtype)


def strict_operand(value: Any, like: DType) -> Tensor:
    """The value in the dtype of another tensor; TypeError where it does not fit: 1.5 as int32."""
    if isinstance(value, (Tensor, Holder)):
        return tensor(value)
    if hasattr(value, "dtype"):
        return tensor(operand(value, like._numpy))
    return to_tensor(value, like)


def in_default(value: Any, default: DType) -> Tensor:
    """A tensor as it is, Python and NumPy data in the default dtype of an op."""
    if isinstance(value, (Tensor, Holder)):
        return tensor(value)
    return to_tensor(np.asarray(value).astype(default._numpy))


def matched(*values: Any) -> tuple[Tensor, ...]:
    """The arguments as tensors, Python and NumPy data in the dtype of the first tensor.

    Where there is none, the first argument decides.
    """
    first = next((v for v in values if isinstance(v, (Tensor, Holder))), None)
    if first is None:
        first = to_tensor(values[0])
        values = (first, *values[1:])
    dtype = tensor(first).dtype
    return tuple(
        v if type(v) is Tensor else read(v) if isinstance(v, Holder) else strict_operand(v, dtype)
        for v in values
    )


@public
def in_turn(first: Any, second: Any) -> tuple[Tensor, Tensor]:
    """Two arguments as tensors: the first on its own terms, the second in its dtype if it fits."""
    x = tensor(first)
    if isinstance(second, (Tensor, Holder)):
        return x, tensor(second)
    return x, to_tensor(second, dtype_hint=x.dtype)


def unary(op: Op) -> Public:
    """The public function of an op of one tensor."""

    def function(x: Any, name: str | None = None) -> Any:
        return op(x if type(x) is Tensor else tensor(x))

    fast_path = None
    if _is_smooth(op):
        fast_path = partial(unary_fast_path, op)
        if not op.settings:
            op.fast_path = unary_fast_path(op, lambda x: run(op, (x,), {}))
    return _elementwise(function, op, fast_path, op.inputs[0])


def _is_smooth(op: Op) -> bool:
    """Whether it takes floats and has a derivative for each input."""
    return (not op.kinds or "f" in op.kinds) and op.vjps is not None and None not in op.vjps


def _elementwise(
    function: Public, op: Op, fast_path: Callable[[Public], Public] | None, *names: str
) -> Public:
    """A function of single entries under the name of its op."""
    _like(function, op)
    return with_help(public(elementwise=True, fast_path=fast_path)(function), op, *names)


def pairs(op: Op, *, mirrored: bool = False) -> Callable[[Public], Public] | None:
    """The fast path of an op of two tensors; None if it has none."""
    if op not in ON_FLOATS:
        return None
    on_scalars, on_arrays = ON_FLOATS[op]
    return partial(binary_fast_path, op, on_scalars, on_arrays, mirrored=mirrored)


def without_settings(op: Op) -> Callable[[Public], Public]:
    """The fast path of a function of two tensors that takes settings, for calls that give none."""

    def fast_path(function: Public) -> Public:
        quick = binary_fast_path(op, *ON_FLOATS[op], function, up=2)

        @wraps(function)
        def call(*given: Any, **settings: Any) -> Any:
            if settings or len(given) != 2:
                return function(*given, **settings)
            return quick(*given)

        return call

    return fast_path


def _reduction_settings(
    array: Any, axis: Any = None, keepdims: Any = False, name: str | None = None
) -> dict[str, Any] | None:
    """The settings of a reduction along all axes or along one; None for the general way."""
    if name is not None:
        return None
    if axis is not None:
        rank = array.ndim
        if type(axis) is not int or not -rank <= axis < rank:
            return None
        axis = (axis % rank,)
    return {"axis": axis, "keepdims": keepdims} if type(keepdims) is bool else None


def binary(op: Op) -> Public:
    """The public function of an op of two tensors."""

    def function(x: Any, y: Any, name: str | None = None) -> Any:
        return op(*matched(x, y))

    return _elementwise(function, op, pairs(op), *op.inputs)


def binary_of_numbers(op: Op) -> Public:
    """The public function of an op that, as an operator, also takes true and false."""

    def function(x: Any, y: Any, name: str | None = None) -> Any:
        first, second = matched(x, y)
        if first.dtype.is_bool:
            raise invalid_argument(
                op.raw, "Value for attr 'T' of bool is not in the list of allowed values: "
                "float, double, int32, … Try tf.logical_and, or tf.cast(x, tf.float32)",
            )  # fmt: skip
        return op(first, second)

    return _elementwise(function, op, pairs(op), *op.inputs)


def logical(op: Op) -> Public:
    """The public function of an op of true and false; anything else is a TypeError."""

    def function(*inputs: Any, name: str | None = None) -> Any:
        return op(*(tensor(x, "bool") for x in inputs))

    return _elementwise(function, op, None, *op.inputs)


def with_help(function: Public, op: Op, *names: str) -> Public:
    """A public function under the name of its op, with a signature and a text for `help()`."""
    _like(function, op)
    function.__signature__ = _signature(names)  # type: ignore[attr-defined]  # help() reads it
    return function


@cache
def _signature(names: tuple[str, ...]) -> inspect.Signature:
    kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
    parameters = [inspect.Parameter(name, kind) for name in names]
    parameters.append(inspect.Parameter("name", kind, default=None))
    return inspect.Signature(parameters)


def axes_of(x: Tensor, axis: Any, raw: str) -> tuple[int, ...] | None:
    """The axes of a reduction as positions from 0; None for all. InvalidArgumentError if bad."""
    if axis is None:
        return None
    rank = x._array.ndim
    given = lengths(axis, raw)
    for each in given:
        if not -rank <= each < rank:
            raise invalid_argument(
                raw,
                f"Invalid reduction dimension ({each} for input with {rank} dimension(s). "
                f"Axes of shape {x.shape} go from {-rank} to {rank - 1}"
                if rank
                else f"Invalid reduction dimension ({each} for input with 0 dimension(s). "
                "A scalar has no axes; leave axis out",
            )
    axes = tuple(each % rank for each in given)
    if len(set(axes)) != len(axes):
        raise invalid_argument(
            raw,
            "Invalid reduction arguments: Axes contains duplicate dimension: "
            f"{next(each for each in axes if axes.count(each) > 1)}",
        )
    return axes


def reduction(op: Op) -> Public:
    """The public function of an op along axes."""

    def function(
        input_tensor: Any, axis: Any = None, keepdims: bool = False, name: str | None = None
    ) -> Any:
        x = tensor(input_tensor, "bool" if op.kinds == "b" else None)
        return op(x, axis=axes_of(x, axis, op.raw), keepdims=bool(keepdims))

    fast_path = fast_path_with_settings(op, _reduction_settings) if _is_smooth(op) else None
    return public(fast_path=fast_path)(_like(function, op))


def running(op: Op) -> Public:
    """The public function of an op that runs along one axis."""

    def function(
        x: Any, axis: Any = 0, exclusive: bool = False, reverse: bool = False,
        name: str | None = None,
    ) -> Any:  # fmt: skip
        x = tensor(x)
        place = one_axis(x, axis, op.raw, "ScanOp: Expected scan axis in the range")
        return op(x, axis=place, exclusive=bool(exclusive), reverse=bool(reverse))

    return public(_like(function, op))


def position(op: Op) -> Public:
    """The public function of an op that finds a position along one axis."""

    def function(
        input: Any, axis: Any = None, output_type: Any = int64, name: str | None = None
    ) -> Any:
        x = tensor(input)
        place = one_axis(x, 0 if axis is None else axis, op.raw, "Expected dimension in the range")
        positions = op(x, axis=place)
        return (
            positions
            if as_dtype(output_type) is int64
            else cast(positions, dtype=as_dtype(output_type))
        )

    return public(_like(function, op))


def one_axis(x: Tensor, axis: Any, raw: str, expected: str) -> int:
    """One axis as a position from 0; InvalidArgumentError if there is no such axis."""
    rank: int = x._array.ndim
    given = number(axis, raw)
    if not -rank <= given < rank:
        raise invalid_argument(raw, f"{expected} [{-rank}, {rank}), but got {given}")
    return given % rank


def _like(function: Public, op: Op) -> Public:
    function.__name__ = function.__qualname__ = op.name
    function.__module__ = "tapelab"
    function.__doc__ = f"{op.sentence}\n\n{op.formula}"
    return function
