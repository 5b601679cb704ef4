"""Marks at places: one-hot rows, and masks as long as a number says."""

from __future__ import annotations

from typing import Any

import numpy as np

from tapelab.engine.op import op
from tapelab.ops import samples
from tapelab.ops.gathering import POSITIONS


def classes(rng: np.random.Generator) -> list[samples.Sample]:
    """Indices, one of them outside, with the number of classes."""
    one, zero = np.float32(1), np.float32(0)
    settings = {"depth": 3, "on": one, "off": zero, "axis": -1}
    return [((rng.integers(-1, 3, size=(2,)),), settings)]


@op(name="one_hot", formula=r"y = \operatorname{onehot}(x)", glyph="one hot", pattern="index-only",
    samples=classes)  # fmt: skip
def marked(x: Any, *, depth: int, on: Any, off: Any, axis: int) -> Any:
    """Rows of one value with another at each index."""
    rows = np.where(np.arange(depth) == np.asarray(x)[..., None], on, off)
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
    """Positions in a tensor laid flat, with its shape."""
    return [((rng.integers(0, 6, size=(3,)),), {"dims": (2, 3)})]


@op(name="unravel_index", formula=r"y = \operatorname{unravel}(x)", glyph="unravel",
    pattern="index-only", samples=positions)  # fmt: skip
def unravelled(x: Any, *, dims: tuple[int, ...]) -> Any:
    """Positions in a tensor laid flat as one index per axis."""
    return np.stack(np.unravel_index(x, dims)).astype(x.dtype)


unravelled.no_grad("x", because=POSITIONS)


def counted(rng: np.random.Generator) -> list[samples.Sample]:
    """Small whole numbers, some of them repeated, with how many different ones there are."""
    return [((rng.integers(0, 4, size=(6,)),), {"size": 4})]


@op(formula=r"y = \operatorname{bincount}(x)", glyph="count", pattern="integer", samples=counted)
def bincount(x: Any, *, size: int) -> Any:
    """How often each of the numbers 0, 1, 2 … occurs."""
    return np.bincount(np.ravel(x), minlength=size)[:size].astype(np.int32)


bincount.no_grad("x", because=POSITIONS)
