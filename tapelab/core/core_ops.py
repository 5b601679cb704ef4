"""The ops that the core runs itself, though they are declared in a layer above it.

Backward passes, Jacobians, forward mode, variables and `IndexedSlices` need a few ops: to add two
cotangents, to sum one to the shape of an input, to stack rows. They are declared in `tapelab.ops`
like all others, and `tapelab/ops/core_registration.py` installs them when the package is imported.
As it names the ops themselves, one that is missing or renamed is an error of that import.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from tapelab.core.op_declaration import Op


@dataclass(eq=False, repr=False)
class CoreOps:
    """The ops that the core runs, by the names under which it does."""

    add: Op
    broadcast_to: Op
    concat: Op
    gather: Op
    gather_nd: Op
    negative: Op
    read_value: Op
    reshape: Op
    scatter_rows: Op
    split: Op
    stack: Op
    sum_to: Op
    transpose: Op
    unstack: Op


CORE: Final = CoreOps.__new__(CoreOps)
"""The installed ops; empty while the package is imported."""


def install(ops: CoreOps) -> None:
    """Let the core run these ops."""
    vars(CORE).update(vars(ops))
