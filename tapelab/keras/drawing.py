"""Where Keras's random numbers come from: seeds, and arrays that depend on a seed alone."""

from __future__ import annotations

import random
from typing import Any

import numpy as np

from tapelab.random import _fresh_seed


def default_seed() -> int:
    """A seed for a thing that got none; repeatable after a global seed was set."""
    found = _fresh_seed()
    return random.randint(1, 1_000_000_000) if found is None else found  # noqa: S311


def bell(seed: Any, shape: Any, mean: float = 0.0, stddev: float = 1.0) -> Any:
    """Numbers from the normal distribution."""
    return np.random.default_rng(seed).normal(mean, stddev, shape)


def cut_bell(seed: Any, shape: Any, mean: float = 0.0, stddev: float = 1.0) -> Any:
    """Numbers from the normal distribution, none further than two deviations from the mean."""
    rng = np.random.default_rng(seed)
    drawn = np.asarray(rng.standard_normal(shape))
    while (far := np.abs(drawn) > 2).any():
        drawn[far] = rng.standard_normal(int(far.sum()))
    return drawn * stddev + mean


def flat(seed: Any, shape: Any, low: float = 0.0, high: float = 1.0) -> Any:
    """Numbers between two limits, all equally likely."""
    return np.random.default_rng(seed).uniform(low, high, shape)
