"""Ops that are spelled out in a generated function: exactly what their kernels come to.

What a kernel decides by shapes and dtypes is decided here, once, and not at each run.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final, NamedTuple

import numpy as np

from tapelab.compile.program import Instruction, Kind, ProgramOp
from tapelab.kernels.elements import LARGE
from tapelab.ops import activation, arithmetic, broadcasting, products, shape

NAMES: Final[dict[str, Any]] = {"total": np.add.reduce, "maximum": np.maximum}
"""What the expressions call, beside methods of arrays."""
_MATRIX: Final = 2


class Case(NamedTuple):
    """One instruction that might be spelled out: the names and kinds of its inputs, and more."""

    inputs: list[str]
    kinds: list[Kind]
    result: Kind
    settings: dict[str, Any]

    @property
    def dtype(self) -> str:
        """The kind of numbers that all inputs are, `f` for floats; none if they differ."""
        kinds = {kind.dtype.kind for kind in self.kinds}
        return kinds.pop() if len(kinds) == 1 else "-"


Spell = Callable[[Case], str | None]


def spelled(each: Instruction, kinds: Mapping[int, Kind], inputs: list[str]) -> str | None:
    """An expression in the names of the inputs; None where the kernel itself must be called."""
    spell = _SPELLINGS.get(each.op)
    if spell is None or len(each.outputs) != 1:
        return None
    given, result = [kinds[slot] for slot in each.inputs], kinds[each.outputs[0]]
    return spell(Case(inputs, given, result, dict(each.settings)))


def _between(sign: str, allowed: str) -> Spell:
    def spell(case: Case) -> str | None:
        return f"{case.inputs[0]} {sign} {case.inputs[1]}" if case.dtype in allowed else None

    return spell


def _negative(case: Case) -> str | None:
    return f"-{case.inputs[0]}" if case.dtype in "fci" else None


def _relu(case: Case) -> str | None:
    """The larger of the numbers and 0; single numbers are left to the kernel."""
    return f"maximum({case.inputs[0]}, 0)" if case.dtype == "f" and case.result.shape else None


def _reshaped(case: Case) -> str | None:
    if not case.kinds[0].shape or not case.result.shape:
        return None
    return f"{case.inputs[0]}.reshape({case.result.shape!r})"


def _summed_to(case: Case) -> str | None:
    """The sum along the axes that are longer before; only such as leave an axis."""
    before, after = case.kinds[0].shape, case.result.shape
    if not after or case.dtype != "f" or case.kinds[0].size >= LARGE:
        return None
    extra = len(before) - len(after)
    axes = [*range(extra), *(
        at + extra for at, n in enumerate(after) if n == 1 and before[at + extra] != 1
    )]  # fmt: skip
    if not axes:
        return None
    total = f"total({case.inputs[0]}, axis={tuple(axes)!r})"
    return total if len(axes) == extra else f"{total}.reshape({after!r})"


def _matmul(case: Case) -> str | None:
    """The product of two matrices; stacks of them go another way."""
    flat = case.dtype == "f" and all(len(kind.shape) == _MATRIX for kind in case.kinds)
    turned = case.settings.get("transpose_a"), case.settings.get("transpose_b")
    if not flat or any(each not in (None, True, False) for each in turned):
        return None
    a, b = (f"{name}.T" if turn else name for name, turn in zip(case.inputs, turned, strict=True))
    return f"{a} @ {b}"


_SPELLINGS: Final[dict[ProgramOp, Spell]] = {
    arithmetic.add: _between("+", "fciu"),
    arithmetic.subtract: _between("-", "fciu"),
    arithmetic.multiply: _between("*", "fciu"),
    arithmetic.divide: _between("/", "fc"),
    arithmetic.negative: _negative,
    activation.relu: _relu,
    shape.reshape: _reshaped,
    broadcasting.sum_to: _summed_to,
    products.matmul: _matmul,
}
