"""Counting off: ranges, evenly spaced numbers, one-hot rows and masks of lengths."""

from __future__ import annotations

import builtins
import math
from typing import Any

import numpy as np

from tapelab.dtypes import as_dtype, bool_, float32
from tapelab.engine.arrays import typed_array
from tapelab.engine.convert import new_constant
from tapelab.engine.op import op
from tapelab.engine.tensor import Tensor
from tapelab.engine.variable import Variable
from tapelab.errors import invalid_argument
from tapelab.ops import samples
from tapelab.ops.arithmetic import multiply
from tapelab.ops.broadcasting import sum_to
from tapelab.ops.casting import cast
from tapelab.ops.public import matched, tensor
from tapelab.ops.settings import number, unfit_index
from tapelab.ops.shape import reshape


def range(  # noqa: PLR0917 - TensorFlow's signature
    start: Any, limit: Any = None, delta: Any = 1, dtype: Any = None, name: str = "range"
) -> Tensor:
    """Numbers from `start` up to but not including `limit`, `delta` apart; start is 0 if left out."""
    ends = (0, start) if limit is None else (start, limit)
    parts = (*ends, delta)
    kind = _range_dtype(parts) if dtype is None else as_dtype(dtype).as_numpy_dtype
    if any(isinstance(part, (Tensor, Variable)) for part in parts):
        made: Tensor = steps(*(_cast_to(part, kind) for part in parts))
        return made
    return new_constant(steps(*(kind(part) for part in parts)), None, "tf.range")


@op(name="range", formula=r"y = \operatorname{range}(a, b, d)", glyph="range", pattern="index-only")
def steps(a: Any, b: Any, d: Any) -> Any:
    """Numbers from a up to but not including b, d apart."""
    if d == 0:
        raise invalid_argument("Range", "Requires delta != 0: 0")
    if (b - a) * np.sign(d) < 0:
        sign = (">", "<=") if d > 0 else ("<", ">=")
        raise invalid_argument(
            "Range", f"Requires start {sign[1]} limit when delta {sign[0]} 0: {a}/{b}"
        )
    count = max(0, math.ceil((b - a) / d))
    return (a + np.arange(count, dtype=a.dtype) * d).astype(a.dtype)


steps.no_grad(
    "a", "b", "d", because="A range counts off numbers; how many there are jumps with its ends."
)


def _cast_to(part: Any, kind: Any) -> Tensor:
    made = tensor(part)
    return made if made.dtype.as_numpy_dtype is kind else cast(made, dtype=as_dtype(kind))


def _range_dtype(parts: tuple[Any, ...]) -> Any:
    kinds = [
        part.dtype.as_numpy_dtype if isinstance(part, (Tensor, Variable)) else typed_array(part).dtype.type
        for part in parts
    ]
    order = (np.int32, np.int64, np.float32, np.float64)
    places = [order.index(kind) for kind in kinds if kind in order]
    return order[max(places)] if len(places) == len(kinds) else kinds[0]


def between(rng: np.random.Generator) -> list[samples.Sample]:
    """Two ends with how many numbers to spread between them."""
    cases = [((), 4), ((2,), 3), ((), 1)]
    return [((rng.normal(size=s), rng.normal(size=s)), {"num": n, "axis": 0}) for s, n in cases]


@op(name="linspace", formula=r"z = x + (y - x) \cdot t", glyph="linspace", raw="LinSpace", samples=between)
def spread_evenly(x: Any, y: Any, *, num: int, axis: int) -> Any:
    """Evenly spaced numbers from x to y, both included."""
    return np.linspace(x, y, num, axis=axis, dtype=x.dtype)


@spread_evenly.grad("x", r"\bar x = \sum (1 - t) \cdot \bar z")
def spread_evenly_grad_x(dz: Any, z: Any, x: Any, y: Any, *, num: int, axis: int) -> Any:
    return _weighted(dz, x, _fractions(num)[::-1] if num > 1 else np.ones(1), axis)


