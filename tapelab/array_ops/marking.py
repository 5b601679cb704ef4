"""Public functions that mark places: one-hot rows, masks of lengths, and indices per axis."""

from __future__ import annotations

from typing import Any

import numpy as np

from tapelab.core.arrays import typed_array
from tapelab.core.dispatch import public
from tapelab.core.tensor import Tensor
from tapelab.dtypes import as_dtype, bool_, float32, int32
from tapelab.errors import invalid_argument
from tapelab.ops import marking
from tapelab.ops.casting import cast
from tapelab.ops.public import tensor
from tapelab.ops.settings import lengths as as_lengths
from tapelab.ops.settings import number, unfit_index


@public(elementwise=True, graph_name="one_hot")
def one_hot(
    indices: Any, depth: Any, on_value: Any = None, off_value: Any = None, axis: int | None = None,
    dtype: Any = None, name: str | None = None,
) -> Tensor:  # fmt: skip
    """Rows of zeros with a one at each index; an index outside gives zeros only."""
    x = tensor(indices)
    if not x.dtype.is_integer:
        raise unfit_index("OneHot", x._array.dtype, indices)
    given = next((v for v in (on_value, off_value) if v is not None), None)
    kind = as_dtype(dtype) if dtype else tensor(given).dtype if given is not None else float32
    on, off = (typed_array(default if value is None else value, kind)
               for value, default in ((on_value, 1), (off_value, 0)))  # fmt: skip
    where, classes = -1 if axis is None else number(axis, "OneHot"), number(depth, "OneHot")
    if classes < 0:
        raise invalid_argument("OneHot", f"depth must be non-negative, got: {classes}")
    made: Tensor = marking.marked(x, depth=classes, on=on, off=off, axis=where)
    return made


@public
def sequence_mask(
    lengths: Any, maxlen: Any = None, dtype: Any = bool_, name: str | None = None
) -> Tensor:
    """Rows that are true as far as each length, then false."""
    x = _whole_up(lengths) if maxlen is None else _whole(lengths)
    longest = int(np.max(x._value, initial=0)) if maxlen is None else number(maxlen, "SequenceMask")
    made: Tensor = marking.up_to(x, longest=longest)
    return made if as_dtype(dtype) is bool_ else cast(made, dtype=as_dtype(dtype))


@public
def unravel_index(indices: Any, dims: Any, name: str | None = None) -> Tensor:
    """Positions in a tensor laid flat as one index per axis."""
    places = _whole(indices)
    made: Tensor = marking.unravelled(places, dims=as_lengths(dims, "UnravelIndex"))
    return made


def _whole_up(lengths: Any) -> Tensor:
    """Lengths as whole numbers; a fraction reaches into the place behind it."""
    x = tensor(lengths)
    return _whole(np.ceil(x._value) if x.dtype.is_floating else x)


def _whole(given: Any) -> Tensor:
    """A tensor of whole numbers; true and false, and fractions, are cast as TensorFlow does."""
    x = tensor(given)
    made: Tensor = x if x.dtype.is_integer else cast(x, dtype=int32)
    return made
