"""Slices on several threads: whole, in the settings of the caller, as many as were requested."""

from __future__ import annotations

import threading

import numpy as np
import pytest
from threadpoolctl import threadpool_info

from tapelab.compile.fusion import kernel_runtime
from tapelab.kernels import threads


@pytest.fixture
def request_threads(monkeypatch):
    return lambda count: monkeypatch.setitem(threads._requested, "threads", count)


def workers(size):
    """The threads that worked on an array of that size."""
    seen = set()

    def note(x, y):
        seen.add(threading.get_ident())
        np.add(x, 1, out=y)

    x, y = np.zeros(size), np.zeros(size)
    threads.in_slices(note, x, y)
    assert (y == 1).all()
    return seen


def test_small_work_stays_on_the_calling_thread(request_threads):
    request_threads(4)
    assert workers(threads.THREADED_FROM - 1) == {threading.get_ident()}


def test_one_thread_is_the_calling_one(request_threads):
    request_threads(1)
    assert workers(2 * threads.THREADED_FROM) == {threading.get_ident()}


def test_several_threads_are_never_more_than_were_requested(request_threads):
    request_threads(3)
    seen = workers(4 * threads.THREADED_FROM)
    assert threading.get_ident() not in seen
    assert 1 <= len(seen) <= 3


def test_the_machine_decides_where_nothing_was_requested(request_threads):
    request_threads(0)
    assert threads.allowed() >= 1


def test_tf_config_decides(tf, request_threads):
    request_threads(0)
    before = tf.config.threading.get_intra_op_parallelism_threads()
    tf.config.threading.set_intra_op_parallelism_threads(7)
    assert threads.allowed() == 7
    tf.config.threading.set_intra_op_parallelism_threads(before)


def test_products_of_matrices_obey_and_get_their_threads_back(tf):
    def of_products():
        return [each["num_threads"] for each in threadpool_info() if each["user_api"] == "blas"]

    tf.config.threading.set_intra_op_parallelism_threads(0)
    at_first = of_products()
    counts = []
    for count in (1, 2, 0):
        tf.config.threading.set_intra_op_parallelism_threads(count)
        counts.append(of_products())
    assert counts == [[1] * len(at_first), [2] * len(at_first), at_first]
    assert at_first


def test_threads_see_the_overflow_setting_of_numpy(request_threads):
    request_threads(2)
    x = np.full(threads.THREADED_FROM, 1e4)
    with np.errstate(over="ignore"):
        threads.in_slices(np.exp, x, np.empty_like(x))
    with np.errstate(over="raise"), pytest.raises(FloatingPointError):
        threads.in_slices(np.exp, x, np.empty_like(x))


def test_rows_are_kept_whole(request_threads):
    request_threads(2)
    x = np.ones((1000, 3000))
    totals = np.zeros(1000)
    threads.in_slices(lambda rows, sums: np.sum(rows, axis=1, out=sums), x, totals)
    assert (totals == 3000).all()


def test_tf_config_is_obeyed_by_ops_and_by_functions(tf, request_threads, monkeypatch):
    request_threads(0)
    monkeypatch.setitem(kernel_runtime._chosen, "way", "at once")
    pool, pools = threads._pool, []
    monkeypatch.setattr(threads, "_pool", lambda *of: pools.append(of[0]) or pool(*of))
    x = tf.ones([2 * threads.THREADED_FROM])
    function = tf.function(lambda x: tf.tanh(x) * x + 1.0)
    for count, expected in ((1, set()), (3, {3})):
        tf.config.threading.set_intra_op_parallelism_threads(count)
        for work in (tf.sigmoid, function):
            pools.clear()
            for _ in range(4):
                work(x)
            assert set(pools) == expected
    tf.config.threading.set_intra_op_parallelism_threads(0)
