"""tensorflow in eager mode."""

import tensorflow as tf

from benchmarks.contenders.tape_style import tasks

TASKS = tasks(tf, compiled=False)
