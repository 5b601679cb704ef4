"""Abstract evaluation: a call is tried on example tensors to find out what it returns.

While a function is traced, every call runs in two environments. An environment has copies of the
variables, tapes and random generators that the function uses, and a thread state of its own, so
nothing happens to those of the user. The examples in the two environments differ in all values and
in the sizes of open axes (`examples`). What agrees in both is known statically: the structure of
the results, dtypes, sizes, and whether a gradient is None. If one environment fails, its result is
modelled on that of the other; if both fail, the call fails, with the error type that a graph has.
"""

from __future__ import annotations

import copy
import re
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any, Final

import numpy as np

from tapelab.compile import examples
from tapelab.compile.pytree import Leaf, Tree, leaves, mapped
from tapelab.compile.symbolic import OpenTrace, Symbolic, SymbolicTensor
from tapelab.core.cell import Cell, Holder
from tapelab.core.composite_tensor import CompositeTensor
from tapelab.core.dispatch import DispatchedType, declaration_of
from tapelab.core.log import thread
from tapelab.core.records import OP_RUNS, as_op_run, kind_of
from tapelab.core.tape import GradientTape
from tapelab.core.tensor import Tensor
from tapelab.core.tensor_shape import TensorShape
from tapelab.core.variable import Variable
from tapelab.errors import InvalidArgumentError
from tapelab.ops.products import matmul
from tapelab.ops.reduce_ops import reduce_sum
from tapelab.ops.selection import zeros_like as zeros_of
from tapelab.random.streams import Source

STATE: Final = ("tapes", "active_tapes", "log", "records", "scope", "trace")
_REMEMBERED: Final = 64


@contextmanager
def thread_in(state: dict[str, Any]) -> Iterator[None]:
    """Give the thread another state for the length of a block; what it becomes is kept."""
    before = {name: getattr(thread, name) for name in STATE}
    for name, value in state.items():
        setattr(thread, name, value)
    try:
        yield
    finally:
        state.update({name: getattr(thread, name) for name in STATE})
        for name, value in before.items():
            setattr(thread, name, value)


def fresh_state(trace: Any = None) -> dict[str, Any]:
    """The state of a thread without tapes."""
    records: Any = deque(maxlen=_REMEMBERED)
    empty = {"tapes": [], "active_tapes": (), "log": None, "records": records, "scope": None}
    return {**empty, "trace": trace}


def current_environment() -> Environment | None:
    """The environment in which this thread evaluates a call, or None."""
    environment: Environment | None = thread.__dict__.get("environment")
    return environment


class Environment:
    """One environment: the copies of the user's variables, tapes and generators in it."""

    def __init__(self, number: int) -> None:
        self.number = number
        self._state = fresh_state()
        self._copies: dict[int, tuple[Any, Any]] = {}
        self._originals: dict[int, Any] = {}

    def run(self, function: Callable[..., Any], args: Tree, kwargs: Tree) -> Any:
        """Call a function on what stands for its arguments here."""
        here, settings = mapped(args, self.stand_in), mapped(kwargs, self.stand_in)
        before, thread.__dict__["environment"] = current_environment(), self
        try:
            with thread_in(self._state), np.errstate(all="ignore"):
                return function(*here, **settings)
        finally:
            thread.__dict__["environment"] = before

    def taped(self) -> bool:
        """Whether a tape is open here."""
        return bool(self._state["tapes"])

    def last_record(self) -> Any:
        """The record of what happened last, if anything did."""
        records = self._state["records"]
        return records[-1] if records else None

    def last_op(self) -> str:
        """The raw name of the op that ran last."""
        for record in reversed(self._state["records"]):
            if kind_of(record) in OP_RUNS:
                return as_op_run(record).op.raw
        return ""

    def stand_in(self, leaf: Leaf) -> Any:
        """What stands for one of the user's things in this environment."""
        if isinstance(leaf, Symbolic):
            return leaf._examples[self.number]
        if isinstance(leaf, Holder):
            cell = self._copy_of(leaf._cell, self._cell)
            return (type(leaf) if isinstance(leaf, Variable) else Variable)._of(cell)
        if isinstance(leaf, GradientTape):
            return self._copy_of(leaf, twin)
        if isinstance(leaf, Source):
            return self._copy_of(leaf, copy.deepcopy)
        if hasattr(type(leaf), "copy_with_state"):  # an object that holds variables of its own
            return self._copy_of(leaf, lambda each: each.copy_with_state(self.stand_in))
        return leaf

    def original(self, leaf: Leaf) -> Any:
        """The user's thing that something in this environment stands for."""
        if isinstance(leaf, Variable):
            cell = self._originals.get(id(leaf._cell))
            return leaf if cell is None else type(leaf)._of(cell)
        return self._originals.get(id(leaf), leaf)

    def _copy_of(self, original: Leaf, make: Callable[[Any], Any]) -> Any:
        pair = self._copies.get(id(original))
        if pair is None:
            pair = self._copies[id(original)] = original, make(original)
            self._originals[id(pair[1])] = original
        return pair[1]

    def _cell(self, cell: Cell) -> Cell:
        state = cell.state
        if self.number and not cell.shape.is_fully_defined():
            state = examples.opposite(state, cell.shape)
        return Cell(cell.identity, cell.shape, state)


def twin(tape: GradientTape) -> GradientTape:
    """A tape of the same settings that has seen nothing yet."""
    return GradientTape(tape._persistent, tape._auto)


