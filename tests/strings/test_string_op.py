"""Text in tensors: what TensorFlow's goldens do not say."""

from __future__ import annotations

import numpy as np
import pytest


def test_numbers_are_refused_with_a_way_to_write_them(tf):
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"tf\.strings\.as_string"):
        tf.strings.upper(tf.constant(1.5))


def test_no_gradient_passes_and_explain_says_where(tf):
    x = tf.Variable(2.0)
    with tf.GradientTape() as tape:
        text = tf.strings.as_string(x * 3.0)
        y = tf.strings.to_number(text) * 2.0
    assert tape.gradient(y, x) is None
    first = tf.explain(tape, y, x).findings[0]
    assert first.where.text == "tf.strings.as_string(x * 3.0)"
    assert "constant" in first.message


def test_a_variable_of_text_can_be_read_and_assigned(tf):
    name = tf.Variable("ada")
    name.assign(tf.strings.upper(name))
    assert name.numpy() == b"ADA"


def test_a_single_text_stays_a_tensor_through_any_op(tf):
    row = tf.constant(["a", "b"])
    for one in (row[0], tf.gather(row, 0), tf.reshape(["a"], []), row[0] + "", tf.squeeze(row[:1])):
        assert one.shape == ()
        assert one.dtype is tf.string
        assert one.numpy() == b"a"


def test_as_string_and_back_keeps_shortest_numbers(tf):
    numbers = np.array([0.5, -1.25e-8, 3e20], np.float32)
    written = tf.strings.as_string(numbers, shortest=True)
    np.testing.assert_allclose(tf.strings.to_number(written), numbers, rtol=1e-5)


def test_ragged_texts_go_through_in_their_rows(tf):
    rows = tf.ragged.constant([["a b", "c"], ["d e f"]])
    assert tf.strings.split(rows).to_list() == [[[b"a", b"b"], [b"c"]], [[b"d", b"e", b"f"]]]
    assert tf.strings.join([rows, "!"]).to_list() == [[b"a b!", b"c!"], [b"d e f!"]]
    assert tf.strings.reduce_join(rows, axis=1, separator="+").numpy().tolist() == [
        b"a b+c",
        b"d e f",
    ]


def test_bags_of_words_by_hash_train_as_in_a_course(tf):
    texts = ["good fun", "dull and long", "good plot", "long dull end"]
    labels = tf.constant([[1.0], [0.0], [1.0], [0.0]])
    words = tf.strings.split(tf.strings.lower(texts))
    buckets = tf.strings.to_hash_bucket_fast(words, 16)
    bags = tf.reduce_max(tf.one_hot(buckets.to_tensor(), 16), axis=1)
    weights = tf.Variable(tf.zeros([16, 1]))
    losses = []
    for _ in range(20):
        with tf.GradientTape() as tape:
            scores = bags @ weights
            loss = tf.reduce_mean(tf.nn.sigmoid_cross_entropy_with_logits(labels, scores))
        weights.assign_sub(tape.gradient(loss, weights))
        losses.append(loss.numpy())
    assert losses[-1] < losses[0] / 2


def test_tf_strings_says_what_it_does_not_have(tf):
    with pytest.raises(AttributeError, match="'shout'"):
        _ = tf.strings.shout
    assert "split" in dir(tf.strings)
