"""Measuring one work of one contender in this process; prints seconds per unit as JSON.

python -m benchmarks.measure CONTENDER WORK
"""

from __future__ import annotations

import gc
import json
import os
import sys
import time
from collections.abc import Callable
from importlib import import_module

from benchmarks.task import Task
from benchmarks.works import BY_NAME

BLOCK = 0.3
"""Seconds that a block of repetitions should take."""


def seconds_per_unit(task: Task, clock: Callable[[], float]) -> float:
    """The smallest of several blocks, so that a busy machine disturbs little."""
    if task.once:
        return _timed(task, clock) / task.units
    _timed(task, clock)
    one = max(_timed(task, clock), 1e-7)
    repetitions = max(1, min(10_000, int(BLOCK / one)))
    gc.collect()
    return min(_block(task, repetitions, clock) for _ in range(3)) / task.units


def _block(task: Task, repetitions: int, clock: Callable[[], float]) -> float:
    return sum(_timed(task, clock) for _ in range(repetitions)) / repetitions


def _timed(task: Task, clock: Callable[[], float]) -> float:
    state = task.prepare()
    started = clock()
    task.run(state)
    return clock() - started


def main(contender: str, work: str) -> None:
    """Measure and print; a contender without this work prints null."""
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    clock = time.perf_counter if BY_NAME[work].wall else time.process_time
    tasks = import_module(f"benchmarks.contenders.{contender}").TASKS
    if work not in tasks:
        print(json.dumps(None))
        return
    made = tasks[work]()
    print(json.dumps(seconds_per_unit(made, clock) if isinstance(made, Task) else made))


if __name__ == "__main__":
    main(*sys.argv[1:])
