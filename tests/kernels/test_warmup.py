"""Warming up compiles each kernel, in the form in which the ops ask for it."""

from __future__ import annotations

import sys

import numpy as np
import pytest

from tapelab.kernels import compiled, elements, loader, rows, softmax, warmup


def signatures():
    """How often each kernel is compiled in this process."""
    return {name: set(loader.kernel(name).signatures) for name in warmup._TAKES}


def test_no_kernel_that_ops_run_is_left_out():
    missing = set(elements._KERNELS.values()) - set(warmup._TAKES)
    assert missing == set()
    kernels = {name for name in vars(compiled) if name.endswith(("32", "_slope", "_rows"))}
    assert kernels - set(warmup._TAKES) <= {"exp32", "log1p32"}


def test_progress_goes_from_nothing_to_all():
    seen = []
    count = warmup.compile_all(lambda done, total: seen.append((done, total)))
    assert seen == [(done, count) for done in range(count + 1)]


def test_after_it_ops_compile_nothing_more():
    warmup.compile_all()
    before = signatures()
    x = np.ones((1024, 128), np.float32)
    assert elements.compiled("sigmoid", x) is not None
    x.flags.writeable = False  # as the values of tensors are
    column, classes = np.ones(1024, np.float32), np.zeros(1024, np.int32)
    for name in elements._KERNELS:
        count = len(warmup._TAKES[elements._KERNELS[name]]) - 1
        assert elements.compiled(name, *[x] * count) is not None
    softmax.softmax_slope(x, softmax.softmax(x, -1), -1)
    softmax.log_softmax_slope(x, softmax.log_softmax(x, -1), -1)
    softmax.scaled_softmax(softmax.logsumexp(x, (1,)), x)
    softmax.cross_entropy_slope(column, x, x)
    softmax.cross_entropy(x, x)
    softmax.numbered_cross_entropy(classes, x)
    rows.add_rows(x, classes, (3, 128))
    assert not loader._given_up
    assert signatures() == before


def test_without_numba_it_is_an_import_error(monkeypatch):
    monkeypatch.setitem(sys.modules, "tapelab.kernels.compiled", None)
    with pytest.raises(ImportError):
        warmup.compile_all()
