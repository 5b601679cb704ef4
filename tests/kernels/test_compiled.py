"""Compiled kernels give what NumPy gives, load late, and fail silently into NumPy."""

from __future__ import annotations

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from tapelab.kernels import elementwise_kernels, loader, row_scatter, softmax

WIDTH = 512
SHAPE = (softmax.COMPILED_FROM // WIDTH, WIDTH)


@pytest.fixture
def scores():
    return (np.random.default_rng(0).normal(size=SHAPE) * 20).astype(np.float32)


@pytest.fixture
def only_numpy(monkeypatch):
    """Let every attempt to run compiled code fail."""
    monkeypatch.setattr(loader, "import_module", lambda name: 1 / 0)
    monkeypatch.setattr(loader, "_given_up", set())


@pytest.fixture
def runs(monkeypatch):
    """Note which kernels ran compiled."""
    seen = []

    def noting(original):
        def noted(name, *arrays):
            done = original(name, *arrays)
            seen.append((name, done))
            return done

        return noted

    for module in (elementwise_kernels, softmax):
        monkeypatch.setattr(module, "ran_in_slices", noting(loader.ran_in_slices))
    monkeypatch.setattr(row_scatter, "ran", noting(loader.ran))
    return seen


def plain_softmax(x):
    wide = x.astype(np.float64)
    with np.errstate(invalid="ignore"):
        y = np.exp(wide - wide.max(-1, keepdims=True))
    return y / y.sum(-1, keepdims=True)


def test_the_compiled_softmax_is_the_softmax(scores, runs):
    expected = plain_softmax(scores)
    got = softmax.softmax(scores, -1)
    assert runs == [("compiled_softmax.softmax32", True)]
    assert got.dtype == np.float32
    np.testing.assert_allclose(got, expected, rtol=6e-6, atol=2e-38)


def test_the_compiled_log_softmax_is_its_logarithm(scores, runs):
    wide = scores.astype(np.float64)
    expected = wide - wide.max(-1, keepdims=True)
    expected -= np.log(np.exp(expected).sum(-1, keepdims=True))
    np.testing.assert_allclose(softmax.log_softmax(scores, -1), expected, rtol=1e-6, atol=1e-5)
    assert runs == [("compiled_softmax.log_softmax32", True)]


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_the_compiled_vjp_of_softmax_is_that_of_numpy(scores, runs, dtype):
    y = plain_softmax(scores).astype(dtype)
    dy = np.random.default_rng(1).normal(size=SHAPE).astype(dtype)
    product = dy.astype(np.float64) * y
    expected = product - y * product.sum(-1, keepdims=True)
    got = softmax.softmax_vjp(dy, y, -1)
    assert runs == [("compiled_softmax.softmax_vjp", True)]
    assert got.dtype == dtype
    np.testing.assert_allclose(got, expected, rtol=1e-5, atol=1e-6)


def test_nan_and_infinity_reach_their_own_row_only(scores, runs):
    scores[0, 3] = np.nan
    scores[1, 3] = np.inf
    scores[2, 3] = -np.inf
    scores[3, :] = -np.inf
    scores[4, 0] = 3e38
    with np.errstate(invalid="ignore"):
        got = softmax.softmax(scores, -1)
        logs = softmax.log_softmax(scores, -1)
    assert [done for _, done in runs] == [True, True]
    assert np.isnan(got[[0, 1, 3]]).all()
    assert np.isnan(logs[[0, 1, 3]]).all()
    assert got[2, 3] == 0
    assert logs[2, 3] == -np.inf
    assert got[4, 0] == 1
    assert got[4, 1:].max() == 0
    assert np.isfinite(got[[2, *range(4, len(got))]]).all()


def test_large_differences_saturate_exactly(runs):
    x = np.zeros(SHAPE, np.float32)
    x[:, 0] = 1000
    got = softmax.softmax(x, -1)
    assert runs == [("compiled_softmax.softmax32", True)]
    assert (got[:, 0] == 1).all()
    assert (got[:, 1:] == 0).all()


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_rows_with_one_place_in_common_are_added(runs, dtype):
    rng = np.random.default_rng(0)
    width = 16
    count = row_scatter.COMPILED_FROM // width
    values = rng.integers(-8, 8, size=(count, width)).astype(dtype)
    places = rng.integers(0, 50, count).astype(np.int32)
    expected = np.zeros((50, width), dtype)
    np.add.at(expected, places, values)
    got = row_scatter.add_rows(values, places, (50, width))
    assert runs == [("compiled_rows.add_rows", True)]
    assert got.dtype == dtype
    np.testing.assert_array_equal(got, expected)


def test_a_place_outside_is_an_error_and_no_wild_write(runs):
    values = np.ones((row_scatter.COMPILED_FROM, 1), np.float32)
    places = np.zeros(row_scatter.COMPILED_FROM, np.int64)
    places[-1] = 7
    with pytest.raises(IndexError):
        row_scatter.add_rows(values, places, (5, 1))
    assert runs == []


def test_small_arrays_and_other_axes_stay_with_numpy(scores, runs):
    softmax.softmax(scores[:2], -1)
    softmax.softmax(scores, 0)
    softmax.softmax(scores.astype(np.float64), -1)
    row_scatter.add_rows(np.ones((3, 2)), np.array([0, 1, 0]), (2, 2))
    assert runs == []


@pytest.mark.usefixtures("only_numpy")
def test_a_failing_compiler_costs_speed_only(scores, runs):
    got = softmax.softmax(scores, -1)
    np.testing.assert_allclose(got, plain_softmax(scores), rtol=6e-6, atol=1e-37)
    values = np.ones((row_scatter.COMPILED_FROM, 1), np.float32)
    total = row_scatter.add_rows(values, np.zeros(len(values), np.int64), (1, 1))
    assert total[0, 0] == row_scatter.COMPILED_FROM
    assert runs == [("compiled_softmax.softmax32", False), ("compiled_rows.add_rows", False)]
    assert loader._given_up == {"compiled_softmax.softmax32", "compiled_rows.add_rows"}


def python(code, **environment):
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", code],
        env={**os.environ, **environment}, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout.split()


USE = f"""
import sys
import numpy as np
import tapelab as tf
tf.nn.softmax(np.ones((4, 4), np.float32))
small = "numba" in sys.modules
for _ in range(2):
    y = tf.nn.softmax(np.ones({SHAPE}, np.float32))
from tapelab.kernels import compiled_softmax, loader
found = sum(compiled_softmax.softmax32.stats.cache_hits.values())
right = float(y[0, 0]) == 1 / {WIDTH}
print(small, "numba" in sys.modules, right, sorted(loader._given_up), found)
"""


def test_small_work_never_imports_numba_and_large_work_does():
    assert python(USE)[:4] == ["False", "True", "True", "[]"]


def test_a_cache_that_cannot_be_written_is_no_error(tmp_path):
    closed = tmp_path / "closed"
    closed.write_text("a file where a folder should be")
    small, _, right, *_ = python(USE, NUMBA_CACHE_DIR=str(closed))
    assert (small, right) == ("False", "True")


@pytest.mark.slow
def test_processes_share_what_they_compile_at_once_and_make_again_what_is_damaged(tmp_path):
    def used():
        return python(USE, NUMBA_CACHE_DIR=str(tmp_path))[2:]

    with ThreadPoolExecutor(2) as pool:
        runs = [pool.submit(used) for _ in range(2)]
    assert [each.result()[:2] for each in runs] == [["True", "[]"]] * 2
    assert used() == ["True", "[]", "1"]
    entries = [path for path in tmp_path.rglob("*") if path.suffix in {".nbi", ".nbc"}]
    assert {path.suffix for path in entries} == {".nbi", ".nbc"}
    for path in entries:
        path.write_bytes(b"poison")
    assert used() == ["True", "[]", "0"]
    assert used() == ["True", "[]", "1"]
