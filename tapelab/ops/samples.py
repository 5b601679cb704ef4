"""Sample inputs for the checks that are generated from each op's declaration.

A sample function takes a NumPy random generator and returns pairs of input arrays and settings.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

Sample = tuple[tuple[Any, ...], dict[str, Any]]
SHAPES: tuple[tuple[int, ...], ...] = ((), (3,), (2, 3))
PAIRS: tuple[tuple[tuple[int, ...], tuple[int, ...]], ...] = (
    *(((), ()), ((3,), (3,)), ((2, 3), (3,))),
    *(((2, 1), (1, 3)), ((), (2,))),
)


def normals(*cases: tuple[Any, ...]) -> Callable[[np.random.Generator], list[Sample]]:
    """Arrays of ordinary numbers: a case names their shapes, and after them the settings, if any.

    An array among the shapes is taken as it is.
    """

    def drawn(rng: np.random.Generator) -> list[Sample]:
        return [_drawn(rng, case) for case in cases]

    return drawn


def _drawn(rng: np.random.Generator, case: tuple[Any, ...]) -> Sample:
    has_settings = isinstance(case[-1], dict)
    shapes, settings = (case[:-1], dict(case[-1])) if has_settings else (case, {})
    return tuple(rng.normal(size=s) if isinstance(s, tuple) else s.copy() for s in shapes), settings


def anywhere(rng: np.random.Generator) -> list[Sample]:
    """One array of each small shape, of ordinary numbers."""
    return [((rng.normal(size=shape),), {}) for shape in SHAPES]


def positive(rng: np.random.Generator) -> list[Sample]:
    """One array of each small shape, all entries well above 0."""
    return [((rng.uniform(0.5, 3.0, size=shape),), {}) for shape in SHAPES]


def above_one(rng: np.random.Generator) -> list[Sample]:
    """One array of each small shape, all entries well above 1."""
    return [((rng.uniform(1.2, 3.0, size=shape),), {}) for shape in SHAPES]


def within_one(rng: np.random.Generator) -> list[Sample]:
    """One array of each small shape, all entries well between −1 and 1."""
    return [((rng.uniform(-0.8, 0.8, size=shape),), {}) for shape in SHAPES]


def off_zero(rng: np.random.Generator) -> list[Sample]:
    """One array of each small shape, of both signs, no entry near 0 or any other corner."""
    return [((_off_zero(rng, shape),), {}) for shape in SHAPES]


def off_whole(rng: np.random.Generator) -> list[Sample]:
    """One array of each small shape, no entry near an integer or half of one."""
    return [((np.floor(rng.normal(size=s) * 4) + rng.uniform(0.6, 0.9),), {}) for s in SHAPES]


def booleans(rng: np.random.Generator) -> list[Sample]:
    """One array of each small shape, of true and false."""
    return [((rng.normal(size=shape) > 0,), {}) for shape in SHAPES]


def integers(rng: np.random.Generator) -> list[Sample]:
    """One array of each small shape, of integers."""
    return [((rng.integers(0, 8, size=shape, dtype=np.int32),), {}) for shape in SHAPES]


def integers_with_axes(rng: np.random.Generator) -> list[Sample]:
    """One array of each small shape other than (), of integers, some of them 0."""
    return [((rng.integers(0, 3, size=shape, dtype=np.int32),), {}) for shape in SHAPES if shape]


def twins(rng: np.random.Generator) -> list[Sample]:
    """Two arrays of one shape."""
    return [((rng.normal(size=shape), rng.normal(size=shape)), {}) for shape in SHAPES]


def pairs(rng: np.random.Generator) -> list[Sample]:
    """Two arrays whose shapes are equal or broadcast."""
    return [((rng.normal(size=a), rng.normal(size=b)), {}) for a, b in PAIRS]


def positive_pairs(rng: np.random.Generator) -> list[Sample]:
    """Two arrays whose shapes are equal or broadcast, all entries well above 0."""
    return [((abs(a) + 0.5, abs(b) + 0.5), {}) for (a, b), _ in pairs(rng)]


def apart_pairs(rng: np.random.Generator) -> list[Sample]:
    """Two arrays whose shapes are equal or broadcast, no entry near the other or its multiples."""
    return [((rng.integers(-4, 4, size=a) * 2 + 0.3, 1.17 + rng.integers(0, 3, size=b) * 2.0), {})
            for a, b in PAIRS]  # fmt: skip


def boolean_pairs(rng: np.random.Generator) -> list[Sample]:
    """Two arrays of true and false whose shapes are equal or broadcast."""
    return [((rng.normal(size=a) > 0, rng.normal(size=b) > 0), {}) for a, b in PAIRS]


def integer_pairs(rng: np.random.Generator) -> list[Sample]:
    """Two arrays of integers whose shapes are equal or broadcast."""
    sizes = ((rng.integers(0, 99, size=a), rng.integers(0, 4, size=b)) for a, b in PAIRS)
    return [((a.astype(np.int32), b.astype(np.int32)), {}) for a, b in sizes]


def several(rng: np.random.Generator) -> list[Sample]:
    """One, two and three arrays of one shape."""
    return [(tuple(rng.normal(size=(2, 3)) for _ in range(count)), {}) for count in (1, 2, 3)]


def along_axes(entries: Callable[..., Any]) -> Callable[[np.random.Generator], list[Sample]]:
    """Arrays with the axes of a reduction; `entries(rng, shape)` gives the numbers."""

    def reduced(rng: np.random.Generator) -> list[Sample]:
        cases = [
            ((), None, False), ((3,), None, False), ((2, 3), (0,), False),
            ((2, 3), (1,), True), ((2, 3), (0, 1), False), ((2, 3, 2), (0, 2), True),
        ]  # fmt: skip
        return [((entries(rng, s),), {"axis": axis, "keepdims": k}) for s, axis, k in cases]

    return reduced


def distinct(rng: np.random.Generator, shape: tuple[int, ...]) -> Any:
    """Numbers no two of which are close, in a random order."""
    count = int(np.prod(shape, dtype=int))
    return (rng.permutation(count) * 0.7 + 0.4 - count / 3).reshape(shape)


def normal(rng: np.random.Generator, shape: tuple[int, ...]) -> Any:
    """Ordinary numbers."""
    return rng.normal(size=shape)


def truths(rng: np.random.Generator, shape: tuple[int, ...]) -> Any:
    """True and false."""
    return rng.normal(size=shape) > 0


def _off_zero(rng: np.random.Generator, shape: tuple[int, ...]) -> Any:
    return rng.uniform(0.3, 0.9, size=shape) * rng.choice([-1.0, 1.0], size=shape)
