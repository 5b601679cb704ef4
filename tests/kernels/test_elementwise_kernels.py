"""Compiled functions of each entry: how far off they are, where they saturate, when they run."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import special

from tapelab.kernels import elementwise_kernels, threads
from tapelab.ops import activation, error_function, losses, powers, trigonometry

SINGLE = np.finfo(np.float32)
EXACT = {
    "sigmoid": special.expit,
    "silu": lambda x: x * special.expit(x),
    "softplus": lambda x: np.maximum(x, 0) + np.log1p(np.exp(-np.abs(x))),
    "erf": special.erf,
}
OPS = {"sigmoid": activation.sigmoid, "silu": activation.silu, "softplus": activation.softplus,
       "erf": error_function.erf}  # fmt: skip
SIZE = elementwise_kernels.COMPILED_FROM


@pytest.fixture(scope="module")
def everywhere():
    """Floats of every exponent and both signs, subnormals included, and many where things bend."""
    bits = np.arange(0, 2**32, 9973, dtype=np.uint64).astype(np.uint32).view(np.float32)
    bends = [np.linspace(-end, end, 200_001, dtype=np.float32) for end in (5, 110)]
    return np.concatenate([bits[np.isfinite(bits)], *bends])


@pytest.mark.parametrize("name", EXACT)
def test_a_compiled_function_keeps_within_its_bound(name, everywhere):
    got = elementwise_kernels.compiled(name, everywhere)
    with np.errstate(over="ignore"):
        exact = EXACT[name](everywhere.astype(np.float64))
    if name == "silu":
        normal = everywhere > -87
        got, exact = got[normal], exact[normal]
    unit = np.spacing(np.maximum(np.abs(exact), SINGLE.tiny).astype(np.float32))
    assert np.max(np.abs(got - exact) / unit) <= elementwise_kernels.ULPS[name]


def at(name, x):
    """The value of a compiled function at one number, which stands in a large array."""
    return float(elementwise_kernels.compiled(name, np.full(SIZE, x, np.float32))[SIZE // 2 + 1])


@pytest.mark.parametrize(
    ("name", "x", "y"),
    [
        *(("sigmoid", x, y) for x, y in ((120, 1), (np.inf, 1), (-np.inf, 0), (-120, 0), (0, 0.5))),
        *(("erf", x, y) for x, y in ((4, 1), (-4, -1), (np.inf, 1), (-np.inf, -1), (0, 0))),
        *(("softplus", x, y) for x, y in ((np.inf, np.inf), (-np.inf, 0), (200, 200), (-200, 0))),
        *(("silu", x, y) for x, y in ((np.inf, np.inf), (0, 0), (-200, 0))),
    ],
)
def test_the_ends_are_exact(name, x, y):
    assert at(name, x) == y


@pytest.mark.parametrize("name", EXACT)
def test_nan_stays_and_small_numbers_fade_into_subnormals(name):
    assert np.isnan(at(name, np.nan))
    if name in ("sigmoid", "softplus"):
        assert 0 < at(name, -95) < SINGLE.tiny
    if name == "erf":
        assert at(name, 1e-40) == pytest.approx(1.128379e-40, rel=1e-4)
        assert np.signbit(at(name, -0.0))


@pytest.mark.parametrize("name", OPS)
def test_an_op_gives_the_same_for_small_and_for_large_arrays(name):
    x = np.linspace(-6, 6, SIZE + 7, dtype=np.float32)
    apart = np.concatenate([OPS[name](each) for each in np.array_split(x, 99)])
    np.testing.assert_allclose(OPS[name](x), apart, rtol=5e-7)


@pytest.mark.parametrize(
    ("name", "by_hand"),
    [
        ("sigmoid_vjp", lambda dy, y: dy * y * (1 - y)),
        ("tanh_vjp", lambda dy, y: dy * (1 - y * y)),
        ("softplus_vjp", lambda dy, x: dy * special.expit(x)),
        ("silu_vjp", lambda dy, x: dy * special.expit(x) * (1 + x * (1 - special.expit(x)))),
        ("erf_vjp", lambda dy, x: dy * 2 / np.sqrt(np.pi) * np.exp(-x * x)),
    ],
)
def test_a_compiled_vjp_is_that_of_mathematics(name, by_hand):
    dy, x = np.random.default_rng(0).normal(size=(2, SIZE)).astype(np.float32)
    expected = by_hand(dy.astype(np.float64), x.astype(np.float64))
    np.testing.assert_allclose(
        elementwise_kernels.compiled_vjp(name, dy, x), expected, rtol=2e-6, atol=1e-6
    )


def test_the_compiled_cross_entropy_of_a_sigmoid_is_that_of_numpy():
    x, y = np.random.default_rng(0).normal(size=(2, SIZE)).astype(np.float32) * 10
    apart = [losses.sigmoid_cross_entropy(*each) for each in zip(np.split(x, 64), np.split(y, 64),
                                                                 strict=True)]  # fmt: skip
    np.testing.assert_allclose(
        losses.sigmoid_cross_entropy(x, y), np.concatenate(apart), rtol=1e-5, atol=1e-5
    )


def strided():
    """One array in several layouts: whole, reversed, transposed, with gaps, with three axes."""
    whole = np.random.default_rng(0).normal(size=(300, 256)).astype(np.float32)
    return [whole, whole[::-1, ::-1], whole.T, whole[:, ::2], whole.reshape(30, 10, 256)]


@pytest.mark.parametrize("at", range(5))
def test_any_layout_is_read_as_it_looks(at):
    x = strided()[at]
    got = elementwise_kernels.compiled("sigmoid", x)
    assert got.shape == x.shape
    np.testing.assert_allclose(got, special.expit(x), rtol=5e-7)


@pytest.mark.parametrize(
    "x",
    [np.float32(1), np.ones((), np.float32), np.ones(0, np.float32), np.ones(SIZE, np.float16),
     np.ones(SIZE), np.ones(SIZE - 1, np.float32)],
    ids=["scalar", "no axes", "no entries", "float16", "float64", "small"],
)  # fmt: skip
def test_what_is_small_or_of_another_dtype_stays_with_numpy(x):
    assert elementwise_kernels.compiled("sigmoid", x) is None
    assert activation.sigmoid(x).dtype == x.dtype
    assert error_function.erf(x).dtype == x.dtype


def test_unlike_shapes_and_dtypes_stay_with_numpy():
    x = np.ones((2, SIZE), np.float32)
    assert elementwise_kernels.compiled("sigmoid_cross_entropy", x, x[0]) is None
    assert elementwise_kernels.compiled_vjp("sigmoid_vjp", x.astype(np.float64), x) is None


@pytest.mark.parametrize("op", [powers.exp, trigonometry.tanh, activation.sigmoid])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_results_do_not_depend_on_the_number_of_threads(op, dtype, monkeypatch):
    x = np.random.default_rng(0).normal(size=threads.THREADED_FROM + 5).astype(dtype)
    results = []
    for count in (1, 2, 5):
        monkeypatch.setitem(threads._requested, "threads", count)
        results.append(op(x))
    np.testing.assert_array_equal(results[0], results[1])
    np.testing.assert_array_equal(results[0], results[2])


@pytest.mark.parametrize("function", [elementwise_kernels.sigmoid, elementwise_kernels.softplus])
def test_several_steps_taken_slice_by_slice_give_the_same(function):
    x = np.random.default_rng(0).normal(size=(2, elementwise_kernels.LARGE // 2 + 3)) * 20
    x[0, :3] = np.nan, np.inf, -np.inf
    for each in (x, x.T, x[:, ::-1]):
        np.testing.assert_array_equal(elementwise_kernels.by_slices(function, each), function(each))
