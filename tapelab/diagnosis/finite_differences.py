"""`tf.check_gradients`: gradient rules of a function against finite differences of its values.

A `Probe` is the function at a point, in the finest dtype that it takes; the checks evaluate it
nearby. Steps and tolerance follow J. Nocedal and S. Wright, Numerical Optimization, chapter 8.1:
central differences with a step of cbrt(eps) · max(1, |x|) are off by about eps^(2/3). The tolerance
is cbrt(eps), which leaves room for curvature. A complex step (W. Squire and G. Trapp, 1998)
subtracts nothing, so its step can be tiny and its result exact.
"""

from __future__ import annotations

import inspect
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from tapelab.autodiff import ForwardAccumulator
from tapelab.core import custom_op
from tapelab.core.cell import Holder
from tapelab.core.convert import to_tensor
from tapelab.core.indexed_slices import IndexedSlices
from tapelab.core.log import thread
from tapelab.core.logger import get_logger
from tapelab.core.tape import GradientTape
from tapelab.core.tensor import Tensor, constant_of
from tapelab.core.variable import handle_of
from tapelab.diagnosis.gradient_check import (
    CENTRAL,
    COMPLEX_STEP,
    DIRECTIONS,
    Checked,
    GradientCheck,
)
from tapelab.diagnosis.gradient_functions import ignored_by
from tapelab.dtypes import as_dtype

Array = NDArray[np.float64]

DOUBLE: Final = np.dtype(np.float64)


@dataclass
class Probe:
    """A function at a point: its inputs (tensors, then variables) and what it gives there."""

    f: Callable[..., Any]
    arguments: list[Any]
    holders: list[Any]
    names: list[str]
    dtypes: list[np.dtype[Any]]
    values: list[Array]
    value: float = 0.0
    eps: float = field(default=float(np.finfo(np.float64).eps))

    @property
    def is_double(self) -> bool:
        """Whether all inputs are taken in float64."""
        return all(each == DOUBLE for each in self.dtypes)

    def steps(self, number: int, index: tuple[int, ...]) -> tuple[Array, Array]:
        """An input with one entry a little above and a little below, as its dtype can hold it."""
        base = self.values[number]
        step = np.cbrt(self.eps) * max(1.0, abs(base[index]))
        pair = []
        for direction in (step, -step):
            moved = base.copy()
            moved[index] += direction
            pair.append(moved.astype(self.dtypes[number]).astype(DOUBLE))
        return pair[0], pair[1]

    def at(self, number: int, moved: Array) -> float:
        """The function's value with one input moved."""
        return self.all_at([*self.values[:number], moved, *self.values[number + 1 :]])

    def all_at(self, values: Sequence[Array]) -> float:
        """The function's value with all inputs moved."""
        return float(self._called(self._tensors(values), values))

    def complex_at(self, number: int, moved: NDArray[np.complex128]) -> complex | None:
        """The function's value off the real line; None where it comes back to it."""
        values = [*self.values[:number], moved, *self.values[number + 1 :]]
        tensors = [constant_of(np.asarray(each, np.complex128)) for each in values]
        with _unwarned():
            value = self._called(tensors, ())
        return complex(value) if np.iscomplexobj(value) else None

    def gradients(self) -> tuple[list[Array | None], GradientTape]:
        """What the rules give for each input, None where nothing arrives, and the tape asked."""
        tensors = self._tensors(self.values)
        with GradientTape(persistent=True) as tape:
            tape.watch([*tensors, *self.holders])
            y = self.f(*self._given(tensors))
        gradients = tape.gradient(y, [*tensors, *self.holders])
        return [None if each is None else _dense(each) for each in gradients], tape

    def forward(self, directions: Sequence[Array]) -> float:
        """How fast the function moves along a direction, by going forward; NaN where it cannot."""
        tensors = self._tensors(self.values)
        moving = [*tensors, *self.holders]
        pairs = zip(directions, self.dtypes, strict=True)
        tangents = [constant_of(np.asarray(direction, dtype)) for direction, dtype in pairs]
        try:
            with ForwardAccumulator(moving, tangents) as accumulator:
                y = self.f(*self._given(tensors))
            moved = accumulator.jvp(y)
        except (TypeError, ValueError, NotImplementedError, LookupError):
            return float("nan")
        return float("nan") if moved is None else float(np.sum(_dense(moved)))

    def _tensors(self, values: Sequence[Array]) -> list[Tensor]:
        """A tensor for every input that is no variable."""
        free = zip(values, self.dtypes, strict=True)
        tensors = [constant_of(np.asarray(value, dtype)) for value, dtype in free]
        return tensors[: len(tensors) - len(self.holders)]

    def _given(self, tensors: Sequence[Tensor]) -> list[Any]:
        """The arguments of the function: its tensors in their places, its variables as they are."""
        rest = iter(tensors)
        return [each if isinstance(each, Holder) else next(rest) for each in self.arguments]

    def _called(self, tensors: Sequence[Tensor], values: Sequence[Array]) -> Any:
        held = [each.numpy() for each in self.holders]
        moved = values[len(values) - len(held) :] if held else ()
        try:
            for holder, value in zip(self.holders, moved, strict=True):
                holder.assign(np.asarray(value, as_dtype(holder.dtype).as_numpy_dtype))
            return _number(self.f(*self._given(tensors)))
        finally:
            for holder, value in zip(self.holders, held, strict=True):
                holder.assign(value)


