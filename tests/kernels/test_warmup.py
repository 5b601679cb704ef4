"""Warming up compiles each kernel, in the form in which the ops ask for it."""

from __future__ import annotations

import importlib
import sys

import numpy as np
import pytest

from tapelab.kernels import (
    bulk,
    compiled,
    elementwise_kernels,
    loader,
    normal,
    pooling,
    row_scatter,
    sine_cosine,
    softmax,
    warmup,
    where_kernels,
)
from tapelab.kernels.sliding_windows import Sliding


def signatures():
    """How often each kernel is compiled in this process."""
    return {name: set(loader.kernel(name).signatures) for name in warmup._TAKES}


def test_no_kernel_that_ops_run_is_left_out():
    missing = set(elementwise_kernels._KERNELS.values()) - set(warmup._TAKES)
    assert missing == set()
    helpers = {"exp32", "log1p32", "magnitude", "plus", "polynomial", "positive_part"}
    kernels = {name for name, each in vars(compiled).items() if hasattr(each, "signatures")}
    assert kernels - set(warmup._TAKES) == helpers | {"sigmoid_of", "turned"}


@pytest.mark.parametrize(
    "home",
    [
        "compiled_normal",
        "compiled_rows",
        "compiled_softmax",
        "compiled_windows",
    ],
)
def test_no_kernel_in_a_file_of_its_own_is_left_out(home):
    helpers = {"plus", "runs", "write_moments", "write_upstream_means", "largest_of", "exp32"}
    helpers |= {"sum_of_powers", "written_powers"}
    module = importlib.import_module(f"tapelab.kernels.{home}")
    kernels = {name for name, each in vars(module).items() if hasattr(each, "signatures")}
    assert {f"{home}.{name}" for name in kernels - helpers} <= set(warmup._TAKES)


def test_progress_goes_from_nothing_to_all():
    seen = []
    count = warmup.compile_all(lambda done, total: seen.append((done, total)))
    assert seen == [(done, count) for done in range(count + 1)]


def test_after_it_ops_compile_nothing_more():
    warmup.compile_all()
    before = signatures()
    x = np.ones((1024, 128), np.float32)
    assert elementwise_kernels.compiled("sigmoid", x) is not None
    x.flags.writeable = False  # as the values of tensors are
    column, classes = np.ones(1024, np.float32), np.zeros(1024, np.int32)
    for name in elementwise_kernels._KERNELS:
        count = len(warmup._TAKES[elementwise_kernels._KERNELS[name]]) - 1
        assert elementwise_kernels.compiled(name, *[x] * count) is not None
    softmax.softmax_vjp(x, softmax.softmax(x, -1), -1)
    softmax.log_softmax_vjp(x, softmax.log_softmax(x, -1), -1)
    softmax.scaled_softmax(softmax.logsumexp(x, (1,)), x)
    softmax.cross_entropy_vjp(column, x, x)
    softmax.cross_entropy(x, x)
    softmax.numbered_cross_entropy(classes, x)
    row_scatter.add_rows(x, classes, (3, 128))
    for how in (np.maximum, np.minimum):
        row_scatter.meet_rows(how, x[:3], x, classes)
    where_kernels.chosen(x > 0, x, x)
    where_kernels.chosen(x > 0, x, np.float32(0))
    where_kernels.chosen(x > 0, np.float32(0), x)
    sine_cosine.sine(sine_cosine.cosine(np.ones((1024, 128))))
    normalizations(np.ones((4096, 64), np.float32))
    windows(np.ones((4, 32, 32, 16), np.float32))
    assert not loader._given_up
    assert signatures() == before


def normalizations(x):
    """Run what is compiled of normalization, by rows and by columns."""
    for numbers in (x[:, :1], x[0]):
        normal.distances(numbers, x, numbers)
        normal.mean_square(x, numbers)
        normal.normalized(x, numbers, numbers, x[0], x[0])
        normal.normalized_vjps(x, x, numbers, numbers, x[0], x[0])
        bulk.product_to(numbers.shape, x, x)
    bulk.sum_along(x, None)
    normal.layer_normalized(x, x[0], x[0], 1e-3)
    normal.layer_vjps(x, x, x[0], 1e-3)


def windows(x):
    """Run what is compiled of windows; one picture is laid out like several."""
    how, w = Sliding((2, 2), (1, 1), (1, 1), ((0, 1), (0, 1))), np.ones((2, 2, 1, 16), np.float32)
    for pictures in (x, np.ones((1, *x.shape[1:3], 64), np.float32)):
        pooling.put_back(pictures, pooling.largest_places(pictures, how), pictures.shape)
        pooling.max_pool(pictures, how)
        pooling.window_spread(pooling.window_sums(pictures, how), how, pictures.shape)
        parts = np.ones((*pictures.shape[:3], 2, 2, pictures.shape[3]), np.float32)
        pooling.windows_back(parts, how, pictures.shape)
    pooling.depthwise_input(pooling.depthwise(x, w, how), w, how, x.shape)
    pooling.depthwise_filter(x, x, how)


def test_without_numba_it_is_an_import_error(monkeypatch):
    monkeypatch.setitem(sys.modules, "tapelab.kernels.compiled", None)
    with pytest.raises(ImportError):
        warmup.compile_all()
