"""How many letters must change to make one sequence another."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from tapelab.core.dispatch import public
from tapelab.core.tensor import Tensor, constant_of
from tapelab.errors import invalid_argument
from tapelab.sparse.parts import cells_of, shape_of
from tapelab.sparse.tensor import SparseTensor

Rows = dict[tuple[int, ...], list[Any]]


@public
def edit_distance(
    hypothesis: Any, truth: Any, normalize: bool = True, name: str = "edit_distance"
) -> Tensor:
    """The Levenshtein distance of the sequences along the last axes of two sparse tensors.

    With `normalize`, divided by the length of the true sequence; inf where that is empty.
    """
    for what, given in (("Hypothesis", hypothesis), ("Truth", truth)):
        if not isinstance(given, SparseTensor):
            raise TypeError(f"{what} must be a SparseTensor. Try tf.sparse.from_dense(x).")
    ours, theirs = shape_of(hypothesis), shape_of(truth)
    if len(theirs) < 2 or len(ours) != len(theirs):
        raise invalid_argument(
            "EditDistance", "Input SparseTensors must have rank at least 2, but truth_shape rank "
            f"is: {len(theirs)}; both need the same rank",
        )  # fmt: skip
    guesses, truths = _rows(hypothesis), _rows(truth)
    found = np.zeros([max(pair) for pair in zip(ours[:-1], theirs[:-1], strict=True)], np.float32)
    for place in np.ndindex(found.shape):
        guess, true = guesses.get(place, []), truths.get(place, [])
        steps = distance(guess, true)
        found[place] = _normal(steps, len(true)) if normalize else steps
    return constant_of(found)


def distance(one: Sequence[Any], other: Sequence[Any]) -> int:
    """The fewest insertions, deletions and changes that make one sequence the other."""
    row = list(range(len(other) + 1))
    for count, mine in enumerate(one, start=1):
        before, row = row, [count]
        for at, yours in enumerate(other):
            changed = before[at] + (mine != yours)
            row.append(min(changed, before[at + 1] + 1, row[at] + 1))
    return row[-1]


def _normal(steps: int, length: int) -> float:
    if length:
        return steps / length
    return float("inf") if steps else 0.0


def _rows(sparse: SparseTensor) -> Rows:
    """The sequence at each place."""
    rows: Rows = {}
    places = map(tuple, cells_of(sparse)[:, :-1].tolist())
    for place, value in zip(places, sparse.values._value.tolist(), strict=True):
        rows.setdefault(place, []).append(value)
    return rows
