"""What leaves the engine is written down, and recognised when it comes back."""

import copy
import pickle
import weakref

import numpy as np
import pytest

import tapelab as tf
from tapelab.recording.events import Left, Returned


def events_of(tape, kind):
    return [each.event for each in tape.recording() if isinstance(each.event, kind)]


def how_it_left(tape):
    recording = tape.recording()
    return [recording.strings[e.how] for e in events_of(tape, Left)]


EXITS = {
    "numpy()": lambda h: h.numpy(),
    "np.mean": np.mean,
    "np.concatenate": lambda h: np.concatenate([h, h]),
    "__array__": np.asarray,
    "float()": lambda h: float(h[0]),
    "int()": lambda h: int(h[0]),
    "bool()": lambda h: bool(h[0]),
    "pickle": pickle.dumps,
}


@pytest.mark.parametrize("how", EXITS)
def test_every_way_out_is_written_down(how):
    x = tf.Variable([1.0, 2.0])
    with tf.GradientTape() as tape:
        h = x * x
        EXITS[how](h)
    assert how_it_left(tape) == [how]


@pytest.mark.parametrize(
    "detour",
    [
        lambda h: h.numpy(),
        np.mean,
        lambda h: float(h[0]),
        lambda h: np.asarray(h),
        lambda h: h.numpy()[1:],
        lambda h: h.numpy().reshape(2, 1),
    ],
    ids=["numpy", "np.mean", "float", "asarray", "a view", "a reshaped view"],
)
def test_what_left_is_recognised_when_it_comes_back(detour):
    x = tf.Variable([1.0, 2.0])
    with tf.GradientTape() as tape:
        tf.constant(detour(x * x))
    assert len(events_of(tape, Returned)) == 1


def test_an_operand_that_left_is_recognised_too():
    x = tf.Variable([1.0, 2.0])
    with tf.GradientTape() as tape:
        x * np.mean(x * x)
    assert len(events_of(tape, Returned)) == 1


def test_another_object_of_equal_value_has_not_come_back():
    x = tf.Variable([1.0, 2.0])
    with tf.GradientTape() as tape:
        (x * x).numpy()
        tf.constant(np.array([1.0, 4.0], np.float32))
    assert events_of(tape, Returned) == []


def test_a_large_array_is_not_kept_alive_by_the_log():
    x = tf.Variable(np.ones(5000, np.float32))
    with tf.GradientTape() as tape:
        array = (x * x).numpy()
        gone = weakref.ref(array)
        del array
        assert gone() is None
    assert how_it_left(tape) == ["numpy()"]


def test_nothing_is_written_down_without_a_tape():
    x = tf.constant([1.0, 2.0])
    x.numpy()
    with tf.GradientTape() as tape:
        pass
    assert how_it_left(tape) == []


def test_a_copied_tensor_is_the_tensor_itself():
    x = tf.constant(1.0)
    assert copy.deepcopy(x) is x


def test_numpy_gives_a_copy_and_asarray_a_read_only_view():
    x = tf.constant([1.0, 2.0])
    x.numpy()[0] = 9.0
    assert x.numpy().tolist() == [1.0, 2.0]
    with pytest.raises(ValueError, match="read-only"):
        np.asarray(x)[0] = 9.0
