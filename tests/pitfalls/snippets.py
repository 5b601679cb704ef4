"""Running a snippet as a learner would run a cell, and asking why its gradient is missing."""

from __future__ import annotations

import itertools
import linecache
import math
import textwrap
from typing import Any, NamedTuple

import numpy as np

import tapelab
from tapelab.diagnosis import Explanation

_numbers = itertools.count()


class Pitfall(NamedTuple):
    """A snippet that computes `y` from `x` on `tape`, and what there is to find in it."""

    number: str
    code: str
    line: int
    snippet: str

    def __str__(self) -> str:
        return f"{self.number}-{self.code}"


def run(snippet: str, names: dict[str, Any] | None = None) -> dict[str, Any]:
    """The names that a snippet leaves behind; its text is known to Python as that of a cell."""
    text = textwrap.dedent(snippet).lstrip("\n")
    title = f"<cell {next(_numbers)}>"
    linecache.cache[title] = (len(text), None, text.splitlines(keepends=True), title)
    names = {"tf": tapelab, "np": np, "math": math} if names is None else names
    exec(compile(text, title, "exec"), names)
    return names


def explained(snippet: str, target: str = "y", source: str = "x") -> Explanation:
    """What `tf.explain` says of a snippet."""
    names = run(snippet)
    return tapelab.explain(names["tape"], names[target], names[source])


def codes(snippet: str, target: str = "y", source: str = "x") -> list[str]:
    """The codes of the findings, the most decisive first."""
    return [finding.code for finding in explained(snippet, target, source).findings]


def mended(snippet: str) -> Any:
    """The gradient `g` of a snippet in which the line was written as the first finding says."""
    (first, *_) = explained(snippet).findings
    assert first.fix is not None, first
    text = textwrap.dedent(snippet).lstrip("\n")
    return run(first.fix.apply(text))["g"]
