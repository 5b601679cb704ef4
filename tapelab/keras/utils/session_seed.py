"""One seed for the random generators of Python, NumPy, TensorFlow and Keras."""

from __future__ import annotations

import random

import numpy as np

from tapelab.keras import seeded_arrays
from tapelab.random import set_seed
from tapelab.random.seeds import draw_by_python


def set_random_seed(seed: int) -> None:
    """Seed the random generators of Python, NumPy, TensorFlow and Keras."""
    if not isinstance(seed, int):
        raise ValueError(f"Expected `seed` argument to be an integer. Received: seed={seed}")
    random.seed(seed)
    np.random.seed(seed)  # noqa: NPY002 - learners draw from NumPy's global generator
    set_seed(seed)
    draw_by_python()
    seeded_arrays.reset_shared_seed()
