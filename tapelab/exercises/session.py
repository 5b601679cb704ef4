"""What happened in this session: the latest answers, the opened hints, the verdicts so far."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Final, TypeVar

from tapelab.exercises.exercise import Exercise
from tapelab.exercises.registry import find, lesson
from tapelab.exercises.verdict import Verdict, judge

Function = TypeVar("Function", bound=Callable[..., Any])


@dataclass(frozen=True)
class Hints:
    """The rungs of the ladder that are open, and how many there are."""

    exercise: Exercise
    opened: tuple[str, ...]

    @property
    def left(self) -> int:
        """How many are still to open."""
        return len(self.exercise.hints) - len(self.opened)


@dataclass(frozen=True)
class Progress:
    """The exercises of a lesson, each with its latest verdict or None."""

    lesson: str
    verdicts: tuple[tuple[Exercise, Verdict | None], ...]

    @property
    def points(self) -> float:
        """What was earned so far."""
        return sum(verdict.points for _, verdict in self.verdicts if verdict)

    @property
    def of(self) -> float:
        """What the lesson is worth."""
        return sum(exercise.points for exercise, _ in self.verdicts)


@dataclass
class Session:
    """A learner at work; the latest answer to an exercise is the one that counts."""

    answers: dict[str, Callable[..., Any]] = field(default_factory=dict)
    verdicts: dict[str, Verdict] = field(default_factory=dict)
    opened: dict[str, int] = field(default_factory=dict)
    latest: str = ""

    def answer(self, number: str) -> Callable[[Function], Function]:
        """Mark a function as the answer to an exercise."""
        find(number)

        def remember(function: Function) -> Function:
            if not callable(function):
                raise TypeError(
                    f"@tf.exercise('{number}') marks a function, not {function!r}. "
                    "Write it on the line above def."
                )
            self.answers[number] = function
            return function

        return remember

    def check(self, number: str) -> Verdict:
        """Judge the latest answer to an exercise."""
        exercise = find(number)
        verdict = judge(exercise, self.answers.get(number))
        self.verdicts[number] = verdict
        self.latest = exercise.lesson
        return verdict

    def hints(self, exercise: Exercise) -> Hints:
        """The hints that are open by now; the first always is."""
        return Hints(exercise, exercise.hints[: self.opened.get(exercise.id, 1)])

    def next_hint(self, number: str) -> Hints:
        """Open one more hint."""
        exercise = find(number)
        shown = self.opened.get(number, 0 if number not in self.verdicts else 1)
        self.opened[number] = min(shown + 1, len(exercise.hints))
        return self.hints(exercise)

    def progress(self, number: str = "") -> Progress:
        """Where a lesson stands; by default the one that was checked last."""
        number = number or self.latest or "02"
        pairs = ((each, self.verdicts.get(each.id)) for each in lesson(number))
        return Progress(number, tuple(pairs))


SESSION: Final = Session()
