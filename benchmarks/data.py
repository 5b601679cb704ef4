"""The numbers that every contender computes with."""

from __future__ import annotations

from itertools import pairwise
from typing import Any, Final

import numpy as np

CHAIN: Final = 1000
LONG: Final = 10_000
TAPE: Final = 1_000_000
SMALL: Final = (32, (64, 128, 10))
MIDDLE: Final = (256, (784, 512, 256, 10))
RATE: Final = 0.01
SIZES: Final = {"fused_4": 10_000, "fused_6": 1_000_000, "fused_7": 10_000_000}


def normal(*shape: int, seed: int = 0) -> Any:
    """Ordinary numbers in float32."""
    return np.random.default_rng(seed).standard_normal(shape, np.float32)


def network(batch: int, widths: tuple[int, ...]) -> tuple[Any, Any, list[Any]]:
    """A batch, its labels, and weights and biases one after the other."""
    rng = np.random.default_rng(1)
    x = rng.standard_normal((batch, widths[0]), np.float32)
    labels = rng.integers(0, widths[-1], batch).astype(np.int32)
    parameters: list[Any] = []
    for wide, narrow in pairwise(widths):
        spread = np.sqrt(2.0 / wide, dtype=np.float32)
        parameters += [
            rng.standard_normal((wide, narrow), np.float32) * spread,
            np.zeros(narrow, np.float32),
        ]
    return x, labels, parameters
