"""Choosing between entries: where, the larger, the smaller, and a limit on both sides."""

from __future__ import annotations

from typing import Any

import numpy as np

from tapelab.core.batching import on_last_axes
from tapelab.core.op import op
from tapelab.kernels import where_kernels
from tapelab.ops import samples
from tapelab.ops.comparison import greater, greater_equal, less, less_equal, logical_and, not_equal
from tapelab.ops.rules import REALS


def chosen(rng: np.random.Generator) -> list[samples.Sample]:
    """A condition and two arrays whose shapes broadcast."""
    shapes = [((), (), ()), ((3,), (3,), ()), ((2, 1), (3,), (2, 3))]
    return [((rng.normal(size=c) > 0, rng.normal(size=a), rng.normal(size=b)), {})
            for c, a, b in shapes]  # fmt: skip


def limited(rng: np.random.Generator) -> list[samples.Sample]:
    """An array with a lower and an upper limit, no entry near either."""
    x = np.array([[-2.0, -0.5, 0.25], [0.4, 1.6, 3.0]])
    return [((x, np.float64(-1.0), np.float64(1.0)), {}), ((x, x[0] - 1, x[0] + 1.3), {}),
            ((np.float64(0.3), np.float64(0.0), np.float64(1.0)), {})]  # fmt: skip


@op(formula=r"y = 0", glyph="0", raw="ZerosLike", pattern="shape-only", samples=samples.anywhere,
    reference=lambda x: 0 * x, batching=on_last_axes)  # fmt: skip
def zeros_like(x: Any) -> Any:
    """Zeros in the shape and dtype of x."""
    return np.zeros(x.shape, x.dtype)[()]


@op(formula=r"y = 1", glyph="1", raw="OnesLike", pattern="shape-only", samples=samples.anywhere,
    reference=lambda x: 0 * x + 1, batching=on_last_axes)  # fmt: skip
def ones_like(x: Any) -> Any:
    """Ones in the shape and dtype of x."""
    return np.ones(x.shape, x.dtype)[()]


for _constant in (zeros_like, ones_like):
    _constant.no_grad(
        "x", because=f"{_constant.name} takes only the shape and dtype of x, not its numbers."
    )


@op(name="where", formula=r"z = x \text{ if } c \text{ else } y", glyph="where", raw="SelectV2",
    samples=chosen, kinds="b", broadcasts=True, same_dtype=True, reference=lambda c, x,
    y: c * x + (1 - c) * y)  # fmt: skip
def select(c: Any, x: Any, y: Any) -> Any:
    """Each entry is taken from x where the condition holds, else from y."""
    return where_kernels.chosen(c, x, y)


select.no_grad("c", because="The condition only picks a branch; it is true or false.")


@select.grad("x", r"\bar x = \bar z \text{ if } c \text{ else } 0")
def select_grad_x(dz: Any, z: Any, c: Any, x: Any, y: Any) -> Any:
    """The gradient goes to the branch that was chosen."""
    return select(c, dz, zeros_like(dz))


@select.grad("y", r"\bar y = 0 \text{ if } c \text{ else } \bar z")
def select_grad_y(dz: Any, z: Any, c: Any, x: Any, y: Any) -> Any:
    """The gradient goes to the branch that was chosen."""
    return select(c, zeros_like(dz), dz)


@op(formula=r"z = \max(x, y)", glyph="max", samples=samples.apart_pairs, kinds=REALS,
    broadcasts=True, same_dtype=True, reference=np.fmax)  # fmt: skip
def maximum(x: Any, y: Any) -> Any:
    """The larger of the two entries at each place; a tie counts for the first."""
    return np.maximum(x, y)


@maximum.grad("x", r"\bar x = \bar z \text{ if } x \geq y \text{ else } 0")
def maximum_grad_x(dz: Any, z: Any, x: Any, y: Any) -> Any:
    """Only the larger one passes the gradient on; at a tie the first does."""
    return select(greater_equal(x, y), dz, zeros_like(dz))


@maximum.grad("y", r"\bar y = 0 \text{ if } x \geq y \text{ else } \bar z")
def maximum_grad_y(dz: Any, z: Any, x: Any, y: Any) -> Any:
    """Only the larger one passes the gradient on; at a tie the first does."""
    return select(greater_equal(x, y), zeros_like(dz), dz)


@op(formula=r"z = \min(x, y)", glyph="min", samples=samples.apart_pairs, kinds=REALS,
    broadcasts=True, same_dtype=True, reference=np.fmin)  # fmt: skip
def minimum(x: Any, y: Any) -> Any:
    """The smaller of the two entries at each place; a tie counts for the first."""
    return np.minimum(x, y)


@minimum.grad("x", r"\bar x = \bar z \text{ if } x \leq y \text{ else } 0")
def minimum_grad_x(dz: Any, z: Any, x: Any, y: Any) -> Any:
    """Only the smaller one passes the gradient on; at a tie the first does."""
    return select(less_equal(x, y), dz, zeros_like(dz))


@minimum.grad("y", r"\bar y = 0 \text{ if } x \leq y \text{ else } \bar z")
def minimum_grad_y(dz: Any, z: Any, x: Any, y: Any) -> Any:
    """Only the smaller one passes the gradient on; at a tie the first does."""
    return select(less_equal(x, y), zeros_like(dz), dz)


@op(formula=r"y = \min(\max(x, a), b)", glyph="clip", samples=limited, kinds=REALS, broadcasts=True,
    same_dtype=True, reference=np.clip)  # fmt: skip
def clip_by_value(x: Any, a: Any, b: Any) -> Any:
    """Each entry, but never below the lower limit a nor above the upper limit b."""
    return np.maximum(np.minimum(x, b), a)


@clip_by_value.grad("x", r"\bar x = \bar y \text{ if } a \leq x \leq b \text{ else } 0")
def clip_by_value_grad_x(dy: Any, y: Any, x: Any, a: Any, b: Any) -> Any:
    """Inside the bounds the gradient passes, outside it stops."""
    inside = logical_and(greater_equal(x, a), less_equal(x, b))
    return select(inside, dy, zeros_like(dy))


@clip_by_value.grad("a", r"\bar a = \bar y \text{ if } x < a \text{ else } 0")
def clip_by_value_grad_a(dy: Any, y: Any, x: Any, a: Any, b: Any) -> Any:
    return select(less(x, a), dy, zeros_like(dy))


@clip_by_value.grad("b", r"\bar b = \bar y \text{ if } x > b \text{ else } 0")
def clip_by_value_grad_b(dy: Any, y: Any, x: Any, a: Any, b: Any) -> Any:
    return select(greater(x, b), dy, zeros_like(dy))


@op(formula="z = x", glyph="x", samples=samples.twins, reference=lambda x, y: x)
def beside(x: Any, y: Any) -> Any:
    """The first of two arrays; the second decides where gradients flow and has the derivative 0."""
    return x


@beside.grad("x", r"\bar x = \bar z", local="1")
def beside_grad_x(dz: Any, z: Any, x: Any, y: Any) -> Any:
    return dz


@beside.grad("y", r"\bar y = 0", local="0")
def beside_grad_y(dz: Any, z: Any, x: Any, y: Any) -> Any:
    """A small step of it changes no place, so the derivative is 0 and not none."""
    return zeros_like(y)


def nonzero_mask(x: Any) -> Any:
    """1 where x is not 0, else 0, in the dtype of x."""
    return select(not_equal(x, zeros_like(x)), ones_like(x), zeros_like(x))
