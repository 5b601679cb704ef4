"""Hears every gradient call while the panel is looked at, in the thread that asks.

What is done there takes a microsecond or two: the call is written down, and measured later by the
thread that tells the panel.
"""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any, Final
from weakref import ref

from tapelab.core.gradient_call import observers
from tapelab.core.log import thread
from tapelab.lab.live import compiled_steps
from tapelab.lab.live.runs import Call, Run, keys_of, question_of
from tapelab.lab.live.tape_store import Allowance, Kept, TapesOfCells
from tapelab.lab.notebook_cells import RUNNING

if TYPE_CHECKING:
    from tapelab.core.backward_report import GradientCall
    from tapelab.core.origin import LoggedTensor
    from tapelab.core.tape import GradientTape

MOST_QUESTIONS: Final = 64
"""A run of more different questions than this begins anew."""
failures: Final[list[Exception]] = []
"""What went wrong beside the learner's code, for whoever looks into it; the latest alone."""


class History:
    """The run that goes on, with what nobody has measured yet."""

    def __init__(self) -> None:
        self.run = Run(0, 0)
        self.most = 50
        self.rate = 20.0
        self._lock = threading.RLock()
        self._allowance = Allowance(self.most, self.rate)
        self.latest: Kept | None = None
        self.cells = TapesOfCells()
        self._newest: tuple[Call, Any, Any, GradientCall] | None = None
        self._heard = 0
        self.missed = False
        """Whether the last tape was asked before anybody listened, and is gone."""

    def listen(self, most: int, rate: float) -> None:
        """Hear from here on, and keep so many tapes: all at first, then so many a second."""
        self.most, self.rate = most, rate
        self._allowance = Allowance(most, rate)
        if self.hear not in observers:
            self._catch_up_on_the_last()
            observers.append(self.hear)
        compiled_steps.listen()

    def stop(self) -> None:
        """Hear nothing any more; what was heard is kept."""
        if self.hear in observers:
            observers.remove(self.hear)
        self.measure()
        compiled_steps.stop()

    def hear(self, tape: GradientTape, answer: GradientCall, results: Any) -> None:
        """Write a call down; what is tried out while a function is traced is no call."""
        if thread.__dict__.get("environment") is not None:
            return
        try:
            with self._lock:
                self._write_down(tape, answer, results)
        except Exception as error:  # noqa: BLE001 a panel never stands in the learner's way
            failures[:] = [error]

    def _write_down(self, tape: GradientTape, answer: GradientCall, results: Any) -> None:
        self.run.count(compiled_steps.passed())
        question = self._question(question_of(answer.origin, answer.sources))
        run = self.run
        run.step += 1
        ends = answer.targets, answer.sources
        call = Call(run.step, question, answer.origin, *ends, answer.results)
        run.fresh.append(call)
        if self._allowance.take():
            run.shelf.put(run.step, Kept(tape, answer), self.most)
        held = ref(tape) if tape._persistent else lambda: tape
        self._newest = call, held, results, answer
        self.cells.note(held, answer)
        self._heard, self.missed = answer.serial, False

    def _question(self, asked: Any) -> int:
        """The number of a question in its run; what no cell has asked yet begins a new one."""
        known = self.run.questions.get(asked)
        if known is None:
            if self.run.execution != RUNNING.execution or len(self.run.questions) > MOST_QUESTIONS:
                self.begin()
            known = self.run.questions[asked] = len(self.run.questions)
        return known

    def begin(self) -> None:
        """Begin a new run."""
        self.run = Run(self.run.number + 1, RUNNING.execution)
        self._allowance = Allowance(self.most, self.rate)

    def await_answer(self, watched: tuple[LoggedTensor, ...]) -> None:
        """Show what a tape watches that was not asked yet: in a new run if none of it is known."""
        with self._lock:
            keys = keys_of(watched)
            unknown = keys and self.run.tracks.keys().isdisjoint(keys)
            if unknown and self.run.execution != RUNNING.execution:
                self.begin()
            if self.run.execution == RUNNING.execution:
                for key, each in zip(keys, watched, strict=True):
                    self.run.track(key, each)

    def measure(self) -> bool:
        """Measure what was written down since the last time; whether there was anything."""
        compiled_steps.arm(self.rate)
        with self._lock:
            self.run.count(compiled_steps.passed())
            run, newest, self._newest = self.run, self._newest, None
            calls = list(run.fresh)
            run.fresh.clear()
            self.cells.keep()
        if newest is None or not calls:
            return False
        call, held, results, answer = newest
        run.measure(calls, results if call is calls[-1] else calls[-1].results)
        tape = held()
        if tape is not None and answer in tape._gradient_calls:
            self.latest = Kept(tape, answer)
            run.shelf.put(call.step, self.latest, self.most)
        return True

    def _catch_up_on_the_last(self) -> None:
        """The last question before anybody listened, if its tape is there still."""
        for reference, serial, _ in tuple(RUNNING.state["recent_calls"])[-1:]:
            if serial > self._heard:
                self.begin()  # nobody knows how many steps went by
            tape = reference()
            self.missed = serial > self._heard and tape is None
            for answer in tuple(tape._gradient_calls) if tape is not None else ():
                if answer.serial == serial > self._heard and answer.results:
                    self._write_down(tape, answer, answer.results)
