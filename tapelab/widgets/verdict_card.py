"""Verdicts, hints and progress as HTML and CSS alone, so that they outlive the kernel."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from html import escape
from pathlib import Path
from typing import Any, Final

from tapelab.exercises.check import Outcome
from tapelab.exercises.exercise import Exercise
from tapelab.exercises.session import SESSION, Function, Hints, Progress
from tapelab.exercises.verdict import Judged, Verdict
from tapelab.exercises.verdict_text import (
    cost,
    hints_text,
    named,
    points,
    progress_text,
    remark,
    short,
    spent,
    verdict_text,
)
from tapelab.locales import language, say, sentence, translated
from tapelab.views import html, svg
from tapelab.views.card import DATA, direction, minified, prose
from tapelab.views.timeline import Model
from tapelab.widgets.show import Picture
from tapelab.widgets.value_figures import pictures

_ICON: Final = '<svg viewBox="0 0 16 16" width="14" height="14" aria-hidden="true">{}</svg>'
_LINE: Final = 'fill="none" stroke="currentColor" stroke-width="2" stroke-linecap="round"'
_HALF: Final = (
    '<circle cx="8" cy="8" r="5.25" fill="none" stroke="currentColor" stroke-width="1.5"/>'
    '<path d="M8 2.75a5.25 5.25 0 0 1 0 10.5z" fill="currentColor"/>'
)
ICONS: Final = {
    "full": (_ICON.format(f'<path d="M3.5 8.5l3 3 6-7" {_LINE}/>'), sentence("right")),
    "part": (_ICON.format(_HALF), sentence("partly right")),
    "none": (_ICON.format(f'<path d="M4 4l8 8M12 4l-8 8" {_LINE}/>'), sentence("not yet")),
    "wait": (_ICON.format(f'<path d="M4 8h.1M8 8h.1M12 8h.1" {_LINE}/>'), sentence("judged later")),
    "open": ("", sentence("not checked yet")),
}
LARGEST: Final = 12
"""Tapes of more nodes have no small graph, only the Explorer."""


def verdict_html(verdict: Verdict, hints: Hints, note: str = "") -> str:
    """The whole card: title and points, the checks, the ladder of hints, and the tape."""
    title = translated(verdict.exercise.title)
    body = f"<ul>{''.join(map(_check, verdict.judged))}</ul>"
    said = "".join(f"<p class=note>{prose(each)}</p>" for each in (spent(verdict), note) if each)
    again = "" if verdict.passed else _again()
    head = _head(title, _place(verdict.exercise), verdict.points, verdict.of, again)
    help_ = "" if verdict.passed else _help(verdict, hints)
    label = say("Verdict on {title}", title=title)
    return _card(label, f"{head}<div class=row>{body}{said}</div>{help_}")


def hints_html(hints: Hints, note: str = "") -> str:
    """The ladder alone."""
    title, place = translated(hints.exercise.title), _place(hints.exercise)
    head = f"<div class=head><div><h3>{prose(title)}</h3><small>{prose(place)}</small></div></div>"
    said = f"<p class=note>{prose(note)}</p>" if note else ""
    label = say("Hints for {title}", title=title)
    return _card(label, f"{head}<div class=row>{_ladder(hints)}{said}</div>")


def progress_html(progress: Progress, note: str = "") -> str:
    """A row for each exercise of the lesson."""
    place = say("Lesson {lesson}", lesson=progress.lesson)
    head = _head(say("So far"), place, progress.points, progress.of)
    rows = "".join(_stand(each, verdict) for each, verdict in progress.verdicts)
    said = f"<p class=note>{prose(note)}</p>" if note else ""
    return _card(say("Progress"), f"{head}<div class='row short'><ul>{rows}</ul>{said}</div>")


def _card(label: str, inside: str) -> str:
    opening = (
        f'<section class="tapelab-verdict" lang="{escape(language())}" dir="{direction()}" '
        f'aria-label="{escape(label)}">'
    )
    return f"<style>{_style()}</style>{opening}{inside}</section>"


@cache
def _style() -> str:
    return minified(Path(__file__).with_name("verdict.css"))


def _place(exercise: Exercise) -> str:
    number = exercise.id.partition(".")[2]
    return say("Lesson {lesson}, exercise {number}", lesson=exercise.lesson, number=number)


def _again() -> str:
    """A button that JupyterLab's extension shows, because it can lead to the code."""
    return f"<button type=button class='button again'>{say('Try again')}</button>"


def _head(title: str, place: str, earned: float, of: float, beside: str = "") -> str:
    share = int(100 * earned / of) if of else 0
    content = prose(points(earned, of)).replace(short(earned), f"<b>{short(earned)}</b>", 1)
    return (
        f"<div class=head><div><h3>{prose(title)}</h3><small>{prose(place)}</small></div>"
        f"<div class=meter aria-hidden=true><i style='width:{share}%'></i></div>"
        f"<div class=points>{content}</div>{beside}</div>"
    )


def _check(judged: Judged) -> str:
    said, outcome = remark(judged), judged.outcome
    text = f"<p>{prose(said)}</p>" if said else ""
    stand = f"{short(outcome.points)} / {short(judged.of)}"
    return _item(judged.grade, translated(judged.title), text + pictures(outcome.arrays), stand)


