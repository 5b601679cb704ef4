"""What the tests of single ops share: the slope of a function at given values."""

from __future__ import annotations

import pytest


@pytest.fixture
def slope(tf):
    """Give the gradients of f at variables made of the values, as lists or numbers."""

    def slope(f, *values):
        sources = [tf.Variable(value) for value in values]
        with tf.GradientTape() as tape:
            y = f(*sources)
        found = [None if g is None else g.numpy().tolist() for g in tape.gradient(y, sources)]
        return found[0] if len(found) == 1 else found

    return slope
