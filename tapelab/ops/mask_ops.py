"""One-hot rows, masks of lengths, and entries selected by a mask."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from tapelab.core.batching import BatchedCall, row_by_row
from tapelab.core.op import op
from tapelab.errors import invalid_argument
from tapelab.kernels.memory import empty
from tapelab.ops import samples
from tapelab.ops.indexed_rows import POSITIONS
from tapelab.ops.rules import WHOLE

MASK: str = "A mask only says which entries are kept; it is true or false and has no derivative."


masks = samples.normals(
    ((3,), np.array([True, False, True])),
    ((2, 3), np.array([False, True])),
    ((2, 3), np.array([False, True, True]), {"axis": 1}),
    ((2, 2), np.array([[False, True], [True, True]])),
)
"""Arrays with a mask over some of their axes."""
kept = samples.normals(((2,), np.array([True, False, True]), {"axis": 0, "shape": (3,)}))
"""Kept entries with the mask that kept them."""


@op(formula=r"y = \operatorname{mask}(x)", glyph="mask", title="Boolean mask", samples=masks)
def boolean_mask(x: Any, mask: Any, *, axis: int = 0) -> Any:
    """The entries of x where the mask is true, in a row."""
    return x[(*_before(axis % x.ndim), mask)]


@boolean_mask.grad("x", r"\bar x = \operatorname{unmask}(\bar y)")
def boolean_mask_grad_x(dy: Any, y: Any, x: Any, mask: Any, *, axis: int = 0) -> Any:
    return unmask(dy, mask, axis=axis % len(x.shape), shape=tuple(x.shape))


boolean_mask.no_grad("mask", because=MASK)


@op(formula=r"y = \operatorname{unmask}(x)", glyph="unmask", samples=kept)
def unmask(x: Any, mask: Any, *, axis: int, shape: tuple[int, ...]) -> Any:
    """Entries at the places where the mask is true, zeros elsewhere."""
    whole = np.zeros(shape, x.dtype)
    whole[(*_before(axis), mask)] = x
    return whole


@boolean_mask.batch
@unmask.batch
def mask_batch(call: BatchedCall) -> Any:
    """With the mask that all rows share, one axis further; else row by row."""
    x, mask = call.operands
    axis, shape = call.setting("axis"), call.settings.get("shape")
    if mask.batched or axis < 0:
        return row_by_row(call)
    whole = {} if shape is None else {"shape": (call.rows, *shape)}
    return call.run(x.value, mask.value, axis=axis + 1, **whole)


@unmask.grad("x", r"\bar x = \operatorname{mask}(\bar y)")
def unmask_grad_x(dy: Any, y: Any, x: Any, mask: Any, *, axis: int, shape: Any) -> Any:
    return boolean_mask(dy, mask, axis=axis)


unmask.no_grad("mask", because=MASK)


def check_mask(shape: tuple[int, ...], mask: tuple[int, ...], axis: int) -> None:
    """ValueError unless a mask of one shape fits over a tensor of the other, from an axis on."""
    if not mask:
        raise ValueError("mask cannot be scalar.")
    if not -len(shape) <= axis < len(shape):
        raise ValueError(f"A mask cannot begin at axis {axis} of a tensor of shape {shape}.")
    over = shape[axis % max(len(shape), 1) :][: len(mask)]
    if over != mask:
        raise ValueError(
            f"Shapes {over} and {mask} are incompatible: the mask needs one entry for each entry "
            "that it keeps or drops."
        )


def _before(axis: int) -> tuple[slice, ...]:
    return (slice(None),) * axis


def classes(rng: np.random.Generator) -> list[samples.Sample]:
    """Indices, one of them outside, with the number of classes."""
    one, zero = np.float32(1), np.float32(0)
    settings = {"depth": 3, "on": one, "off": zero, "axis": -1}
    return [((rng.integers(-1, 3, size=(2,)),), settings)]


@op(name="one_hot", formula=r"y = \operatorname{onehot}(x)", glyph="one hot", pattern="index-only",
    samples=classes)  # fmt: skip
def marked(x: Any, *, depth: int, on: Any, off: Any, axis: int) -> Any:
    """Rows of one value with another at each index."""
    indices = np.asarray(x)
    rows = empty((*indices.shape, depth), np.result_type(on, off))
    rows[...] = off
    flat, inside = indices.reshape(-1), np.flatnonzero((indices >= 0) & (indices < depth))
    rows.reshape(-1, depth)[inside, flat[inside]] = on
    return np.moveaxis(rows, -1, axis) if axis != -1 else rows


marked.no_grad("x", because="An index says where the one stands; a small step of it means nothing.")


def reaches(rng: np.random.Generator) -> list[samples.Sample]:
    """Lengths of masks with the length of the longest."""
    return [((rng.integers(0, 4, size=shape),), {"longest": 3}) for shape in ((), (2,))]


@op(name="sequence_mask", formula=r"y = \operatorname{mask}(x)", glyph="mask", pattern="index-only",
    samples=reaches)  # fmt: skip
def up_to(x: Any, *, longest: int) -> Any:
    """Rows that are true as far as each length, then false."""
    return np.arange(longest) < np.asarray(x)[..., None]


up_to.no_grad("x", because="A length says how far the mask goes; a small step of it means nothing.")


def positions(rng: np.random.Generator) -> list[samples.Sample]:
    """Positions in a tensor flattened, with its shape."""
    return [((rng.integers(0, 6, size=(3,)),), {"dims": (2, 3)})]


@op(name="unravel_index", formula=r"y = \operatorname{unravel}(x)", glyph="unravel",
    pattern="index-only", samples=positions)  # fmt: skip
def unravelled(x: Any, *, dims: tuple[int, ...]) -> Any:
    """Positions in a tensor flattened as one index per axis."""
    if 0 in dims:
        raise invalid_argument(
            "UnravelIndex", "Input dims cannot contain a dim of zero, but dims contains zero at "
            f"index {dims.index(0)}",
        )  # fmt: skip
    if math.prod(dims) > np.iinfo(x.dtype).max:
        sizes = " ".join(map(str, dims))
        raise invalid_argument(
            "UnravelIndex", f"Input dims product is causing integer overflow: ({sizes})"
        )
    if np.max(x, initial=-1) >= math.prod(dims):
        raise invalid_argument("UnravelIndex", "index is out of bound as with dims")
    indices, rest = [], x
    for size in reversed(dims[1:]):
        indices.append(np.fmod(rest, size))
        rest = (rest - indices[-1]) // size
    return np.stack([rest, *reversed(indices)]).astype(x.dtype)


unravelled.no_grad("x", because=POSITIONS)


def weighed(rng: np.random.Generator) -> list[samples.Sample]:
    """Rows of small integers with a weight for each."""
    return [((rng.integers(0, 4, size=shape), rng.normal(size=shape)), {"size": 3, "binary": False})
            for shape in ((6,), (2, 3))]  # fmt: skip


@op(formula=r"z_i = \sum_{x_j = i} w_j", output="z", glyph="count", raw="DenseBincount",
    pattern="not implemented", samples=weighed)  # fmt: skip
def dense_bincount(x: Any, w: Any, *, size: int, binary: bool) -> Any:
    """In each row the sums of the weights of the numbers 0, 1, 2 … or whether they occur."""
    rows = x.reshape(math.prod(x.shape[:-1]), x.shape[-1])
    whole = np.zeros((len(rows), size), w.dtype)
    kept = rows < size
    at = np.broadcast_to(np.arange(len(rows))[:, None], rows.shape)
    weights = np.broadcast_to(w, x.shape).reshape(rows.shape)
    if binary:
        whole[at[kept], rows[kept]] = 1
    elif w.dtype.kind in "fiu":
        places = (at * size + rows)[kept]
        sums = np.bincount(places, weights[kept], whole.size)
        whole[...] = sums.reshape(whole.shape)
    else:
        np.add.at(whole, (at[kept], rows[kept]), weights[kept])
    return whole.reshape(*x.shape[:-1], size)


binned = samples.normals(((5,), np.array([-1.0, 1.0]), {"count": 4}))
"""Numbers with the range that is cut into equal bins."""


@op(formula=r"z = \lfloor n \cdot \frac{x - r_0}{r_1 - r_0} \rfloor", glyph="bins",
    raw="HistogramFixedWidth", pattern="integer", samples=binned)  # fmt: skip
def bins_of(x: Any, r: Any, *, count: int) -> Any:
    """The number of the bin each entry falls in; the first and last one take what lies outside."""
    low, high = np.float64(r[0]), np.float64(r[1])
    step = (high - low) / count
    return np.clip(np.floor((x - low) / step), 0, count - 1).astype(np.int32)


bins_of.no_grad("x", "r", because=WHOLE.format("histogram_fixed_width"))