@spread_evenly.grad("y", r"\bar y = \sum t \cdot \bar z")
def spread_evenly_grad_y(dz: Any, z: Any, x: Any, y: Any, *, num: int, axis: int) -> Any:
    return _weighted(dz, x, _fractions(num), axis)


def _fractions(num: int) -> Any:
    return np.linspace(0, 1, num)


def _weighted(dz: Any, x: Any, weights: Any, axis: int) -> Any:
    rank = len(x.shape) + 1
    along = tuple(weights.size if at == axis % rank else 1 for at in builtins.range(rank))
    kind = getattr(x.dtype, "as_numpy_dtype", x.dtype)
    scaled = multiply(dz, weights.astype(kind).reshape(along))
    kept = tuple(1 if at == axis % rank else n for at, n in enumerate(dz.shape))
    return reshape(sum_to(scaled, shape=kept), shape=tuple(x.shape))


def linspace(start: Any, stop: Any, num: Any, name: str | None = None, axis: int = 0) -> Tensor:
    """Evenly spaced numbers from `start` to `stop`, both included."""
    count = tensor(num)
    if not count.dtype.is_integer:
        raise TypeError(
            "Argument `tensor` (name: num) must be of type integer. "
            f"Received `tensor` = {num} of dtype: {count.dtype}"
        )
    ends = matched(start, stop)
    if ends[0].dtype.is_integer:
        ends = tuple(cast(end, dtype=as_dtype("float64")) for end in ends)
    made: Tensor = spread_evenly(*ends, num=int(count._value), axis=axis)
    return made


def one_hot(
    indices: Any, depth: Any, on_value: Any = None, off_value: Any = None, axis: int | None = None,
    dtype: Any = None, name: str | None = None,
) -> Tensor:  # fmt: skip
    """Rows of zeros with a one at each index; an index outside gives zeros only."""
    x = tensor(indices)
    if not x.dtype.is_integer:
        raise unfit_index("OneHot", x.dtype.name, indices)
    given = next((v for v in (on_value, off_value) if v is not None), None)
    kind = as_dtype(dtype) if dtype else tensor(given).dtype if given is not None else float32
    on, off = (typed_array(default if value is None else value, kind)
               for value, default in ((on_value, 1), (off_value, 0)))  # fmt: skip
    made: Tensor = marked(x, depth=number(depth, "OneHot"), on=on, off=off, axis=-1 if axis is None else axis)
    return made


def classes(rng: np.random.Generator) -> list[samples.Sample]:
    """Indices, one of them outside, with the number of classes."""
    one, zero = np.float64(1), np.float64(0)
    settings = {"depth": 3, "on": one, "off": zero, "axis": -1}
    return [((rng.integers(-1, 3, size=(2,)),), settings)]


@op(name="one_hot", formula=r"y = \operatorname{onehot}(x)", glyph="one hot", pattern="index-only",
    samples=classes)  # fmt: skip
def marked(x: Any, *, depth: int, on: Any, off: Any, axis: int) -> Any:
    """Rows of one value with another at each index."""
    rows = np.where(np.arange(depth) == np.asarray(x)[..., None], on, off)
    return np.moveaxis(rows, -1, axis) if axis != -1 else rows


marked.no_grad("x", because="An index says where the one stands; a small step of it means nothing.")


def sequence_mask(
    lengths: Any, maxlen: Any = None, dtype: Any = bool_, name: str | None = None
) -> Tensor:
    """Rows that are true as far as each length, then false."""
    x = tensor(lengths)
    longest = int(np.max(x._value, initial=0)) if maxlen is None else number(maxlen, "SequenceMask")
    made: Tensor = up_to(x, longest=longest)
    return made if as_dtype(dtype) is bool_ else cast(made, dtype=as_dtype(dtype))


@op(name="sequence_mask", formula=r"y = \operatorname{mask}(x)", glyph="mask", pattern="index-only")
def up_to(x: Any, *, longest: int) -> Any:
    """Rows that are true as far as each length, then false."""
    return np.arange(longest) < np.asarray(x)[..., None]


up_to.no_grad("x", because="A length says how far the mask goes; a small step of it means nothing.")

