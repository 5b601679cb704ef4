"""What the tests of single ops share: the gradient of a function at given values."""

from __future__ import annotations

import pytest


@pytest.fixture
def gradient_at(tf):
    """Give the gradients of f at variables made of the values, as lists or numbers."""

    def gradient_at(f, *values):
        sources = [tf.Variable(value) for value in values]
        with tf.GradientTape() as tape:
            y = f(*sources)
        gradients = [None if g is None else g.numpy().tolist() for g in tape.gradient(y, sources)]
        return gradients[0] if len(gradients) == 1 else gradients

    return gradient_at
