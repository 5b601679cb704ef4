"""Measuring the works of one contender in this process, one after the other as they are asked for.

python -m benchmarks.measure CONTENDER: the first line written says that the contender is imported;
each line read is a work, each further line seconds per unit as JSON, or null where there is no such
work.
"""

from __future__ import annotations

import gc
import json
import os
import sys
import time
from collections.abc import Callable
from importlib import import_module
from typing import Final

from benchmarks.task import Task
from benchmarks.works import BY_NAME

BLOCK: Final = 0.1
"""Seconds that a block of repetitions should take."""
BLOCKS: Final = 5


def seconds_per_unit(task: Task, clock: Callable[[], float]) -> float:
    """The smallest of several blocks, so that a busy machine disturbs little."""
    if task.once:
        return _timed(task, clock) / task.units
    _timed(task, clock)
    one = max(_timed(task, clock), 1e-7)
    repetitions = max(1, min(10_000, int(BLOCK / one)))
    gc.collect()
    return min(_block(task, repetitions, clock) for _ in range(BLOCKS)) / task.units


def _block(task: Task, repetitions: int, clock: Callable[[], float]) -> float:
    return sum(_timed(task, clock) for _ in range(repetitions)) / repetitions


def _timed(task: Task, clock: Callable[[], float]) -> float:
    state = task.prepare()
    started = clock()
    task.run(state)
    return clock() - started


def measured(tasks: dict[str, Callable[[], object]], name: str) -> object:
    """What a task gives: seconds per unit, or what it measured itself."""
    if name not in tasks:
        return None
    made = tasks[name]()
    work = BY_NAME.get(name)
    clock = time.perf_counter if work and work.wall else time.process_time
    return seconds_per_unit(made, clock) if isinstance(made, Task) else made


def main(contender: str) -> None:
    """Answer each line with a line."""
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # whatever a contender prints is no answer
    tasks = import_module(f"benchmarks.contenders.{contender}").TASKS
    print(json.dumps("ready"), file=answers, flush=True)
    for line in sys.stdin:
        print(json.dumps(measured(tasks, line.strip())), file=answers, flush=True)
        gc.collect()


if __name__ == "__main__":
    main(*sys.argv[1:])
