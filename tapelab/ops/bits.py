"""Whole numbers bit by bit."""

from __future__ import annotations

from typing import Any

import numpy as np

from tapelab.core.op import op
from tapelab.core.op_declaration import Op
from tapelab.ops import samples
from tapelab.ops.rules import WHOLE


@op(formula=r"z = x \text{ and } y", glyph="&", pattern="integer", samples=samples.integer_pairs,
    kinds="iu", dtypes=("int32",), broadcasts=True, same_dtype=True,
    reference=np.bitwise_and)  # fmt: skip
def bitwise_and(x: Any, y: Any) -> Any:
    """The bits that are set in both."""
    return x & y


@op(formula=r"z = x \text{ or } y", glyph="|", pattern="integer", samples=samples.integer_pairs,
    kinds="iu", dtypes=("int32",), broadcasts=True, same_dtype=True,
    reference=np.bitwise_or)  # fmt: skip
def bitwise_or(x: Any, y: Any) -> Any:
    """The bits that are set in one or both."""
    return x | y


@op(formula=r"z = x \text{ xor } y", glyph="^", pattern="integer", samples=samples.integer_pairs,
    kinds="iu", dtypes=("int32",), broadcasts=True, same_dtype=True,
    reference=np.bitwise_xor)  # fmt: skip
def bitwise_xor(x: Any, y: Any) -> Any:
    """The bits that are set in exactly one."""
    return x ^ y


@op(formula=r"y = \text{not } x", glyph="~", pattern="integer", samples=samples.integers,
    kinds="iu", dtypes=("int32",), reference=lambda x: -x - 1)  # fmt: skip
def invert(x: Any) -> Any:
    """The bits that are not set."""
    return ~x


@op(formula=r"z = x \cdot 2^y", glyph="<<", pattern="integer", samples=samples.integer_pairs,
    kinds="iu", dtypes=("int32",), broadcasts=True, same_dtype=True, reference=lambda x,
    y: x * 2**y)  # fmt: skip
def left_shift(x: Any, y: Any) -> Any:
    """The bits moved up by y places, by at most one less than there are."""
    return np.left_shift(x, _within_width(y))


@op(formula=r"z = \lfloor \frac{x}{2^y} \rfloor", glyph=">>", pattern="integer", kinds="iu",
    samples=samples.integer_pairs, dtypes=("int32",), broadcasts=True, same_dtype=True,
    reference=lambda x, y: x // 2**y)  # fmt: skip
def right_shift(x: Any, y: Any) -> Any:
    """The bits moved down by y places, at most one less than there are; what falls off is lost."""
    return np.right_shift(x, _within_width(y))


def _within_width(y: Any) -> Any:
    """No shift for a negative number of places, and none beyond the width, as in TensorFlow."""
    return np.clip(y, 0, 8 * y.dtype.itemsize - 1)


_BITWISE: tuple[Op, ...] = (
    *(bitwise_and, bitwise_or, bitwise_xor),
    *(invert, left_shift, right_shift),
)
for _op in _BITWISE:
    _op.no_grad(*_op.inputs, because=WHOLE.format(_op.name))