@contextmanager
def _unwarned() -> Iterator[None]:
    """Let casts from complex numbers be: the learner did not write them."""
    logger = get_logger()
    before, logger.disabled = logger.disabled, True
    try:
        yield
    finally:
        logger.disabled = before


def probe(f: Callable[..., Any], x: Any, variables: Sequence[Any]) -> Probe:
    """The function at a point; errors where it is none that differences can follow."""
    if not callable(f):
        raise TypeError(
            f"check_gradients() needs a function first, but it got {f!r}. "
            "Try tf.check_gradients(lambda x: tf.reduce_sum(x * x), x)."
        )
    given = _inputs(f, x)
    names = _names(f, len(given))
    arguments: list[Any] = [each if isinstance(each, Holder) else to_tensor(each) for each in given]
    for each in variables:
        if not isinstance(each, Holder):
            raise TypeError(
                f"check_gradients() takes variables in variables=[…], but it got {each!r}. "
                "Make it an argument of f, and pass it as x."
            )
    own = [each for each in (*arguments, *variables) if isinstance(each, Holder)]
    cells = {id(each._cell): each for each in reversed(own)}  # each variable once
    holders = [handle_of(each._cell) for each in reversed(cells.values())]
    free = [at for at, each in enumerate(arguments) if not isinstance(each, Holder)]
    variable_names = map(_called_variable, reversed(cells.values()))
    called = _distinct([*(names[at] for at in free), *variable_names])
    inputs: list[Any] = [*(arguments[at] for at in free), *holders]
    if not inputs:
        raise ValueError(
            "check_gradients() has nothing to differentiate for. Pass the input of the function, "
            "or variables=[…] that it reads."
        )
    for name, each in zip(called, inputs, strict=True):
        _check_dtype(name, each)
    values = [np.asarray(each.numpy(), DOUBLE) for each in inputs]
    return _finest(Probe(f, arguments, holders, called, [DOUBLE] * len(values), values), inputs)


def _inputs(f: Callable[..., Any], x: Any) -> list[Any]:
    """Several inputs of a list; a list of numbers is one, unless f takes as many arguments."""
    if not isinstance(x, (list, tuple)):
        return [x]
    numbers = bool(x) and all(isinstance(each, (int, float)) for each in x)
    return list(x) if not numbers or len(_parameters(f)) == len(x) > 1 else [x]


def _finest(candidate: Probe, inputs: list[Any]) -> Probe:
    """The probe in float64 if the function takes it, else in the dtypes of its inputs."""
    own = [np.dtype(as_dtype(each.dtype).as_numpy_dtype) for each in inputs]
    count = len(own) - len(candidate.holders)
    candidate.dtypes = [*candidate.dtypes[:count], *own[count:]]
    try:
        result = candidate._called(candidate._tensors(candidate.values), candidate.values)
    except Exception:  # noqa: BLE001 what is wrong in any dtype comes up again below
        candidate.dtypes = own
        result = candidate._called(candidate._tensors(candidate.values), candidate.values)
    again = candidate._called(candidate._tensors(candidate.values), candidate.values)
    if not np.array_equal(result, again, equal_nan=True):
        raise ValueError(
            f"check_gradients() got {float(result):g} and then {float(again):g} from f at the same "
            "point, so differences say nothing. Draw random numbers outside of f, or with "
            "tf.random.stateless_normal."
        )
    kinds = [*candidate.dtypes, result.dtype]
    candidate.value = float(result)
    candidate.eps = max(_eps(each) for each in kinds)
    return candidate


def _eps(dtype: np.dtype[Any]) -> float:
    """The distance from 1 to the next number."""
    if dtype.kind == "f":
        return float(np.finfo(dtype).eps)
    from ml_dtypes import finfo

    return float(finfo(dtype).eps)


def _names(f: Callable[..., Any], count: int) -> list[str]:
    """What the function calls its arguments."""
    named = _parameters(f)
    others = ["x"] if count == 1 else [f"x{at}" for at in range(count)]
    return [*named[:count], *others[len(named) :]]


