from __future__ import annotations

from dataclasses import replace

import numpy as np

import tapelab as tf
from tapelab.views.memory_profile import bytes_of, memory_of
from tapelab.views.timeline import Model


def test_every_tensor_on_the_tape_counts_once(golden):
    memory = memory_of(Model.of(golden("scene_a")))
    assert memory.tape[:6] == (0, 0, 0, 12, 16, 20)


def test_a_gradient_is_let_go_when_the_op_of_its_value_is_passed(golden):
    memory = memory_of(Model.of(golden("scene_a")))
    assert memory.gradients[6:] == (4, 4, 4, 8, 8, 8)


def test_the_peak_is_where_tape_and_gradients_are_most_together(golden):
    memory = memory_of(Model.of(golden("matmul")))
    assert memory.peak == 124 + 24


def test_the_way_back_lets_go_of_each_op_that_it_has_passed(golden):
    memory = memory_of(Model.of(golden("scene_a")))
    assert memory.held[6:] == (5, 5, 4, 3, 3, 0)
    assert memory.tape[6:] == (20, 20, 16, 12, 12, 0)


def test_a_persistent_tape_lets_go_of_nothing_on_the_way_back(golden):
    memory = memory_of(Model.of(golden("persistent")))
    assert len({*memory.tape[len(memory.tape) // 2 :]}) == 1


def test_views_of_one_buffer_are_held_once():
    x = tf.Variable(np.ones((4, 6), np.float32))
    with tf.GradientTape() as tape:
        turned = tf.transpose(tf.reshape(x, [6, 4]))
        y = turned[1:] * 2.0
    recording = tape.recording(y, x)
    assert memory_of(Model.of(recording)).tape[-2] < max(memory_of(Model.of(recording)).tape)
    assert max(memory_of(Model.of(recording)).tape) == x.numpy().nbytes + 4 + y.numpy().nbytes
    assert recording.columns["share.bytes"].max() == x.numpy().nbytes


def test_gradients_that_are_views_of_one_buffer_are_held_once():
    x, v = tf.Variable(np.ones((40, 60), np.float32)), tf.Variable(np.ones((60, 40), np.float32))
    with tf.GradientTape() as tape:
        y = tf.reshape(x, [2400]) + tf.reshape(v, [2400])
        z = tf.reduce_sum(tf.square(y))
    memory = memory_of(Model.of(tape.recording(z, [x, v])))
    assert memory.gradients[-1] == x.numpy().nbytes


def test_a_gradient_that_is_one_number_spread_out_takes_the_room_of_one():
    x = tf.Variable(np.ones((40, 60), np.float32))
    with tf.GradientTape() as tape:
        z = tf.reduce_sum(x)
    assert max(memory_of(Model.of(tape.recording(z, x))).gradients) < x.numpy().nbytes


def test_a_jacobian_keeps_every_row():
    w = tf.Variable(np.ones((20, 30), np.float32))
    with tf.GradientTape() as tape:
        y = tf.reduce_sum(tf.ones([3, 20]) @ w, axis=1)
    rows = tape.jacobian(y, w).numpy()
    assert memory_of(Model.of(tape.recording())).gradients[-1] == rows.nbytes == 7200


def test_a_jacobian_keeps_small_rows_beside_each_other(golden):
    assert memory_of(Model.of(golden("jacobian"))).gradients[-1] == 2 * 2 * 4


def test_a_large_sparse_gradient_takes_the_room_of_its_rows():
    table = tf.Variable(np.ones((1000, 8), np.float32))
    with tf.GradientTape() as tape:
        picked = tf.reduce_sum(tf.gather(table, [1, 2, 3]) * 2.0)
    found = tape.gradient(picked, table)
    held = found.values.numpy().nbytes + found.indices.numpy().nbytes
    assert memory_of(Model.of(tape.recording())).gradients[-1] == held < 200


def test_a_recording_without_buffers_counts_each_tensor():
    x = tf.Variable(np.ones((4, 6), np.float32))
    with tf.GradientTape() as tape:
        y = tf.reshape(x, [6, 4])
    recording = tape.recording(y, x)
    columns = {name: each for name, each in recording.columns.items() if "share" not in name}
    assert max(memory_of(Model.of(recording)).tape) == 96
    assert max(memory_of(Model.of(replace(recording, columns=columns))).tape) == 192


def test_a_tape_lets_go_when_it_has_answered_and_a_persistent_one_does_not(golden):
    assert memory_of(Model.of(golden("matmul"))).freed == 128
    assert memory_of(Model.of(golden("persistent"))).freed == 0
    assert memory_of(Model.of(golden("empty"))).freed == 0


def test_bytes_are_those_of_the_array():
    x = tf.Variable(np.ones((3, 5), np.float64))
    with tf.GradientTape() as tape:
        y = x * 2.0
    recording = tape.recording(y)
    last = recording.columns["tensor.role"].tolist().index(0)
    assert bytes_of(recording, last) == y.numpy().nbytes == 120


def test_words_take_no_bytes_here():
    with tf.GradientTape() as tape:
        tape.watch(tf.constant(1.0))
        words = tf.constant(["a", "b"])
        joined = tf.strings.join([words, words])
    recording = tape.recording()
    assert joined.shape == (2,)
    assert all(
        bytes_of(recording, at) in (0, 4) for at in range(len(recording.columns["tensor.role"]))
    )
