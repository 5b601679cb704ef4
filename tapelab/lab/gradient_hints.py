"""A line under a cell's output when a gradient that it computed looks wrong.

Only results of gradient calls of the cell are checked; `tf.why()` explains them.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from html import escape
from itertools import islice
from typing import TYPE_CHECKING, Final

import numpy as np

from tapelab.core.backward_report import GradientCall
from tapelab.core.log import thread
from tapelab.locales import language, say
from tapelab.views.card import direction, plain, prose

if TYPE_CHECKING:
    from IPython.core.interactiveshell import InteractiveShell

    from tapelab.core.tape import GradientTape
    from tapelab.diagnosis.finding import Finding

LONGEST: Final = 2_000
"""A longer tape is not explained automatically, because that takes too long."""
SHORT: Final = 200
"""A tape of so many records is explained in milliseconds, so that parts are found as well."""
MEANT: Final = frozenset({"STOPPED"})
"""What a learner writes on purpose where other paths live."""
LARGE: Final = 100_000
"""Of more numbers than this a gradient is not searched for NaN."""


class Hints:
    """Whether hints are on, and the last gradient call of earlier cells."""

    def __init__(self) -> None:
        self.on = True
        self.quiet = False
        self.seen = 0

    def start(self, *_: object) -> None:
        """A cell begins: gradient calls before it are not checked."""
        self.seen, self.quiet = _latest(), False

    def finish(self, *_: object) -> None:
        """A cell is done: show a line for each gradient that looks wrong, once for each reason."""
        if self.on and not self.quiet:
            try:
                for line in dict.fromkeys(_lines(self.seen)):
                    _show(line)
            except Exception as error:  # noqa: BLE001 a hint never stands in the way
                failures[:] = [error]
        self.seen = _latest()


HINTS: Final = Hints()
failures: Final[list[Exception]] = []
"""What went wrong while hinting, for whoever looks into it; the latest alone."""


def hints(on: bool | None = None) -> bool:
    """Turn the hint under a cell's output about wrong gradients on or off.

    Without an argument, tell which it is. It stands only in IPython and in notebooks.
    """
    if on is not None:
        HINTS.on = bool(on)
    return HINTS.on


def _show(line: str) -> None:
    """Under the output: quiet text in a notebook, a line in a terminal."""
    html = (
        f'<div class="tapelab-hint" lang="{escape(language())}" dir="{direction()}" '
        f'style="font-size:12px;line-height:18px;opacity:.8">{prose(line)}</div>'
    )
    bundle = {"text/plain": plain(line), "text/html": html}
    sys.modules["IPython"].display.publish_display_data(bundle)


def attach(shell: InteractiveShell) -> None:
    """Check the gradient calls of each cell of a shell."""
    known = shell.events.callbacks
    for event, function in (("pre_run_cell", HINTS.start), ("post_run_cell", HINTS.finish)):
        if function not in known[event]:
            shell.events.register(event, function)


def _latest() -> int:
    return thread.recent_calls[-1][1] if thread.recent_calls else 0


def _lines(since: int) -> Iterator[str]:
    """A hint for each suspicious answer after a question, the first of them first."""
    for reference, serial, _ in tuple(thread.recent_calls):
        tape = reference()
        if serial <= since or tape is None:
            continue
        for call, answer in enumerate(tape._gradient_calls):
            if answer.serial != serial:
                continue
            if wrong := tuple(_suspicious(answer)):
                yield from _explained(tape, call, wrong)
            elif _length(tape) <= SHORT:
                yield from _parts(tape, call)


def _suspicious(answer: GradientCall) -> Iterator[int]:
    """The places of results that are None, nothing but zeros on request, or not finite."""
    for at, number in enumerate(answer.result_ids):
        if _state(answer, at) and (number == -1 or answer.results[at] is not None):
            yield at


def _state(answer: GradientCall, at: int) -> str:
    """What is wrong with a result, in a word; empty where nothing is."""
    result = answer.results[at]
    if result is None:
        return "None"
    array = np.asarray(getattr(result, "_value", result))
    if array.dtype.kind not in "fc" or array.size > LARGE:
        return ""
    if not np.isfinite(array).all():
        return "NaN" if np.isnan(array).any() else "∞"
    return "0" if answer.zero and not array.any() else ""


def _explained(tape: GradientTape, call: int, wrong: tuple[int, ...]) -> Iterator[str]:
    """Why, in one line for each, if the tape is short; else only what."""
    from tapelab.diagnosis import explain_call
    from tapelab.recorder.builder import build_recording

    if _length(tape) > LONGEST:
        yield say("A gradient of this cell is None or not finite · tf.why()")
        return
    recording = build_recording(tape, derived=True)
    for at in islice(wrong, 3):
        explanation = explain_call(recording, call, (at,))
        if explanation.findings:
            first = explanation.findings[0]
            state = _state(tape._gradient_calls[call], at)
            yield _line(explanation.target, explanation.source, state, first)


def _parts(tape: GradientTape, call: int) -> Iterator[str]:
    """A line where part of a gradient is missing, and not because the learner stopped it."""
    from tapelab.diagnosis import explain_call
    from tapelab.recorder.builder import build_recording

    whole = explain_call(build_recording(tape, derived=True), call)
    for part in whole.parts or (whole,):
        if part.partial and part.findings[0].code not in MEANT:
            yield _line(part.target, part.source, say("only a part"), part.findings[0])


def _length(tape: GradientTape) -> int:
    return sum(len(log.records) for log, *_ in tape._windows)


def _line(target: str, source_name: str, state: str, finding: Finding) -> str:
    where = finding.where.line if finding.where else 0
    values = {
        "gradient": f"d{target}/d{source_name}",
        "state": state,
        "why": finding.title,
    }
    if where:
        return say("{gradient} is {state}: {why} (line {line}) · tf.why()", line=where, **values)
    return say("{gradient} is {state}: {why} · tf.why()", **values)
