"""The sparse tensor: its values, the index of each, and the dense shape.

Indices are integers without a gradient, so what is done with them is plain NumPy. What is done with
the values are two ops, `pick_entries` and `put_entries`, each the VJP of the other, so that every
path leads back to `values`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, ClassVar, Final, NoReturn

import numpy as np

from tapelab import math
from tapelab.array_ops.shape_ops import identity
from tapelab.array_ops.value_ops import cast, stop_gradient
from tapelab.core.composite_tensor import CompositeTensor, NotDense, refuse_composites
from tapelab.core.convert import to_tensor
from tapelab.core.dispatch import DispatchedType, public
from tapelab.core.execute import composite
from tapelab.core.op import op
from tapelab.core.tensor import Tensor, constant_of
from tapelab.core.tensor_shape import TensorShape
from tapelab.core.text_forms import brackets
from tapelab.core.variable import Variable, read
from tapelab.dtypes import DType, int64
from tapelab.errors import invalid_argument
from tapelab.framework.logging_ops import array_text
from tapelab.math.special import bessel_i0e, bessel_i1e
from tapelab.ops import samples
from tapelab.ops.arithmetic import divide, multiply
from tapelab.ops.shapes import reshape
from tapelab.sparse.sparse_indices import Shape

Places = Any


def picks(rng: np.random.Generator) -> list[samples.Sample]:
    """Rows of entries with the places to pick, some of them twice."""
    return [
        ((rng.normal(size=(4,)),), {"places": np.array([2, 0, 2])}),
        ((rng.normal(size=(3, 2)),), {"places": np.array([1])}),
        ((rng.normal(size=(2,)),), {"places": np.array([], int)}),
    ]


puts = samples.normals(
    ((3,), {"places": np.array([2, 0, 2]), "count": 4}),
    ((2, 2), {"places": np.array([1, 1]), "count": 2}),
)
"""Rows of entries with the places to put them, some of them shared."""


@op(formula=r"y = \operatorname{pick}(x)", glyph="pick", title="Pick entries", samples=picks,
    reference=lambda x, places: np.take(x, places, 0))  # fmt: skip
def pick_entries(x: Any, *, places: Places) -> Any:
    """The entries at some places along the first axis; picked twice, both gradients come back."""
    return x[places]


@pick_entries.grad("x", r"\bar x = \operatorname{put}(\bar y)")
def pick_entries_grad_x(dy: Any, y: Any, x: Any, *, places: Places) -> Any:
    """A gradient propagates to the place its entry came from."""
    return put_entries(dy, places=places, count=x.shape[0])


@op(formula=r"y = \operatorname{put}(x)", glyph="put", title="Put entries", samples=puts)
def put_entries(x: Any, *, places: Places, count: int) -> Any:
    """The entries at their places in a row of zeros; what shares a place is added."""
    whole = np.zeros((count, *x.shape[1:]), x.dtype)
    np.add.at(whole, places, x)
    return whole


@put_entries.grad("x", r"\bar x = \operatorname{pick}(\bar y)")
def put_entries_grad_x(dy: Any, y: Any, x: Any, *, places: Places, count: int) -> Any:
    """Each entry receives the gradient of the place it was put at."""
    return pick_entries(dy, places=places)


def picked(x: Tensor, places: Places) -> Tensor:
    """The entries at some places."""
    return pick_entries(x, places=np.asarray(places))


def put(x: Tensor, places: Places, count: int) -> Tensor:
    """The entries at their places in a row of so many, added up where a place is shared."""
    return put_entries(x, places=np.asarray(places), count=int(count))


MAPPED: Final = frozenset({
    *(math.abs, math.asin, math.asinh, math.atan, math.atanh, math.erf, math.negative, math.sign),
    *(math.sin, math.sqrt, math.square, math.tan, math.tanh, bessel_i0e, bessel_i1e),
    *(cast, identity, stop_gradient),
})  # fmt: skip
"""The elementwise functions that TensorFlow applies to the values of sparse tensors."""


class SparseTensor(CompositeTensor, metaclass=DispatchedType):
    """Entries `values` at `indices` of a tensor of `dense_shape`; all other entries are zero.

    Each index is a row of integers, one for each axis. Most functions want the indices sorted
    and each but once: see `tf.sparse.reorder`. A gradient flows through `values`.
    """

    __slots__ = ("__weakref__", "_dense_shape", "_indices", "_values")

    kind: ClassVar[str] = "sparse"

    def __init__(self, indices: Any, values: Any, dense_shape: Any) -> None:
        self._indices = _whole("indices", indices)
        self._values = to_tensor(values)
        self._dense_shape = _whole("dense_shape", dense_shape)
        self._check()

    def _check(self) -> None:
        """ValueError unless the three parts fit together."""
        parts = (self._values, 1), (self._indices, 2), (self._dense_shape, 1)
        for part, rank in parts:
            if part.ndim != rank:
                raise ValueError(f"Shape {part.shape} must have rank {rank}")
        (count, rank), (length,), (axes,) = (
            part._array.shape for part in (self._indices, self._values, self._dense_shape)
        )
        for one, other in ((count, length), (rank, axes)):
            if one != other:
                raise ValueError(
                    f"Dimensions {one} and {other} are not compatible: SparseTensor() got {length} "
                    f"values, indices of shape {self._indices.shape} and {axes} lengths of axes."
                )

    @classmethod
    @public
    def from_value(cls, sparse_tensor_value: Any) -> SparseTensor:
        """A sparse tensor from another, or from its three parts."""
        if isinstance(sparse_tensor_value, SparseTensor):
            return sparse_tensor_value
        return cls(*sparse_tensor_value)

    @property
    def indices(self) -> Tensor:
        """The place of each entry, a row of integers."""
        return self._indices

    @property
    def values(self) -> Tensor:
        """The entries that are not zero; this is what a gradient is asked for."""
        return self._values

    @property
    def dense_shape(self) -> Tensor:
        """How long the tensor is along each axis, as a tensor."""
        return self._dense_shape

    @property
    def shape(self) -> TensorShape:
        """How long the tensor is along each axis."""
        return TensorShape(self._dense_shape._value.tolist())

    @property
    def dtype(self) -> DType:
        """What kind of number it holds."""
        return self._values.dtype

    @property
    def op(self) -> NoReturn:
        """The op that made it in a graph; there is none where code runs at once."""
        raise AttributeError("Tensor.op is undefined when eager execution is enabled.")

    @property
    def graph(self) -> NoReturn:
        """The graph that it is in; there is none where code runs at once."""
        raise AttributeError("Tensor.graph is undefined when eager execution is enabled.")

    def get_shape(self) -> TensorShape:
        """How long the tensor is along each axis."""
        return self.shape

    def set_shape(self, shape: Any) -> None:
        """ValueError unless the tensor has this shape."""
        if not self.shape.is_compatible_with(shape):
            raise ValueError(f"Shapes {self.shape} and {TensorShape(shape)} are not compatible")

    def consumers(self) -> list[Any]:
        """The ops that use it in a graph; none where code runs at once."""
        return []

    def with_values(self, new_values: Any) -> SparseTensor:
        """Other entries at the same places."""
        return SparseTensor(self._indices, new_values, self._dense_shape)

    def __mul__(self, y: Any) -> Any:
        return multiplied(self, y)

    def __rmul__(self, y: Any) -> Any:
        return multiplied(self, y) if isinstance(y, (Tensor, Variable)) else NotImplemented

    def __truediv__(self, y: Any) -> Any:
        return divided(self, y)

    def _wants_dense(self, other: Any) -> Any:
        """The answer of an operator that sparse tensors do not have."""
        if isinstance(other, (Tensor, Variable)):
            raise NotDense(self)
        return NotImplemented

    __radd__ = __rsub__ = __rtruediv__ = __rfloordiv__ = __rmod__ = __rpow__ = _wants_dense
    __rmatmul__ = _wants_dense

    def __repr__(self) -> str:
        return (
            f"SparseTensor(indices={self._indices!s}, values={self._values!s}, "
            f"dense_shape={self._dense_shape!s})"
        )

    def __reduce__(self) -> tuple[Any, ...]:
        return SparseTensor, (self._indices, self._values, self._dense_shape)

    def _refusal(self) -> str:
        return (
            f"Attempt to convert a value ({self!r}) with an unsupported type ({type(self)}) to a "
            "Tensor. Try tf.sparse.to_dense(x), or one of the functions of tf.sparse."
        )

    def _components(self) -> Sequence[Tensor]:
        return self._indices, self._values, self._dense_shape

    def _with_components(self, components: Sequence[Any]) -> SparseTensor:
        rebuilt = SparseTensor(*components)
        if not np.array_equal(rebuilt._dense_shape._value, self._dense_shape._value):
            raise ValueError(f"Shapes {rebuilt.shape} and {self.shape} are not compatible")
        return rebuilt

    def _numbers(self) -> Tensor:
        return self._values

    def _as_end(self) -> NoReturn:
        raise ValueError(
            "Type SparseTensor is not supported as a gradient source or gradient target. "
            "Ask for its values: tape.gradient(target, x.values)."
        )

    def _like(self, gradient: Any) -> SparseTensor:
        return self.with_values(gradient)

    def _row(self, index: int) -> SparseTensor:
        """One row along the first axis, as a pipeline hands it out."""
        there = np.flatnonzero(self._indices._value[:, 0] == index)
        cells, values = self._indices._value[there, 1:], self._values._value[there]
        lengths = self._dense_shape._value[1:]
        return SparseTensor(constant_of(cells), constant_of(values), constant_of(lengths))

    @staticmethod
    def _piled(rows: Sequence[SparseTensor]) -> SparseTensor:
        """Rows of one shape as one tensor, without their history."""
        cells = [np.insert(row._indices._value, 0, at, axis=1) for at, row in enumerate(rows)]
        values = np.concatenate([row._values._value for row in rows])
        lengths = np.insert(np.max([row._dense_shape._value for row in rows], axis=0), 0, len(rows))
        return SparseTensor(
            constant_of(np.concatenate(cells)), constant_of(values), constant_of(lengths)
        )

    def _map_elements(self, function: Callable[..., Any], args: Any, kwargs: Any) -> Any:
        first, *rest = args or (None,)
        if first is not self or function not in MAPPED:
            return NotImplemented
        return self.with_values(function(self._values, *rest, **kwargs))

    def _printed(self, entry: Callable[[Any], str], ends: int) -> str:
        indices, values, shape = (array_text(p._value, ends) for p in self._components())
        return f"'SparseTensor(indices={indices}, values={values}, shape={shape})'"


@composite
def multiplied(sparse: SparseTensor, y: Any) -> SparseTensor:
    """A sparse tensor times a dense one: only the entries at its places count."""
    dense = _at_places(sparse, _operand(y, sparse), "SparseDenseCwiseMul")
    return sparse.with_values(multiply(sparse.values, dense))


@composite
def divided(sparse: SparseTensor, y: Any) -> SparseTensor:
    """A sparse tensor divided by a dense one, at its places."""
    dense = _at_places(sparse, _operand(y, sparse), "SparseDenseCwiseDiv")
    return sparse.with_values(divide(sparse.values, dense))


def _operand(y: Any, sparse: SparseTensor) -> Tensor:
    refuse_composites(y)
    try:
        return to_tensor(read(y) if isinstance(y, Variable) else y, sparse.dtype)
    except ValueError as error:
        raise ValueError(f"y: {error}") from None


def _at_places(sparse: SparseTensor, dense: Tensor, raw: str) -> Tensor:
    """The entries of a dense tensor, repeated as far as it must be, at the places of another."""
    shape = dense._array.shape
    ours = tuple(sparse.dense_shape._value.tolist())
    pairs = zip(reversed(shape), reversed(ours), strict=False)
    if len(shape) > len(ours) or any(length not in {1, whole} for length, whole in pairs):
        raise invalid_argument(
            raw, "SparseDenseBinaryOpShared broadcasts dense to sparse only; got incompatible "
            f"shapes: {brackets(ours)} vs. {brackets(shape)}",
        )  # fmt: skip
    columns = sparse.indices._value[:, len(ours) - len(shape) :]
    kept = np.where(np.array(shape, int) == 1, 0, columns)
    places = np.ravel_multi_index(tuple(kept.T), shape) if shape else np.zeros(len(columns), int)
    return picked(reshape(dense, shape=(-1,)), places)


def _whole(name: str, value: Any) -> Tensor:
    """Integers of 64 bits as a tensor; the error of another dtype says of what part."""
    try:
        return to_tensor(value, int64)
    except ValueError as error:
        raise ValueError(f"{name}: {error}") from None


def given(sp_input: Any) -> SparseTensor:
    """The argument, which must be sparse; TypeError if it is not."""
    if not isinstance(sp_input, SparseTensor):
        raise TypeError(
            f"Input must be a SparseTensor. It is of type {type(sp_input).__name__!r}; try "
            "tf.sparse.from_dense(x)."
        )
    return sp_input


@public
def cells_of(sparse: SparseTensor) -> Any:
    """The indices as an array."""
    return sparse.indices._value


@public
def shape_of(sparse: SparseTensor) -> Shape:
    """The shape as Python numbers."""
    return tuple(int(length) for length in sparse.dense_shape._value)


@public
def made_of(indices: Any, values: Tensor, shape: Any) -> SparseTensor:
    """A sparse tensor with other indices, which are constants, around values with a history."""
    cells = constant_of(np.ascontiguousarray(indices, np.int64))
    return SparseTensor(cells, values, constant_of(np.array(shape, np.int64).reshape(-1)))