def _stand(exercise: Exercise, verdict: Verdict | None) -> str:
    title = named(exercise)
    if verdict is None:
        return _item("open", title, "", f"– / {short(exercise.points)}")
    share = (verdict.passed, verdict.points > 0)
    grade = {(True, True): "full", (False, True): "part"}.get(share, "none")
    return _item(grade, title, "", f"{short(verdict.points)} / {short(verdict.of)}")


def _item(grade: str, title: str, text: str, stand: str) -> str:
    icon, word = ICONS[grade]
    return (
        f"<li><span class='sign {grade}' role=img aria-label='{escape(say(word))}'>{icon}</span>"
        f"<div><b>{prose(title)}</b>{text}</div><span class=num dir=ltr>{stand}</span></li>"
    )


def _help(verdict: Verdict, hints: Hints) -> str:
    """The hints, and beside them the tape where there is one to look at."""
    ladder = f"<div><h4>{say('Hints')}</h4>{_ladder(hints)}</div>" if hints.exercise.hints else ""
    tape = _tape(verdict.to_look_at) if verdict.to_look_at else ""
    return f"<div class='row help'>{ladder}{tape}</div>" if ladder or tape else ""


def _tape(outcome: Outcome) -> str:
    """The graph in small, and the Explorer behind a button, open at the place."""
    assert outcome.trial is not None, "only what has a trial is looked at"
    recording = outcome.trial.recording
    model = Model.of(recording)
    small = len(model.graph.nodes) <= LARGEST
    graph = _graph(svg.svg(recording, adapts=True)) if small else ""
    picture = html.frame(recording, html.plain(outcome.trial.explanation),
                         step=step_of(model, outcome.event))  # fmt: skip
    return (
        f"<div class=tape><h4>{say('On your tape')}</h4>{graph}</div><details class=explorer>"
        f"{_button(say('Show me on the tape'))}{picture}</details>"
    )


def _graph(drawing: str) -> str:
    """A drawing as an image, so that its style stays its own."""
    content = b64encode(drawing.encode()).decode()
    alt = escape(say("The graph of your tape, with values and gradients"))
    image = f"<img src='data:image/svg+xml;base64,{content}' alt='{alt}'>"
    return f"<div class=graph tabindex=0>{image}</div>"


def step_of(model: Model, event: int) -> int:
    """The step at which an event is lit; the last one for what is on no step."""
    node = model.graph.of_event.get(event, -1)
    frame = model.graph.nodes[node].frame if node >= 0 else -1
    return frame + 1 if frame >= 0 else len(model)


def _ladder(hints: Hints) -> str:
    """The open hints, then the closed ones inside one another: each opens the way to the next.

    A hint that costs points is opened by the kernel, which writes down that it was; neither it nor
    any behind it is in the card before.
    """
    free = hints
    while free.left and not free.next_cost:
        free = Hints(hints.exercise, hints.exercise.hints[: len(free.opened) + 1])
    rungs = [_rung(number, text) for number, text in enumerate(free.opened, 1)]
    shown, closed = len(hints.opened), _priced(free) if free.left else ""
    for rung in reversed(rungs[shown:]):
        closed = f"<details>{_button(say('Show the next hint'), cost(0))}{rung}{closed}</details>"
    return f"<div class=ladder>{''.join(rungs[:shown])}{closed}</div>"


def _button(text: str, beside: str = "") -> str:
    small = f"<small>{beside}</small>" if beside else ""
    return f"<summary><span class=button>{text}</span>{small}</summary>"


def _priced(hints: Hints) -> str:
    command, costs = f'`tf.hint("{hints.exercise.id}")`', cost(hints.next_cost)
    content = say("{command} opens the next hint; it {costs}.", command=command, costs=costs)
    number = f"<span class='sign open closed'>{len(hints.opened) + 1}</span>"
    return f"<div class=rung>{number}<p>{prose(content)}</p></div>"


def _rung(number: int, text: str) -> str:
    sign = f"<span class='sign open'>{number}</span>"
    return f"<div class=rung>{sign}<p dir=auto>{prose(translated(text))}</p></div>"


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
        outcome = self.about.to_look_at if isinstance(self.about, Verdict) else None
        if outcome is None or outcome.trial is None:
            raise LookupError(
                "This card tells of no tape. `show` is for the verdict on an answer that returns "
                'a tape, as tf.check("05.1").show().'
            )
        step = step_of(Model.of(outcome.trial.recording), outcome.event)
        return Picture(outcome.trial.recording, outcome.trial.explanation, step)

    def _repr_mimebundle_(self, **_: object) -> dict[str, Any]:
        content: dict[str, Any] = {"text/plain": self.text, "text/html": self.html}
        match self.about:
            case Verdict():
                content[DATA] = {**self.about.to_json(), "hints": self.opened}
            case Hints():
                content[DATA] = {"hinted": self.about.exercise.id, "hints": len(self.about.opened)}
        return content


def exercise(number: str) -> Callable[[Function], Function]:
    """Mark a function as your answer to an exercise; the latest one counts."""
    return SESSION.answer(number)


def check(number: str) -> Card:
    """Judge your answer to an exercise: points, what is right, what is missing, and a hint."""
    verdict = SESSION.check(number)
    hints, note = SESSION.hints(verdict.exercise), SESSION.kept.trouble
    content = verdict_text(verdict, hints, note), verdict_html(verdict, hints, note)
    return Card(verdict, *content, len(hints.opened))


def hint(number: str) -> Card:
    """Open the next hint of an exercise; the card before it says what it costs."""
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
