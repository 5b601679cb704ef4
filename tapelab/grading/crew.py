"""Grading in several processes of this computer; one that dies costs nobody a point."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from multiprocessing.connection import Connection, wait
from multiprocessing.context import SpawnProcess
from typing import Final

from tapelab.grading.task import Done, Task, Work

TRIES: Final = 2
"""How often a task is begun that takes its process with it."""
_SPAWN: Final = multiprocessing.get_context("spawn")


def one_by_one(tasks: Iterable[Task], work: Work) -> Iterator[Done]:
    """Grade here, one after the other."""
    return map(work, tasks)


def in_processes(tasks: Iterable[Task], work: Work, jobs: int) -> Iterator[Done]:
    """Grade in `jobs` processes at once, in the order in which they are done.

    Tasks are taken as processes become free, so that few are in memory. Leaving ends all processes.
    """
    waiting = _Queue(iter(tasks))
    crew: list[_Member] = []
    try:
        while True:
            while len(crew) < jobs and (begun := waiting.next()) is not None:
                crew.append(_Member.started(work, begun))
            if not crew:
                return
            for member in _ready(crew):
                done, again = member.outcome()
                if again is not None:
                    waiting.put_back(again)
                if done is not None:
                    yield done
                following = waiting.next() if member.lives else None
                if following is not None:
                    member.begin(following)
                else:
                    member.end()
                    crew.remove(member)
    finally:
        for member in crew:
            member.end()


@dataclass
class _Begun:
    """A task, and how often a process has taken it."""

    task: Task
    tries: int = 0


@dataclass
class _Queue:
    """The tasks that nobody has: those whose process died, then the further ones."""

    tasks: Iterator[Task]
    again: deque[_Begun] = field(default_factory=deque)

    def next(self) -> _Begun | None:
        if self.again:
            return self.again.popleft()
        task = next(self.tasks, None)
        return _Begun(task) if task is not None else None

    def put_back(self, begun: _Begun) -> None:
        self.again.append(begun)


@dataclass
class _Member:
    """A process and what it works on."""

    process: SpawnProcess
    pipe: Connection[Task, Done]
    begun: _Begun
    lives: bool = True

    @classmethod
    def started(cls, work: Work, begun: _Begun) -> _Member:
        pipe, its_end = _SPAWN.Pipe()
        process = _SPAWN.Process(target=_serve, args=(its_end, work), daemon=False)
        process.start()
        its_end.close()
        member = cls(process, pipe, begun)
        member.begin(begun)
        return member

    def begin(self, begun: _Begun) -> None:
        self.begun = _Begun(begun.task, begun.tries + 1)
        try:
            self.pipe.send(begun.task)
        except OSError:
            self.lives = False  # it died between two tasks; its pipe says so, too

    def outcome(self) -> tuple[Done | None, _Begun | None]:
        """What came of the task, or the task to be tried again."""
        try:
            return self.pipe.recv(), None
        except (EOFError, OSError):
            self.lives = False
            self.process.join()
        if self.begun.tries < TRIES:
            return None, self.begun
        ended = _ending(self.process.exitcode or 0)
        return Done(self.begun.task, None, f"The process that graded it {ended}, twice."), None

    def end(self) -> None:
        self.pipe.close()
        self.process.terminate()
        self.process.join()
        self.process.close()


def _ready(crew: list[_Member]) -> list[_Member]:
    pipes = wait([member.pipe for member in crew])
    return [member for member in crew if member.pipe in pipes]


def _ending(code: int) -> str:
    return f"was ended by {signal.Signals(-code).name}" if code < 0 else f"ended with {code}"


def _serve(pipe: Connection[Done, Task], work: Work) -> None:
    """Grade what comes through the pipe, until it is closed or the parent is gone."""
    # Ctrl+C reaches all processes of a terminal; the parent ends this one when it is time. Not
    # SIG_IGN: what is started from here would inherit it.
    signal.signal(signal.SIGINT, lambda number, frame: None)
    threading.Thread(target=_end_with_parent, daemon=True).start()
    while True:
        try:
            task = pipe.recv()
        except (EOFError, OSError):
            return
        pipe.send(work(task))


def _end_with_parent() -> None:
    """Whoever kills the parent leaves no process behind."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)
