from __future__ import annotations

import errno
import os

import pytest

import tapelab as tf
from tapelab.errors import RecordingError
from tapelab.recording import atomic_write, compression, from_bytes, to_bytes
from tests.fixtures.record import FOLDER


@pytest.fixture(scope="module")
def recording():
    return tf.Recording.load(FOLDER / "scene_a.tape")


@pytest.fixture(scope="module")
def long():
    x = tf.Variable(1.0)
    with tf.GradientTape() as tape:
        y = x
        for _ in range(1000):
            y = y * 1.0
    return tape.recording(y, x)


def test_what_was_saved_is_loaded(recording, tmp_path):
    assert tf.Recording.load(recording.save(tmp_path / "a.tape")) == recording


@pytest.mark.parametrize("name", ["a", "a.b", "run.1"])
def test_a_name_without_the_ending_gets_it(recording, tmp_path, name):
    assert recording.save(tmp_path / name) == tmp_path / f"{name}.tape"
    assert (tmp_path / f"{name}.tape").is_file()


def test_a_short_recording_is_kept_as_it_is_and_a_long_one_in_a_tenth_of_the_room(
    recording, long, tmp_path
):
    assert recording.save(tmp_path / "short.tape").read_bytes().startswith(b"TAPELAB\0")
    file = long.save(tmp_path / "long.tape")
    assert file.stat().st_size < sum(each.nbytes for each in long.columns.values()) / 10
    assert tf.Recording.load(file) == long


@pytest.mark.parametrize("spoil", [lambda data: data[:-9], lambda data: data[:40] + data[80:]])
def test_a_packed_file_that_is_damaged_is_named_and_refused(long, tmp_path, spoil):
    file = tmp_path / "long.tape"
    file.write_bytes(spoil(compression.pack(to_bytes(long))))
    with pytest.raises(RecordingError, match=r"long\.tape: This recording is .*damaged"):
        tf.Recording.load(file)


def test_packed_bytes_of_anything_else_are_no_recording():
    with pytest.raises(RecordingError, match="not a recording"):
        from_bytes(compression.pack(b"something else, in words"))


def test_a_write_that_fails_leaves_the_old_file_and_nothing_beside_it(
    recording, tmp_path, monkeypatch
):
    file = recording.save(tmp_path / "a.tape")
    before = file.read_bytes()

    def full(self, target):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(atomic_write.Path, "replace", full)
    with pytest.raises(OSError, match="No space left"):
        atomic_write.write(file, b"half")
    assert file.read_bytes() == before
    assert list(tmp_path.iterdir()) == [file]


def test_a_file_that_is_replaced_stays_as_private_as_it_was(tmp_path):
    file = tmp_path / "a"
    file.write_bytes(b"old")
    file.chmod(0o600)
    atomic_write.write(file, b"new")
    assert (file.read_bytes(), file.stat().st_mode & 0o777) == (b"new", 0o600)


def test_what_must_not_be_written_is_kept(tmp_path, monkeypatch):
    file = tmp_path / "a"
    file.write_bytes(b"old")
    monkeypatch.setattr(atomic_write.os, "access", lambda *_: False)  # root may write everything
    with pytest.raises(PermissionError, match="Permission denied"):
        atomic_write.write(file, b"new")
    assert file.read_bytes() == b"old"


def test_a_link_is_followed(tmp_path):
    (tmp_path / "there").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "there" / "a")
    atomic_write.write(tmp_path / "link", b"new")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "there" / "a").read_bytes() == b"new"


def test_a_folder_is_no_file(tmp_path):
    with pytest.raises(IsADirectoryError):
        atomic_write.write(tmp_path, b"new")
