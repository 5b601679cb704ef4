"""`tf.debugging`: statements that must hold, and errors that show the values where they do not."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from tapelab.core.composite_tensor import CompositeTensor
from tapelab.core.convert import to_tensor
from tapelab.core.dispatch import public
from tapelab.core.tensor import Tensor
from tapelab.core.text_forms import brackets, require_one_dtype, spoken
from tapelab.core.traceback_filter import is_filtering, set_filtering
from tapelab.dtypes import as_dtype
from tapelab.errors import InvalidArgumentError, invalid_argument
from tapelab.namespace.missing_names import in_module
from tapelab.ops.integer_arguments import lengths, number
from tapelab.ops.pass_through import check_finite as _check_finite
from tapelab.ops.public import tensor as as_tensor

Assertion = Callable[..., None]

_SYMBOLS: dict[str, np.ufunc] = {
    "==": np.equal,
    "!=": np.not_equal,
    "<": np.less,
    "<=": np.less_equal,
    ">": np.greater,
    ">=": np.greater_equal,
}
_ORDERS = {"<": "Less", "<=": "LessEqual", ">": "Greater", ">=": "GreaterEqual"}


@public
def check_numerics(tensor: Any, message: str, name: str | None = None) -> Tensor:
    """The tensor itself; InvalidArgumentError with the message if an entry is NaN or infinite."""
    checked: Tensor = _check_finite(as_tensor(tensor), message=message)
    return checked


@public(effect="stateful")  # it returns its tensor, so it is tried out while it is traced
def assert_all_finite(x: Any, message: str, name: str | None = None) -> Tensor:
    """The tensor itself; InvalidArgumentError with the message if an entry is NaN or infinite."""
    given = as_tensor(x)
    check_numerics(given, message)
    return given


def _comparing(symbol: str, function_name: str) -> Assertion:
    """An assertion on two tensors, entry by entry."""

    def check(
        x: Any, y: Any, message: str | None = None, summarize: int | None = None,
        name: str | None = None,
    ) -> None:  # fmt: skip
        if symbol == "==" and x is y:
            return  # even where its entries are NaN
        one, other = _pair(x, y)
        _require_order(symbol, one)
        holds = _SYMBOLS[symbol](one, other)
        if not holds.all():
            raise _broken(symbol, one, other, holds, message, 3 if summarize is None else summarize)

    check.__name__ = check.__qualname__ = function_name
    check.__doc__ = f"InvalidArgumentError unless x {symbol} y for all entries."
    return public(elementwise=True, effect="asserts")(check)


def _pair(x: Any, y: Any) -> tuple[Any, Any]:
    """The raw numbers of two tensors that can be compared entry by entry."""
    one, other = as_tensor(x)._value, as_tensor(y)._value
    require_one_dtype("Equal", (one, other))
    try:
        np.broadcast_shapes(one.shape, other.shape)
    except ValueError as error:
        raise invalid_argument(
            "Equal", f"Incompatible shapes: {brackets(one.shape)} vs. {brackets(other.shape)}"
        ) from error
    return one, other


def _require_order(symbol: str, value: Any) -> None:
    if symbol in _ORDERS and value.dtype.kind in "bcO":
        raise invalid_argument(
            _ORDERS[symbol], f"Value for attr 'T' of {spoken(value.dtype)} is not in the list of "
            "allowed values: float, double, int32, uint8, int16, int8, int64, bfloat16, uint16, "
            "half, uint32, uint64. Only real numbers have an order",
        )  # fmt: skip


assert_equal = _comparing("==", "assert_equal")
assert_none_equal = _comparing("!=", "assert_none_equal")
assert_less = _comparing("<", "assert_less")
assert_less_equal = _comparing("<=", "assert_less_equal")
assert_greater = _comparing(">", "assert_greater")
assert_greater_equal = _comparing(">=", "assert_greater_equal")


def _broken(
    symbol: str, one: Any, other: Any, holds: Any, message: str | None, shown: int
) -> InvalidArgumentError:
    lines = [message] if message else []
    lines.append(f"Condition x {symbol} y did not hold.")
    ours, theirs = np.broadcast_arrays(one, other)
    if holds.ndim:
        places = np.argwhere(~holds)[:shown]
        lines += [f"Indices of first {len(places)} different values:", f"{places}"]
        at = tuple(places.T)
        lines += ["Corresponding x values:", f"{ours[at]}"]
        lines += ["Corresponding y values:", f"{theirs[at]}"]
    for letter, array in (("x", one), ("y", other)):
        first = np.ravel(array)[:shown]
        lines += [f"First {len(first)} elements of {letter}:", f"{first}"]
    return InvalidArgumentError(None, None, "\n".join(lines))


def _signed(symbol: str, function_name: str) -> Assertion:
    """An assertion on the sign of a tensor, entry by entry."""

    def check(
        x: Any, message: str | None = None, summarize: int | None = None, name: str | None = None
    ) -> None:
        given = as_tensor(x)
        value, zero = given._value, to_tensor(0, given.dtype)._value
        _require_order(symbol, value)
        if not _SYMBOLS[symbol](value, zero).all():
            shown = np.ravel(value)[: 3 if summarize is None else summarize].tolist()
            raise InvalidArgumentError(
                None, None,
                f"{message or ''}\nCondition x {symbol} 0 did not hold element-wise:\n"
                f"x (shape={np.shape(value)} dtype={value.dtype}) = \n{shown}",
            )  # fmt: skip

    check.__name__ = check.__qualname__ = function_name
    check.__doc__ = f"InvalidArgumentError unless x {symbol} 0 for all entries."
    return public(elementwise=True, effect="asserts")(check)


assert_positive = _signed(">", "assert_positive")
assert_negative = _signed("<", "assert_negative")
assert_non_negative = _signed(">=", "assert_non_negative")
assert_non_positive = _signed("<=", "assert_non_positive")


@public(effect="asserts")
def assert_near(
    x: Any, y: Any, rtol: float | None = None, atol: float | None = None,
    message: str | None = None, summarize: int | None = None, name: str | None = None,
) -> None:  # fmt: skip
    """InvalidArgumentError unless |x - y| <= atol + rtol |y| for all entries."""
    one, other = _pair(x, y)
    default = 10 * float(np.finfo(one.dtype).eps)
    share = default if rtol is None else rtol
    within = (default if atol is None else atol) + share * np.abs(other)
    holds = np.abs(one - other) <= within
    if not holds.all():
        text = f"{message + ': ' if message else ''}x and y not equal to tolerance {within!r}."
        raise _broken("≈", one, other, holds, text, 3 if summarize is None else summarize)


@public(effect="asserts")
def assert_rank(x: Any, rank: Any, message: str | None = None, name: str | None = None) -> None:
    """ValueError unless x has that many axes."""
    wanted = number(rank, "Rank")
    _require_rank(x, wanted, f"rank {wanted}", message, lambda ours, given: ours == given)


@public(effect="asserts")
def assert_rank_at_least(
    x: Any, rank: Any, message: str | None = None, name: str | None = None
) -> None:
    """ValueError unless x has at least that many axes."""
    least = number(rank, "Rank")
    wording = f"rank at least {least}"
    _require_rank(x, least, wording, message, lambda ours, given: ours >= given)


@public(effect="asserts")
def assert_rank_in(x: Any, ranks: Any, message: str | None = None, name: str | None = None) -> None:
    """ValueError unless the number of axes of x is one of the given ones."""
    wanted = lengths(ranks, "Rank")
    _require_rank(x, wanted, f"rank in {wanted}", message, lambda ours, given: ours in given)


def _require_rank(
    x: Any, wanted: Any, wording: str, message: str | None, fits: Callable[[int, Any], bool]
) -> None:
    _require_rank_of(as_tensor(x)._value.shape, wanted, wording, message, fits)


def _require_rank_of(
    shape: tuple[int, ...], wanted: Any, wording: str, message: str | None,
    fits: Callable[[int, Any], bool],
) -> None:  # fmt: skip
    if not fits(len(shape), wanted):
        raise ValueError(
            f"{message + '. ' if message else ''}Tensor must have {wording}.  "
            f"Received rank {len(shape)}, shape {shape}"
        )


@public(effect="asserts")
def assert_shapes(shapes: Any, message: str | None = None, name: str | None = None) -> None:
    """ValueError unless tensors have the given shapes; a letter must mean one length throughout."""
    known: dict[str, tuple[int, str]] = {}
    for x, wanted in shapes.items() if isinstance(shapes, dict) else shapes:
        dtype, shape = _dtype_and_shape(x)
        sizes = tuple(wanted)
        _require_rank_of(shape, len(sizes), f"rank {len(sizes)}", message, operator.eq)
        said = f"Tensor shape={shape} dtype={dtype}"
        for at, (size, length) in enumerate(zip(sizes, shape, strict=True)):
            here = f"tensor shape={shape} dtype={dtype} dimension {at}"
            named = isinstance(size, str)
            expected, by = known.setdefault(size, (length, here)) if named else (size, "")
            if expected is not None and expected != length:
                source = f"Specified by {by}.  " if named else "Specified explicitly.  "
                raise ValueError(
                    f"{message + '. ' if message else ''}{source}{said} dimension {at} must have "
                    f"size {expected}.  Received size {length}, shape {shape}"
                )


def _dtype_and_shape(x: Any) -> tuple[Any, tuple[int, ...]]:
    """What a dense or a sparse tensor holds and how long it is along each axis."""
    sparse: Any = x if isinstance(x, CompositeTensor) and x.kind == "sparse" else None
    if sparse is not None:
        return sparse.dtype.name, tuple(sparse.shape)
    value = as_tensor(x)._value
    return value.dtype, value.shape


@public(effect="asserts")
def assert_scalar(tensor: Any, name: str | None = None, message: str | None = None) -> None:
    """ValueError unless the tensor has no axes."""
    x = as_tensor(tensor)
    if x._array.ndim:
        raise ValueError(f"{message or ''}Expected scalar shape, saw shape: {x.shape}.")


@public(effect="asserts")
def assert_type(
    tensor: Any, tf_type: Any, message: str | None = None, name: str | None = None
) -> None:
    """TypeError unless the tensor has that dtype."""
    x, wanted = as_tensor(tensor), as_dtype(tf_type)
    if x.dtype is not wanted:
        raise TypeError(f"{message or ''}tensor must be of type {wanted!r}; got {x.dtype!r}")


@public(effect="asserts")
def assert_integer(x: Any, message: str | None = None, name: str | None = None) -> None:
    """TypeError unless the tensor has an integer dtype."""
    if not as_tensor(x).dtype.is_integer:
        raise TypeError(
            f'{message or ""}Expected "x" to be integer type.  '
            f"Found: tensor of dtype {as_tensor(x).dtype}"
        )


@public(effect="asserts")
def assert_proper_iterable(values: Any) -> None:
    """TypeError unless one can walk through the values, and they are no tensor or string."""
    if isinstance(values, (Tensor, np.ndarray, bytes, str)):
        complaint = f'to be a "proper" iterable.  Found: {type(values)}'
    elif not hasattr(values, "__iter__"):
        complaint = f"to be iterable.  Found: {type(values)}"
    else:
        return
    raise TypeError(f'Expected argument "values" {complaint}')


@public
def enable_traceback_filtering() -> None:
    """Let uncaught errors end at the line of your code that caused them, as they do at first."""
    set_filtering(enabled=True)


@public
def disable_traceback_filtering() -> None:
    """Let uncaught errors show the whole way into the engine."""
    set_filtering(enabled=False)


@public
def is_traceback_filtering_enabled() -> bool:
    """Whether uncaught errors end at the line of your code that caused them."""
    return is_filtering()


@public
def is_numeric_tensor(tensor: Any) -> bool:
    """Whether x is a tensor that one can count with."""
    return isinstance(tensor, Tensor) and tensor.dtype.is_numeric


@public(effect="asserts")
def Assert(  # noqa: N802 - TensorFlow's name
    condition: Any, data: Any, summarize: int | None = None, name: str | None = None
) -> None:
    """InvalidArgumentError with the data unless the condition holds."""
    if not as_tensor(condition)._value:
        data_text = ", ".join(str(as_tensor(each)._value) for each in data)
        raise InvalidArgumentError(
            None, None, f"Expected '{condition}' to be true. Summarized data: {data_text}"
        )


__getattr__, __dir__ = in_module(__name__)
