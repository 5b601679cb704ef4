"""`tf.print` writes what TensorFlow writes, character by character."""

from __future__ import annotations

import sys

import numpy as np
import pytest

import tapelab as tf


def printed(capsys, *things, **settings):
    tf.print(*things, output_stream=sys.stdout, **settings)
    return capsys.readouterr().out


@pytest.mark.parametrize(
    ("make", "text"),
    [
        (lambda: 6.0, "6.0"),
        (lambda: tf.constant(6.0), "6"),
        (lambda: tf.constant(1 / 3), "0.333333343"),
        (lambda: tf.constant(1 / 3, tf.float64), "0.33333333333333331"),
        (lambda: tf.constant([1e20, 1e-5, 1e5, 123456789.0]), "[1e+20 1e-05 100000 123456792]"),
        (lambda: tf.constant([np.nan, np.inf, -np.inf]), "[nan inf -inf]"),
        (lambda: tf.constant([True, False]), "[1 0]"),
        (lambda: tf.constant(1.5, tf.float16), "1.5"),
        (lambda: tf.constant("a"), '"a"'),
        (lambda: tf.constant(['a\nb"c']), '["a\\nb\\"c"]'),
        (lambda: "a", "a"),
        (lambda: None, "None"),
        (lambda: [1, tf.constant(2)], "[1, 2]"),
        (lambda: (tf.constant(1),), "(1,)"),
        (lambda: {"b": tf.constant([1, 2]), "a": ["x", 1.0]}, "{'a': ['x', 1.0], 'b': [1 2]}"),
        (lambda: tf.Variable([1.0, 2.0]), "[1 2]"),
        (lambda: tf.constant([1 + 2j]), "[?]"),
        (lambda: tf.zeros([0]), "[]"),
        (lambda: tf.zeros([2, 0]), "[\n ...]"),
        (lambda: tf.constant([[1, 2], [3, 4]]), "[[1 2]\n [3 4]]"),
        (lambda: tf.constant([[[1, 2], [3, 4]]]), "[[[1 2]\n  [3 4]]]"),
    ],
)
def test_each_kind_of_thing_has_its_form(capsys, make, text):
    assert printed(capsys, make()) == text + "\n"


def test_long_tensors_are_cut_short_at_both_ends(capsys):
    assert printed(capsys, tf.range(20)) == "[0 1 2 ... 17 18 19]\n"
    assert printed(capsys, tf.range(6)) == "[0 1 2 3 4 5]\n"
    assert printed(capsys, tf.range(20), summarize=1) == "[0 ... 19]\n"
    assert printed(capsys, tf.range(10), summarize=-1) == "[0 1 2 3 4 5 6 7 8 9]\n"
    cube = tf.reshape(tf.range(1000), [10, 10, 10])
    assert printed(capsys, cube, summarize=1) == (
        "[[[0 ... 9]\n  ...\n  [90 ... 99]]\n\n ...\n\n [[900 ... 909]\n  ...\n  [990 ... 999]]]\n"
    )


def test_separator_and_end(capsys):
    assert printed(capsys, "x =", tf.constant(1), sep="|", end="!") == "x =|1!"
    assert printed(capsys) == "\n"


def test_it_writes_to_the_error_stream_or_a_file(capsys, tmp_path):
    tf.print("hello", tf.constant(1))
    assert capsys.readouterr() == ("", "hello 1\n")
    file = tmp_path / "out.txt"
    for number in (1, 2):
        tf.print(tf.constant(number), output_stream=f"file://{file}")
    assert file.read_text(encoding="utf-8") == "1\n2\n"


def test_a_stream_that_is_none_is_refused():
    with pytest.raises(ValueError, match=r"Unsupported output stream, logging level, or file\.7"):
        tf.print("x", output_stream=7)
    with pytest.raises(ValueError, match="Unrecognized keyword arguments"):
        tf.print("x", file=sys.stdout)
