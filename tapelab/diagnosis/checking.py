"""`tf.check_gradients`: the gradient rules of a function against differences of its values.

Steps and tolerance follow J. Nocedal and S. Wright, Numerical Optimization, chapter 8.1: central
differences with a step of cbrt(eps) · max(1, |x|) are off by about eps^(2/3). The tolerance is
cbrt(eps), which leaves room for curvature. A complex step (W. Squire and G. Trapp, 1998) subtracts
nothing, so that its step can be tiny and its result exact.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from tapelab.core import custom
from tapelab.core.log import thread
from tapelab.diagnosis.gradient_check import (
    CENTRAL,
    COMPLEX_STEP,
    DIRECTIONS,
    Checked,
    GradientCheck,
)
from tapelab.diagnosis.ignoring_upstream import ignored_by
from tapelab.diagnosis.probing import Probe, probe

Array = NDArray[np.float64]

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
    asked = tuple(thread.asked)
    try:
        with custom.unheard():
            return _checked(probe(f, x, variables), tolerance, seed)
    finally:  # tf.why() is about what the learner asked
        thread.asked.clear()
        thread.asked.extend(asked)


def _checked(at: Probe, tolerance: float | None, seed: int) -> GradientCheck:
    allowed = float(np.cbrt(at.eps)) if tolerance is None else tolerance
    gradients, tape = at.gradients()
    large = sum(each.size for each in at.values) > LARGE
    if large:
        inputs, method = [_along_directions(at, gradients, allowed, seed)], DIRECTIONS
    else:
        numeric, method = _numeric(at)
        inputs = [
            _compared(at, name, found, numbers, allowed)
            for name, found, numbers in zip(at.names, gradients, numeric, strict=True)
        ]
    found = GradientCheck(tuple(inputs), method, allowed)
    if found.passed:
        return found
    kink = None if large else _kink(at, found, allowed)
    return GradientCheck(found.inputs, method, allowed, ignored_by(tape, found), kink)


def _compared(at: Probe, name: str, found: Array | None, numeric: Array, allowed: float) -> Checked:
    analytic = np.zeros_like(numeric) if found is None else found
    error = _errors(at, analytic, numeric, allowed)
    return Checked(name, analytic, numeric, error, missing=found is None and bool(error.any()))


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
    slopes = np.zeros(base.shape)
    for index in np.ndindex(base.shape):
        above, below = at.steps(number, index)
        rise = at.at(number, above) - at.at(number, below)
        slopes[index] = rise / (above[index] - below[index])
    return slopes


def _complex_step(at: Probe) -> list[Array] | None:
    """The gradients as imaginary parts; None where the function does not take complex numbers."""
    if not at.is_double or at.holders:
        return None
    slopes = [np.zeros(each.shape) for each in at.values]
    for number, base in enumerate(at.values):
        for index in np.ndindex(base.shape):
            aside = base.astype(np.complex128)
            aside[index] += TINY * 1j
            try:
                value = at.complex_at(number, aside)
            except Exception:  # noqa: BLE001 whatever it is, this function is for real numbers
                return None
            if value is None:
                return None
            slopes[number][index] = value.imag / TINY
    return slopes


def _alike(exact: Array, central: Array) -> bool:
    """Whether a complex step tells what differences tell: functions such as abs leave its plane."""
    scale = max(1.0, float(np.max(np.abs(central), initial=0.0)))
    return bool(np.all(np.abs(exact - central) <= 1e-3 * scale))


def _kink(at: Probe, found: GradientCheck, allowed: float) -> tuple[float, float] | None:
    """The slopes to both sides of the worst entry, where they differ as on no smooth function."""
    worst = found.worst
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
    """Many entries at once: how fast f moves along a direction, told in three ways."""
    random = np.random.default_rng(seed)
    rows = [_direction(at, gradients, random) for _ in range(COUNT)]
    analytic, numeric = (np.array([row[which] for row in rows]) for which in (0, 1))
    forward = np.array([row[2] for row in rows])
    errors = _errors(at, analytic, numeric, allowed)
    if not np.isnan(forward).any():
        errors = np.maximum(errors, _errors(at, analytic, forward, allowed))
    name = "direction"
    told = None if np.isnan(forward).any() else forward
    return Checked(name, analytic, numeric, errors, forward=told)


def _direction(
    at: Probe, gradients: list[Array | None], random: np.random.Generator
) -> tuple[float, float, float]:
    """The gradient times a random direction, the difference along it, and the way forward."""
    ways = [random.standard_normal(each.shape) for each in at.values]
    length = np.sqrt(sum(float(np.sum(way * way)) for way in ways))
    ways = [way / length for way in ways]
    slope = sum(
        float(np.sum(found * way))
        for found, way in zip(gradients, ways, strict=True)
        if found is not None
    )
    size = max((float(np.max(np.abs(each), initial=0.0)) for each in at.values), default=0.0)
    step = float(np.cbrt(at.eps)) * max(1.0, size)
    pairs = list(zip(at.values, ways, strict=True))
    above = at.all_at([value + step * way for value, way in pairs])
    below = at.all_at([value - step * way for value, way in pairs])
    return slope, (above - below) / (2 * step), at.forward(ways)
