"""Elements that come from files."""

import gzip

import pytest


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "a.txt").write_text("one\ntwo\n\nthree", encoding="utf-8")
    (tmp_path / "b.txt").write_text("four\r\n", encoding="utf-8")
    return tmp_path


def test_lines_come_without_their_ends_and_file_by_file(tf, folder):
    names = [str(folder / "a.txt"), str(folder / "b.txt")]
    lines = tf.data.TextLineDataset(names)
    assert list(lines.as_numpy_iterator()) == [b"one", b"two", b"", b"three", b"four"]
    assert repr(lines.element_spec) == "TensorSpec(shape=(), dtype=tf.string, name=None)"


def test_names_that_match_a_pattern_are_listed_in_order_or_shuffled(tf, folder):
    pattern = str(folder / "*.txt")
    expected = [str(folder / name).encode() for name in ("a.txt", "b.txt")]
    plain = tf.data.Dataset.list_files(pattern, shuffle=False)
    assert list(plain.as_numpy_iterator()) == expected
    assert sorted(tf.data.Dataset.list_files(pattern).as_numpy_iterator()) == expected


def test_files_take_turns_when_they_are_interleaved(tf, folder):
    files = tf.data.Dataset.list_files(str(folder / "*.txt"), shuffle=False)
    lines = files.interleave(tf.data.TextLineDataset, cycle_length=2)
    assert list(lines.as_numpy_iterator()) == [b"one", b"four", b"two", b"", b"three"]


def test_a_zipped_file_is_read_as_well(tf, tmp_path):
    path = tmp_path / "a.gz"
    path.write_bytes(gzip.compress(b"one\ntwo\n"))
    lines = tf.data.TextLineDataset(str(path), compression_type="GZIP")
    assert list(lines.as_numpy_iterator()) == [b"one", b"two"]


def test_a_file_that_is_not_there_is_named(tf, tmp_path):
    missing = str(tmp_path / "none.txt")
    with pytest.raises(tf.errors.NotFoundError, match="No such file or directory"):
        list(tf.data.TextLineDataset(missing))
    with pytest.raises(tf.errors.InvalidArgumentError, match="No files matched pattern"):
        tf.data.Dataset.list_files(missing)
