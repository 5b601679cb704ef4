"""What a student reads after grading: a page with verdicts and pictures, without hidden tests."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from hashlib import sha256
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Final

from tapelab.errors import RecordingError
from tapelab.grading.reports.report_page import page, picture, sign, status_word
from tapelab.grading.result import CheckResult, ExerciseResult, Result, Visibility
from tapelab.grading.stored_tapes import from_stored
from tapelab.locales import say, translated
from tapelab.views.card import prose
from tapelab.views.svg import svg

if TYPE_CHECKING:
    from tapelab.grading.gradebook import Gradebook
    from tapelab.grading.gradebook.entities import Comment, Grade

NO_TAPES: Final[Mapping[str, bytes]] = {}


def feedback_page(
    result: Result, tapes: Mapping[str, bytes] = NO_TAPES, comments: Sequence[Comment] = (),
    grade: Grade | None = None, *, name: str = "",
) -> str:  # fmt: skip
    """The page; of a hidden check it says whether it passed, of a private one nothing.

    Its title has the name of the student, or the login where the roster has no name.
    """
    title = f"{result.assignment}: {name or result.student}"
    return page(title, _body(result, tapes, comments, grade))


def _body(
    result: Result, tapes: Mapping[str, bytes], comments: Sequence[Comment], grade: Grade | None
) -> Iterator[str]:
    yield f"<p>{_points(result.points, result.of)}{escape(_sum(grade))}</p>"
    yield from _stopped_cells(result.notes)
    yield from _said(comments, "")
    for exercise in result.exercises:
        yield f"<h2><bdi>{escape(f'{exercise.exercise} {exercise.title}')}</bdi></h2>"
        yield f"<p>{_points(exercise.points, exercise.of)}</p>"
        yield f'<ul class="checks">{"".join(_checks(exercise))}</ul>'
        yield from _hints(exercise)
        yield from _said(comments, exercise.exercise)
        yield from _picture(tapes.get(exercise.exercise))


def _points(points: float, of: float) -> str:
    return say("{points} of {of} points", points=f"{points:g}", of=f"{of:g}")


def _sum(grade: Grade | None) -> str:
    """How the points that count come about, where they differ from what was graded."""
    if grade is None or not (grade.penalty or grade.extra or grade.by_hand):
        return ""
    parts = [say("{points} count", points=f"{grade.final:g}")]
    if grade.penalty:
        late = {"points": f"{grade.penalty:g}", "days": f"{grade.days_late:.1f}"}
        parts.append(say("−{points} for {days} days late", **late))
    if grade.extra:
        parts.append(say("{points} extra", points=f"{grade.extra:g}"))
    if grade.by_hand:
        parts.append(say("with points given by hand"))
    return "".join(f" · {each}" for each in parts)


def _stopped_cells(notes: Sequence[str]) -> Iterator[str]:
    """The cells that stopped with an error, as the student sees them in Jupyter."""
    if notes:
        yield f"<p>{say('Some of your cells stopped with an error:')}</p>"
        items = "".join(f"<li><bdi>{escape(note)}</bdi></li>" for note in notes)
        yield f"<ul>{items}</ul>"


def _said(comments: Sequence[Comment], exercise: str) -> Iterator[str]:
    for each in comments:
        if each.exercise == exercise:
            yield f"<blockquote><bdi>{escape(each.text)}</bdi></blockquote>"


def _checks(exercise: ExerciseResult) -> Iterator[str]:
    hidden = 0
    for check in exercise.checks:
        if check.visibility is Visibility.PUBLIC:
            yield _item(check, escape(check.title), "".join(_found(check)))
        elif check.visibility is Visibility.HIDDEN:
            hidden += 1
            hint = f'<p class="text"><bdi>{prose(translated(check.hint))}</bdi></p>'
            remark = hint if check.hint else ""
            yield _item(check, say("Hidden check {number}", number=hidden), remark)


def _hints(exercise: ExerciseResult) -> Iterator[str]:
    """The open hints, where a check that the student knows of did not pass."""
    known = (each for each in exercise.checks if each.visibility is not Visibility.PRIVATE)
    if exercise.hints and any(each.points < each.of for each in known):
        hints = (
            say("Hint {number} of {of}: {hint}", number=at, of=exercise.hint_count,
                hint=translated(each))
            for at, each in enumerate(exercise.hints, 1)
        )  # fmt: skip
        items = "".join(f"<li><bdi>{prose(each)}</bdi></li>" for each in hints)
        yield f'<ul class="hints">{items}</ul>'


def _item(check: CheckResult, title: str, remark: str) -> str:
    points = _points(check.points, check.of)
    verdict = escape(status_word(check.status))
    titled = f'<bdi>{title}</bdi> <span class="soft">({points} · {verdict})</span>'
    return f'<li data-sign="{sign(check.status)}">{titled}{remark}</li>'


def _found(check: CheckResult) -> Iterator[str]:
    if check.text:
        yield f'<p class="text"><bdi>{escape(check.text)}</bdi></p>'
    if check.expected or check.got:
        yield '<dl class="values">'
        for name, value in ((say("expected"), check.expected), (say("got"), check.got)):
            yield f'<dt>{name}</dt><dd><code dir="ltr">{escape(value)}</code></dd>'
        yield "</dl>"


def _picture(tape: bytes | None) -> Iterator[str]:
    if tape is None:
        return
    try:
        drawn = svg(from_stored(tape))
    except RecordingError:
        return  # a newer tapelab recorded it; the page says all the rest
    except Exception as error:  # noqa: BLE001 - a student's worker sent it, and others wait
        sentence = say("The recording cannot be drawn ({error}).", error=type(error).__name__)
        yield f"<p>{escape(sentence)}</p>"
        return
    caption = say(
        "What your tape recorded: values of the forward pass, gradients of the backward pass"
    )
    yield picture(drawn, caption, say("The graph of the recording"))


def write_pages(book: Gradebook, assignment: str, folder: Path) -> str:
    """Write a page for the attempt that counts of each student; say how many."""
    folder.mkdir(parents=True, exist_ok=True)
    comments = book.comments(assignment)
    written = 0
    for grade, result in book.counted_results(assignment):
        own = [c for c in comments if c.student == grade.student]
        tapes = book.tapes(assignment, grade.digest)
        text = feedback_page(result, tapes, own, grade, name=grade.name)
        _write(folder / f"{file_name(grade.student)}.html", text)
        written += 1
    return f"{written} pages are in {folder}."


def file_name(student: str) -> str:
    """A name of a file that leads nowhere else, whatever a student is called."""
    safe = re.sub(r"[^\w.@+ -]", "_", student).strip(" .")
    # Two students never share a page, though what is left of their names is the same.
    return safe if safe == student else f"{safe}-{sha256(student.encode()).hexdigest()[:8]}"


def _write(file: Path, text: str) -> None:
    """Whole or not at all, and never through a link that somebody left there."""
    beside = file.with_name(f".{file.name}.new")
    beside.unlink(missing_ok=True)
    beside.write_text(text, encoding="utf-8")
    beside.replace(file)
