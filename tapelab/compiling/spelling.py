"""Ops that are spelled out in a generated function: exactly what their kernels come to."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from tapelab.compiling.program import Instruction, Kind

Kinds = Sequence[Kind]
Spell = Callable[[dict[str, Any], Kinds, list[str]], str | None]


def spelled(each: Instruction, kinds: Mapping[int, Kind], inputs: list[str]) -> str | None:
    """An expression in the names of the inputs; None where the kernel itself must be called."""
    spell = _SPELLINGS.get(each.op.name)
    if spell is None:
        return None
    return spell(dict(each.settings), [kinds[slot] for slot in each.inputs], inputs)


def _between(sign: str, allowed: str = "fciu") -> Spell:
    def spell(settings: dict[str, Any], kinds: Kinds, inputs: list[str]) -> str | None:
        if any(kind.dtype.kind not in allowed for kind in kinds):
            return None
        return f"{inputs[0]} {sign} {inputs[1]}"

    return spell


def _negative(settings: dict[str, Any], kinds: Kinds, inputs: list[str]) -> str | None:
    return f"-{inputs[0]}" if kinds[0].dtype.kind in "fci" else None


def _matmul(settings: dict[str, Any], kinds: Kinds, inputs: list[str]) -> str | None:
    """The product of two matrices; stacks of them go another way."""
    flat = all(len(kind.shape) == _MATRIX and kind.dtype.kind == "f" for kind in kinds)
    turned = settings.get("transpose_a"), settings.get("transpose_b")
    if not flat or any(each not in (None, True, False) for each in turned):
        return None
    a, b = (f"{name}.T" if turn else name for name, turn in zip(inputs, turned, strict=True))
    return f"{a} @ {b}"


_MATRIX: Final = 2
_SPELLINGS: Final[dict[str, Spell]] = {
    "add": _between("+"),
    "subtract": _between("-"),
    "multiply": _between("*"),
    "divide": _between("/", "fc"),
    "negative": _negative,
    "matmul": _matmul,
}
