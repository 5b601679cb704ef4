"""A group of elementwise ops that one pass over its arrays computes, as plain data."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final, Literal

from tapelab.compile.program import ProgramOp

Layout = Literal["full", "row", "column", "one"]
"""How an operand lies on rows and columns: a number for each entry, for each column (the same in
all rows), for each row, or one for all."""
How = Literal["sum", "max", "min"]
Along = Literal["all", "row", "column"]

BLOCK: Final = 512
"""So many entries of a row are computed at once; their sums are rounded once in float64."""


@dataclass(frozen=True)
class Operand:
    """An input of a group: how it lies, and its kind."""

    layout: Layout
    kind: str
    scalar: bool = False  # a NumPy scalar and not an array


@dataclass(frozen=True)
class Step:
    """One op, or a constant, on values of the group; these are numbered, operands before steps."""

    op: ProgramOp | None
    inputs: tuple[int, ...]
    settings: tuple[tuple[str, Any], ...]
    kind: str


@dataclass(frozen=True)
class Reduction:
    """A result that takes many entries to one: of all, of each row, or of each column."""

    value: int
    how: How
    along: Along
    count: float = 1.0


@dataclass(frozen=True)
class Group:
    """What is computed for each entry of some rows and columns, and what is kept of it."""

    rows: int
    columns: int
    entries: int  # the last row may be shorter
    operands: tuple[Operand, ...]
    steps: tuple[Step, ...]
    stored: tuple[int, ...]
    reductions: tuple[Reduction, ...]

    @property
    def arrays(self) -> int:
        """How many arrays a block reads and writes, but for those of sums along rows."""
        by_column = sum(each.along == "column" for each in self.reductions)
        return len(self.operands) + len(self.stored) + by_column

    def kind(self, value: int) -> str:
        """The kind of a value."""
        known = len(self.operands)
        return self.operands[value].kind if value < known else self.steps[value - known].kind
