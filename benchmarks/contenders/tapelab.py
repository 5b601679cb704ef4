"""tapelab in eager mode."""

import tapelab as tf
from benchmarks.contenders.tape_style import tasks

TASKS = tasks(tf, compiled=False)
