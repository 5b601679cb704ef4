"""Tensors behave as NumPy's arrays after `experimental_enable_numpy_behavior`."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import tapelab as tf
from tapelab.core.numpy_behavior import METHODS, behavior

tnp = tf.experimental.numpy


@pytest.fixture
def _numpy_behavior():
    before = replace(behavior)
    tnp.experimental_enable_numpy_behavior()
    yield
    vars(behavior).update(vars(before))


@pytest.mark.usefixtures("_numpy_behavior")
@pytest.mark.parametrize("one", ["int32", "int64", "float32", "float64", "bool"])
@pytest.mark.parametrize("other", ["int32", "int64", "float32", "float64"])
def test_operators_meet_in_the_dtype_that_numpy_chooses(one, other):
    x, y = tnp.asarray([1, 0], dtype=one), tnp.asarray([2, 3], dtype=other)
    a, b = x.numpy(), y.numpy()
    for got, expected in ((x + y, a + b), (y * x, b * a), (x / y, a / b), (x < y, a < b)):
        assert got.dtype.name == expected.dtype.name
        np.testing.assert_allclose(got.numpy(), expected, rtol=1e-6)


@pytest.mark.usefixtures("_numpy_behavior")
def test_indices_are_numpys():
    x = tnp.arange(24).reshape(2, 3, 4)
    a = np.arange(24).reshape(2, 3, 4)
    for key in [
        (1, None, slice(1, 3), ...), (slice(None), (True, False, True)),
        (1, (0, 0, 1), np.array([0, 1, 1])), [1, 0], -1, (..., [0, 2]),
    ]:  # fmt: skip
        np.testing.assert_array_equal(x[key].numpy(), a[key])
    np.testing.assert_array_equal(x[1, (0, 0, 1), tnp.asarray([0, 1, 1])], [12, 13, 17])


@pytest.mark.usefixtures("_numpy_behavior")
def test_a_gradient_flows_through_an_index_and_a_promotion():
    x = tf.Variable([1.0, 2.0, 3.0])
    with tf.GradientTape() as tape:
        y = tnp.sum(tf.convert_to_tensor(x)[[0, 2, 2]] * tnp.asarray([1.0, 10.0, 100.0]))
    assert y.dtype is tf.float64
    assert tape.gradient(y, x).numpy().tolist() == [1.0, 0.0, 110.0]


@pytest.mark.usefixtures("_numpy_behavior")
def test_tensors_have_the_methods_of_arrays():
    x, a = tnp.asarray([[1.0, 2.0], [3.0, 5.0]]), np.array([[1.0, 2.0], [3.0, 5.0]])
    assert x.T.numpy().tolist() == a.T.tolist()
    assert x.astype(np.int32).dtype is tf.int32
    assert x.clip(2, 3).numpy().tolist() == a.clip(2, 3).tolist()
    assert (float(x.max()), float(x.mean()), float(x.min()), x.size) == (5.0, 2.75, 1.0, 4)
    assert x.ravel().shape == x.reshape(-1).shape == x.reshape((4,)).shape == (4,)
    assert x.transpose(1, 0).numpy().tolist() == a.T.tolist()


@pytest.mark.usefixtures("_numpy_behavior")
def test_functions_that_are_traced_promote_as_well():
    added = tf.function(lambda x, y: x + y)
    assert added(tnp.asarray([1], np.int32), tnp.asarray([1.5], np.float32)).dtype is tf.float64


@pytest.mark.usefixtures("_numpy_behavior")
def test_floats_of_32_bits_are_preferred_on_demand():
    tnp.experimental_enable_numpy_behavior(prefer_float32=True)
    assert tnp.asarray(1.0).dtype is tnp.add(1.0, 2.0).dtype is tf.float32
    assert tnp.sqrt([1, 4]).dtype is tf.float32


def test_without_it_tensors_refuse_and_have_no_such_methods():
    x = tf.constant([1, 2])
    with pytest.raises(tf.errors.InvalidArgumentError):
        x + tf.constant([1.0, 2.0])
    for name in METHODS:
        with pytest.raises(AttributeError, match="experimental_enable_numpy_behavior"):
            getattr(x, name)
    with pytest.raises(TypeError):
        x[[True, False], (0, 1)]


def test_another_mode_is_refused():
    with pytest.raises(NotImplementedError, match="legacy"):
        tnp.experimental_enable_numpy_behavior(dtype_conversion_mode="all")
    assert not behavior.enabled
