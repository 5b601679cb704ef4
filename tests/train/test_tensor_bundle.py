"""The files of a checkpoint: tensors by name, with checksums."""

import numpy as np
import pytest

import tapelab as tf
from tapelab.io.crc32c import crc32c
from tapelab.train.sorted_table import read_table, write_table
from tapelab.train.tensor_bundle import CheckpointReader, write_bundle


def test_the_checksum_is_crc_32c_for_every_length():
    assert crc32c(b"123456789") == 0xE3069283
    data = np.random.default_rng(0).integers(0, 256, 70_001, np.uint8).tobytes()
    for size in (0, 1, 511, 512, 513, 1000, 4096, 70_001):
        piecewise = 0
        for start in range(0, size, 300):
            piecewise = crc32c(data[start : min(start + 300, size)], piecewise)
        assert crc32c(data[:size]) == piecewise


@pytest.mark.parametrize("count", [0, 1, 16, 17, 5000])
def test_a_table_has_the_entries_that_were_written(count):
    entries = {f"layer/{number}/kernel".encode(): bytes(number % 200) for number in range(count)}
    assert read_table(write_table(entries)) == entries


def test_tensors_of_every_dtype_are_read_as_they_were_written(tmp_path):
    texts = np.empty((2, 1), dtype=object)
    texts[:, 0] = [b"", b"x" * 300]
    arrays = {
        "bool": (tf.bool, np.array([True, False])),
        "bfloat16": (tf.bfloat16, np.ones((2, 2), tf.bfloat16.as_numpy_dtype)),
        "complex": (tf.complex64, np.array(1 + 2j, np.complex64)),
        "empty": (tf.float32, np.zeros((0, 3), np.float32)),
        "long": (tf.int64, np.arange(100_000)),
        "texts": (tf.string, texts),
    }
    write_bundle(str(tmp_path / "b"), arrays)
    reader = CheckpointReader(str(tmp_path / "b"))
    assert reader.get_variable_to_dtype_map() == {name: each[0] for name, each in arrays.items()}
    for name, (_, array) in arrays.items():
        np.testing.assert_array_equal(reader.get_tensor(name), array)
        assert reader.get_tensor(name).dtype == array.dtype
