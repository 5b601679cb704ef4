"""tensorflow compiled by tf.function through XLA, where it takes it."""

from functools import partial

import tensorflow as tf

from benchmarks.contenders.tape_style import steps

TASKS = steps(tf, partial(tf.function, jit_compile=True))
