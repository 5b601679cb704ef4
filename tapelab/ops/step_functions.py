"""Steps: rounding, signs, whole quotients and remainders, and the size of a number."""

from __future__ import annotations

from typing import Any

import numpy as np

from tapelab.core.op import op
from tapelab.core.op_declaration import Op
from tapelab.core.text_forms import spoken
from tapelab.errors import InternalError, InvalidArgumentError, invalid_argument
from tapelab.ops import samples
from tapelab.ops.arithmetic import conj
from tapelab.ops.casts import cast
from tapelab.ops.rules import FLAT, FLOATS, REALS, SIGNED, is_complex, numpy_dtype
from tapelab.ops.selection import zeros_like


@op(formula=r"y = \operatorname{round}(x)", glyph="round", pattern="flat",
    samples=samples.off_whole, kinds=REALS, reference=lambda x: np.floor(x + 0.5))  # fmt: skip
def round(x: Any) -> Any:
    """The nearest integer; a half goes to the even neighbour."""
    return np.rint(x) if x.dtype.kind == "f" else x


@op(formula=r"y = \operatorname{rint}(x)", glyph="rint", pattern="flat", samples=samples.off_whole,
    kinds=FLOATS, reference=lambda x: np.floor(x + 0.5))  # fmt: skip
def rint(x: Any) -> Any:
    """The nearest integer; a half goes to the even neighbour."""
    return np.rint(x)


@op(formula=r"y = \lfloor x \rfloor", glyph="⌊x⌋", pattern="flat", samples=samples.off_whole,
    kinds=FLOATS, reference=lambda x: -np.ceil(-x))  # fmt: skip
def floor(x: Any) -> Any:
    """The largest integer that is not above each entry."""
    return np.floor(x)


@op(formula=r"y = \lceil x \rceil", glyph="⌈x⌉", pattern="flat", title="Ceiling",
    samples=samples.off_whole, kinds=FLOATS, reference=lambda x: -np.floor(-x))  # fmt: skip
def ceil(x: Any) -> Any:
    """The smallest integer that is not below each entry."""
    return np.ceil(x)


@op(formula=r"z = \lfloor \frac{x}{y} \rfloor", glyph="//", title="Floor division", raw="FloorDiv",
    pattern="flat", samples=samples.apart_pairs, kinds=REALS, broadcasts=True, same_dtype=True,
    reference=np.floor_divide)  # fmt: skip
def floordiv(x: Any, y: Any) -> Any:
    """The quotient rounded down, also where it is negative."""
    if x.dtype.kind == "f":
        return np.floor(x / y)
    _refuse_zero("FloorDiv", x, y)
    return np.floor_divide(x, y)


@op(formula=r"z = x - y \lfloor \frac{x}{y} \rfloor", glyph="%", title="Remainder", raw="FloorMod",
    samples=samples.apart_pairs, kinds=REALS, broadcasts=True, same_dtype=True, reference=lambda x,
    y: x - y * np.floor(x / y))  # fmt: skip
def floormod(x: Any, y: Any) -> Any:
    """What is left over after floor division; it has the sign of the second entry."""
    if x.dtype.kind != "f":
        _refuse_zero("FloorMod", x, y)
    return np.remainder(x, y)


@floormod.grad("x", r"\bar x = \bar z", local="1")
def floormod_grad_x(dz: Any, z: Any, x: Any, y: Any) -> Any:
    return dz


@floormod.grad(
    "y", r"\bar y = -\bar z \cdot \lfloor \frac{x}{y} \rfloor",
    local=r"-\lfloor \frac{x}{y} \rfloor",
)  # fmt: skip
def floormod_grad_y(dz: Any, z: Any, x: Any, y: Any) -> Any:
    return dz * -floordiv(x, y)


@op(formula=r"z = \operatorname{trunc}(\frac{x}{y})", glyph="trunc÷", raw="TruncateDiv",
    pattern="flat", samples=samples.apart_pairs, kinds=REALS, broadcasts=True, same_dtype=True,
    reference=lambda x, y: np.trunc(x / y))  # fmt: skip
