"""Awkward shapes for every op, made of its samples: empty, scalar, stretched, axes from behind.

A variant counts where the kernel takes it; the gradients must then be right there, too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np

from tapelab.core.op_declaration import Op
from tests.ops.checks import (
    Arrays,
    Cases,
    continuous,
    dense,
    gradients,
    results_of,
    sampled,
    second,
    seeds_for,
    typed,
)

Case = tuple[Arrays, dict[str, Any]]


def variants(op: Op, derive: Callable[[Op, Arrays, dict[str, Any]], Iterator[Case]]) -> list[Case]:
    """What can be derived from the samples and is taken by the kernel, each shape once."""
    cases: dict[str, Case] = {}
    for arrays, settings in sampled(op):
        if any(map(continuous, arrays)):
            for case in derive(op, arrays, settings):
                key = repr(([np.shape(each) for each in case[0]], case[1]))
                if key not in cases and _taken(op, case):
                    cases[key] = case
    return list(cases.values())


def _taken(op: Op, case: Case) -> bool:
    try:
        results = results_of(op, *case)
    except Exception:  # noqa: BLE001  a shape that the op does not allow
        return False
    return any(map(continuous, results))


def empty(op: Op, arrays: Arrays, settings: dict[str, Any]) -> Iterator[Case]:
    """No entries along one axis, or along all axes of one length."""
    if settings.get("full_matrices") or "last" in settings:  # nothing has no vectors, no spectrum
        return
    longest = max(arrays, key=np.ndim)
    # There may be no picture at all; one without a size or without channels is none.
    for axis in range(-np.ndim(longest), 1 - np.ndim(longest) if "how" in settings else 0):
        length = longest.shape[axis]
        if length > 1:
            cut = [_cut(each, axis, 0) if _as_long(each, axis, length) else each for each in arrays]
            yield tuple(cut), settings
    if "how" not in settings:
        for length in {n for n in np.shape(longest) if n > 1}:
            yield tuple(_without(each, length) for each in arrays), settings


def scalar(op: Op, arrays: Arrays, settings: dict[str, Any]) -> Iterator[Case]:
    """One number in place of each input, where the op works entry by entry."""
    if _is_elementwise(op, arrays, settings):
        yield tuple(np.ravel(each)[0] for each in arrays), settings


def _is_elementwise(op: Op, arrays: Arrays, settings: dict[str, Any]) -> bool:
    shapes = {np.shape(each) for each in arrays}
    if settings or len(shapes) != 1 or op.multi:
        return False
    return np.shape(op.kernel(*arrays)) in shapes and bool(np.size(arrays[0]))


def stretched(op: Op, arrays: Arrays, settings: dict[str, Any]) -> Iterator[Case]:
    """One input at a time that is shorter than the others, or has an axis more."""
    if not op.broadcasts or len(arrays) < 2:
        return
    for at, each in enumerate(arrays):
        others = [np.ravel(each)[0], each[None]]
        others += [_cut(each, axis, 1) for axis in range(-np.ndim(each), 0)]
        for other in others:
            yield (*arrays[:at], other, *arrays[at + 1 :]), settings


def from_behind(op: Op, arrays: Arrays, settings: dict[str, Any]) -> Iterator[Case]:
    """Axes that are counted from the last one, where that gives the same."""
    axis = settings.get("axis")
    if axis is None or isinstance(axis, bool) or not np.ndim(arrays[0]):
        return
    own = len(settings.get("shape", np.shape(arrays[0])))
    for rank in (own,) if "keepdims" in settings else (own, own + 1):
        turned = tuple(each - rank if each >= 0 else each + rank for each in np.atleast_1d(axis))
        other = {
            **settings,
            "axis": int(turned[0]) if np.ndim(axis) == 0 else tuple(map(int, turned)),
        }
        if _same(op, arrays, settings, other):
            yield arrays, other


def _same(op: Op, arrays: Arrays, one: dict[str, Any], other: dict[str, Any]) -> bool:
    try:
        pairs = zip(results_of(op, arrays, one), results_of(op, arrays, other), strict=True)
        return all(np.array_equal(a, b) for a, b in pairs)
    except Exception:  # noqa: BLE001  an axis that the op does not allow
        return False


def _as_long(array: Any, axis: int, length: int) -> bool:
    return np.ndim(array) >= -axis and array.shape[axis] == length


def _without(array: Any, length: int) -> Any:
    """The array without entries along every axis of a length: both sides of a matrix product."""
    return np.zeros([0 if n == length else n for n in np.shape(array)], array.dtype)[()]


def _cut(array: Any, axis: int, length: int) -> Any:
    return np.take(array, range(length), axis)


def check_single_precision(op: Op, cases: Cases) -> None:
    """First and second gradients of float32 are those of float64 but for rounding."""
    for arrays, settings in cases:
        seeds = seeds_for(results_of(op, arrays, settings), 1)
        weights = [np.random.default_rng(at).normal(size=np.shape(array))
                   for at, array in enumerate(arrays) if continuous(array)]  # fmt: skip
        narrow = tuple(typed(array, np.float32) for array in arrays)
        wide = tuple(typed(array, np.float64) for array in narrow)
        for function in (gradients, partial(second, weights=weights)):
            pair = (function(op, each, settings, seeds) for each in (narrow, wide))
            for got, expected in zip(*pair, strict=True):
                if expected is not None:
                    assert dense(got).dtype == np.float32
                    _assert_near(dense(got), dense(expected))


def _assert_near(got: Any, expected: Any) -> None:
    largest = np.max(np.abs(expected), initial=1e-3)
    np.testing.assert_allclose(got, expected, rtol=2e-3, atol=2e-4 * largest)
