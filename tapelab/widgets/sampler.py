"""Evaluates a function at many points: on a tape to be shown, and compiled to draw curves.

An `Evaluation` runs the function eagerly on a tape; the points of a curve run through
`tf.function` where tracing gives the same result, and stay within a time budget.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import product
from types import FunctionType
from typing import Any, Final, SupportsFloat

import numpy as np

from tapelab.compile.function import function
from tapelab.core.convert import to_tensor
from tapelab.core.log import recent
from tapelab.core.tape import GradientTape
from tapelab.core.tensor import Tensor
from tapelab.core.variable import Variable
from tapelab.recording import to_bytes
from tapelab.views.what_if_page import (
    Bounds,
    Curve,
    Derivative,
    Evaluation,
    Experiment,
    Grid,
    Input,
)

SAMPLES: Final = 61
"""Places of a curve, where the function is fast enough."""
FEWEST: Final = 9
FRAME: Final = 0.012
"""Seconds in which all curves of a moment are to be worked out."""
LOOKED_AT: Final = 64
"""So many places, at most, tell from where to where the plots reach."""
EVALUATIONS: Final = 200
BYTES: Final = 6_000_000
SECONDS: Final = 1.0
"""What a grid may hold, and take to be worked out."""
KEPT: Final = 1000
"""So many curves are remembered."""
LONGEST: Final = 200
"""Error messages are cut to this many characters."""


Result = tuple[Tensor, Sequence[Tensor | None]]
"""A scalar, and its derivative with respect to each input."""


def _call(run: Callable[[], Any]) -> Any:
    return run()


_FROM_NOWHERE: Final = FunctionType(_call.__code__.replace(co_filename="<what if>"), {})
"""Calls a function as if it stood in no file: whoever moves a slider is not part of the tape."""


@contextmanager
def _apart() -> Iterator[None]:
    """Hide earlier records of this thread, and drop those made inside."""
    kept = dict(vars(recent))
    recent.clear()
    try:
        yield
    finally:
        vars(recent).update(kept)


@dataclass(frozen=True, eq=False)
class Trial:
    """A function, the inputs that move, and the arguments that are held."""

    function: Callable[..., Any]
    name: str
    inputs: tuple[Input, ...]
    held: dict[str, Any]
    _curves: dict[Any, Curve] = field(default_factory=dict, repr=False)
    """Curves that were drawn: along the input that moves it stays the same."""

    @property
    def starts(self) -> tuple[float, ...]:
        """Where the inputs stand at first."""
        return tuple(each.start for each in self.inputs)

    def result(self, places: Sequence[Tensor | Variable]) -> Tensor:
        """The function's one number; places and held arguments by their names."""
        named = {each.name: place for each, place in zip(self.inputs, places, strict=True)}
        result = self.function(**named, **self.held)
        try:
            tensor = result if isinstance(result, Tensor) else to_tensor(result)
        except (TypeError, ValueError):
            tensor = None
        if tensor is None or tensor.shape.rank != 0 or not tensor.dtype.is_floating:
            raise TypeError(_not_a_number(self.name, result, tensor))
        return tensor

    def evaluation(self, values: Sequence[float]) -> Evaluation:
        """The forward and backward pass at one point, with the recording of its tape."""
        with _apart():
            evaluation: Evaluation = _FROM_NOWHERE(lambda: self._evaluation(values))
        return evaluation

    def _evaluation(self, values: Sequence[float]) -> Evaluation:
        places = [
            Variable(value, name=each.name) for each, value in zip(self.inputs, values, strict=True)
        ]
        with GradientTape() as tape:
            result = self.result(places)
        recording = tape.recording(result, places)
        recording = replace(recording, tape=replace(recording.tape, name=self.name))
        derivatives = tape.gradient(result, places)
        return Evaluation(tuple(values), float(result), tuple(map(_float, derivatives)), recording)

    @cached_property
    def _compiled(self) -> Callable[..., Any]:
        """Result and derivatives through `tf.function`, where tracing does not change them."""

        def result_and_derivatives(*places: Tensor) -> Result:
            with GradientTape() as tape:
                tape.watch(places)
                result = self.result(places)
            return result, tape.gradient(result, list(places))

        compiled = function(result_and_derivatives)
        places = [to_tensor(value) for value in self.starts]
        try:
            same = _close(compiled(*places), result_and_derivatives(*places))
        except Exception:  # noqa: BLE001 - whatever keeps a function from being traced, eagerly it has run
            same = False
        return compiled if same else result_and_derivatives

    def derivatives(self, values: Sequence[float]) -> tuple[float, tuple[Derivative, ...]]:
        """Result and derivatives at one point; NaN where the function raises."""
        with _apart():
            try:
                return _numbers(*self._compiled(*[to_tensor(value) for value in values]))
            except Exception:  # noqa: BLE001 - whatever it raises, the curve has a gap there
                return math.nan, (math.nan,) * len(self.inputs)

    def evaluation_or(self, last: Evaluation, values: Sequence[float]) -> Evaluation:
        """The evaluation at a point, or the error raised there with the last recording."""
        try:
            return self.evaluation(values)
        except Exception as error:  # noqa: BLE001 - of whatever it raises, the picture tells
            message = f"{type(error).__name__}: {error}"[:LONGEST]
            gaps = (math.nan,) * len(self.inputs)
            return Evaluation(tuple(values), math.nan, gaps, last.recording, message)

    def curve(self, number: int, values: Sequence[float], samples: int) -> Curve:
        """The function along one input, the others where they stand."""
        others = (*values[:number], *values[number + 1 :])
        key = number, others, samples
        if key not in self._curves:
            if len(self._curves) >= KEPT:
                del self._curves[next(iter(self._curves))]
            self._curves[key] = self._along(*key)
        return self._curves[key]

    def _along(self, number: int, others: tuple[float, ...], samples: int) -> Curve:
        each = self.inputs[number]
        points = []
        for place in np.linspace(each.low, each.high, samples).tolist():
            result, derivatives = self.derivatives((*others[:number], place, *others[number:]))
            points.append((result, derivatives[number]))
        results, along = zip(*points, strict=True)
        return Curve(results, along)

    def curves(self, values: Sequence[float]) -> tuple[Curve, ...]:
        """Along every input, with as many places as there is time for."""
        samples = min(SAMPLES, max(FEWEST, int(FRAME / self._cost / len(self.inputs))))
        return tuple(self.curve(at, values, samples) for at in range(len(self.inputs)))

    @cached_property
    def _cost(self) -> float:
        """Seconds that one place takes."""
        self.derivatives(self.starts)
        begin = time.perf_counter()
        for _ in range(3):
            self.derivatives(self.starts)
        return (time.perf_counter() - begin) / 3

    @cached_property
    def experiment(self) -> Experiment:
        """What the pictures need to know of it."""
        return Experiment(self.name, self.inputs, self._bounds())

    def _bounds(self) -> Bounds:
        """How far the plots reach: over all places alike, so that axes stand still."""
        side = max(2, int(LOOKED_AT ** (1 / len(self.inputs))))
        points = [
            self.derivatives(values) for values in _places(self.inputs, [side] * len(self.inputs))
        ]
        points.append(self.derivatives(self.starts))
        along = zip(*(derivatives for _, derivatives in points), strict=True)
        return Bounds(_reach([result for result, _ in points]), tuple(map(_reach, along)))

    def grid(self) -> Grid:
        """Evaluations on an even grid, as many as a page may hold; the first is the start."""
        begin = time.perf_counter()
        first = self.evaluation(self.starts)
        spent = time.perf_counter() - begin
        most = min(EVALUATIONS, BYTES // len(to_bytes(first.recording)), int(SECONDS / spent))
        side = max(1, int(max(1, most) ** (1 / len(self.inputs)) + 1e-9))
        counts = (side,) * len(self.inputs)
        places = [] if side == 1 else list(_places(self.inputs, counts))
        evaluations = (first, *(self.evaluation_or(first, values) for values in places))
        families = tuple(self._family(number, counts) for number in range(len(counts)))
        return Grid(counts, evaluations, families)

    def _family(self, number: int, counts: tuple[int, ...]) -> tuple[Curve, ...]:
        """The curves along one input: through the start, then through each place of the others."""
        samples = SAMPLES if len(counts) < 3 else SAMPLES // 2
        sides = [1 if at == number else count for at, count in enumerate(counts)]
        places = [self.starts]
        if max(counts) > 1:
            places += _places(self.inputs, sides)
        return tuple(self.curve(number, values, samples) for values in places)


def _places(inputs: Sequence[Input], counts: Sequence[int]) -> Iterator[tuple[float, ...]]:
    """Every place of a grid, the last input fastest."""
    ends = [(each.low, each.high) for each in inputs]
    sides = [np.linspace(*end, n).tolist() for end, n in zip(ends, counts, strict=True)]
    return product(*sides)


def _reach(values: Sequence[Derivative]) -> tuple[float, float]:
    """From where to where most of the numbers lie, with some room around."""
    known = [value for value in values if value is not None and math.isfinite(value)]
    if not known:
        return -1.0, 1.0
    low, high = (float(each) for each in np.percentile(known, [2, 98]))
    room = 0.08 * (high - low) or max(1.0, abs(high))
    return low - room, high + room


def _numbers(
    result: Tensor, derivatives: Sequence[Tensor | None]
) -> tuple[float, tuple[Derivative, ...]]:
    return float(result), tuple(map(_float, derivatives))


def _close(one: Result, other: Result) -> bool:
    """Whether results and derivatives agree up to the order of summation."""
    pairs = zip((one[0], *one[1]), (other[0], *other[1]), strict=True)
    return all(
        a is b if a is None or b is None else np.allclose(a, b, rtol=1e-4, equal_nan=True)
        for a, b in pairs
    )


def _float(derivative: SupportsFloat | None) -> Derivative:
    return None if derivative is None else float(derivative)


def _not_a_number(name: str, result: object, tensor: Tensor | None) -> str:
    """Why a result cannot be drawn over its inputs."""
    if tensor is None:
        return (
            f"what_if() draws one number, and {name}() returned {type(result).__name__}. "
            "Return one tensor, such as the loss."
        )
    kind = f"{tensor.dtype.name}{list(tensor.shape)}" if tensor.shape.rank else tensor.dtype.name
    message = f"what_if() draws one float, and {name}() returned {kind}. "
    if tensor.shape.rank:
        return f"{message}Return tf.reduce_sum(…) of it."
    if tensor.dtype.is_complex:
        return f"{message}Return tf.abs(…) of it."
    whole = tensor.dtype.is_integer or tensor.dtype.is_bool
    return f"{message}Return {'tf.cast(…, tf.float32) of it' if whole else 'a number'}."
