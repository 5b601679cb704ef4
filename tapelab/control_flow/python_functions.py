"""Python and NumPy code as one step: py_function keeps the gradient, numpy_function does not."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, Final

import numpy as np

from tapelab import errors
from tapelab.autodiff.gradient_overrides import in_form, names_of, numbers
from tapelab.core import custom_op
from tapelab.core.cell import Holder
from tapelab.core.composite_tensor import CompositeTensor
from tapelab.core.convert import to_tensor
from tapelab.core.dispatch import public
from tapelab.core.tape import GradientTape, UnconnectedGradients
from tapelab.core.tensor import Tensor, constant_of
from tapelab.dtypes import as_dtype
from tapelab.ops.public import tensor

BECAUSE: Final = (
    "tf.numpy_function runs NumPy code, and a tape sees nothing of what NumPy does. Use tf ops, or "
    "give the function a gradient with tf.custom_gradient."
)
OPAQUE: Final = "NumPy code that runs as one step, without a backward pass."
SENTENCE: Final = "Python code that runs as one step, with a tape of its own for the backward pass."
ERRORS: Final[tuple[tuple[Any, type[errors.OpError]], ...]] = (
    ((ValueError, TypeError), errors.InvalidArgumentError),
    (StopIteration, errors.OutOfRangeError),
    (MemoryError, errors.ResourceExhaustedError),
    (NotImplementedError, errors.UnimplementedError),
    (Exception, errors.UnknownError),
)
"""What an error of Python becomes on its way out of an op."""


def _decorated(
    as_step: Callable[..., Any], function: Callable[..., Any], kinds: Any
) -> Callable[..., Any]:
    """A function that runs as one step whenever it is called."""

    @wraps(function)
    def step(*args: Any) -> Any:
        return as_step(function, args, kinds)

    return step


@public
def py_function(
    func: Any = None, inp: Any = None, Tout: Any = None, name: str | None = None
) -> Any:
    """Run a Python function of tensors as one step, in which gradients pass through tf ops.

    The tape does not see inside: variables that the function reads get no gradient from it.
    """
    if func is None and inp is None:
        return lambda function: _decorated(py_function, function, Tout)
    if not callable(func):
        raise ValueError(
            f"Expected func to be callable. Received func={func!r} of type {type(func)}."
        )
    given = [each if isinstance(each, CompositeTensor) else tensor(each) for each in inp]
    kinds = [_dtype(each) for each in (Tout if isinstance(Tout, (list, tuple)) else [Tout])]
    title = getattr(func, "__name__", "py_function")
    with custom_op.body(title), custom_op.tapes_paused(), GradientTape(persistent=True) as tape:
        copies = [constant_of(numbers(each)._value) for each in given]
        tape.watch([each for each in copies if each.dtype.is_differentiable])
        forms = _run(func, list(map(in_form, given, copies)), kinds)
    for log, _, _ in tape._windows:  # whoever asks the outer tapes needs the log, and no one else
        log.remove_holder(tape)
    results = [numbers(each) for each in forms]
    names = names_of(func, given, list(range(len(given))), [])
    if given and results:
        op = custom_op.declare(title, SENTENCE, names, many=len(results) > 1)
        inputs = [numbers(each) for each in given]
        results = custom_op.record(op, inputs, results, _way_back(tape, copies, results))
    returned = list(map(in_form, forms, results))
    return returned if isinstance(Tout, (list, tuple)) else returned[0]


def _dtype(spec: Any) -> Any:
    return as_dtype(getattr(spec, "dtype", spec))


def _converted(value: Any, kind: Any) -> Any:
    return value if isinstance(value, CompositeTensor) else to_tensor(value, kind)


def _run(func: Callable[..., Any], copies: list[Any], kinds: list[Any]) -> list[Any]:
    """Call the function and convert what it returns; its errors come out as those of an op."""
    try:
        returned = func(*copies)
        values = returned if isinstance(returned, (list, tuple)) else [returned]
        given = [] if returned is None else list(values)
        results = list(map(_converted, given, kinds))
    except Exception as error:
        kind = next(error_class for caught, error_class in ERRORS if isinstance(error, caught))
        raise kind(None, None, f"{type(error).__name__}: {error} [Op:EagerPyFunc]") from error
    if len(results) < len(kinds):
        raise errors.InvalidArgumentError(
            None, None, f"{getattr(func, '__name__', 'func')} returns {len(given)} values, but "
            f"expects to see {len(kinds)} values. [Op:EagerPyFunc]",
        )  # fmt: skip
    return results


def _way_back(tape: GradientTape, copies: list[Tensor], results: list[Tensor]) -> custom_op.VJP:
    """Ask the tape that ran inside; an input that the function did not use gets zeros."""
    smooth = [each for each in copies if each.dtype.is_differentiable]

    def back(*upstream: Any) -> list[Any]:
        gradients = iter(
            tape.gradient(
                list(results), smooth, output_gradients=list(upstream),
                unconnected_gradients=UnconnectedGradients.ZERO,
            )
        )  # fmt: skip
        return [next(gradients) if each.dtype.is_differentiable else None for each in copies]

    return back


def _as_array(value: Any) -> Any:
    """A copy of the numbers; a Python number becomes what NumPy makes of it."""
    if isinstance(value, (Tensor, Holder)):
        return np.array(tensor(value)._value)
    return np.array(value)


@public
def numpy_function(
    func: Any = None, inp: Any = None, Tout: Any = None, stateful: bool = True,
    name: str | None = None,
) -> Any:  # fmt: skip
    """Run a NumPy function of arrays as one step, through which no gradient passes."""
    del stateful
    if func is None and inp is None:
        return lambda function: _decorated(numpy_function, function, Tout)
    given = list(inp)
    inputs = [tensor(each) for each in given]
    returned = func(*map(_as_array, given))
    if returned is None:
        return None
    several = isinstance(returned, (list, tuple))
    results = [to_tensor(each) for each in (returned if several else [returned])]
    if inputs and results:
        names = names_of(func, inputs, list(range(len(inputs))), [])
        title = f"numpy {getattr(func, '__name__', 'function')}"
        op = custom_op.declare(title, OPAQUE, names, many=len(results) > 1, because=BECAUSE)
        results = custom_op.record(op, inputs, results)
    return results if several else results[0]
