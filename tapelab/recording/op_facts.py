"""What a recording knows of an op."""

from __future__ import annotations

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
