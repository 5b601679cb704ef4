"""The picture in plain text: the code with its values, the reel, and the way back."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from itertools import accumulate
from typing import Any, Final

from tapelab.locales import say, say_many, sentence, translated
from tapelab.recording import Recording
from tapelab.views.answers import answers, heading, question
from tapelab.views.frame import BACKWARD, Model, Step
from tapelab.views.listing import listing
from tapelab.views.numbers import format_brief

EMPTY: Final = sentence(
    "Nothing on the tape yet.\n"
    "Run some ops on a variable, or on a tensor that the tape watches, inside "
    "`with tf.GradientTape() as tape:`."
)
ROOM: Final = 28
LONGEST: Final = 40
"""Of more rows than this, the middle ones are only counted."""
LONG: Final = 20_000
"""A tape of more events than this is told by its answers alone."""
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
    if not model.graph.frames and model.passage is None:
        return _joined(heading(recording), translated(EMPTY))
    if step is None:
        end = model.at(len(model))
        shown = listing(model, None), _reel(model, end), _answers(recording), _way_back(model, end)
        return _joined(heading(recording), *shown, why)
    now = model.at(step)
    head = f"{heading(recording)}  ({_told(model, now)})"
    reel = _reel(model, now, marked=True)
    return _joined(head, listing(model, now), reel, _way_back(model, now), why)


def _joined(*sections: str) -> str:
    return "\n\n".join(filter(None, sections)) + "\n"


def _told(model: Model, step: Step) -> str:
    """What happens at a step, in a few words."""
    number, steps = step.number, len(model)
    to = model.label(step.node)
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


def _reel(model: Model, step: Step, *, marked: bool = False) -> str:
    """One row for each frame: its number on the tape, the op, its name, value and gradient.

    Behind them stands the function that it ran in, if any.
    """
    rows: list[Row] = [("", "", "", say("value"), say("gradient"), "")]
    numbers = _numbers(model)
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
    rows: list[Row] = [(f"  {name}", answer) for name, answer in answers(recording)]
    return f"{question(recording)}\n{_table(rows)}" if rows else ""


def _way_back(model: Model, step: Step) -> str:
    """Each step back in one row: upstream × local = contribution, and the sum where paths meet."""
    first = len(model.graph.frames) + 1
    rows: list[Row] = []
    for number, more in _shortened(range(first, step.number + 1)):
        each = model.at(number)
        if more:
            told = say_many("{count} step more", "{count} steps more", more)
            rows.append(("  ⋮", told, "", "", ""))
        elif each.flow is not None:
            rows.append(_flow_row(model, each))
    return f"{say('the way back')}\n{_table(rows)}" if rows else ""


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
    widths = [max(map(_room, column)) for column in zip(*rows, strict=True)]
    lines = (
        "  ".join(
            _filled(cell, width, right=at in right)
            for at, (cell, width) in enumerate(zip(row, widths, strict=True))
        )
        for row in rows
    )
    return "\n".join(line.rstrip() for line in lines)


def _filled(cell: str, width: int, *, right: bool) -> str:
    space = " " * (width - _room(cell))
    return space + cell if right else cell + space


def _room(text: str) -> int:
    """How many columns of a terminal a text takes: a Chinese character takes two."""
    return len(text) + sum(unicodedata.east_asian_width(letter) in "WF" for letter in text)
