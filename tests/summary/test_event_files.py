"""Files for TensorBoard: what a training writes is in them, number by number."""

import gc

import numpy as np
import pytest

import tapelab as tf
from tapelab.io.protobuf import message
from tapelab.io.serialized import unpack


def points(folder):
    """The step, the name and the number of each event, after the version of the file."""
    (file,) = folder.glob("events.out.tfevents.*")
    events = [message(each.numpy()) for each in tf.data.TFRecordDataset(str(file))]
    assert events[0][3] == [b"brain.Event:2"]
    rows = []
    for event in events[1:]:
        value = message(message(event[5][0])[1][0])
        assert value[9] == [b"\n\t\n\x07scalars \x01"]
        rows.append((event[2][0], value[1][0].decode(), float(unpack(value[8][0])[1])))
    return rows


def test_numbers_are_written_with_their_steps(tmp_path):
    writer = tf.summary.create_file_writer(tmp_path / "new")
    tf.summary.scalar("lost", 1.0, step=1)
    with writer.as_default():
        tf.summary.scalar("loss", tf.constant(0.5), step=3)
        with tf.name_scope("eval"):
            tf.summary.scalar("loss", np.float64(0.25), step=tf.Variable(4, dtype=tf.int64))
        with pytest.raises(ValueError, match="No step set"):
            tf.summary.scalar("loss", 1.0)
        with pytest.raises(ValueError, match="takes a scalar"):
            tf.summary.scalar("loss", [1.0], step=1)
    with writer.as_default(step=7):
        tf.summary.scalar("accuracy", 1)
    writer.close()
    assert points(tmp_path / "new") == [
        (3, "loss", 0.5), (4, "eval/loss", 0.25), (7, "accuracy", 1.0),
    ]  # fmt: skip


def test_a_writer_that_is_gone_has_closed_its_file(tmp_path):
    writer = tf.summary.create_file_writer(tmp_path)
    records = writer._records
    writer.own_cycle = writer
    del writer
    gc.collect()
    with pytest.raises(ValueError, match="closed"):
        records.write(b"late")


def test_a_traced_function_writes_each_time_it_runs(tmp_path):
    writer = tf.summary.create_file_writer(tmp_path)

    @tf.function
    def step(x, at):
        with writer.as_default():
            tf.summary.scalar("x", x * 2.0, step=at)

    for number in range(3):
        step(tf.constant(float(number)), tf.constant(number, tf.int64))
    writer.flush()
    assert [(at, value) for at, _, value in points(tmp_path) if at] == [(1, 2.0), (2, 4.0)]