def truncatediv(x: Any, y: Any) -> Any:
    """The quotient rounded towards 0."""
    if x.dtype.kind == "f":
        return np.trunc(x / y)
    _refuse_truncating("TruncateDiv", x, y)
    return np.floor_divide(x - np.fmod(x, y), y)


@op(formula=r"z = x - y \operatorname{trunc}(\frac{x}{y})", glyph="trunc%", raw="TruncateMod",
    samples=samples.apart_pairs, kinds=REALS, pattern="not implemented", broadcasts=True,
    same_dtype=True, reference=lambda x, y: x - y * np.trunc(x / y))  # fmt: skip
def truncatemod(x: Any, y: Any) -> Any:
    """What is left over after rounding the quotient towards 0; it has the sign of the first."""
    if x.dtype.kind != "f":
        _refuse_narrow("TruncateMod", x)
        _refuse_truncating("TruncateMod", x, y)
    return np.fmod(x, y)


@op(formula=r"y = \operatorname{sign}(x)", glyph="sign", samples=samples.off_zero, kinds=SIGNED,
    reference=lambda x: x / np.abs(x))  # fmt: skip
def sign(x: Any) -> Any:
    """1 for positive entries, -1 for negative ones, 0 for 0."""
    return np.sign(x)


@sign.grad("x", r"\bar x = 0", local="0")
def sign_grad_x(dy: Any, y: Any, x: Any) -> Any:
    """The sign does not change when x moves a little, so the derivative is 0."""
    if not is_complex(x):
        return zeros_like(dy)
    across = dy - y * y * conj(dy)
    return across * 0.5 / cast(abs_(x), dtype=numpy_dtype(x))


@op(name="abs", formula="y = |x|", glyph="|x|", title="Absolute value", samples=samples.off_zero,
    kinds=SIGNED, reference=lambda x: np.sqrt(x * x))  # fmt: skip
def abs_(x: Any) -> Any:
    """The distance of each entry from 0."""
    return np.abs(x)


@abs_.grad("x", r"\bar x = \bar y \cdot \operatorname{sign}(x)", local=r"\operatorname{sign}(x)")
def abs_grad_x(dy: Any, y: Any, x: Any) -> Any:
    """The derivative is the sign of x, and 0 at 0."""
    return (cast(dy, dtype=numpy_dtype(x)) if is_complex(x) else dy) * sign(x)


_STEPS: tuple[Op, ...] = (round, rint, floor, ceil, floordiv, truncatediv)
for _step in _STEPS:
    _step.no_grad(*_step.inputs, because=FLAT.format(_step.name))


def _divides_by_zero(x: Any, y: Any) -> bool:
    """Whether an entry is divided by 0; where there are no entries, none is."""
    return not np.all(y) and 0 not in np.broadcast_shapes(x.shape, y.shape)


def _refuse_zero(raw: str, x: Any, y: Any) -> None:
    if _divides_by_zero(x, y):
        raise _division_by_zero(raw)


def _refuse_truncating(raw: str, x: Any, y: Any) -> None:
    """The same with the type that TensorFlow gives it where quotients are cut off."""
    if _divides_by_zero(x, y):
        raise InternalError(
            None, raw, "Integer division by zero (only integer div and mod should have errors). "
            f"An integer has no infinity; try floats, or tf.where [Op:{raw}]",
        )  # fmt: skip


def _refuse_narrow(raw: str, x: Any) -> None:
    """Of the integers, TensorFlow's declaration names those of 32 and 64 bits."""
    if x.dtype.kind == "u" or x.dtype.itemsize < 4:
        raise invalid_argument(
            raw, f"Value for attr 'T' of {spoken(x.dtype)} is not in the list of allowed values: "
            "int32, int64, bfloat16, half, float, double. Try tf.cast(x, tf.int32)",
        )  # fmt: skip


def _division_by_zero(raw: str) -> InvalidArgumentError:
    return invalid_argument(
        raw, "Integer division by zero. An integer has no infinity; try floats, or tf.where"
    )
