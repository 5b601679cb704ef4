"""A gradient that is lost in a Dataset is explained by the Dataset."""

import tapelab as tf
from tapelab.recording import events


def test_a_gradient_lost_in_a_dataset_is_explained_by_its_state():
    x = tf.Variable([1.0, 2.0])
    with tf.GradientTape() as tape:
        dataset = tf.data.Dataset.from_tensor_slices(x * 2.0).batch(2)
        total = 0.0
        for element in dataset:
            total += tf.reduce_sum(element * element)
    assert tape.gradient(total, x) is None
    explanation = tf.explain(tape, total, x)
    assert not explanation.connected
    finding = explanation.findings[0]
    assert finding.code == "STATE_READ"
    assert "Dataset" in finding.message

    assert finding.where.text == "dataset"


def test_data_that_come_from_a_dataset_raise_no_alarm():
    w = tf.Variable(2.0)
    with tf.GradientTape() as tape:
        total = tf.add_n([w * x for x in tf.data.Dataset.from_tensor_slices([1.0, 3.0])])
    assert tf.explain(tape, total, w).findings == ()


def test_the_ops_of_a_map_are_not_on_the_tape_outside():
    x = tf.constant(3.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = next(iter(tf.data.Dataset.from_tensors(2.0).map(lambda e: e * x)))
    assert float(y) == 6.0
    recording = tape.recording(y, x)
    ran = [place.event for place in recording.located if isinstance(place.event, events.Ran)]
    products = [each for each in ran if recording.ops[each.op].name == "multiply"]
    assert products
    assert all(each.cause != events.Cause.TAPED for each in products)
    assert tape.gradient(y, x) is None


def test_a_tape_inside_a_map_records_there():
    def derivative(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = x * x
        return tape.gradient(y, x)

    derivatives = tf.data.Dataset.from_tensor_slices([1.0, 4.0]).map(derivative)
    assert [float(s) for s in derivatives] == [2.0, 8.0]
