"""A traced function is pickled as what it was made of."""

from __future__ import annotations

import copy
import pickle

import tapelab as tf


def double(x):
    """Twice the argument."""
    return x * 2


def test_a_copy_of_a_traced_function_computes_the_same_and_begins_without_traces():
    spec = [tf.TensorSpec([None], tf.float32)]
    original = tf.function(double, input_signature=spec, reduce_retracing=True)
    original(tf.constant([1.0]))
    for copied in (pickle.loads(pickle.dumps(original)), copy.deepcopy(original)):
        assert copied.input_signature == original.input_signature
        assert copied.name == original.name
        assert copied.experimental_get_tracing_count() == 0
        assert copied(tf.constant([1.0, 2.0])).numpy().tolist() == [2.0, 4.0]
