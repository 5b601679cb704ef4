"""Forward mode agrees with the backward pass, for every op, from its declaration alone.

With the Jacobian J, a direction v of the inputs and a weight u of the results, ⟨u, J v⟩ and
⟨Jᵀ u, v⟩ are the same number; the first is what an accumulator gives, the second a tape.
"""

from __future__ import annotations

from contextlib import nullcontext

import numpy as np
import pytest

import tapelab as tf
from tapelab.core.op import REGISTRY
from tapelab.core.tensor import constant_of
from tests.ops import checks
from tests.ops.test_generated import COMPLEX, DIFFERENTIABLE


def directions(arrays, rng):
    """Give a tensor of ordinary numbers for each array, of its dtype and shape."""
    tensors = []
    for array in arrays:
        drawn = rng.normal(size=np.shape(array))
        if array.dtype.kind == "c":
            drawn = drawn + 1j * rng.normal(size=np.shape(array))
        tensors.append(constant_of(np.asarray(drawn).astype(array.dtype)[()]))
    return tensors


def product(a, b):
    """Multiply and add up two tensors, as real numbers."""
    return np.sum(np.asarray(a) * np.conj(np.asarray(b))).real


def results_of(op, inputs, settings):
    """Run an op and give those of its results that can move."""
    results = op(*inputs, **settings)
    return [y for y in (results if op.multi else [results]) if checks.continuous(y._value)]


def check_dot_products(name, dtype, around=nullcontext):
    """Compare the two products; a tape `around` records the tangents as they are computed."""
    op, rng, compared = REGISTRY[name], np.random.default_rng(7), 0
    for arrays, settings in checks.sampled(op, dtype):
        inputs = [constant_of(array) for array in arrays]
        primals = [x for x in inputs if checks.continuous(x._value)]
        v = directions([x._value for x in primals], rng)
        with tf.GradientTape() as tape:
            tape.watch(primals)
            results = results_of(op, inputs, settings)
        u = directions([y._value for y in results], rng)
        back = tape.gradient(results, primals, u, unconnected_gradients="zero")
        with around() as outer, tf.autodiff.ForwardAccumulator(primals, v) as forward:
            if outer is not None:
                outer.watch(primals)
            results = results_of(op, inputs, settings)
        moved = forward.jvp(results, unconnected_gradients="zero")
        ahead = sum(product(weight, jv) for weight, jv in zip(u, moved, strict=True))
        behind = sum(
            product(tf.convert_to_tensor(g), step) for g, step in zip(back, v, strict=True)
        )
        np.testing.assert_allclose(ahead, behind, rtol=1e-9, atol=1e-9)
        for y, jv in zip(results, moved, strict=True):
            assert isinstance(jv, tf.Tensor)
            assert (jv.dtype, jv.shape) == (y.dtype, y.shape)
        compared += bool(results)
    assert compared


@pytest.mark.parametrize("name", DIFFERENTIABLE)
def test_a_tangent_and_a_gradient_give_the_same_product(name):
    check_dot_products(name, np.float64)


@pytest.mark.parametrize("name", DIFFERENTIABLE)
def test_so_they_do_where_a_tape_records_the_tangent(name):
    check_dot_products(name, np.float64, around=tf.GradientTape)


@pytest.mark.parametrize("name", COMPLEX)
def test_a_complex_tangent_and_gradient_give_the_same_product(name):
    check_dot_products(name, np.complex128)
    check_dot_products(name, np.complex128, around=tf.GradientTape)


def test_the_comparison_sees_a_wrong_tangent(monkeypatch):
    monkeypatch.setattr(REGISTRY["exp"], "linear", True)
    with pytest.raises(AssertionError, match="Not equal to tolerance"):
        check_dot_products("exp", np.float64)
