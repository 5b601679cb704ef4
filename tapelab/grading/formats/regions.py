"""Regions between lines BEGIN … and END …, which nbgrader takes out of what students get."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from tapelab.grading.formats.grades import UnreadableFormat

SOLUTION: Final = "SOLUTION"
HIDDEN_TESTS: Final = "HIDDEN TESTS"
MARK_SCHEME: Final = "MARK SCHEME"
STUB: Final = "# YOUR CODE HERE\nraise NotImplementedError()"
TEXT_STUB: Final = "YOUR ANSWER HERE"


def has(source: str, region: str) -> bool:
    """Whether there is such a region."""
    return f"BEGIN {region}" in source


def without(source: str, region: str, stub: str = "") -> str:
    """The text outside of such regions, with a stub, as far indented, in the place of each."""
    return "\n".join(_kept(source, region, stub))


def between(region: str, text: str) -> str:
    """A text put into a region, by the lines that begin and end it."""
    return f"### BEGIN {region}\n{text}\n### END {region}"


def bare(source: str, region: str) -> str:
    """All of the text, without the lines that begin and end such regions."""
    marks = (f"BEGIN {region}", f"END {region}")
    return "\n".join(line for line in source.split("\n") if not any(m in line for m in marks))


def _kept(source: str, region: str, stub: str) -> Iterator[str]:
    inside = False
    for line in source.split("\n"):
        if f"BEGIN {region}" in line:
            if inside:
                raise UnreadableFormat(f"BEGIN {region} comes twice without END {region}.")
            inside = True
            space = re.match(r"\s*", line)
            yield from (f"{space[0] if space else ''}{each}" for each in stub.split("\n") if stub)
        elif f"END {region}" in line:
            inside = False
        elif not inside:
            yield line
    if inside:
        raise UnreadableFormat(f"There is a BEGIN {region} without END {region}.")
