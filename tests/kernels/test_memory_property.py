"""Whatever is done with arrays from the pool, none that somebody still sees is handed out again."""

from __future__ import annotations

import copy
import pickle
import threading
import weakref

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tapelab as tf
from tapelab.kernels import memory

SINGLE = np.dtype(np.float32)
SIZES = (2**8, 2**8, 2**9, 2**10)
"""Few sizes, so that blocks are used again often."""

VIEWS = {
    "itself": lambda x: x,
    "a slice": lambda x: x[3:7],
    "one entry's array": lambda x: x[5:6].reshape(()),
    "turned": lambda x: x.reshape(-1, 4).T,
    "bytes of it": lambda x: x.view(np.uint8),
    "a view of a view": lambda x: x[::2][1:],
    "stretched": lambda x: np.broadcast_to(x[:1], (4, 1)),
    "a memoryview": memoryview,
    "from a buffer": lambda x: np.frombuffer(x, np.float32),
    "by the array interface": lambda x: np.asarray(Interface(x)),
    "through dlpack": lambda x: np.from_dlpack(x),
    "a flat iterator": lambda x: x.flat,
    "a subclass": lambda x: x.view(np.matrix) if x.ndim == 2 else x.view(Kind),
    "in a list": lambda x: [x],
    "in a closure": lambda x: lambda: x,
}


class Kind(np.ndarray):
    """An array of another class."""


class Interface:
    """Shows the memory of an array in the way that NumPy has for others."""

    def __init__(self, x):
        self._x = x
        self.__array_interface__ = x.__array_interface__


def entries(seen):
    """The numbers that somebody sees through whatever they hold."""
    if callable(seen):
        seen = seen()
    if isinstance(seen, list):
        seen = seen[0]
    x = np.array(seen)
    return x.reshape(-1).view(np.float32) if x.dtype == np.uint8 else x


STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("take"), st.sampled_from(SIZES), st.sampled_from(sorted(VIEWS))),
        st.tuples(st.just("drop"), st.integers(0, 30)),
        st.tuples(st.just("view"), st.integers(0, 30), st.sampled_from(["itself", "a slice"])),
    ),
    max_size=40,
)


@pytest.fixture(autouse=True)
def small_pool(monkeypatch):
    """Let the pool take small arrays, and not many."""
    monkeypatch.setattr(memory, "POOLED_FROM", 1)
    monkeypatch.setattr(memory, "MOST", 2**15)
    monkeypatch.setattr(memory, "_blocks", [])


@settings(max_examples=60, deadline=None)
@given(STEPS)
def test_nothing_that_is_seen_changes(steps):
    memory._blocks.clear()
    held = []
    for number, (what, *how) in enumerate(steps, start=1):
        if what == "take":
            x = memory.empty((how[0],), SINGLE)
            x[:] = number
            held.append((number, VIEWS[how[1]](x)))
            del x
        elif held and what == "drop":
            del held[how[0] % len(held)]
        elif held:
            owner, seen = held[how[0] % len(held)]
            if type(seen) is np.ndarray and seen.dtype == SINGLE and seen.size > 8:
                held.append((owner, VIEWS[how[1]](seen)))
        for owner, seen in held:
            assert (entries(seen) == owner).all()


def test_the_pool_gives_out_again_what_is_unreferenced():
    places = set()
    for view in VIEWS.values():
        x = memory.empty((2**8,), SINGLE)
        places.add(x.ctypes.data)
        seen = view(x)
        del x, seen
    assert len(places) == 1


def test_copies_and_pickles_have_memory_of_their_own():
    x = memory.empty((2**8,), SINGLE)
    x[:] = 1
    others = [copy.copy(x), copy.deepcopy(x), pickle.loads(pickle.dumps(x)), x.tobytes()]
    del x
    memory.empty((2**8,), SINGLE)[:] = 2
    assert all((np.frombuffer(each, np.float32) == 1).all() for each in others)


def test_a_weak_reference_does_not_keep_a_block():
    x = memory.empty((2**8,), SINGLE)
    place, weak = x.ctypes.data, weakref.ref(x)
    del x
    assert weak() is None
    assert memory.empty((2**8,), SINGLE).ctypes.data == place


def test_threads_never_share_a_block():
    wrong = []

    def work(number):
        for _ in range(300):
            x = memory.empty((2**8,), SINGLE)
            x[:] = number
            if not (x == number).all():
                wrong.append(number)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert wrong == []


def test_values_of_tensors_gradients_and_recordings_stay(monkeypatch):
    for module, name in (("where_kernels", "COMPILED_FROM"), ("softmax", "COMPILED_FROM"),
                         ("pooling", "COMPILED_FROM"), ("normal", "FUSED_FROM")):  # fmt: skip
        monkeypatch.setattr(f"tapelab.kernels.{module}.{name}", 1)
    x = tf.constant(np.random.default_rng(0).normal(size=(2, 8, 8, 2)).astype(np.float32))

    def everything():
        with tf.GradientTape() as tape:
            tape.watch(x)
            parts = [tf.nn.max_pool2d(x, 2, 2, "VALID"), tf.nn.elu(x), tf.nn.softmax(x),
                     *tf.nn.moments(x, [0, 1, 2])]  # fmt: skip
            y = tf.add_n([tf.reduce_sum(tf.square(part)) for part in parts])
        return [*parts, tape.gradient(y, x)]

    first = everything()
    seen = [np.asarray(each) for each in first]
    before = [each.copy() for each in seen]
    for _ in range(3):
        everything()
        x = x + 1.0
    for one, other in zip(seen, before, strict=True):
        np.testing.assert_array_equal(one, other)
