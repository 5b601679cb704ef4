"""A check looks at one thing in an answer and says what it found."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import TYPE_CHECKING, Any, Final, Self

from numpy.typing import NDArray

from tapelab.locales import say

if TYPE_CHECKING:
    from tapelab.exercises.answer import Answer
    from tapelab.exercises.tape_trial import Trial

Array = NDArray[Any]

WAITING: Final = "waiting"
"""How a check ends that is judged somewhere else."""


class Visibility(StrEnum):
    """Who runs a check and who sees what it finds."""

    PUBLIC = "public"
    """Instant, in the learner's own kernel."""
    HIDDEN = "hidden"
    """The learner may run it and sees whether it passed, and a hint."""
    PRIVATE = "private"
    """The teacher alone has it."""


@dataclass(frozen=True)
class Outcome:
    """What a check found: points, one sentence, and the two values side by side.

    `ending` says how it ended where nothing could be judged: `unsolved`, `raised`, `failed`, or
    `broken` where the check itself failed. The rest is for pictures: the values as arrays, and the
    recording in which to look, at an event of it or, with -1, at its end.
    """

    points: float
    text: str = ""
    expected: str = ""
    got: str = ""
    code: str = field(default="", compare=False)
    """The pitfall that the diagnosis found in the learner's recording."""
    ending: str = field(default="", compare=False)
    arrays: tuple[Array, Array] | None = field(default=None, compare=False, repr=False)
    trial: Trial | None = field(default=None, compare=False, repr=False)
    event: int = field(default=-1, compare=False)


@dataclass(frozen=True)
class Slip:
    """A wrong answer that can be foreseen, what to say to it, and what it is worth.

    `value` is the answer, or a function of the arguments that gives it.
    """

    value: Any
    text: str
    points: float = 0


@dataclass(frozen=True)
class Check:
    """One thing to look at, worth some points; `judge` never sees the learner's source text.

    `advice` has what to say where the diagnosis finds a pitfall, by its code. `slips` are the wrong
    answers that it foresees, `where` the part of the answer in which they would stand; a check of a
    tape foresees gradients.
    """

    title: str
    points: float
    judge: Callable[[Answer], Outcome]
    visibility: Visibility = Visibility.PUBLIC
    advice: Mapping[str, str] = field(default_factory=dict)
    slips: tuple[Slip, ...] = ()
    where: tuple[Any, ...] = ()

    def full(self) -> Outcome:
        """All points, and nothing to say."""
        return Outcome(self.points)

    def hidden(self) -> Self:
        """The same check, of which the learner sees only whether it passed, and a hint."""
        return replace(self, visibility=Visibility.HIDDEN)

    def private(self) -> Self:
        """The same check, which the teacher alone has."""
        return replace(self, visibility=Visibility.PRIVATE)

    def advising(self, **advice: str) -> Self:
        """The same check with a hint for each pitfall, as in `advising(STOPPED="…")`."""
        return replace(self, advice={**self.advice, **advice})


def check(title: str, points: float) -> Callable[[Callable[[Answer], Outcome | None]], Check]:
    """Declare a check of your own: a function of an `Answer`, which returns an `Outcome`.

    None stands for full points. `answer.result(*arguments)` is what the learner's function returns,
    `answer.part(where, *arguments)` a part of it, and `plain(…)` of either an array of its numbers.
    `answer.trial(ends, *arguments)` is the recording of the tape that it returns, with `gradient`,
    `code` (the first finding of the diagnosis), `taped_ops()` and `recording`; `ends` says where
    tape, target and source are in what is returned. `answer.draws(purpose)` is a random generator
    whose seed the learner does not know.

        from tapelab.extend import Exercise, Outcome, check, judge, plain

        @check("The result is twice the argument", points=2)
        def is_twice(answer):
            n = int(answer.draws("an integer").integers(100, 1000))
            if plain(answer.result(n)) != 2 * n:
                return Outcome(0, f"It is not for {n}.")

        doubling = Exercise("90.1", "Doubling", "Write a function that doubles.", (is_twice,))
        print(judge(doubling, lambda n: n + n).points)  # 2
        print(judge(doubling, lambda n: n + 2).passed)  # False

    The result is a `Check`: `.hidden()` and `.private()` change who sees it, where it is listed.
    """

    def declare(look: Callable[[Answer], Outcome | None]) -> Check:
        def judge(answer: Answer) -> Outcome:
            outcome = look(answer)
            return Outcome(points) if outcome is None else outcome

        return Check(title, points, judge)

    return declare


def promised(title: str, points: float) -> Check:
    """A hidden check as learners have it: its name is known, it is judged somewhere else."""
    return Check(title, points, waiting, Visibility.HIDDEN)


def waiting(answer: Answer) -> Outcome:
    """Give no points: the check runs when the work is handed in."""
    del answer
    return Outcome(0, say("Checked when you hand it in."), ending=WAITING)


def by_hand(title: str, points: float) -> Check:
    """A check that a person makes: it gives nothing until they have given points by hand."""
    return Check(title, points, unread)


def unread(answer: Answer) -> Outcome:
    """A person has not graded it yet."""
    del answer
    return Outcome(0, say("A person grades this."), ending=WAITING)
