"""What the engine writes down in terms of a recording, long before somebody takes one.

The engine loads this at the start, and everything else of this folder only when a recording is
asked for.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from typing import Final

KEPT_ELEMENTS: Final = 256
"""The numbers of larger tensors are not kept."""

WORDS: Final = -2
"""The place of the value of words: so much less the index of the text that prints them."""

DERIVATIVE: Final = "tape.gradient"
"""How a tensor was made that a tape gave as a gradient, in the words of a `Made` event."""

STRAY: Final = "a number"
"""How a constant was made that stands for a number of NumPy or Python among the ends asked for."""

DATASET: Final = "Dataset"
"""The name of the group of ops that a Dataset ran in a learner's function."""


class Method(IntEnum):
    """Which question was put to the tape."""

    GRADIENT = 0
    JACOBIAN = 1
    BATCH_JACOBIAN = 2
    PICTURE = 3


class How(IntEnum):
    """The way a variable was given a new value."""

    ASSIGN = 0
    ASSIGN_ADD = 1
    ASSIGN_SUB = 2
    SLICE = 3


@dataclass(frozen=True)
class Rule:
    """The gradient rule of one input of an op; `because` says why nothing flows, if so.

    `sentence` says the rule in words, where its author did.
    """

    formula: str = ""
    local: str = ""
    because: str = ""
    sentence: str = ""
