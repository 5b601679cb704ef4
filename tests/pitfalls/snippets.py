"""Running a snippet as a learner would run a cell, and asking why its gradient is what it is."""

from __future__ import annotations

import itertools
import linecache
import math
import textwrap
from typing import Any, NamedTuple

import numpy as np

import tapelab
from tapelab.core.log import thread
from tapelab.diagnosis import Explanation, Finding

_numbers = itertools.count()
MARKS = str.maketrans("", "", "«»")


class Pitfall(NamedTuple):
    """A snippet that computes `y` from `x` on `tape`, asks for `g`, and what there is to find.

    The culprit stands in «guillemets»; where a finding has no place, there are none. `fix` is what
    the finding says to write instead (None where no line mends it), `symptom` one of
    `symptoms.SYMPTOMS`, `cured` what `g` is like in the mended snippet (`symptoms.CURES`), `ask`
    how to ask why.
    """

    number: str
    code: str
    marked: str
    fix: str | None = None
    symptom: str = "None"
    cured: str = "number"
    ask: str = "tf.explain(tape, y, x)"

    def __str__(self) -> str:
        return f"{self.number}-{self.code}"

    @property
    def snippet(self) -> str:
        """The code without the marks."""
        return plain(self.marked)

    @property
    def culprit(self) -> tuple[int, int, int, int] | None:
        """The line and column of the culprit's beginning and end, as in `Where`."""
        text = dedented(self.marked)
        if "«" not in text:
            return None
        start, end = text.index("«"), text.index("»") - 1
        return (*_place(text, start), *_place(text.replace("«", ""), end))

    @property
    def instead(self) -> str | None:
        """What to write instead, without the indentation it has in the catalogue."""
        return self.fix and textwrap.dedent(self.fix).strip("\n").rstrip()


def _place(text: str, at: int) -> tuple[int, int]:
    return text[:at].count("\n") + 1, at - (text[:at].rfind("\n") + 1)


def dedented(snippet: str) -> str:
    """A snippet as a cell has it."""
    return textwrap.dedent(snippet).lstrip("\n").rstrip() + "\n"


def plain(snippet: str) -> str:
    """A snippet without the marks around its culprit."""
    return dedented(snippet).translate(MARKS)


def run(snippet: str, names: dict[str, Any] | None = None) -> dict[str, Any]:
    """The names that a snippet leaves behind; its text is known to Python as that of a cell."""
    text = plain(snippet)
    title = f"<cell {next(_numbers)}>"
    linecache.cache[title] = (len(text), None, text.splitlines(keepends=True), title)
    names = {"tf": tapelab, "np": np, "math": math} if names is None else names
    exec(compile(text, title, "exec"), names)
    return names


def explained(snippet: str, target: str = "y", source: str = "x") -> Explanation:
    """What `tf.explain` says of a snippet."""
    return explanation_of(snippet, f"tf.explain(tape, {target}, {source})")


def explanation_of(snippet: str, ask: str) -> Explanation:
    """What a snippet's explanation says, by the expression that asks for it."""
    thread.recent_calls.clear()  # so that `tf.why()` speaks of this snippet
    names = run(snippet)
    answer = eval(ask, names)
    if isinstance(answer, Finding):  # of an error
        return Explanation("y", "x", connected=True, partial=False, findings=(answer,))
    return answer


def codes(snippet: str, target: str = "y", source: str = "x") -> list[str]:
    """The codes of the findings, the most decisive first."""
    return [finding.code for finding in explained(snippet, target, source).findings]


def repaired(snippet: str, ask: str = "tf.explain(tape, y, x)") -> str:
    """The snippet with the line written as the first finding says."""
    (first, *_) = explanation_of(snippet, ask).findings
    assert first.fix is not None, first
    return first.fix.apply(plain(snippet))


def mended(snippet: str) -> Any:
    """The gradient `g` of a snippet in which the line was written as the first finding says."""
    return run(repaired(snippet))["g"]
