"""Observes every gradient call while a panel is visible, in the thread that makes it.

That costs the caller a microsecond or two: the call is only noted. The thread of the panel server
measures losses and norms later, groups calls into runs, and keeps some of the tapes.
"""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any, Final
from weakref import ref

from tapelab.core.gradient_call import observers
from tapelab.core.log import thread
from tapelab.lab.live import compiled_steps
from tapelab.lab.live.runs import Call, Run, keys_of, question_of
from tapelab.lab.live.tape_store import CellTapes, KeptTape, RateLimit
from tapelab.lab.notebook_cells import RUNNING
from tapelab.recorder.training_log import running_log

if TYPE_CHECKING:
    from collections.abc import Hashable

    from tapelab.core.backward_report import GradientCall
    from tapelab.core.origin import LoggedTensor
    from tapelab.core.tape import GradientTape
    from tapelab.recorder.training_log import TrainingLog

MOST_QUESTIONS: Final = 64
"""A run with more different calls than this ends, and a new one begins."""
failures: Final[list[Exception]] = []
"""What went wrong beside the learner's code, for whoever looks into it; the latest alone."""


class History:
    """The current run, with the calls not measured yet."""

    def __init__(self) -> None:
        self.run = Run(0, 0)
        self.most = 50
        self.rate = 20.0
        self._lock = threading.RLock()
        self._allowance = RateLimit(self.most, self.rate)
        self.latest: KeptTape | None = None
        self.cells = CellTapes()
        self._newest: tuple[Call, Any, Any, GradientCall] | None = None
        self._last_serial = 0
        self._training: TrainingLog | None = None
        self._epochs = 0
        self.missed = False
        """Whether the last gradient call came before a panel was visible, and its tape is gone."""

    def listen(self, most: int, rate: float) -> None:
        """Observe calls from here on; keep `most` tapes: all at first, then `rate` a second."""
        self.most, self.rate = most, rate
        self._allowance = RateLimit(most, rate)
        if self.record not in observers:
            self._catch_up_on_the_last()
            observers.append(self.record)
        compiled_steps.listen()

    def stop(self) -> None:
        """Stop observing; what was noted is kept."""
        if self.record in observers:
            observers.remove(self.record)
        self.measure()
        compiled_steps.stop()

    def record(self, tape: GradientTape, answer: GradientCall, results: Any) -> None:
        """Note a call; calls during the tracing of a function do not count."""
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
        self._mark_epochs(run)
        ends = answer.targets, answer.sources
        call = Call(run.step, question, answer.origin, *ends, answer.results)
        run.fresh.append(call)
        if self._allowance.take():
            run.tapes.put(run.step, KeptTape(tape, answer), self.most)
        held = ref(tape) if tape._persistent else lambda: tape
        self._newest = call, held, results, answer
        self.cells.note(held, answer)
        self._last_serial, self.missed = answer.serial, False

    def _mark_epochs(self, run: Run) -> None:
        """Note the epochs of `fit` that have begun since the call before."""
        log = running_log()
        if log is None:
            return
        if log is not self._training:
            self._training, self._epochs = log, 0
        run.epochs += [run.step] * (len(log.epochs) - self._epochs)
        self._epochs = len(log.epochs)

    def _question(self, key: Hashable) -> int:
        """The number of a call's key in its run; an unknown key of a new cell begins a run."""
        known = self.run.questions.get(key)
        if known is None:
            if self.run.execution != RUNNING.execution or len(self.run.questions) > MOST_QUESTIONS:
                self.begin()
            known = self.run.questions[key] = len(self.run.questions)
        return known

    def begin(self) -> None:
        """Begin a new run."""
        self.run = Run(self.run.number + 1, RUNNING.execution)
        self._allowance = RateLimit(self.most, self.rate)

    def await_answer(self, watched: tuple[LoggedTensor, ...]) -> None:
        """Show the variables of a tape without calls: in a new run if none of them is known."""
        with self._lock:
            keys = keys_of(watched)
            unknown = keys and self.run.tracks.keys().isdisjoint(keys)
            if unknown and self.run.execution != RUNNING.execution:
                self.begin()
            if self.run.execution == RUNNING.execution:
                for key, each in zip(keys, watched, strict=True):
                    self.run.track(key, each)

    def measure(self) -> bool:
        """Measure the calls noted since the last time; return whether there were any."""
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
            self.latest = KeptTape(tape, answer)
            run.tapes.put(call.step, self.latest, self.most)
        return True

    def _catch_up_on_the_last(self) -> None:
        """Note the last call before the panel was visible, if its tape still exists."""
        for reference, serial, _ in tuple(RUNNING.state["recent_calls"])[-1:]:
            if serial > self._last_serial:
                self.begin()  # the number of steps before is unknown
            tape = reference()
            self.missed = serial > self._last_serial and tape is None
            for answer in tuple(tape._gradient_calls) if tape is not None else ():
                if answer.serial == serial > self._last_serial and answer.results:
                    self._write_down(tape, answer, answer.results)
