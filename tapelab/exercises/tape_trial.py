"""What a learner's tape recorded on the way from a source to a target, as data alone."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import NDArray

from tapelab.core.tape import GradientTape
from tapelab.core.tensor import Tensor
from tapelab.core.variable import Variable
from tapelab.exercises.value_text import kind_text
from tapelab.exercises.values import Unreadable
from tapelab.locales import say, sentence
from tapelab.recorder.introspection import introspect
from tapelab.recording import Recording
from tapelab.recording.events import Asked, Cause, Flowed, Left, Ran, Watched

if TYPE_CHECKING:
    from tapelab.diagnosis import Explanation

NO_TARGET: Final = sentence(
    "The target is {kind}, without a history. Return a tensor or a variable."
)
NO_SOURCE: Final = sentence(
    "The source is {kind}, without a history. Return a tensor or a variable."
)


@dataclass(frozen=True)
class Trial:
    """A recording, and which question in it, about which of its sources, is meant."""

    recording: Recording
    call: int
    position: int = 0
    replay: Callable[[], int] | None = None
    """The peak memory of the tape when it is replayed, or -1; None in the learner's kernel."""

    @cached_property
    def gradient_call(self) -> Asked:
        """The question."""
        gradient_call = (each.event for each in self.recording if isinstance(each.event, Asked))
        return next(each for each in gradient_call if each.call == self.call)

    @property
    def arrived(self) -> int:
        """The tensor that arrived at the source; -1 for None."""
        return self.gradient_call.results[self.position]

    @property
    def connected(self) -> bool:
        """Whether a gradient arrives at the source."""
        return self.arrived >= 0

    @property
    def gradient(self) -> NDArray[Any] | None:
        """The gradient that arrives at the source; None where none does."""
        return self.recording.tensor(self.arrived).value if self.connected else None

    @property
    def target(self) -> NDArray[Any] | None:
        """What is asked about, its numbers summed as their gradient is; None if none are kept."""
        value = self.recording.tensor(self.gradient_call.targets[0]).value
        return None if value is None else np.asarray(np.sum(value))

    @cached_property
    def explanation(self) -> Explanation:
        """Why the gradient is what it is, as `tf.explain` tells it."""
        from tapelab.diagnosis import explain_call  # which a worker, who only records, never asks

        return explain_call(self.recording, self.call, [self.position])

    @property
    def code(self) -> str:
        """The first finding of the diagnosis; empty if there is none."""
        findings = self.explanation.findings
        return str(findings[0].code) if findings else ""

    @property
    def place(self) -> int:
        """The event at which to look for what is wrong; -1 if the diagnosis knows none."""
        evidence = (event for each in self.explanation.findings for event in each.evidence)
        return next(evidence, -1)

    @cached_property
    def memory(self) -> int:
        """The peak memory in bytes of the tape and its backward pass; -1 if it is not known."""
        from tapelab.views.memory_profile import memory_of
        from tapelab.views.timeline import Model

        recorded = memory_of(Model.of(self.recording)).peak
        replayed = recorded if self.replay is None else self.replay()
        return max(recorded, replayed) if replayed >= 0 else -1

    @property
    def left(self) -> bool:
        """Whether the source, or what was computed from it, left for NumPy or Python."""
        reached = {self.gradient_call.sources[self.position]}
        for event in (each.event for each in self.recording):
            if isinstance(event, Ran) and not reached.isdisjoint(event.inputs):
                reached.update(event.outputs)
            if isinstance(event, Left) and event.tensor in reached:
                return True
        return False

    def taped_ops(self) -> list[str]:
        """The names of the ops on the tape, in the order in which they ran."""
        ran = (each.event for each in self.recording if isinstance(each.event, Ran))
        return [self.recording.ops[ran.op].name for ran in ran if ran.cause == Cause.TAPED]

    def watched(self) -> list[str]:
        """The names of what the tape watches, each once."""
        events = (each.event for each in self.recording if isinstance(each.event, Watched))
        return list(dict.fromkeys(self._name(event) for event in events))

    def _name(self, watched: Watched) -> str:
        if watched.variable >= 0:
            return self.recording.variables[watched.variable].name
        return self.recording.tensor(watched.tensor).name

    def flowing(self) -> Iterator[str]:
        """The names of the tensors that the gradient reaches on the way that is asked for."""
        for each in self.recording:
            flow = each.event
            if isinstance(flow, Flowed) and flow.call == self.call and flow.contribution >= 0:
                yield self.recording.tensor(flow.tensor).name


def trial_of(tape: object, target: object, source: object) -> Trial:
    """The recording of a live tape with this question in it, which does not use the tape up."""
    if type(tape) is not GradientTape:
        raise Unreadable(
            say("Return a tape, a target and a source; this is {kind}.", kind=kind_text(tape))
        )
    for end, template in ((target, NO_TARGET), (source, NO_SOURCE)):
        if not issubclass(type(end), Tensor | Variable):
            raise Unreadable(say(template, kind=kind_text(end)))
    recording, call, (position, *_) = introspect(tape, target, source)
    return Trial(recording, call, position)
