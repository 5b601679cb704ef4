"""Symbolic tensors, and the graph of a functional model that calls with them build.

A `KerasTensor` has a shape and a dtype, and no value. A layer or an operation that is called with
one adds a `Node`: itself, its arguments and its symbolic results. `nodes_between` finds the nodes
that lead from the inputs of a model to its outputs, and `run` computes them for values.

The shape of a result is inferred by running the function twice on zeros, with two sizes for what is
unknown: a size that differs between the runs is unknown, too.
"""

from __future__ import annotations

import operator
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Final, NoReturn

import numpy as np

from tapelab import nest
from tapelab.core.dispatch import takes
from tapelab.core.log import thread
from tapelab.core.tensor import Tensor, constant_of
from tapelab.core.tensor_shape import TensorShape
from tapelab.dtypes import as_dtype
from tapelab.keras.name_scopes import automatic_name, unique_name

_IN_TENSORFLOW = (
    "A KerasTensor cannot be used as input to a TensorFlow function. A KerasTensor is a symbolic "
    "placeholder for a shape and dtype, used when constructing Keras Functional models. You can "
    "only use it as input to a Keras layer. Wrap the function in a layer: "
    "tf.keras.layers.Lambda(function)(x), or a class with a call method."
)
_NO_VALUE = "A KerasTensor is symbolic: it's a placeholder for a shape an a dtype. It doesn't have "


Function = Callable[..., Any]


def _operators(function: Function, name: str) -> tuple[Function, Function]:
    """The methods of an operator and of its reflected form, each an operation of that name."""

    def operate(self: KerasTensor, other: Any) -> Any:
        return Operation(function, name).add_node((self, other), {})

    def reflected(self: KerasTensor, other: Any) -> Any:
        return Operation(function, name).add_node((other, self), {})

    return operate, reflected


class KerasTensor:
    """A symbolic tensor; `history` is the node that computes it, None for an input of a model."""

    __array_priority__ = 100

    def __init__(
        self, shape: Any, dtype: str = "float32", name: str | None = None, *,
        sparse: bool = False, ragged: bool = False,
    ) -> None:  # fmt: skip
        self.shape = standard_shape(shape)
        self.dtype = dtype
        self.sparse, self.ragged = sparse, ragged
        self.name = name or automatic_name(type(self))
        self.history: Any = None
        self.origin: Any = None

    @property
    def ndim(self) -> int:
        """The number of axes."""
        return len(self.shape)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NoReturn:
        raise ValueError(
            f"{_NO_VALUE}any actual numerical value. You cannot convert it to a NumPy array. "
            f"{_IN_TENSORFLOW}"
        )

    def __float__(self) -> NoReturn:
        raise ValueError(
            f"{_NO_VALUE}any actual numerical value. You cannot convert it to a float."
        )

    def __int__(self) -> NoReturn:
        raise ValueError(f"{_NO_VALUE}any actual numerical value. You cannot convert it to an int.")

    def __bool__(self) -> NoReturn:
        raise TypeError("A symbolic KerasTensor cannot be used as a boolean.")

    def __iter__(self) -> NoReturn:
        raise NotImplementedError("Iterating over a symbolic KerasTensor is not supported.")

    def __repr__(self) -> str:
        return (
            f"<KerasTensor shape={self.shape}, dtype={self.dtype}, sparse={self.sparse}, "
            f"ragged={self.ragged}, name={self.name}>"
        )

    def carry_out(self, function: Function, args: Any, kwargs: Any) -> Any:
        """Return the symbolic result of a function of symbolic tensors (see `core.dispatch`)."""
        return Operation(function).add_node(args, kwargs)

    __add__, __radd__ = _operators(operator.add, "add")
    __sub__, __rsub__ = _operators(operator.sub, "subtract")
    __mul__, __rmul__ = _operators(operator.mul, "multiply")
    __truediv__, __rtruediv__ = _operators(operator.truediv, "true_divide")
    __floordiv__, __rfloordiv__ = _operators(operator.floordiv, "floor_divide")
    __mod__, __rmod__ = _operators(operator.mod, "mod")
    __pow__, __rpow__ = _operators(operator.pow, "power")
    __matmul__, __rmatmul__ = _operators(operator.matmul, "matmul")
    __lt__ = _operators(operator.lt, "less")[0]
    __le__ = _operators(operator.le, "less_equal")[0]
    __gt__ = _operators(operator.gt, "greater")[0]
    __ge__ = _operators(operator.ge, "greater_equal")[0]
    __getitem__ = _operators(operator.getitem, "get_item")[0]

    def __neg__(self) -> Any:
        return Operation(operator.neg, "negative").add_node((self,), {})

    def __abs__(self) -> Any:
        return Operation(operator.abs, "absolute").add_node((self,), {})