def _parameters(f: Callable[..., Any]) -> list[str]:
    try:
        named = list(inspect.signature(f).parameters.values())
    except (TypeError, ValueError):
        return []
    kinds = inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD
    return [each.name for each in named if each.kind in kinds]


def _called_variable(variable: Any) -> str:
    return str(variable.name).rpartition("/")[2].partition(":")[0]


def _distinct(names: list[str]) -> list[str]:
    """Names of which none is there twice: all kernels of a model are called alike."""
    seen = Counter(names)
    count: Counter[str] = Counter()
    distinct = []
    for name in names:
        count[name] += 1
        distinct.append(f"{name}_{count[name]}" if seen[name] > 1 else name)
    return distinct


def _check_dtype(name: str, given: Any) -> None:
    dtype = as_dtype(given.dtype)
    if not dtype.is_differentiable:
        raise TypeError(
            f"check_gradients() got {dtype.name}{list(given.shape)} for {name}: only floating "
            f"numbers can move a little. Try tf.cast({name}, tf.float64), or write 3.0 for 3."
        )
    if dtype.is_complex:
        raise TypeError(
            f"check_gradients() got {dtype.name} for {name}. Check the real and the imaginary part "
            "as inputs of their own, and join them in f with tf.complex."
        )


def _number(result: Any) -> Any:
    """The one number that a function gives, as an array."""
    if not isinstance(result, (Tensor, Holder, float, np.ndarray, np.floating)):
        raise TypeError(
            f"check_gradients() needs a function that returns a tensor, but f returned {result!r}."
        )
    array = np.asarray(to_tensor(result).numpy())
    if array.size != 1:
        raise ValueError(
            f"check_gradients() needs one number from f, but it returned {array.dtype} of shape "
            f"{array.shape}. Try lambda x: tf.reduce_sum(f(x)), or f(x)[0] for one entry."
        )
    if array.dtype.kind in "iub":
        raise TypeError(
            f"check_gradients() needs a floating number from f, but it returned {array.dtype}: "
            "integers do not move a little. Leave out the cast, the comparison or the argmax."
        )
    return array.reshape(())


def _dense(gradient: Any) -> Array:
    array = gradient.dense() if isinstance(gradient, IndexedSlices) else gradient
    return np.asarray(array, DOUBLE)


TINY: Final = 1e-30
"""A complex step; nothing is subtracted, so it may be as small as it likes."""
LARGE: Final = 1000
"""Of more entries than this, directions are checked."""
COUNT: Final = 8
"""So many directions: a wrong entry hides from one of them with no chance to speak of."""


def check_gradients(
    f: Callable[..., Any],
    x: Any = (),
    *,
    variables: Sequence[Any] = (),
    tolerance: float | None = None,
    seed: int = 0,
) -> GradientCheck:
    """Compare the gradients of a function with differences of its values, entry by entry.

    `f` takes `x`, or each of a list of them (arrays, tensors or variables), and returns one number;
    `variables` are those that it reads by itself. The check works in float64 where `f` can, by a
    complex step or by central differences. Of more than 1000 entries it checks 8 random directions:
    the gradient times a direction, the difference along it, and a forward accumulator must agree.
    A relative error up to cbrt(eps) passes, 6e−6 in float64 and 5e−3 in float32.
    """
    request = tuple(thread.recent_calls)
    try:
        with custom_op.tapes_paused():
            return _checked(probe(f, x, variables), tolerance, seed)
    finally:  # tf.why() is about what the learner asked
        thread.recent_calls.clear()
        thread.recent_calls.extend(request)


def _checked(at: Probe, tolerance: float | None, seed: int) -> GradientCheck:
    allowed = float(np.cbrt(at.eps)) if tolerance is None else tolerance
    gradients, tape = at.gradients()
    large = sum(each.size for each in at.values) > LARGE
    if large:
        inputs, method = [_along_directions(at, gradients, allowed, seed)], DIRECTIONS
    else:
        numeric, method = _numeric(at)
        inputs = [
            _compared(at, name, analytic, numbers, allowed)
            for name, analytic, numbers in zip(at.names, gradients, numeric, strict=True)
        ]
    check = GradientCheck(tuple(inputs), method, allowed)
    if check.passed:
        return check
    kink = None if large else _kink(at, check, allowed)
    return GradientCheck(check.inputs, method, allowed, ignored_by(tape, check), kink)


def _compared(
    at: Probe, name: str, gradient: Array | None, numeric: Array, allowed: float
) -> Checked:
    analytic = np.zeros_like(numeric) if gradient is None else gradient
    error = _errors(at, analytic, numeric, allowed)
    return Checked(name, analytic, numeric, error, missing=gradient is None and bool(error.any()))


