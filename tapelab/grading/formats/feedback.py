"""A page for a student: what each check found, and nothing of the checks that are the teacher's."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape
from typing import Final

from tapelab.grading.formats.grades import number
from tapelab.grading.result import CheckResult, ExerciseResult, Result, Visibility

_PAGE: Final = """<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1"><title>{title}</title>
<style>
:root {{ color-scheme: light dark; }}
body {{ font: 16px/1.5 system-ui, sans-serif; max-width: 44rem; margin: 2rem auto; }}
body {{ padding: 0 1rem; }}
h1, h2 {{ line-height: 1.2; }}
li {{ margin: .4rem 0; }}
.points {{ font-variant-numeric: tabular-nums; }}
.said {{ display: block; white-space: pre-wrap; opacity: .8; }}
</style></head><body>
<h1>{title}</h1>
<p class="points">{points} of {of} points</p>
{exercises}
</body></html>
"""


def page(result: Result) -> str:
    """The feedback to a result as a page of HTML that needs nothing else."""
    return _PAGE.format(
        title=escape(f"{result.assignment}: {result.student}"), points=number(result.points),
        of=number(result.of), exercises="\n".join(map(_exercise, result.exercises)),
    )  # fmt: skip


def _exercise(exercise: ExerciseResult) -> str:
    title = escape(f"{exercise.exercise} {exercise.title}")
    points = f"{number(exercise.points)} of {number(exercise.of)} points"
    checks = "\n".join(_checks(exercise))
    return f'<h2>{title}</h2>\n<p class="points">{points}</p>\n<ul>\n{checks}\n</ul>'


def _checks(exercise: ExerciseResult) -> Iterator[str]:
    for check in exercise.checks:
        if check.visibility is not Visibility.PRIVATE:
            said = "".join(f'<span class="said">{escape(line)}</span>' for line in _said(check))
            points = f"{number(check.points)} of {number(check.of)}"
            yield f'<li>{escape(check.title)}: <span class="points">{points}</span>{said}</li>'


def _said(check: CheckResult) -> Iterator[str]:
    if check.text:
        yield check.text
    if check.visibility is Visibility.PUBLIC and check.got:
        yield f"Yours: {check.got}"
    if check.visibility is Visibility.PUBLIC and check.expected:
        yield f"Expected: {check.expected}"