operation: Final = takes(KerasTensor)
"""Let a function also take symbolic tensors, for which it becomes a node of a model."""


_KERAS_NAMES: Final = {"abs": "absolute", "pow": "power"}


class Operation:
    """A function as the operation of a node."""

    def __init__(
        self, function: Function, kind: str | None = None, name: str | None = None
    ) -> None:
        own = function.__name__
        self.kind = kind or _KERAS_NAMES.get(own, own)
        self.name = name or unique_name(self.kind)
        self.function = function

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Return the result for concrete tensors."""
        return self.function(*args, **kwargs)

    def add_node(self, args: Any, kwargs: Any) -> Any:
        """Return the symbolic result, which a new node computes."""
        result = symbolic_outputs(self.function, args, kwargs)
        Node.connect(self, args, kwargs, result)
        return result

    def __repr__(self) -> str:
        return f"<Operation name={self.name}>"


@dataclass(eq=False, frozen=True)
class Node:
    """A call of a layer or an operation: its symbolic arguments and its symbolic result."""

    operation: Any
    args: Any
    kwargs: Any
    result: Any

    @classmethod
    def connect(cls, operation: Any, args: Any, kwargs: Any, result: Any) -> Node:
        """Return a node, and make it the history of its symbolic results."""
        node = cls(operation, args, kwargs, result)
        for each in nest.flatten(result):
            if not isinstance(each, KerasTensor):
                raise ValueError(
                    f"All operation outputs must be tensors. Operation {operation} returned a "
                    f"non-tensor. Non-tensor received: {each}"
                )
            each.history = node
        return node

    @property
    def inputs(self) -> Any:
        """The symbolic input, or a list of several."""
        sources = self.sources()
        return sources[0] if len(sources) == 1 else sources

    def arguments_with(self, values: dict[int, Any]) -> tuple[Any, Any]:
        """Return the arguments with values for the symbolic tensors, by their id."""
        return _substituted(self.args, values), _substituted(self.kwargs, values)

    def sources(self) -> list[KerasTensor]:
        """Return the symbolic tensors among the arguments."""
        arguments = nest.flatten((self.args, self.kwargs))
        return [each for each in arguments if isinstance(each, KerasTensor)]


def nodes_between(inputs: Iterable[KerasTensor], outputs: Iterable[KerasTensor]) -> list[Node]:
    """Return the nodes that compute outputs from inputs, in an order in which they can run."""
    known = {id(each) for each in inputs}
    order: dict[int, Node] = {}
    pending: list[tuple[Any, bool]] = [(each, False) for each in reversed(list(outputs))]
    while pending:
        tensor, ready = pending.pop()
        node = tensor.history
        if id(tensor) in known or (node is not None and id(node) in order):
            continue
        if node is None:
            raise ValueError(
                f"Output with path `` is not connected to `inputs`: it needs {tensor.name}."
            )
        if ready:
            order[id(node)] = node
            continue
        pending.append((tensor, True))
        pending.extend((each, False) for each in reversed(node.sources()))
    return list(order.values())


def by_depth(nodes: Iterable[Node], outputs: Iterable[KerasTensor]) -> list[Any]:
    """Return the operations of nodes in Keras's order: by the longest way to an output.

    Among equals those come first that a walk from the outputs to the inputs meets first.
    """
    order = list(nodes)
    inside = {id(node) for node in order}
    met: dict[int, int] = {}
    pending, seen = [each.history for each in reversed(list(outputs))], set()
    while pending:
        node = pending.pop()
        if id(node) in inside and id(node) not in seen:
            seen.add(id(node))
            met.setdefault(id(node.operation), len(met))
            pending.extend(each.history for each in reversed(node.sources()))
    depths: dict[int, int] = {}
    for node in reversed(order):
        own = id(node.operation)
        depth = depths[own] = max(depths.get(id(node), 0), depths.get(own, 0))
        for source in node.sources():
            before = id(source.history)
            depths[before] = max(depths.get(before, 0), depth + 1)
    operations = {id(node.operation): node.operation for node in order}
    places = sorted(operations, key=lambda place: (-depths[place], met[place]))
    return [operations[place] for place in places]


def run(nodes: Iterable[Node], values: dict[int, Any], **settings: Any) -> None:
    """Compute the values of all nodes, and add them to `values`."""
    for node in nodes:
        args, kwargs = node.arguments_with(values)
        results = node.operation(*args, **{**kwargs, **settings})
        flat = zip(nest.flatten(node.result), nest.flatten(results), strict=True)
        values.update({id(symbol): value for symbol, value in flat})


def _substituted(structure: Any, values: dict[int, Any]) -> Any:
    flat = [values.get(id(each), each) for each in nest.flatten(structure)]
    return nest.pack_sequence_as(structure, flat)


_TRIALS: Final = ((2, 32), (3, 64))
"""The sizes of an unknown batch and of other unknown axes, in the two runs."""


@contextmanager
def without_recording() -> Iterator[None]:
    """Run without recording on any tape or log."""
    before = thread.active_tapes, thread.log, thread.records, thread.tapes
    thread.active_tapes, thread.log, thread.records, thread.tapes = (), None, deque(maxlen=0), []
    try:
        yield
    finally:
        thread.active_tapes, thread.log, thread.records, thread.tapes = before


def symbolic_outputs(call: Function, args: Any, kwargs: Any) -> Any:
    """Return symbolic tensors with the shapes and dtypes of a function's results."""
    with without_recording(), _unchanged(getattr(call, "__self__", None)):
        first, second = (_run_on_zeros(call, (args, kwargs), *sizes) for sizes in _TRIALS)
    pairs = zip(nest.flatten(first), nest.flatten(second), strict=True)
    return nest.pack_sequence_as(first, [_symbol_of(one, other) for one, other in pairs])


