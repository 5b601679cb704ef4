"""Files, and tensors as bytes."""

from __future__ import annotations

import numpy as np
import pytest


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64", "int8", "int64", "uint16",
                                   "bool", "complex64", "string"])  # fmt: skip
@pytest.mark.parametrize("shape", [(), (3,), (2, 0), (2, 1, 3)])
def test_what_is_serialized_is_parsed_again(tf, dtype, shape):
    numbers = np.arange(np.prod(shape, dtype=int)).reshape(shape)
    x = tf.strings.as_string(numbers) if dtype == "string" else tf.cast(numbers, dtype)
    back = tf.io.parse_tensor(tf.io.serialize_tensor(x), dtype)
    assert back.dtype is x.dtype
    assert back.shape == x.shape
    np.testing.assert_array_equal(back, x)


@pytest.mark.parametrize("rubbish", [b"\x08", b"\x12\x7f", b"\x0d1234", b"\x08\x63"])
def test_other_bytes_are_refused(tf, rubbish):
    with pytest.raises(tf.errors.InvalidArgumentError, match="Could not parse"):
        tf.io.parse_tensor(rubbish, tf.float32)


def test_a_file_is_written_with_its_folders_and_read_back(tf, tmp_path):
    path = tmp_path / "a" / "b.txt"
    assert tf.io.write_file(str(path), "né\n") is None
    assert tf.io.read_file(str(path)).numpy() == "né\n".encode()
    assert tf.io.matching_files(str(tmp_path / "*" / "*.txt")).numpy().tolist() == [
        str(path).encode()
    ]


def test_what_comes_out_of_a_file_has_no_history(tf, tmp_path):
    path = str(tmp_path / "x")
    x = tf.Variable(2.0)
    with tf.GradientTape() as tape:
        tf.io.write_file(path, tf.strings.as_string(x * 3.0))
        y = tf.strings.to_number(tf.io.read_file(path)) * 2.0
    assert y.numpy() == 12
    assert tape.gradient(y, x) is None
