"""The learner's lines in plain text, with the values under the expressions that made them."""

from __future__ import annotations

from typing import Final

from tapelab.recording.schema import Span
from tapelab.views.frame import BACKWARD, Model, Step
from tapelab.views.graph import Frame, FrameKind
from tapelab.views.numbers import format_brief

ROOM: Final = 28
LONGEST: Final = 40
"""So many lines are shown at most."""

Place = tuple[int, int]
"""The first and the last column of an expression, the last exclusive."""
Notes = dict[tuple[int, int], dict[Place, str]]
"""For each source and line, what stands under its expressions."""


def listing(model: Model, step: Step | None) -> str:
    """The lines of code with all values, or with the one of a step."""
    notes = _notes(model) if step is None else _note_of(model, step)
    shown = _lines_to_show(model)
    if not shown:
        return ""
    number, lines = shown
    source = model.recording.sources[number]
    width = len(str(lines[-1]))
    rows = [source.title]
    for before, line in zip([lines[0] - 1, *lines], lines, strict=False):
        if line > before + 1:
            rows.append(f"  {'⋮':>{width}}")
        rows.append(f"  {line:>{width}} │ {source.line(line)}".rstrip())
        rows.extend(f"  {'':>{width}} │ {under}" for under in _under(notes.get((number, line), {})))
    return "\n".join(rows)


def code_lines(model: Model) -> list[str]:
    """The lines of code from the first event to the last, in the source where most happened."""
    shown = _lines_to_show(model)
    if shown is None:
        return []
    source = model.recording.sources[shown[0]]
    return [source.line(line).rstrip() for line in shown[1]]


def _lines_to_show(model: Model) -> tuple[int, list[int]] | None:
    """The source in which most happened, and its lines from the first event to the last."""
    used: dict[int, set[int]] = {}
    for index in _last_frames(model):
        span = model.recording.span(index)
        if span is not None and model.recording.sources[span.source].text:
            used.setdefault(span.source, set()).add(span.line)
    if not used:
        return None
    source = max(used, key=lambda number: len(used[number]))
    lines = sorted(used[source])
    if lines[-1] - lines[0] < LONGEST:
        lines = list(range(lines[0], lines[-1] + 1))
    return source, lines[:LONGEST]


def _last_frames(model: Model) -> dict[int, Frame]:
    """For each stretch of code the last frame from there: a loop runs through it many times."""
    spans = model.recording.columns["event.span"].tolist()
    return {spans[frame.event]: frame for frame in model.graph.frames}


def _notes(model: Model) -> Notes:
    """For each line, what its innermost expressions gave."""
    notes: Notes = {}
    for index, frame in _last_frames(model).items():
        tensor, span = model.tensor(frame.node), model.recording.span(index)
        ran = frame.kind in (FrameKind.OP, FrameKind.OFF)
        if ran and tensor and span and span.line == span.end_line:
            place = notes.setdefault((span.source, span.line), {})
            place[span.column, span.end_column] = format_brief(tensor, ROOM)
    return {line: _innermost(place) for line, place in notes.items()}


def _innermost(place: dict[Place, str]) -> dict[Place, str]:
    spans = list(place)
    return {
        (start, end): place[start, end]
        for start, end in spans
        if not any(start <= s and t <= end and (s, t) != (start, end) for s, t in spans)
    }


def _note_of(model: Model, step: Step) -> Notes:
    """The note of the current step alone."""
    frame = model.graph.frames[step.frame] if step.frame >= 0 else None
    span = frame and model.recording.span(model.recording.located[frame.event].span)
    if not isinstance(span, Span) or span.line != span.end_line:
        return {}
    tensor = model.tensor(step.node)
    value = format_brief(tensor, ROOM) if tensor else ""
    if step.phase == BACKWARD:
        value = model.slot_text(model.slot(step.node, step), ROOM)
    return {(span.source, span.line): {(span.column, span.end_column): value}}


def _under(place: dict[Place, str]) -> list[str]:
    """The lines under a line of code: a rule below each expression, then its value."""
    if not place:
        return []
    rule, values = "", [""]
    for (start, end), text in sorted(place.items()):
        rule = rule.ljust(start) + "─" * (end - start)
        row = next((at for at, line in enumerate(values) if len(line) < max(start, 1)), None)
        if row is None:
            values.append("")
            row = len(values) - 1
        values[row] = values[row].ljust(start) + text
    return [rule, *values]
