"""Verdicts, hints and progress as cards: HTML and CSS alone, so that they outlive the kernel."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from html import escape
from pathlib import Path
from typing import Any, Final

from tapelab.exercises.exercise import Exercise
from tapelab.exercises.session import SESSION, Function, Hints, Progress
from tapelab.exercises.text import hints_text, points, progress_text, remark, short, verdict_text
from tapelab.exercises.verdict import Judged, Verdict
from tapelab.views.card import DATA

_ICON: Final = '<svg viewBox="0 0 16 16" width="14" height="14" aria-hidden="true">{}</svg>'
_LINE: Final = 'fill="none" stroke="currentColor" stroke-width="2" stroke-linecap="round"'
_HALF: Final = (
    '<circle cx="8" cy="8" r="5.25" fill="none" stroke="currentColor" stroke-width="1.5"/>'
    '<path d="M8 2.75a5.25 5.25 0 0 1 0 10.5z" fill="currentColor"/>'
)
ICONS: Final = {
    "full": (_ICON.format(f'<path d="M3.5 8.5l3 3 6-7" {_LINE}/>'), "right"),
    "part": (_ICON.format(_HALF), "partly right"),
    "none": (_ICON.format(f'<path d="M4 4l8 8M12 4l-8 8" {_LINE}/>'), "not yet"),
    "open": ("", "not checked yet"),
}


@dataclass(frozen=True)
class Card:
    """Something to read: plain text in a console, a card in a notebook.

    `about` is the Verdict, the Hints or the Progress it tells of.
    """

    about: Verdict | Hints | Progress
    text: str = field(repr=False)
    html: str = field(repr=False)

    def __repr__(self) -> str:
        return self.text

    def _repr_mimebundle_(self, **_: Any) -> dict[str, Any]:
        told = {"text/plain": self.text, "text/html": self.html}
        return {**told, DATA: self.about.to_json()} if isinstance(self.about, Verdict) else told


def exercise(number: str) -> Callable[[Function], Function]:
    """Mark a function as your answer to an exercise; the latest one counts."""
    return SESSION.answer(number)


def check(number: str) -> Card:
    """Judge your answer to an exercise: points, what is right, what is missing, and a hint."""
    verdict = SESSION.check(number)
    hints = SESSION.hints(verdict.exercise)
    return Card(verdict, verdict_text(verdict, hints), verdict_html(verdict, hints))


def hint(number: str) -> Card:
    """Open the next hint of an exercise; hints cost no points."""
    hints = SESSION.next_hint(number)
    return Card(hints, hints_text(hints), hints_html(hints))


def progress(lesson: str = "") -> Card:
    """Where you stand in a lesson; by default in the one you checked last."""
    stand = SESSION.progress(lesson)
    return Card(stand, progress_text(stand), progress_html(stand))


def score(lesson: str = "") -> Card:
    """Where you stand in a lesson; the same as `progress`."""
    return progress(lesson)


def verdict_html(verdict: Verdict, hints: Hints) -> str:
    """The whole card: title and points, the checks, and the ladder of hints if it is needed."""
    title = escape(verdict.exercise.title)
    body = f"<ul>{''.join(map(_check, verdict.judged))}</ul>"
    ladder = "" if verdict.passed else f"<div class=row><h4>Hints</h4>{_ladder(hints)}</div>"
    head = _head(title, _place(verdict.exercise), verdict.points, verdict.of)
    return _card(f"Verdict on {title}", f"{head}<div class=row>{body}</div>{ladder}")


def hints_html(hints: Hints) -> str:
    """The ladder alone."""
    title, place = escape(hints.exercise.title), _place(hints.exercise)
    head = f"<div class=head><div><h3>{title}</h3><small>{place}</small></div></div>"
    return _card(f"Hints for {title}", f"{head}<div class=row>{_ladder(hints)}</div>")


def progress_html(progress: Progress) -> str:
    """A row for each exercise of the lesson."""
    head = _head("So far", f"Lesson {progress.lesson}", progress.points, progress.of)
    rows = "".join(_stand(each, verdict) for each, verdict in progress.verdicts)
    return _card("Progress", f"{head}<div class='row short'><ul>{rows}</ul></div>")


def _card(label: str, inside: str) -> str:
    opening = f'<section class="tapelab-verdict" aria-label="{label}">'
    return f"<style>{_style()}</style>{opening}{inside}</section>"


@cache
def _style() -> str:
    sheet = Path(__file__).with_suffix(".css").read_text(encoding="utf-8")
    return re.sub(r"/\*.*?\*/|\s+", " ", sheet)


def _place(exercise: Exercise) -> str:
    return f"Lesson {exercise.lesson}, exercise {exercise.id.partition('.')[2]}"


def _head(title: str, place: str, earned: float, of: float) -> str:
    share = int(100 * earned / of) if of else 0
    rest = points(earned, of).partition(" ")[2]
    return (
        f"<div class=head><div><h3>{title}</h3><small>{place}</small></div>"
        f"<div class=meter aria-hidden=true><i style='width:{share}%'></i></div>"
        f"<div class=points><b>{short(earned)}</b> {rest}</div></div>"
    )


def _check(judged: Judged) -> str:
    said = remark(judged)
    text = f"<p>{_prose(said)}</p>" if said else ""
    return _item(
        judged.grade, judged.title, text, f"{short(judged.outcome.points)} / {short(judged.of)}"
    )


def _stand(exercise: Exercise, verdict: Verdict | None) -> str:
    title = f"{exercise.id} {exercise.title}"
    if verdict is None:
        return _item("open", title, "", f"– / {short(exercise.points)}")
    share = (verdict.passed, verdict.points > 0)
    grade = {(True, True): "full", (False, True): "part"}.get(share, "none")
    return _item(grade, title, "", f"{short(verdict.points)} / {short(verdict.of)}")


def _item(grade: str, title: str, text: str, stand: str) -> str:
    icon, word = ICONS[grade]
    return (
        f"<li><span class='sign {grade}' role=img aria-label='{word}'>{icon}</span>"
        f"<div><b>{_prose(title)}</b>{text}</div><span class=num>{stand}</span></li>"
    )


def _ladder(hints: Hints) -> str:
    """The open hints, then the closed ones inside one another: each opens the way to the next."""
    rungs = [_rung(number, text) for number, text in enumerate(hints.exercise.hints, 1)]
    shown = len(hints.opened)
    closed = ""
    for rung in reversed(rungs[shown:]):
        closed = f"<details><summary>Show the next hint</summary>{rung}{closed}</details>"
    return f"<div class=ladder>{''.join(rungs[:shown])}{closed}</div>"


def _rung(number: int, text: str) -> str:
    return f"<div class=rung><span class='sign open'>{number}</span><p>{_prose(text)}</p></div>"


def _prose(text: str) -> str:
    """Text for the page: escaped, and what stands between backticks as code."""
    return re.sub(r"`([^`]+)`", r"<code>\1</code>", escape(text))


__all__: Final = ["Card", "check", "exercise", "hint", "progress", "score"]
