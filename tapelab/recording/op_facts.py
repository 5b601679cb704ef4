"""What a recording knows of an op."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from tapelab.recording.facts import Rule


@dataclass(frozen=True)
class OpFacts:
    """What the pictures need to know of an op."""

    name: str
    title: str
    glyph: str
    formula: str
    inputs: tuple[str, ...]
    output: str
    sentence: str
    pattern: str
    rules: tuple[Rule, ...]

    def said(self) -> Iterator[str]:
        """All that its author says of it, in English."""
        yield self.title
        yield self.sentence
        for rule in self.rules:
            yield rule.because or rule.sentence
