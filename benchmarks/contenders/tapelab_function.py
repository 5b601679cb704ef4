"""tapelab compiled by tf.function."""

import tapelab as tf
from benchmarks.contenders.tape_style import tasks

TASKS = tasks(tf, compiled=True)
