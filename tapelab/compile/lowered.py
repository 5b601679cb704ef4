"""What comes of lowering a function: a program, and what it has to do with the function."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from tapelab.compile.drawing import Draws
from tapelab.compile.program import Program
from tapelab.compile.telling import Account
from tapelab.core.cell import Cell
from tapelab.core.origin import Origin


class NotLoweredError(Exception):
    """A graph has no program; says why."""


@dataclass(frozen=True, slots=True)
class Place:
    """Which result of a program stands in the place of an output, and what made it."""

    number: int
    origin: Origin


class StateUpdate(NamedTuple):
    """A new state that a variable is given after the program has run."""

    cell: Cell
    how: int
    origin: Origin


@dataclass(frozen=True)
class Lowered:
    """A program, and what it has to do with the function.

    Its parameters are the inputs, then the states of the cells, then the random numbers that the
    draws return. Its results are the outputs, then what is assigned. `slots` tells where the
    tensors of the captured replay are, and `reads` where variables are read.
    """

    program: Program
    cells: tuple[Cell, ...]
    draws: Draws
    outputs: Any
    assignments: tuple[StateUpdate, ...]
    account: Account
    slots: Mapping[int, int]
    reads: tuple[tuple[Cell, Origin], ...]
