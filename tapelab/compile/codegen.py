"""Code generation: a flat program as one Python function that is written out for it.

    def run(v0, v1):
        v3 = v0 @ c2
        v4 = add_4(v3, v1)
        return v4,

The function works on raw values, without tensors, log or dtype checks. Large values are deleted
after their last use. Ops that equal a NumPy operator are emitted as that operator, so whatever a
kernel decides by shapes and dtypes is decided here, once, and not in each run.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final, NamedTuple

import numpy as np

from tapelab.compile.program import Instruction, Kind, Program, ProgramOp
from tapelab.kernels.elementwise_kernels import LARGE
from tapelab.ops import activation, arithmetic, broadcasting, products, shapes

Run = Callable[..., tuple[Any, ...]]
_LARGE: Final = 1024
"""Values of at least this many elements are deleted after their last use."""


def generate_code(program: Program) -> Run:
    """A function from the values of the parameters to those of the results."""
    names = NAMES | {f"c{slot}": value for slot, value in program.constants.items()}
    names["__name__"] = __name__  # the filter for NumPy's warnings goes by this name
    last = _last_uses(program)
    lines = [f"def run({', '.join(f'v{slot}' for slot in program.parameters)}):"]
    for at, each in enumerate(program.instructions):
        lines.append(f"    {_line(at, each, program, names)}")
        gone = [f"v{slot}" for slot in last.get(at, ()) if program.kinds[slot].size >= _LARGE]
        if gone:
            lines.append(f"    del {', '.join(gone)}")
    results = "".join(f"{_name(slot, program)}, " for slot in program.results)
    lines.append(f"    return ({results})")
    exec(compile("\n".join(lines), "<program>", "exec"), names)  # noqa: S102 - written right here
    run: Run = names["run"]
    return run


def _line(at: int, each: Instruction, program: Program, names: dict[str, Any]) -> str:
    inputs = [_name(slot, program) for slot in each.inputs]
    if not each.outputs:
        return _call(at, each, inputs, names)
    text = emit_expression(each, program.kinds, inputs)
    if text is None:
        text = _call(at, each, inputs, names)
        if not each.op.multi and not program.kinds[each.outputs[0]].shape:
            text += "[()]"
    results = ", ".join(f"v{slot}" for slot in each.outputs)
    return f"{results}{',' if each.op.multi else ''} = {text}"


def _call(at: int, each: Instruction, inputs: list[str], names: dict[str, Any]) -> str:
    """The call of the kernel; settings are written by name."""
    label = "".join(c if c.isalnum() else "_" for c in each.op.name)
    names[f"{label}_{at}"] = each.op.kernel
    given = list(inputs)
    for name, value in each.settings:
        names[f"s{at}_{name}"] = value
        given.append(f"{name}=s{at}_{name}")
    return f"{label}_{at}({', '.join(given)})"


def _name(slot: int, program: Program) -> str:
    return f"c{slot}" if slot in program.constants else f"v{slot}"


def _last_uses(program: Program) -> Mapping[int, list[int]]:
    """The slots that each instruction is the last to use."""
    last: dict[int, int] = {}
    for at, each in enumerate(program.instructions):
        last |= dict.fromkeys((*each.inputs, *each.outputs), at)
    kept = {*program.results, *program.constants}
    last_slots: dict[int, list[int]] = {}
    for slot, at in last.items():
        if slot not in kept:
            last_slots.setdefault(at, []).append(slot)
    return last_slots


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


def emit_expression(each: Instruction, kinds: Mapping[int, Kind], inputs: list[str]) -> str | None:
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
    shapes.reshape: _reshaped,
    broadcasting.sum_to: _summed_to,
    products.matmul: _matmul,
}
