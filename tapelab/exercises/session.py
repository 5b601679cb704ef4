"""What happened in this session: the latest answers, the opened hints, the verdicts so far."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from inspect import getsource
from typing import Any, Final, TypeVar

from tapelab.exercises.exercise import Exercise, cost_of
from tapelab.exercises.progress_file import Kept, notebook_of_kernel, plainly
from tapelab.exercises.registry import find, lesson
from tapelab.exercises.verdict import Verdict, judge

Function = TypeVar("Function", bound=Callable[..., Any])


@dataclass(frozen=True)
class Hints:
    """The rungs of the ladder that are open, and how many there are."""

    exercise: Exercise
    opened: tuple[str, ...]

    @property
    def spent(self) -> float:
        """What the open hints cost."""
        return sum(map(cost_of, self.opened))

    @property
    def next_cost(self) -> float:
        """What the next hint costs, where the exercise counts that."""
        coming = self.exercise.hints[len(self.opened) : len(self.opened) + 1]
        return sum(map(cost_of, coming)) if self.exercise.counts_hints else 0

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
    """A learner at work; the latest answer to an exercise is the one that counts.

    What was found in an earlier kernel is known from the file beside the notebook.
    """

    answers: dict[str, Callable[..., Any]] = field(default_factory=dict)
    verdicts: dict[str, Verdict] = field(default_factory=dict)
    opened: dict[str, int] = field(default_factory=dict)
    latest: str = ""
    _kept: Kept | None = None

    @property
    def kept(self) -> Kept:
        """What is kept beside the notebook, read when it is first asked for."""
        if self._kept is None:
            self._kept = Kept.beside(notebook_of_kernel())
        return self._kept

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
        """Judge the latest answer to an exercise; a verdict is kept, the want of one is not."""
        exercise = find(number)
        spent = self.hints(exercise).spent if exercise.counts_hints else 0
        function = self.answers.get(number)
        verdict = judge(exercise, function, spent)
        self.verdicts[number] = verdict
        self.latest = exercise.lesson
        if function is not None:
            self.kept.remember(number, checks=plainly(verdict), spent=spent,
                               answer=_source(function))  # fmt: skip
        return verdict

    def hints(self, exercise: Exercise) -> Hints:
        """The hints that are open by now; the first always is."""
        known = self.opened.get(exercise.id) or self.kept.opened(exercise.id) or 1
        return Hints(exercise, exercise.hints[:known])

    def next_hint(self, number: str) -> Hints:
        """Open one more hint."""
        exercise = find(number)
        seen = 1 if number in self.verdicts else 0
        shown = self.opened.get(number) or self.kept.opened(number) or seen
        self.opened[number] = min(shown + 1, len(exercise.hints))
        self.kept.remember(number, hints=self.opened[number])
        return self.hints(exercise)

    def progress(self, number: str = "") -> Progress:
        """Where a lesson stands; by default the one that was checked last."""
        number = number or self.latest or self._lesson_kept() or "02"
        pairs = ((each, self._verdict(each)) for each in lesson(number))
        return Progress(number, tuple(pairs))

    def _verdict(self, exercise: Exercise) -> Verdict | None:
        """The verdict of this kernel on an answer it has; else the one of an earlier kernel."""
        own = self.verdicts.get(exercise.id)
        if own is not None and exercise.id in self.answers:
            return own
        return self.kept.verdict(exercise) or own

    def _lesson_kept(self) -> str:
        """The lesson of what was kept last."""
        return next(reversed(self.kept.exercises), "").partition(".")[0]


def _source(function: Callable[..., Any]) -> str:
    """The learner's own text of an answer; empty where it cannot be had."""
    try:
        return getsource(function)
    except (OSError, TypeError):
        return ""


SESSION: Final = Session()
