"""What a learner's tape recorded on the way from a source to a target."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

from numpy.typing import NDArray

from tapelab.diagnosis import explain
from tapelab.engine.asking import place_of
from tapelab.engine.tape import GradientTape
from tapelab.engine.tensor import Tensor
from tapelab.engine.variable import Variable
from tapelab.exercises.answer import Answer, Unreadable
from tapelab.exercises.wording import kind_of
from tapelab.recording import Recording
from tapelab.recording.events import Asked, Cause, Flowed, Ran, Watched

Ends = tuple[int, int, int]
TAPE_TARGET_SOURCE: Final[Ends] = (0, 1, 2)


@dataclass(frozen=True)
class Trial:
    """A tape, a target and a source that a learner returned, and the recording of the three."""

    tape: Any
    target: Any
    source: Any
    recording: Recording
    arrived: int
    """The tensor that arrived at the source; -1 for None."""

    @property
    def connected(self) -> bool:
        """Whether a gradient arrives at the source."""
        return self.arrived >= 0

    @property
    def gradient(self) -> NDArray[Any] | None:
        """The gradient that arrives at the source; None where none does."""
        return self.recording.tensor(self.arrived).value if self.connected else None

    @property
    def code(self) -> str:
        """The diagnosis of a gradient that is None; empty if there is no finding."""
        findings = explain(self.tape, self.target, self.source).findings
        return str(findings[0].code) if findings else ""

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
        """The names of the tensors that a gradient reaches."""
        for each in self.recording:
            if isinstance(each.event, Flowed) and each.event.contribution >= 0:
                yield self.recording.tensor(each.event.tensor).name


def trial(answer: Answer, ends: Ends = TAPE_TARGET_SOURCE) -> Trial:
    """The tape, the target and the source at three places of an answer, and their recording."""
    tape, target, source = (answer.part((at,)) for at in ends)
    if type(tape) is not GradientTape:
        raise Unreadable(f"Return a tape, a target and a source; this is {kind_of(tape)}.")
    for end, name in ((target, "target"), (source, "source")):
        if not isinstance(end, (Tensor, Variable)):
            raise Unreadable(
                f"The {name} is {kind_of(end)}, without a history. Return a tensor or a variable."
            )
    recording = tape.recording(target, source)
    return Trial(tape, target, source, recording, _arrived(recording, tape, target, source))


def _arrived(recording: Recording, tape: GradientTape, target: Any, source: Any) -> int:
    place = place_of(tape, target, source)
    assert place is not None, "recording() asks for what was not asked before"
    asked = [each.event for each in recording if isinstance(each.event, Asked)]
    call, position = place
    return asked[call].results[position]
