"""What `tf.print` writes of ragged tensors; seen on TensorFlow 2.21."""

from __future__ import annotations

import sys

import pytest


def rows(tf):
    return tf.ragged.range([10] * 8)


WRITTEN = {
    "truths": (lambda tf: tf.ragged.constant([[True, False], []]), "[[true, false], []]"),
    "floats": (
        lambda tf: tf.ragged.constant([[1.5], [1e10, 1 / 3]]),
        "[[1.500000], [10000000000.000000, 0.333333]]",
    ),
    "texts": (lambda tf: tf.ragged.constant([["it's", "so"]]), "[['it\\'s', 'so']]"),
    "complex numbers": (lambda tf: tf.ragged.constant([[1 + 2j]]), "[[(1.000000,2.000000)]]"),
    "rows of rows": (lambda tf: tf.ragged.constant([[[1, 2], [3]], []]), "[[[1, 2], [3]], []]"),
    "vectors in rows": (
        lambda tf: tf.ragged.constant([[[1, 2], [3, 4]], [[5, 6]]], ragged_rank=1),
        "[[[1, 2], [3, 4]], [[5, 6]]]",
    ),
    "a list of them": (lambda tf: [tf.ragged.constant([[1], []])], "[[[1], []]]"),
    "a dict of them": (lambda tf: {"a": tf.ragged.constant([[1], []])}, "{'a': [[1], []]}"),
}


@pytest.mark.parametrize("name", WRITTEN)
def test_rows_are_written(tf, capsys, name):
    build, text = WRITTEN[name]
    tf.print(build(tf), output_stream=sys.stdout)
    assert capsys.readouterr().out == f"{text}\n"


def test_long_rows_and_many_rows_are_cut_short(tf, capsys):
    tf.print(rows(tf), output_stream=sys.stdout)
    row = "[0, 1, 2, ..., 7, 8, 9]"
    three = ", ".join([row] * 3)
    assert capsys.readouterr().out == f"[{three}, ..., {three}]\n"


def test_summarize_says_how_much_is_written(tf, capsys):
    tf.print(rows(tf), summarize=1, output_stream=sys.stdout)
    assert capsys.readouterr().out == "[[0, ..., 9], ..., [0, ..., 9]]\n"
    tf.print(rows(tf), summarize=-1, output_stream=sys.stdout)
    assert capsys.readouterr().out.count("5") == 8
