"""What the numbers of small and large tensors come to, in memory and from bytes."""

import math

import numpy as np
import pytest

import tapelab as tf
from tapelab.recording import from_bytes, to_bytes
from tapelab.recording.measures import Measure, measured


def recorded(size, value=2.0):
    x = tf.Variable(np.full(size, value, np.float32))
    with tf.GradientTape(persistent=True) as tape:
        y = tf.reduce_sum(x * 3.0)
    return tape.recording(y, x)


def measures_of(recording, shape):
    tensors = [i for i in range(len(recording.columns["tensor.role"]))
               if recording.tensor(i).shape == shape]  # fmt: skip
    return {recording.measures.of(each) for each in tensors if recording.measures.known[each]}


def test_an_array_comes_to_its_ends_its_zeros_and_its_mean_distance_from_0():
    array = np.array([[0.0, -2.0], [4.0, 0.0]], np.float32)
    assert measured(array) == Measure(0.0, 0.0, 2.0, -2.0, 4.0, 1.5, 0.5, math.sqrt(20))


def test_what_is_not_finite_is_counted_and_left_out_of_the_rest():
    array = np.array([np.nan, np.inf, -np.inf, 3.0, -1.0])
    norm = pytest.approx(math.sqrt(10))
    assert measured(array) == Measure(1.0, 2.0, 0.0, -1.0, 3.0, 2.0, 1.0, norm)


def test_nothing_finite_comes_to_zero():
    assert measured(np.array([np.nan])) == Measure(1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)


def test_text_is_not_measured():
    assert measured(np.array(["a"], object)) is None


@pytest.mark.parametrize("size", [3, 300])
def test_small_and_large_tensors_are_measured_alike(size):
    measures, norm = measures_of(recorded(size), (size,)), math.sqrt(size)
    assert measures == {
        Measure(0.0, 0.0, 0.0, 2.0, 2.0, 2.0, 2.0, 2.0 * norm),  # x
        Measure(0.0, 0.0, 0.0, 6.0, 6.0, 6.0, 6.0, 6.0 * norm),  # 3 x
        Measure(0.0, 0.0, 0.0, 1.0, 1.0, 1.0, 1.0, norm),  # the gradient of the sum
        Measure(0.0, 0.0, 0.0, 3.0, 3.0, 3.0, 3.0, 3.0 * norm),  # and that of x
    }


def test_the_numbers_of_large_tensors_themselves_are_not_kept():
    recording = recorded(300)
    large = [recording.tensor(at) for at in recording.columns["measure.tensor"].tolist()]
    assert large
    assert all(each.value is None and each.shape == (300,) for each in large)


def test_a_recording_without_large_tensors_has_no_columns_for_them():
    assert not [name for name in recorded(3).columns if name.startswith("measure")]


def test_measures_survive_the_way_through_bytes():
    recording = recorded(300, np.nan)
    again = from_bytes(to_bytes(recording))
    assert again == recording
    assert measures_of(again, (300,)) == measures_of(recording, (300,))
    assert again.measures.nonfinite.any()


def test_a_complex_number_counts_as_two():
    x = tf.constant([1.0 + 2.0j, 0.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * x
    recording = tape.recording(y, x)
    measure = Measure(0.0, 0.0, 2.0, 0.0, 2.0, 0.75, 0.75, pytest.approx(math.sqrt(5)))
    assert measure in [*measures_of(recording, (2,))]


def test_the_norm_of_numbers_whose_squares_overflow_is_finite():
    for huge in (np.float64(3e200), np.float32(3e30)):
        array = np.array([huge, -huge * 4 / 3], type(huge))
        assert measured(array).norm == pytest.approx(float(huge) * 5 / 3, rel=1e-6)
        with_nan = np.append(array, [np.nan]).astype(type(huge))
        assert measured(with_nan).norm == pytest.approx(float(huge) * 5 / 3, rel=1e-6)


def test_measuring_ends_with_the_question():
    x = tf.Variable(np.ones(300, np.float32))
    with tf.GradientTape(persistent=True) as tape:
        y = tf.reduce_sum(x * x)
    tape.recording(y, x)
    tape.gradient(y, x)
    results = tape._gradient_calls[-1].results
    assert [each.measure for each in results] == [None]