def _errors(at: Probe, analytic: Array, numeric: Array, allowed: float) -> Array:
    """The relative errors; what rounding hides counts as agreement."""
    sizes = np.maximum(np.abs(analytic), np.abs(numeric))
    largest = float(np.max(sizes, initial=0.0, where=np.isfinite(sizes)))
    noise = 10 * at.eps * max(abs(at.value), at.eps) / np.cbrt(at.eps)
    floor = max(1e-3 * largest, noise / allowed, np.finfo(float).tiny)
    with np.errstate(invalid="ignore"):
        apart = np.abs(analytic - numeric) / np.maximum(sizes, floor)
    return np.where(analytic == numeric, 0.0, apart)


def _numeric(at: Probe) -> tuple[list[Array], str]:
    """The gradients by differences, and the method that gave them."""
    central = [_central(at, number) for number in range(len(at.values))]
    exact = _complex_step(at)
    if exact is not None and all(map(_alike, exact, central)):
        return exact, COMPLEX_STEP
    return central, CENTRAL


def _central(at: Probe, number: int) -> Array:
    base = at.values[number]
    derivatives = np.zeros(base.shape)
    for index in np.ndindex(base.shape):
        above, below = at.steps(number, index)
        rise = at.at(number, above) - at.at(number, below)
        derivatives[index] = rise / (above[index] - below[index])
    return derivatives


def _complex_step(at: Probe) -> list[Array] | None:
    """The gradients as imaginary parts; None where the function does not take complex numbers."""
    if not at.is_double or at.holders:
        return None
    derivatives = [np.zeros(each.shape) for each in at.values]
    for number, base in enumerate(at.values):
        for index in np.ndindex(base.shape):
            moved = base.astype(np.complex128)
            moved[index] += TINY * 1j
            try:
                value = at.complex_at(number, moved)
            except Exception:  # noqa: BLE001 whatever it is, this function is for real numbers
                return None
            if value is None:
                return None
            derivatives[number][index] = value.imag / TINY
    return derivatives


def _alike(exact: Array, central: Array) -> bool:
    """Whether a complex step tells what differences tell: functions such as abs leave its plane."""
    scale = max(1.0, float(np.max(np.abs(central), initial=0.0)))
    return bool(np.all(np.abs(exact - central) <= 1e-3 * scale))


def _kink(at: Probe, check: GradientCheck, allowed: float) -> tuple[float, float] | None:
    """The derivatives on both sides of the worst entry, if they differ as at a kink."""
    worst = check.worst
    assert worst is not None
    number = at.names.index(worst.name)
    above, below = at.steps(number, worst.index)
    here = at.values[number][worst.index]
    right = (at.at(number, above) - at.value) / (above[worst.index] - here)
    left = (at.value - at.at(number, below)) / (here - below[worst.index])
    apart = abs(right - left) > 1e-2 * max(abs(right), abs(left), allowed)
    return (left, right) if apart else None


def _along_directions(
    at: Probe, gradients: list[Array | None], allowed: float, seed: int
) -> Checked:
    """Many entries at once: the directional derivative of f, computed in three ways."""
    random = np.random.default_rng(seed)
    rows = [_direction(at, gradients, random) for _ in range(COUNT)]
    analytic, numeric = (np.array([row[which] for row in rows]) for which in (0, 1))
    forward = np.array([row[2] for row in rows])
    errors = _errors(at, analytic, numeric, allowed)
    if not np.isnan(forward).any():
        errors = np.maximum(errors, _errors(at, analytic, forward, allowed))
    name = "direction"
    tangent = None if np.isnan(forward).any() else forward
    return Checked(name, analytic, numeric, errors, forward=tangent)


def _direction(
    at: Probe, gradients: list[Array | None], random: np.random.Generator
) -> tuple[float, float, float]:
    """The gradient times a random direction, the difference along it, and the JVP."""
    directions = [random.standard_normal(each.shape) for each in at.values]
    length = np.sqrt(sum(float(np.sum(direction * direction)) for direction in directions))
    directions = [direction / length for direction in directions]
    derivative = sum(
        float(np.sum(gradient * direction))
        for gradient, direction in zip(gradients, directions, strict=True)
        if gradient is not None
    )
    size = max((float(np.max(np.abs(each), initial=0.0)) for each in at.values), default=0.0)
    step = float(np.cbrt(at.eps)) * max(1.0, size)
    pairs = list(zip(at.values, directions, strict=True))
    above = at.all_at([value + step * direction for value, direction in pairs])
    below = at.all_at([value - step * direction for value, direction in pairs])
    return derivative, (above - below) / (2 * step), at.forward(directions)
