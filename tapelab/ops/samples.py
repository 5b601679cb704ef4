"""Sample inputs for the checks that are generated from each op's declaration.

A sample function takes a NumPy random generator and returns pairs of input arrays and settings.
"""

from __future__ import annotations

from typing import Any

import numpy as np

Sample = tuple[tuple[Any, ...], dict[str, Any]]
SHAPES: tuple[tuple[int, ...], ...] = ((), (3,), (2, 3))


def anywhere(rng: np.random.Generator) -> list[Sample]:
    """One array of each small shape, of ordinary numbers."""
    return [((rng.normal(size=shape),), {}) for shape in SHAPES]


def positive(rng: np.random.Generator) -> list[Sample]:
    """One array of each small shape, all entries well above 0."""
    return [((rng.uniform(0.5, 3.0, size=shape),), {}) for shape in SHAPES]


def within_one(rng: np.random.Generator) -> list[Sample]:
    """One array of each small shape, all entries well between −1 and 1."""
    return [((rng.uniform(-0.8, 0.8, size=shape),), {}) for shape in SHAPES]


def pairs(rng: np.random.Generator) -> list[Sample]:
    """Two arrays whose shapes are equal or broadcast."""
    shapes = [((), ()), ((3,), (3,)), ((2, 3), (3,)), ((2, 1), (1, 3)), ((), (2,))]
    return [((rng.normal(size=a), rng.normal(size=b)), {}) for a, b in shapes]


def positive_pairs(rng: np.random.Generator) -> list[Sample]:
    """Two arrays whose shapes are equal or broadcast, all entries well above 0."""
    return [((abs(a) + 0.5, abs(b) + 0.5), {}) for (a, b), _ in pairs(rng)]
