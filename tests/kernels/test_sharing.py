"""Compiled kernels give the same, bit for bit, on any number of threads and however often."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import tapelab as tf
from tapelab.kernels import (
    bulk,
    loader,
    normal,
    pooling,
    row_scatter,
    sine_cosine,
    threads,
    where_kernels,
)
from tapelab.kernels.sliding_windows import Sliding

HOW = Sliding((3, 2), (2, 1), (1, 1), ((1, 1), (0, 1)))
RNG = np.random.default_rng(0)
PICTURES = RNG.normal(size=(7, 9, 8, 4)).astype(np.float32)
TABLE = RNG.normal(size=(40, 24)).astype(np.float32)
FILTERS = RNG.normal(size=(3, 2, 1, 4)).astype(np.float32)
COLUMN, LINE = TABLE[:, :1], TABLE[0]
WORKS = {
    "max pool": lambda: pooling.max_pool(PICTURES, HOW),
    "its places": lambda: pooling.largest_places(PICTURES, HOW),
    "sums of windows": lambda: pooling.window_sums(PICTURES, HOW),
    "single channels": lambda: pooling.depthwise(PICTURES, FILTERS, HOW),
    "distances by rows": lambda: normal.distances(COLUMN, TABLE, COLUMN),
    "variances by rows": lambda: normal.mean_square(TABLE, COLUMN),
    "variances by columns": lambda: normal.mean_square(TABLE, LINE),
    "layers": lambda: normal.layer_normalized(TABLE, LINE, LINE, 1e-3),
    "layers back": lambda: np.concatenate(
        [each.reshape(-1) for each in normal.layer_vjps(TABLE, TABLE, LINE, 1e-3)]
    ),
    "sums": lambda: bulk.sum_along(TABLE, (1,)),
    "the whole sum": lambda: bulk.sum_along(PICTURES, None),
    "products by rows": lambda: bulk.product_to((40, 1), TABLE, TABLE),
    "sums of gradients": lambda: bulk.added(TABLE, TABLE),
    "choices": lambda: where_kernels.chosen(TABLE > 0, TABLE, np.float32(0)),
    "sines": lambda: sine_cosine.sine(TABLE.astype(np.float64)),
    "rows that meet": lambda: row_scatter.add_rows(TABLE, np.arange(40) % 3, (3, 24)),
}


@pytest.fixture(autouse=True)
def at_any_size(monkeypatch):
    """Let the kernels run on small arrays, in small slices, and let none fail in silence."""
    for module, name in ((pooling, "COMPILED_FROM"), (normal, "FUSED_FROM"), (bulk, "LARGE"),
                         (sine_cosine, "COMPILED_FROM"), (where_kernels, "COMPILED_FROM"),
                         (row_scatter, "COMPILED_FROM"), (threads, "THREADED_FROM")):  # fmt: skip
        monkeypatch.setattr(module, name, 1)
    monkeypatch.setattr(threads, "SLICE", 60)
    yield
    threads.ask_for(0)
    assert not loader._given_up


@pytest.mark.parametrize("name", WORKS)
def test_any_number_of_threads_gives_the_same(name):
    tf.config.threading.set_intra_op_parallelism_threads(1)
    alone = WORKS[name]().tobytes()
    for count in (2, 5):
        threads.ask_for(count)
        assert WORKS[name]().tobytes() == alone


def test_several_threads_of_the_learner_can_use_kernels_at_once():
    expected = {name: work().tobytes() for name, work in WORKS.items()}
    with ThreadPoolExecutor(4) as pool:
        for name, got in [(name, pool.submit(WORKS[name])) for name in [*WORKS] * 5]:
            assert got.result().tobytes() == expected[name]
