"""`tf.ragged.cross`: all combinations of what stands in the same row of several tensors."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np

from tapelab.engine.arrays import typed_array
from tapelab.engine.convert import to_tensor
from tapelab.engine.tensor import constant_of
from tapelab.errors import invalid_argument
from tapelab.ragged.partition import RowPartition
from tapelab.ragged.shaping import as_deep
from tapelab.ragged.tensor import RaggedTensor


def cross(inputs: Any, name: str | None = None) -> RaggedTensor:
    """For each row all combinations of one entry of each input, joined by `_X_`."""
    if not isinstance(inputs, (list, tuple)):
        raise TypeError("`inputs` must be a list of tensors.")
    tables = [
        as_deep(each if isinstance(each, RaggedTensor) else to_tensor(each), 1).to_list()
        for each in inputs
    ]
    if len({len(table) for table in tables}) > 1:
        raise invalid_argument("RaggedCross", "inputs must all have the same batch dimension size.")
    rows = [[_joined(each) for each in product(*row)] for row in zip(*tables, strict=True)]
    flat: Any = typed_array([each for row in rows for each in row], "string")
    lengths = np.array([len(row) for row in rows], np.int64)
    return RaggedTensor._of(constant_of(flat), RowPartition._of_lengths(lengths))


def _joined(parts: tuple[Any, ...]) -> bytes:
    return b"_X_".join(each if isinstance(each, bytes) else str(each).encode() for each in parts)
