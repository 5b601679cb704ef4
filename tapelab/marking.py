"""Public functions that mark places: one-hot rows, masks of lengths, and indices per axis."""

from __future__ import annotations

from typing import Any

import numpy as np

from tapelab.dtypes import as_dtype, bool_, float32, int32
from tapelab.engine.arrays import typed_array
from tapelab.engine.tensor import Tensor
from tapelab.ops import marking
from tapelab.ops.casting import cast
from tapelab.ops.public import tensor
from tapelab.ops.settings import lengths as as_lengths
from tapelab.ops.settings import number, unfit_index
from tapelab.picking import unsorted_segment_sum


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
    where = -1 if axis is None else axis
    made: Tensor = marking.marked(x, depth=number(depth, "OneHot"), on=on, off=off, axis=where)
    return made


def sequence_mask(
    lengths: Any, maxlen: Any = None, dtype: Any = bool_, name: str | None = None
) -> Tensor:
    """Rows that are true as far as each length, then false."""
    x = tensor(lengths)
    longest = int(np.max(x._value, initial=0)) if maxlen is None else number(maxlen, "SequenceMask")
    made: Tensor = marking.up_to(x, longest=longest)
    return made if as_dtype(dtype) is bool_ else cast(made, dtype=as_dtype(dtype))


def unravel_index(indices: Any, dims: Any, name: str | None = None) -> Tensor:
    """Positions in a tensor laid flat as one index per axis."""
    places = tensor(indices)
    made: Tensor = marking.unravelled(places, dims=as_lengths(dims, "UnravelIndex"))
    return made


def bincount(
    arr: Any, weights: Any = None, minlength: Any = None, maxlength: Any = None,
    dtype: Any = int32, name: str | None = None,
) -> Tensor:  # fmt: skip
    """How often each of the numbers 0, 1, 2 … occurs, or the sum of the weights where it does."""
    x = tensor(arr)
    size = max(int(np.max(x._value, initial=-1)) + 1, number(minlength or 0, "Bincount"))
    if maxlength is not None:
        size = min(size, number(maxlength, "Bincount"))
    if weights is not None:
        return unsorted_segment_sum(weights, x, size)
    made: Tensor = marking.bincount(x, size=size)
    return made if as_dtype(dtype) is int32 else cast(made, dtype=as_dtype(dtype))
