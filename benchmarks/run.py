"""Run every work with every contender, interleaved, and write the table: python -m benchmarks.run.

Each contender is a process of its own on one thread, a new one in each round. They take turns work
by work, and the order changes from round to round. What needs a process in which nothing ran before
gets one. What is not installed is left out by name.
"""

from __future__ import annotations

import argparse
import importlib.util
import sys
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any, Final

from benchmarks.names import CONTENDERS, OURS
from benchmarks.processes import FailedError, Process
from benchmarks.progress import Progress
from benchmarks.report import write
from benchmarks.results import LONG, Results, earlier
from benchmarks.works import WORKS, Work

HERE: Final = Path(__file__).parent / "results"
Turn = tuple[int, str, str]
"""The number of the round, a task and a contender."""


class Rounds:
    """What was measured so far, and the processes of the round that is on."""

    def __init__(self, results: Results) -> None:
        self.results = results
        self._running: dict[str, Process] = {}
        self._round = -1
        self._long: set[tuple[str, str]] = set()

    def take(self, turn: Turn) -> None:
        """One contender does one task, unless it took it long before."""
        number, task, name = turn
        if number != self._round:
            self.close()
            self._round = number
        if (task, name) in self._long:
            return
        try:
            self._keep(task, name, self._measure(task, name))
        except FailedError as error:
            self._failed(task, name, str(error))

    def close(self) -> None:
        """End all processes."""
        while self._running:
            self._running.popitem()[1].close()

    def _measure(self, task: str, name: str) -> Any:
        if any(work.fresh for work in _of(task)):
            with Process(name) as alone:
                return self._timed(alone, task, name)
        if name not in self._running:
            self._running[name] = Process(name)
        return self._timed(self._running[name], task, name)

    def _timed(self, process: Process, task: str, name: str) -> Any:
        begun = time.perf_counter()
        found = process.ask(task)
        if time.perf_counter() - begun > LONG and name not in OURS:
            self._long.add((task, name))
        return found

    def _keep(self, task: str, name: str, found: Any) -> None:
        if found is None:
            return
        several = found if isinstance(found, dict) else {task: found}
        for work, seconds in several.items():
            if work in self.results.measured:
                self.results.measured[work][name].append(seconds)

    def _failed(self, task: str, name: str, why: str) -> None:
        self._long.add((task, name))
        self.results.failed[f"{name} at {task}"] = why
        if name in self._running:
            self._running.pop(name).close()


def main(arguments: list[str] | None = None) -> None:
    """Measure what is asked for, and write Markdown, JSON and a plot."""
    options = _parser().parse_args(arguments)
    here = [each.name for each in CONTENDERS if importlib.util.find_spec(each.needs)]
    absent = [each.name for each in CONTENDERS if each.name not in here]
    chosen = [name for name in here if name in (options.contenders or here)]
    works = [work for work in WORKS if not options.works or work.name in options.works]
    folder = options.output or HERE / ("reference" if options.reference else "latest")
    results = earlier(folder) if options.add else Results()
    results.expect([work.name for work in works], chosen, absent)
    turns = list(_turns(options.rounds, works, chosen))
    with Progress(len(turns), sys.stderr) as progress, closing(Rounds(results)) as rounds:
        for turn in turns:
            progress.announce(*turn)
            rounds.take(turn)
    write(folder, results)


def _of(task: str) -> list[Work]:
    """The works whose numbers a task gives."""
    return [work for work in WORKS if task in {work.task, work.name}]


def _turns(rounds: int, works: list[Work], names: list[str]) -> Iterator[Turn]:
    tasks = list(dict.fromkeys(work.task or work.name for work in works))
    for number in range(rounds):
        for task in tasks:
            shift = number % len(names)
            for name in names[shift:] + names[:shift]:
                yield number, task, name


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0])
    parser.add_argument("works", nargs="*", help="works; all by default")
    parser.add_argument(
        "--contenders", nargs="+", choices=[each.name for each in CONTENDERS], help="only these"
    )
    parser.add_argument("--rounds", type=int, default=3, help="how often each is measured")
    parser.add_argument("--output", type=Path, help="a folder for the results")
    parser.add_argument("--reference", action="store_true",
                        help="write the results that are committed")  # fmt: skip
    parser.add_argument("--add", action="store_true",
                        help="add the rounds to those of the run before")  # fmt: skip
    return parser


if __name__ == "__main__":
    main()