@contextmanager
def _unchanged(owner: Any) -> Iterator[None]:
    """Restore the variables of a layer, seeds included, after a run."""
    states = [(each._cell, each._cell.state) for each in getattr(owner, "variables", ())]
    try:
        yield
    finally:
        for cell, state in states:
            cell.state = state


def _run_on_zeros(call: Function, arguments: Any, batch: int, length: int) -> Any:
    flat = [
        _zeros(each, batch, length) if isinstance(each, KerasTensor) else each
        for each in nest.flatten(arguments)
    ]
    args, kwargs = nest.pack_sequence_as(arguments, flat)
    return call(*args, **kwargs)


def _zeros(tensor: KerasTensor, batch: int, length: int) -> Tensor:
    sizes = [
        (batch if at == 0 else length) if size is None else size
        for at, size in enumerate(tensor.shape)
    ]
    return constant_of(np.zeros(sizes, as_dtype(tensor.dtype).as_numpy_dtype)[()])


def _symbol_of(one: Any, other: Any) -> Any:
    """A symbolic tensor with the sizes that two results have in common."""
    if not isinstance(one, Tensor):
        return one
    pairs = zip(one.shape, other.shape, strict=True)
    return KerasTensor([a if a == b else None for a, b in pairs], one.dtype.name)


def standard_shape(shape: Any) -> tuple[int | None, ...]:
    """Return a shape as a tuple of integers and None; ValueError for what is no shape."""
    if isinstance(shape, TensorShape):
        return tuple(shape.as_list())
    if not hasattr(shape, "__iter__"):
        raise ValueError(f"Cannot convert '{shape}' to a shape. Try ({shape},).")
    for each in shape:
        if isinstance(each, (list, tuple)):
            raise ValueError(
                f"Cannot convert '{shape}' to a shape. Found invalid dimension '{each}' of type "
                f"'{type(each)}'."
            )
    sizes = tuple(None if each is None else int(each) for each in shape)
    if any(each is not None and each < 0 for each in sizes):
        raise ValueError(f"Cannot convert '{shape}' to a shape. Negative dimensions are invalid.")
    return sizes
