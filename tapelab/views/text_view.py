"""A recording as plain text: the code with its values, the timeline, and the backward pass."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate
from typing import Any, Final

from tapelab.locales import say, say_many, sentence, translated
from tapelab.recording import Recording
from tapelab.recording.schema import Span
from tapelab.views.card import columns
from tapelab.views.number_format import format_brief
from tapelab.views.tape_graph import Frame, FrameKind
from tapelab.views.tape_summary import describe_call, gradient_results, heading
from tapelab.views.timeline import BACKWARD, Model, Step

EMPTY: Final = sentence(
    "Nothing on the tape yet.\n"
    "Run some ops on a variable, or on a tensor that the tape watches, inside "
    "`with tf.GradientTape() as tape:`."
)
ROOM: Final = 28
LONGEST: Final = 40
"""At most this many rows and lines of code are listed; middle rows beyond are counted."""
LONG: Final = 20_000
"""Of a tape of more events than this only the gradients are shown."""
BEYOND: Final = sentence(
    "Too long to be listed. In a notebook the picture can be stepped through; "
    "tf.show(tape, target, step=…) tells one step."
)

Row = Sequence[str]


def picture(recording: Recording, *, step: int | None = None, explanation: Any = None) -> str:
    """A recording as a terminal shows it: whole, or as it stands at one step."""
    why = str(explanation) if explanation is not None else ""
    if step is None and len(recording) > LONG:
        return _joined(heading(recording), translated(BEYOND), _answers(recording), why)
    model = Model.of(recording)
    if not model.graph.frames and model.backward_pass is None:
        return _joined(heading(recording), translated(EMPTY))
    if step is None:
        end = model.at(len(model))
        shown = (
            listing(model, None),
            _timeline_table(model, end),
            _answers(recording),
            _backward_table(model, end),
        )
        return _joined(heading(recording), *shown, why)
    now = model.at(step)
    head = f"{heading(recording)}  ({_step_summary(model, now)})"
    timeline = _timeline_table(model, now, marked=True)
    return _joined(head, listing(model, now), timeline, _backward_table(model, now), why)


def _joined(*sections: str) -> str:
    return "\n\n".join(filter(None, sections)) + "\n"


def _step_summary(model: Model, step: Step) -> str:
    """What happens at a step, in a few words."""
    number, steps = step.number, len(model)
    to = model.label(step.node)
    if not number:
        return say("step 0 of {steps}: the tape begins to record", steps=steps)
    if step.phase != BACKWARD:
        ran = f"{model.tag(step.frame)} {model.frame_label(step.frame)}"
        return say(
            "step {number} of {steps}: forward →, {ran}", number=number, steps=steps, ran=ran
        )
    if step.through < 0:
        to = to or say("the target")
        template = sentence("step {number} of {steps}: ← backward from {to}")
        return say(template, number=number, steps=steps, to=to)
    op = model.op(step.through)
    template = sentence("step {number} of {steps}: ← backward through {glyph} to {to}")
    return say(template, number=number, steps=steps, glyph=op.glyph if op else "?", to=to)


def _timeline_table(model: Model, step: Step, *, marked: bool = False) -> str:
    """One row for each frame: its number on the tape, the op, its name, value and gradient.

    Behind them stands the function that it ran in, if any.
    """
    rows: list[Row] = [("", "", "", say("value"), say("gradient"), "")]
    numbers = _numbers(model)
    if before := sum(0 <= each.event < model.graph.opened for each in model.graph.nodes):
        template = say_many("{count} op before the tape", "{count} ops before the tape", before)
        rows.append(("", "⋮", template, "", "", ""))
    for at, more in _shortened(range(len(numbers))):
        if more:
            rows.append(
                ("", "⋮", say_many("{count} frame more", "{count} frames more", more), "", "", "")
            )
            continue
        here = "> " if marked and at == step.frame else "  "
        value, gradient = _value(model, step, at), _gradient(model, step, at)
        label = _short(model.frame_label(at))
        function = _function(model, at)
        rows.append((here + numbers[at], model.tag(at), label, value, gradient, function))
    return _table(rows, right=frozenset({0, 3, 4}))


def _numbers(model: Model) -> list[str]:
    """The frames on the tape counted from 1; those beside it have no number."""
    taped = [int(not model.is_off(at)) for at in range(len(model.graph.frames))]
    return [str(number) if on else "" for on, number in zip(taped, accumulate(taped), strict=True)]


def _value(model: Model, step: Step, frame: int) -> str:
    if step.phase != BACKWARD and frame >= step.number:
        return say("not run yet")
    tensor = model.tensor(model.graph.frames[frame].node)
    return format_brief(tensor, ROOM) if tensor else ""


def _gradient(model: Model, step: Step, frame: int) -> str:
    if model.is_off(frame):
        return say("off the tape")
    return model.slot_text(model.slot(model.graph.frames[frame].node, step), ROOM)


def _function(model: Model, frame: int) -> str:
    """The function that a frame ran in, such as `Dense.call`."""
    recording = model.recording
    return recording.function_at(recording.located[model.graph.frames[frame].event].span)


def _answers(recording: Recording) -> str:
    """What came of the question that was put to the tape, source by source."""
    rows: list[Row] = [(f"  {name}", answer) for name, answer in gradient_results(recording)]
    return f"{describe_call(recording)}\n{_table(rows)}" if rows else ""


def _backward_table(model: Model, step: Step) -> str:
    """Each step back in one row: upstream × local = contribution, and the sum where paths meet."""
    first = len(model.graph.frames) + 1
    rows: list[Row] = []
    for number, more in _shortened(range(first, step.number + 1)):
        each = model.at(number)
        if more:
            summary = say_many("{count} step more", "{count} steps more", more)
            rows.append(("  ⋮", summary, "", "", ""))
        elif each.flow is not None:
            rows.append(_flow_row(model, each))
    return f"{say('backward pass')}\n{_table(rows)}" if rows else ""


def _flow_row(model: Model, step: Step) -> Row:
    flow = step.flow
    assert flow is not None
    to = say("to {label}", label=_short(model.label(step.node)))
    if step.through < 0:
        return f"  {say('start')}", to, _number(model, flow.sum), "", ""
    op = model.op(step.through)
    assert op is not None
    if flow.contribution < 0:
        rule = op.rules[min(flow.position, len(op.rules) - 1)]
        return f"  {op.glyph}", to, "None", "", translated(rule.because)
    upstream, contribution = _number(model, flow.upstream), _number(model, flow.contribution)
    by = f"{upstream} × {_number(model, flow.local)}" if flow.local >= 0 else upstream
    several = len(model.arrivals.get(step.node, ())) > 1
    total = say("sum so far {sum}", sum=_number(model, flow.sum)) if several else ""
    return f"  {op.glyph}", to, by, f"= {contribution}", total


def _number(model: Model, tensor: int) -> str:
    return format_brief(model.recording.tensor(tensor), ROOM) if tensor >= 0 else ""


def _short(text: str) -> str:
    return text if len(text) <= ROOM else f"{text[: ROOM - 1]}…"


def _shortened(numbers: range) -> list[tuple[int, int]]:
    """Each number with 0; of many the ends, and between them one with how many more there are."""
    if len(numbers) <= LONGEST:
        return [(number, 0) for number in numbers]
    end = LONGEST // 2
    head, tail = numbers[:end], numbers[-end:]
    between = (numbers[end], len(numbers) - 2 * end)
    return [*((number, 0) for number in head), between, *((number, 0) for number in tail)]


def _table(rows: list[Row], *, right: frozenset[int] = frozenset()) -> str:
    widths = [max(map(columns, column)) for column in zip(*rows, strict=True)]
    lines = (
        "  ".join(
            _filled(cell, width, right=at in right)
            for at, (cell, width) in enumerate(zip(row, widths, strict=True))
        )
        for row in rows
    )
    return "\n".join(line.rstrip() for line in lines)


def _filled(cell: str, width: int, *, right: bool) -> str:
    space = " " * (width - columns(cell))
    return space + cell if right else cell + space


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
