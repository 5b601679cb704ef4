"""Feature crosses, counts as sparse tensors, edit distances, and products at sampled entries."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from typing import Any

import numpy as np

from tapelab import nest
from tapelab.core.dispatch import public
from tapelab.core.tensor import Tensor, constant_of
from tapelab.core.text_forms import brackets
from tapelab.dtypes import as_dtype, float32
from tapelab.errors import invalid_argument
from tapelab.ops.arithmetic import add, multiply
from tapelab.ops.index_tuples import gather_nd
from tapelab.ops.integer_arguments import number, whole
from tapelab.ops.products import matmul
from tapelab.ops.public import tensor
from tapelab.sparse.sparse_tensor import SparseTensor, cells_of, made_of, shape_of
from tapelab.strings.string_op import texts

Rows = list[list[bytes]]


@public
def cross(inputs: Sequence[Any], name: str | None = None, separator: Any = None) -> SparseTensor:
    """Each feature of a row with each of the same row of the others, as one text: `a_X_b`.

    Sparse features stand before dense ones. TypeError for what is neither.
    """
    if not isinstance(inputs, (list, tuple)):
        raise TypeError(f"Inputs must be a list, not {type(inputs).__name__}.")
    given = list(inputs)
    if not all(isinstance(each, (Tensor, SparseTensor)) for each in given):
        raise TypeError("All inputs must be Tensor or SparseTensor.")
    between = b"_X_" if separator is None else str(separator).encode()
    sparse_first = sorted(given, key=lambda each: not isinstance(each, SparseTensor))
    columns = [_rows(each, at) for at, each in enumerate(sparse_first)]
    _check_batches(columns)
    crossed = [[between.join(each) for each in product(*row)]
               for row in zip(*columns, strict=True)]  # fmt: skip
    cells = [(at, place) for at, row in enumerate(crossed) for place in range(len(row))]
    places = np.array(cells, np.int64).reshape(-1, 2)
    width = max(map(len, crossed), default=0)
    values = constant_of(texts([each for row in crossed for each in row]))
    return made_of(places, values, (len(crossed), width))


def _rows(x: Any, at: int) -> Rows:
    """The features of each row as texts."""
    if isinstance(x, SparseTensor):
        if len(shape_of(x)) != 2:
            raise invalid_argument(
                "SparseCrossV2",
                f"Expected D2 of index to be 2 got {len(shape_of(x))} at position {at}",
            )
        count, rows = shape_of(x)[0], cells_of(x)[:, 0]
        texts = [_text(value) for value in x.values._value.tolist()]
        return [[texts[place] for place in np.flatnonzero(rows == row)] for row in range(count)]
    if x.ndim != 2:
        raise invalid_argument(
            "SparseCrossV2", "Dense inputs should be a matrix but received shape "
            f"{brackets(x._array.shape)} at position {at}",
        )  # fmt: skip
    return [[_text(value) for value in row] for row in x._value.tolist()]


def _text(value: Any) -> bytes:
    return value if isinstance(value, bytes) else str(int(value)).encode()


def _check_batches(columns: list[Rows]) -> None:
    for at, rows in enumerate(columns):
        if len(rows) != len(columns[0]):
            raise invalid_argument(
                "SparseCrossV2",
                f"Expected batch size {len(columns[0])} got {len(rows)} at dense tensor {at}",
            )


@public(group=True)
def sampled_addmm(
    indices: Any, values: Any, dense_shape: Any, mat1: Any, mat2: Any, beta: Any = 1.0,
    alpha: Any = 1.0, output_type: Any = float32,
) -> tuple[Tensor, Tensor, Tensor]:  # fmt: skip
    """The product of two matrices at some places only, times alpha, plus beta times the values.

    The result is the three parts of a sparse tensor.
    """
    kind = as_dtype(output_type)
    places = tensor(whole(indices, "SampledADDMM").astype(np.int32))
    products = gather_nd(matmul(tensor(mat1, kind), tensor(mat2, kind)), places)
    added: Tensor = add(
        multiply(products, tensor(alpha, kind)), multiply(tensor(values, kind), tensor(beta, kind))
    )
    return places, added, tensor(whole(dense_shape, "SampledADDMM").astype(np.int32))


@public
def bincount(
    values: Any, weights: Any = None, axis: Any = 0, minlength: Any = None, maxlength: Any = None,
    binary_output: bool = False, name: str | None = None,
) -> SparseTensor:  # fmt: skip
    """How often each number occurs, over all (`axis=0`) or in each row (`axis=-1`).

    With `weights` their sums, with `binary_output` only whether it occurs; numbers from
    `maxlength` on are left out.
    """
    if axis not in {0, -1, None}:
        raise ValueError(
            f"Unsupported value for argument axis={axis}. Only 0 and -1 are supported."
        )
    _check_weights(values, weights)
    rows, ids, shape, kind = _rows_and_ids(values)
    counts = _weights(weights, ids, binary_output, kind)
    lead = shape[:1] if axis == -1 and len(shape) > 1 else ()
    rows = rows if lead else np.zeros_like(rows)
    if (ids < 0).any():
        raise invalid_argument("SparseCountSparseOutput", "Input values must all be non-negative")
    ceiling = None if maxlength is None else number(maxlength, "SparseCountSparseOutput")
    kept = ids < (np.inf if ceiling is None else ceiling)
    rows, ids, counts = rows[kept], ids[kept], counts[kept]
    width = int(ids.max(initial=-1)) + 1
    width = width if minlength is None else max(width, number(minlength, "SparseCountSparseOutput"))
    width = width if ceiling is None else ceiling
    return _tallied(rows, ids, counts, (*lead, width), binary_output)


def _tallied(rows: Any, ids: Any, counts: Any, shape: Any, binary: bool) -> SparseTensor:
    pairs, places = np.unique(np.stack([rows, ids], axis=1), axis=0, return_inverse=True)
    total = np.zeros(len(pairs), counts.dtype)
    np.add.at(total, np.ravel(places), counts)
    tallies = np.ones_like(total) if binary else total
    return made_of(pairs[:, -len(shape) :], constant_of(tallies), shape)


def _rows_and_ids(values: Any) -> tuple[Any, Any, tuple[int, ...], Any]:
    """The row that each number stands in, the numbers, the shape of the whole and its dtype."""
    if isinstance(values, SparseTensor):
        x = values.values._value
        return cells_of(values)[:, 0], x.astype(np.int64), shape_of(values), x.dtype
    if nest.is_composite(values):
        return _rows_and_ids(values.to_sparse())
    x = tensor(values)._value
    if x.ndim > 2:
        raise ValueError(f"bincount() takes one row or a matrix of them, not rank {x.ndim}.")
    rows = np.repeat(np.arange(len(x)), x.shape[1]) if x.ndim == 2 else np.zeros(x.size, int)
    return rows, np.ravel(x).astype(np.int64), x.shape, x.dtype


def _weights(weights: Any, ids: Any, binary: bool, kind: Any) -> Any:
    if weights is None:
        return np.ones(len(ids), kind)
    if binary:
        raise ValueError("Arguments `binary_output` and `weights` are mutually exclusive.")
    given = weights.to_sparse() if _is_ragged(weights) else weights
    numbers = np.ravel((given.values if isinstance(given, SparseTensor) else tensor(given))._value)
    if len(numbers) != len(ids):
        raise invalid_argument(
            "SparseCountSparseOutput",
            f"Weights and values must have the same shape: {len(numbers)} weights for {len(ids)}",
        )
    return numbers


def _is_ragged(value: Any) -> bool:
    return nest.is_composite(value) and not isinstance(value, SparseTensor)


def _check_weights(values: Any, weights: Any) -> None:
    """ValueError unless weights are of the kind of the values: dense, sparse or ragged."""
    if weights is None:
        return
    if isinstance(values, SparseTensor):
        fits, kind = isinstance(weights, SparseTensor), "SparseTensor"
    elif _is_ragged(values):
        fits, kind = _is_ragged(weights), "RaggedTensor"
    else:
        fits, kind = not nest.is_composite(weights), "tf.Tensor"
    if not fits:
        raise ValueError(
            f"Argument `weights` must be a {kind} if `values` is a {kind}. Received "
            f"weights={weights} of type: {type(weights).__name__}"
        )


Sequences = dict[tuple[int, ...], list[Any]]


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
    guesses, truths = _sequences(hypothesis), _sequences(truth)
    distances = np.zeros(
        [max(pair) for pair in zip(ours[:-1], theirs[:-1], strict=True)], np.float32
    )
    for place in np.ndindex(distances.shape):
        guess, true = guesses.get(place, []), truths.get(place, [])
        steps = distance(guess, true)
        distances[place] = _normal(steps, len(true)) if normalize else steps
    return constant_of(distances)


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


def _sequences(sparse: SparseTensor) -> Sequences:
    """The sequence at each place."""
    rows: Sequences = {}
    places = map(tuple, cells_of(sparse)[:, :-1].tolist())
    for place, value in zip(places, sparse.values._value.tolist(), strict=True):
        rows.setdefault(place, []).append(value)
    return rows
