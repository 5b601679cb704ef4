"""Scoring: an exercise and an answer in, a frozen verdict out."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

from tapelab.exercises.answer import Answer
from tapelab.exercises.check import WAITING, Check, Outcome, Visibility
from tapelab.exercises.local_answer import LocalAnswer
from tapelab.exercises.plain import NotPlain
from tapelab.exercises.values import Unreadable, Unsolved
from tapelab.locales import paragraph, say, translated

if TYPE_CHECKING:
    from tapelab.exercises.exercise import Exercise


@dataclass(frozen=True)
class Judged:
    """One check and what it found."""

    title: str
    of: float
    outcome: Outcome

    @property
    def grade(self) -> str:
        """How it went: full, part or none; wait where it is judged elsewhere."""
        if self.outcome.ending == WAITING:
            return "wait"
        if self.outcome.points == self.of:
            return "full"
        return "part" if self.outcome.points else "none"


@dataclass(frozen=True)
class Verdict:
    """The points of an answer, check by check, what is right first."""

    exercise: Exercise
    judged: tuple[Judged, ...]
    spent: float = 0
    """What hints cost, where the exercise counts them."""

    @property
    def points(self) -> float:
        """What the answer earned, without what hints cost."""
        return max(sum(each.outcome.points for each in self.judged) - self.spent, 0)

    @property
    def of(self) -> float:
        """What a full answer earns."""
        return self.exercise.points

    @property
    def passed(self) -> bool:
        """Whether nothing is missing that is judged here."""
        return all(each.grade in ("full", "wait") for each in self.judged)

    @property
    def to_look_at(self) -> Outcome | None:
        """The first finding that has a recording to look at."""
        outcomes = (each.outcome for each in self.judged if each.grade in ("none", "part"))
        return next((each for each in outcomes if each.trial is not None), None)

    def to_json(self) -> dict[str, Any]:
        """What a notebook keeps of it, for whoever counts points."""
        exercise = self.exercise
        checks = [{"title": each.title, "points": each.outcome.points, "of": each.of,
                   "grade": each.grade} for each in self.judged]  # fmt: skip
        return {"exercise": exercise.id, "lesson": exercise.lesson, "points": self.points,
                "of": self.of, "spent": self.spent, "checks": checks}  # fmt: skip


_ORDER: Final = ("full", "part", "none", "wait")


def judge(exercise: Exercise, function: Callable[..., Any] | None, spent: float = 0) -> Verdict:
    """Run all checks of an exercise on a learner's function; `spent` is what hints cost."""
    answer = LocalAnswer(function)
    judged = [Judged(c.title, c.points, _seen(c, outcome(c, answer))) for c in exercise.checks]
    ordered = sorted(judged, key=lambda each: _ORDER.index(each.grade))
    return Verdict(exercise, tuple(_each_said_once(ordered)), spent)


def _seen(check: Check, outcome: Outcome) -> Outcome:
    """What a learner sees of an outcome: of a hidden check only whether it passed, and a hint."""
    if check.visibility is not Visibility.HIDDEN or outcome.ending:
        return outcome
    return Outcome(
        outcome.points, translated(check.advice.get(outcome.code, "")), code=outcome.code
    )


def outcome(check: Check, answer: Answer) -> Outcome:
    """What one check finds; whatever a learner returned, it ends in a sentence."""
    try:
        judged = check.judge(answer)
    except Unreadable as problem:
        return Outcome(0, _sentence(str(problem)), ending=problem.ending)
    except NotPlain as problem:
        return Outcome(0, _sentence(str(problem)), ending="failed")
    except Exception as error:  # noqa: BLE001 - an answer no check foresaw is still no crash
        text = say(
            "This answer cannot be read ({error}).", error=f"{type(error).__name__}: {error}"
        )
        return Outcome(0, text, ending="memory" if isinstance(error, MemoryError) else "broken")
    advice = check.advice.get(judged.code, "") if judged.points < check.points else ""
    text = paragraph(translated(judged.text), translated(advice))
    return replace(judged, points=min(max(judged.points, 0), check.points), text=text)


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:] + ("" if text[-1:] in ".…。！？" else ".")


def _each_said_once(judged: list[Judged]) -> list[Judged]:
    """Remove sentences repeated by several checks, such as one error that all of them report."""
    seen: set[str] = set()
    kept = []
    for each in judged:
        text = "" if each.outcome.text in seen else each.outcome.text
        seen.add(each.outcome.text)
        kept.append(replace(each, outcome=replace(each.outcome, text=text)))
    return kept


__all__ = ["Judged", "Unsolved", "Verdict", "judge", "outcome"]
