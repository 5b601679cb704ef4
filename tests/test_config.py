"""What is set in tf.config can be read again; what cannot be set says so."""

from __future__ import annotations

import pytest


def test_threads_that_are_set_can_be_read(tf):
    threads = tf.config.threading
    threads.set_inter_op_parallelism_threads(2)
    threads.set_intra_op_parallelism_threads(3)
    after = (
        threads.get_inter_op_parallelism_threads(), threads.get_intra_op_parallelism_threads(),
    )  # fmt: skip
    threads.set_inter_op_parallelism_threads(0)
    threads.set_intra_op_parallelism_threads(0)
    assert after == (2, 3)


def test_a_compiler_that_is_set_can_be_read(tf):
    before = tf.config.optimizer.get_jit()
    tf.config.optimizer.set_jit(True)
    after = tf.config.optimizer.get_jit()
    tf.config.optimizer.set_jit(before)
    assert (before, after) == ("", "autoclustering")


def test_there_is_one_processor_and_it_cannot_be_divided(tf):
    (cpu,) = tf.config.list_physical_devices()
    assert cpu.device_type == "CPU"
    with pytest.raises(RuntimeError, match="cannot be modified"):
        tf.config.set_logical_device_configuration(cpu, [tf.config.LogicalDeviceConfiguration()])


def test_an_unknown_device_is_refused(tf):
    with pytest.raises(ValueError, match="Unrecognized device"):
        tf.config.set_visible_devices(["/physical_device:GPU:7"])
