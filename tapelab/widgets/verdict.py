"""`tf.check` and what goes with it: verdicts, hints and progress, as text and as a card."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Final

from tapelab.exercises.session import SESSION, Function, Hints, Progress
from tapelab.exercises.text import hints_text, progress_text, verdict_text
from tapelab.exercises.verdict import Verdict
from tapelab.views.card import DATA
from tapelab.views.frame import Model
from tapelab.widgets.show import Picture
from tapelab.widgets.verdict_card import hints_html, progress_html, step_of, verdict_html


@dataclass(frozen=True)
class Card:
    """Something to read: plain text in a console, a card in a notebook.

    `about` is the Verdict, the Hints or the Progress it tells of.
    """

    about: Verdict | Hints | Progress
    text: str = field(repr=False)
    html: str = field(repr=False)
    opened: int = 0
    """How many hints were open when a verdict was given."""

    def __repr__(self) -> str:
        return self.text

    def show(self) -> Picture:
        """The tape of the first check that failed, at the place where to look."""
        found = self.about.to_look_at if isinstance(self.about, Verdict) else None
        if found is None or found.trial is None:
            raise LookupError(
                "This card tells of no tape. `show` is for the verdict on an answer that returns "
                'a tape, as tf.check("05.1").show().'
            )
        step = step_of(Model.of(found.trial.recording), found.event)
        return Picture(found.trial.recording, found.trial.explanation, step)

    def _repr_mimebundle_(self, **_: Any) -> dict[str, Any]:
        told: dict[str, Any] = {"text/plain": self.text, "text/html": self.html}
        match self.about:
            case Verdict():
                told[DATA] = {**self.about.to_json(), "hints": self.opened}
            case Hints():
                told[DATA] = {"hinted": self.about.exercise.id, "hints": len(self.about.opened)}
        return told


def exercise(number: str) -> Callable[[Function], Function]:
    """Mark a function as your answer to an exercise; the latest one counts."""
    return SESSION.answer(number)


def check(number: str) -> Card:
    """Judge your answer to an exercise: points, what is right, what is missing, and a hint."""
    verdict = SESSION.check(number)
    hints, note = SESSION.hints(verdict.exercise), SESSION.kept.trouble
    told = verdict_text(verdict, hints, note), verdict_html(verdict, hints, note)
    return Card(verdict, *told, len(hints.opened))


def hint(number: str) -> Card:
    """Open the next hint of an exercise; what it costs is told before."""
    hints = SESSION.next_hint(number)
    return Card(hints, hints_text(hints), hints_html(hints))


def progress(lesson: str = "") -> Card:
    """Where you stand in a lesson; by default in the one you checked last."""
    stand, note = SESSION.progress(lesson), SESSION.kept.trouble
    return Card(stand, progress_text(stand, note), progress_html(stand, note))


def score(lesson: str = "") -> Card:
    """Where you stand in a lesson; the same as `progress`."""
    return progress(lesson)


__all__: Final = ["Card", "check", "exercise", "hint", "progress", "score"]