def is_eager(leaf: Leaf) -> bool:
    """Whether a leaf of a result takes a slot: a concrete tensor, a composite, a `TensorArray`."""
    eager = type(leaf) is Tensor or isinstance(type(leaf), DispatchedType)
    return eager or is_composite(leaf)


def is_composite(leaf: Leaf) -> bool:
    """Whether a leaf is a ragged or sparse tensor, which goes through a graph as one thing."""
    return isinstance(leaf, CompositeTensor)


FAILED: Final = object()
_TENSOR_AND_SHAPE: Final = 2


def has_fixed_shapes(function: Callable[..., Any], symbols: Iterable[Symbolic]) -> bool:
    """Whether the shapes of results follow from the arguments: their values decide none.

    So it is where all tensors are floats of known shapes and the function does not declare that
    values decide (`tf.unique`). Examples may be refused all the same: a matrix may be singular.
    """
    declared = declaration_of(function)
    if declared.value_dependent_shape or declared.effect:
        return False
    return all(
        isinstance(each, SymbolicTensor)
        and each.dtype.is_floating
        and each.shape.is_fully_defined()
        for each in symbols
    )


def _like(tensor: Tensor, *, is_fixed: bool) -> Tensor:
    return examples.opposite(tensor, tensor.shape) if is_fixed else examples.relative(tensor)


def result_of_shape_argument(
    environment: Environment, function: Callable[..., Any], args: Tree
) -> Any:
    """The result of a function whose argument gives the shape of a tensor with open axes."""
    if not declaration_of(function).shape_argument or len(args) < _TENSOR_AND_SHAPE:
        return FAILED
    tensor, shape = args[:_TENSOR_AND_SHAPE]
    if not isinstance(tensor, SymbolicTensor) or tensor.shape.is_fully_defined():
        return FAILED
    try:
        wanted = TensorShape([None if each == -1 else each for each in shape])
    except (TypeError, ValueError):
        return FAILED
    there = tensor._examples[environment.number]
    spec = examples.from_spec(wanted, there._array.dtype)[environment.number]
    return environment.run(spread_from, (there, spec), {})


def missing(result: Tree) -> int:
    """How many Nones a result holds: the fewer, the more of it is known."""
    return sum(leaf is None for leaf in leaves(result))


def spread_from(tensor: Tensor, like: Tensor) -> Any:
    """An example like another, but made from a tensor, so that a tape follows it."""
    if not tensor.dtype.is_floating:
        return like
    zeros: Any = zeros_of(reduce_sum(tensor, axis=None, keepdims=False))
    return zeros + like


def result_examples(
    function: Callable[..., Any], leaf: Tensor, seen: list[Any], *, is_fixed: bool
) -> tuple[Tensor, ...]:
    """The examples of one result.

    An environment that failed gets one like that of the other: of its shape if the shapes of
    results are `is_fixed`, and with all axes open if not.
    """
    first, second = (each if is_eager(each) else None for each in seen)
    if first is None:
        first = leaf if second is None else _like(second, is_fixed=is_fixed)
    if second is None or second.dtype is not first.dtype:
        second = _like(first, is_fixed=is_fixed)
    elif declaration_of(function).value_dependent_shape and first.shape == second.shape:
        rest = TensorShape([None, *first.shape[1:]]) if first.ndim else first.shape
        second = examples.opposite(first, rest)
    return first, second


_MIXED: Final = re.compile(r"was expected to be a (\w+) tensor but is a (\w+) tensor")
_RESHAPE: Final = re.compile(
    r"Input to reshape is a tensor with (\d+) values, but the requested shape has (\d+)"
)
_SPOKEN: Final = {"float": "float32", "double": "float64", "half": "float16"}


def graph_error(
    error: Exception, function: Callable[..., Any], args: Tree, trace: OpenTrace
) -> Exception:
    """A refused argument is a ValueError in a graph, unlike dtypes are a TypeError."""
    if not isinstance(error, InvalidArgumentError):
        return error
    message = str(error)
    mixed = _MIXED.search(message)
    raised: Exception
    if mixed:
        last_op = trace.environments[0].last_op()
        wanted, got = (_SPOKEN.get(name, name) for name in mixed.groups())
        raised = TypeError(
            f"Input 'y' of '{last_op or function.__name__}' Op has type {got} "
            f"that does not match type {wanted} of argument 'x'. {message}"
        )
    else:
        message = _RESHAPE.sub(r"Cannot reshape a tensor with \1 elements to one with \2", message)
        raised = ValueError(f"{_unequal(error, args)}{message}")
    raised.__cause__ = error
    return raised


def _unequal(error: InvalidArgumentError, args: Tree) -> str:
    """The words that start TensorFlow's message where two shapes do not fit."""
    shapes = [each.shape for each in args if isinstance(each, SymbolicTensor)]
    if len(shapes) != 2 or any(shape.rank is None for shape in shapes):
        return ""
    first, second = map(list, shapes)
    if matmul.raw in str(error.op) and len(first) > 1 and len(second) > 1:
        pairs = [(first[-1], second[-2])]
    else:
        pairs = list(zip(reversed(first), reversed(second), strict=False))
    unlike = next(((a, b) for a, b in pairs if a != b and a and b and 1 not in (a, b)), None)
    return (
        "" if unlike is None else f"Dimensions must be equal, but are {unlike[0]} and {unlike[1]}. "
    )
