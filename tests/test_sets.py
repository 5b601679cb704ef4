"""Rows as sets."""

from __future__ import annotations

import numpy as np
import pytest


@pytest.mark.parametrize("name", ["union", "intersection", "difference"])
@pytest.mark.parametrize("seed", range(3))
def test_rows_agree_with_sets_of_python(tf, name, seed):
    rng = np.random.default_rng(seed)
    a, b = rng.integers(0, 6, (4, 5)), rng.integers(0, 6, (4, 3))
    result = getattr(tf.sets, name)(a, b)
    rows = [[] for _ in a]
    for (row, _), value in zip(result.indices.numpy(), result.values.numpy(), strict=True):
        rows[row].append(value)
    expected = [sorted(getattr(set(x), name)(y)) for x, y in zip(a, b, strict=True)]
    assert rows == expected
    assert result.dense_shape.numpy().tolist() == [4, max(map(len, expected))]
    assert tf.sets.size(result).numpy().tolist() == [len(row) for row in expected]


def test_no_gradient_comes_near_a_set(tf):
    with pytest.raises(TypeError, match="invalid dtype"):
        tf.sets.union([[1.5]], [[2.5]])


def test_unsorted_rows_are_refused_unless_that_is_not_wanted(tf):
    mixed = tf.SparseTensor([[0, 1], [0, 0]], [1, 2], [1, 2])
    with pytest.raises(tf.errors.InvalidArgumentError, match="out of order"):
        tf.sets.size(mixed)
    assert tf.sets.size(mixed, validate_indices=False).numpy().tolist() == [2]
