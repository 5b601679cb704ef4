"""Comparisons and logic, element by element, and integers bit by bit."""

from __future__ import annotations

from typing import Any

import numpy as np

from tapelab.core.op import op
from tapelab.core.op_declaration import Op
from tapelab.ops import samples
from tapelab.ops.rules import FLOATS, PREDICATE, REALS, WHOLE


@op(formula="z = (x = y)", glyph="=", pattern="predicate-only", samples=samples.pairs,
    broadcasts=True, same_dtype=True, reference=np.equal)  # fmt: skip
def equal(x: Any, y: Any) -> Any:
    """True where the two entries are equal."""
    return x == y


@op(formula=r"z = (x \neq y)", glyph="≠", pattern="predicate-only", samples=samples.pairs,
    broadcasts=True, same_dtype=True, reference=np.not_equal)  # fmt: skip
def not_equal(x: Any, y: Any) -> Any:
    """True where the two entries differ."""
    return x != y


@op(formula="z = (x < y)", glyph="<", pattern="predicate-only", samples=samples.pairs, kinds=REALS,
    broadcasts=True, same_dtype=True, reference=np.less)  # fmt: skip
def less(x: Any, y: Any) -> Any:
    """True where the first entry is the smaller one."""
    return x < y


@op(formula=r"z = (x \leq y)", glyph="≤", pattern="predicate-only", samples=samples.pairs,
    kinds=REALS, broadcasts=True, same_dtype=True, reference=np.less_equal)  # fmt: skip
def less_equal(x: Any, y: Any) -> Any:
    """True where the first entry is the smaller one, or both are equal."""
    return x <= y


@op(formula="z = (x > y)", glyph=">", pattern="predicate-only", samples=samples.pairs, kinds=REALS,
    broadcasts=True, same_dtype=True, reference=np.greater)  # fmt: skip
def greater(x: Any, y: Any) -> Any:
    """True where the first entry is the larger one."""
    return x > y


@op(formula=r"z = (x \geq y)", glyph="≥", pattern="predicate-only", samples=samples.pairs,
    kinds=REALS, broadcasts=True, same_dtype=True, reference=np.greater_equal)  # fmt: skip
def greater_equal(x: Any, y: Any) -> Any:
    """True where the first entry is the larger one, or both are equal."""
    return x >= y


@op(formula=r"y = \operatorname{isnan}(x)", glyph="NaN?", pattern="predicate-only",
    samples=samples.anywhere, kinds=FLOATS, reference=np.isnan)  # fmt: skip
def is_nan(x: Any) -> Any:
    """True where the entry is not a number."""
    return np.isnan(x)


@op(formula=r"y = \operatorname{isinf}(x)", glyph="∞?", pattern="predicate-only",
    samples=samples.anywhere, kinds=FLOATS, reference=np.isinf)  # fmt: skip
def is_inf(x: Any) -> Any:
    """True where the entry is infinite, of either sign."""
    return np.isinf(x)


@op(formula=r"y = \operatorname{isfinite}(x)", glyph="finite?", pattern="predicate-only",
    samples=samples.anywhere, kinds=FLOATS, reference=np.isfinite)  # fmt: skip
def is_finite(x: Any) -> Any:
    """True where the entry is neither infinite nor NaN."""
    return np.isfinite(x)


@op(formula=r"z = x \text{ and } y", glyph="and", pattern="predicate-only", kinds="b",
    samples=samples.boolean_pairs, dtypes=("bool",), broadcasts=True, same_dtype=True,
    reference=np.logical_and)  # fmt: skip
def logical_and(x: Any, y: Any) -> Any:
    """True where both are."""
    return x & y


@op(formula=r"z = x \text{ or } y", glyph="or", pattern="predicate-only", kinds="b",
    samples=samples.boolean_pairs, dtypes=("bool",), broadcasts=True, same_dtype=True,
    reference=np.logical_or)  # fmt: skip
def logical_or(x: Any, y: Any) -> Any:
    """True where one is, or both are."""
    return x | y


@op(formula=r"z = x \text{ xor } y", glyph="xor", pattern="predicate-only", kinds="b",
    samples=samples.boolean_pairs, dtypes=("bool",), broadcasts=True, same_dtype=True,
    reference=np.logical_xor)  # fmt: skip
def logical_xor(x: Any, y: Any) -> Any:
    """True where exactly one is."""
    return x ^ y


@op(formula=r"y = \text{not } x", glyph="not", pattern="predicate-only", kinds="b",
    samples=samples.booleans, dtypes=("bool",), reference=np.logical_not)  # fmt: skip
def logical_not(x: Any) -> Any:
    """True where the entry is false."""
    return ~x


_QUESTIONS: tuple[Op, ...] = (
    *(equal, not_equal, less, less_equal, greater, greater_equal, is_nan, is_inf, is_finite),
    *(logical_and, logical_or, logical_xor, logical_not),
)
for _question in _QUESTIONS:
    _question.no_grad(*_question.inputs, because=PREDICATE.format(_question.name))


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
