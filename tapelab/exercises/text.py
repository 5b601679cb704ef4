"""Verdicts, hints and progress as plain text."""

from __future__ import annotations

from typing import Final

from tapelab.exercises.session import Hints, Progress
from tapelab.exercises.verdict import Judged, Verdict

SIGN: Final = {"full": "✓", "part": "◐", "none": "×"}


def short(points: float) -> str:
    """Points as they are shown: 2 for 2.0, and 1.67 for five thirds."""
    return f"{points:.2f}".rstrip("0").rstrip(".")


def points(earned: float, of: float) -> str:
    """Points out of a whole, as in "7 of 10 points"."""
    return f"{short(earned)} of {short(of)} point{'' if of == 1 else 's'}"


def remark(judged: Judged) -> str:
    """What is said under a check: got and expected first, then the reason."""
    found = judged.outcome
    pairs = {
        (True, True): f"Yours is {found.got}, expected {found.expected}.",
        (True, False): f"Yours is {found.got}.",
        (False, True): f"Expected {found.expected}.",
    }
    values = pairs.get((bool(found.got), bool(found.expected)), "")
    return " ".join(filter(None, (values, found.text)))


def hints_text(hints: Hints) -> str:
    """The open rungs of the ladder, and how to open the next."""
    lines = [f"Hint {at} of {len(hints.exercise.hints)}: {_plain(each)}"
             for at, each in enumerate(hints.opened, 1)]  # fmt: skip
    if hints.left:
        lines.append(f'tf.hint("{hints.exercise.id}") opens the next hint; it costs no points.')
    return "\n".join(lines)


def verdict_text(verdict: Verdict, hints: Hints) -> str:
    """The verdict, check by check, and the first hint where something is missing."""
    exercise = verdict.exercise
    lines = [f"{exercise.id} {exercise.title}: {points(verdict.points, verdict.of)}"]
    for each in verdict.judged:
        lines.append(
            f"  {SIGN[each.grade]} {each.title}  {short(each.outcome.points)}/{short(each.of)}"
        )
        said = remark(each)
        if said:
            lines.append(f"      {_plain(said)}")
    if not verdict.passed:
        lines.append(hints_text(hints))
    return "\n".join(lines)


def progress_text(progress: Progress) -> str:
    """Where a lesson stands, one line for each exercise."""
    lines = [f"Lesson {progress.lesson}: {points(progress.points, progress.of)}"]
    for exercise, verdict in progress.verdicts:
        stand = points(verdict.points, verdict.of) if verdict else "not checked yet"
        lines.append(f"  {exercise.id} {exercise.title}: {stand}")
    return "\n".join(lines)


def _plain(text: str) -> str:
    return text.replace("`", "")
