"""Large work in slices, on as many threads as `tf.config.threading` allows, as are its products.

The slices are the same for any number of threads, and so are the results. Each thread sees the
settings of the one that asked (what NumPy says of overflow).
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from contextvars import copy_context
from functools import cache, partial
from typing import TYPE_CHECKING, Any, Final

import numpy as np

if TYPE_CHECKING:
    from concurrent.futures import ThreadPoolExecutor

    from threadpoolctl import threadpool_limits

THREADED_FROM: Final = 2**20
"""From so many entries on threads pay; waking one takes as long as some 50 000 entries."""
SLICE: Final = 2**17
"""So many entries at a time: two of such float32 arrays stay in the processor's cache."""

_requested: Final = {"threads": 0}
_limits: Final[list[threadpool_limits]] = []
"""What holds BLAS back, and knows how many threads it had before."""


def ask_for(threads: int) -> None:
    """Set how many threads one op may use, NumPy's BLAS included; 0 leaves it to the machine."""
    _requested["threads"] = threads
    _limit_products(threads)


def _limit_products(threads: int) -> None:
    """Let products and decompositions of matrices, which BLAS works out, use so many threads."""
    from threadpoolctl import threadpool_limits

    for limit in _limits:
        limit.restore_original_limits()
    _limits[:] = [threadpool_limits(threads, user_api="blas")] if threads else []


def allowed() -> int:
    """How many threads one op may use: what was asked for, or what the machine gives us."""
    if _requested["threads"]:
        return _requested["threads"]
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def in_slices(work: Callable[..., Any], *arrays: Any) -> None:
    """Run `work` on slices along the first axis of arrays that are equally long there."""
    length = len(arrays[0])
    size = max(each.size for each in arrays)
    step = max(1, SLICE * length // max(size, 1))
    threaded = size >= THREADED_FROM and allowed() > 1
    one_pass = isinstance(work, np.ufunc)  # nothing lies between steps that a cache could keep
    if length <= step or (one_pass and not threaded):
        work(*arrays)
        return
    shared(
        [partial(work, *[each[start : start + step] for each in arrays])
         for start in range(0, length, step)],
        threaded=threaded,
    )  # fmt: skip


def shared(works: Sequence[Callable[[], Any]], *, threaded: bool) -> None:
    """Do several works, on threads where these are wanted and allowed."""
    threads = allowed() if threaded else 1
    if threads == 1:
        for work in works:
            work()
        return
    pool = _pool(threads, os.getpid())
    for running in [pool.submit(copy_context().run, work) for work in works]:
        running.result()


@cache
def _pool(threads: int, process: int) -> ThreadPoolExecutor:
    """Threads that wait for work; a forked process needs its own."""
    del process
    from concurrent.futures import ThreadPoolExecutor

    return ThreadPoolExecutor(threads, thread_name_prefix="tapelab")
