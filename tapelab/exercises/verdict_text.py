"""Verdicts, hints and progress as plain text."""

from __future__ import annotations

from typing import Final

from tapelab.exercises.exercise import Exercise
from tapelab.exercises.session import Hints, Progress
from tapelab.exercises.verdict import Judged, Verdict
from tapelab.locales import paragraph, say, translated
from tapelab.views.card import plain

SIGN: Final = {"full": "✓", "part": "◐", "none": "×", "wait": "…"}


def short(points: float) -> str:
    """Points as they are shown: 2 for 2.0, and 1.67 for five thirds."""
    return f"{points:.2f}".rstrip("0").rstrip(".")


def named(exercise: Exercise) -> str:
    """An exercise by its id and its title."""
    return f"{exercise.id} {translated(exercise.title)}"


def points(earned: float, of: float) -> str:
    """Points out of a whole, as in "7 of 10 points"."""
    if of == 1:
        return say("{points} of 1 point", points=short(earned))
    return say("{points} of {of} points", points=short(earned), of=short(of))


def remark(judged: Judged) -> str:
    """What is said under a check: got and expected first, then the reason."""
    outcome = judged.outcome
    values = {"got": outcome.got, "expected": outcome.expected}
    values_text = ""
    if outcome.got:
        both = say("Yours is {got}, expected {expected}.", **values)
        values_text = both if outcome.expected else say("Yours is {got}.", got=outcome.got)
    elif outcome.expected:
        values_text = say("Expected {expected}.", expected=outcome.expected)
    return paragraph(values_text, outcome.text)


def cost(points: float) -> str:
    """What the next hint costs, for the side of its button."""
    if not points:
        return say("costs no points")
    return (
        say("costs 1 point") if points == 1 else say("costs {points} points", points=short(points))
    )


def spent(verdict: Verdict) -> str:
    """What hints took away; empty where they took nothing."""
    return say("Hints cost {points}.", points=short(verdict.spent)) if verdict.spent else ""


def hints_text(hints: Hints) -> str:
    """The open rungs of the ladder, and how to open the next."""
    of = len(hints.exercise.hints)
    lines = [say("Hint {number} of {of}: {hint}", number=at, of=of, hint=plain(translated(each)))
             for at, each in enumerate(hints.opened, 1)]  # fmt: skip
    if hints.left:
        command, costs = f'tf.hint("{hints.exercise.id}")', cost(hints.next_cost)
        lines.append(
            say("{command} opens the next hint; it {costs}.", command=command, costs=costs)
        )
    return "\n".join(lines)


def verdict_text(verdict: Verdict, hints: Hints, note: str = "") -> str:
    """The verdict, check by check, and the first hint where something is missing."""
    exercise = verdict.exercise
    lines = [f"{named(exercise)}: {points(verdict.points, verdict.of)}"]
    for each in verdict.judged:
        stand = f"{short(each.outcome.points)}/{short(each.of)}"
        lines.append(f"  {SIGN[each.grade]} {translated(each.title)}  {stand}")
        said = remark(each)
        if said:
            lines.append(f"      {plain(said)}")
    lines += filter(None, [spent(verdict)])
    if not verdict.passed and hints.exercise.hints:
        lines.append(hints_text(hints))
    return "\n".join([*lines, *filter(None, [note])])


def progress_text(progress: Progress, note: str = "") -> str:
    """Where a lesson stands, one line for each exercise."""
    head = say("Lesson {lesson}", lesson=progress.lesson)
    lines = [f"{head}: {points(progress.points, progress.of)}"]
    for exercise, verdict in progress.verdicts:
        stand = points(verdict.points, verdict.of) if verdict else say("not checked yet")
        lines.append(f"  {named(exercise)}: {stand}")
    return "\n".join([*lines, *filter(None, [note])])
