"""Memory for large results is used again when it is unreferenced, and never before."""

from __future__ import annotations

import numpy as np
import pytest

from tapelab.kernels import memory

SHAPE = (512, 1024)
SINGLE = np.dtype(np.float32)


@pytest.fixture(autouse=True)
def no_blocks(monkeypatch):
    monkeypatch.setattr(memory, "_blocks", [])


def address(x):
    return x.__array_interface__["data"][0]


def test_unreferenced_memory_is_used_again():
    x = memory.empty(SHAPE, SINGLE)
    place = address(x)
    del x
    assert address(memory.empty((1024, 512), SINGLE)) == place


@pytest.mark.parametrize("view", [lambda x: x, lambda x: x[3:5], lambda x: x.T, memoryview])
def test_memory_that_is_seen_through_a_view_is_not(view):
    x = memory.empty(SHAPE, SINGLE)
    place, held = address(x), view(x)
    del x
    assert address(memory.empty(SHAPE, SINGLE)) != place
    del held
    assert address(memory.empty(SHAPE, SINGLE)) == place


def test_small_arrays_and_objects_are_not_pooled():
    memory.empty((8,), SINGLE)
    memory.empty((2**20,), np.dtype(object))
    memory.empty((memory.MOST,), np.dtype(np.uint8))
    assert memory._blocks == []


def test_the_pool_stays_small_and_forgets_sizes_that_are_no_longer_requested():
    held = [memory.empty((memory.MOST // 4,), np.dtype(np.uint8)) for _ in range(6)]
    assert memory._pooled() <= memory.MOST
    del held
    memory.empty((memory.MOST // 2,), np.dtype(np.uint8))
    assert [each.size for each in memory._blocks] == [memory.MOST // 2 + memory.LINE]


@pytest.mark.parametrize("entries", [2**18, 2**18 + 3, 2**25])
def test_large_arrays_begin_with_a_line_of_the_cache(entries):
    array = memory.empty((entries,), np.dtype(np.float32))
    assert array.shape == (entries,)
    assert array.ctypes.data % memory.LINE == 0
