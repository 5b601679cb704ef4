"""The arguments of a function while it is traced: their examples, their names, their specs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tapelab.compile import examples
from tapelab.compile.concrete import positional_name
from tapelab.compile.signature import Binding, Kind, takes_slot
from tapelab.compile.symbolic import Symbolic, SymbolicTensor
from tapelab.compile.walking import leaves
from tapelab.compile.worlds import is_composite
from tapelab.core.tensor import Tensor
from tapelab.core.tensor_shape import TensorShape
from tapelab.core.type_spec import TensorSpec, spec_of_composite


def examples_of(leaf: Any, kind: Kind, lengths: tuple[int, int]) -> Any:
    """What stands for an argument in each world."""
    shape = TensorShape(kind.shape)
    if isinstance(leaf, SymbolicTensor):
        return _examples_in_shape(leaf, kind, lengths)
    if isinstance(leaf, Symbolic):
        return leaf._examples
    if is_composite(leaf):
        if shape == leaf.shape:
            return leaf, leaf
        return leaf, examples.from_composite(spec_of_composite(leaf)._reshaped(shape), lengths)[1]
    if isinstance(leaf, Tensor):
        return examples.from_value(leaf, shape)
    if not isinstance(leaf, TensorSpec):
        return examples.from_composite(leaf, lengths)
    return examples.from_spec(shape, leaf.dtype.as_numpy_dtype, lengths)


def _examples_in_shape(
    tensor: SymbolicTensor, kind: Kind, lengths: tuple[int, int]
) -> tuple[Tensor, ...]:
    """The examples of a tensor of a graph around this one, in the shape that the trace is for."""
    known, shape = tensor.shape, TensorShape(kind.shape)
    if (None if known.rank is None else tuple(known)) == kind.shape:
        return tensor._examples
    first = tensor._examples[0]
    if shape.is_compatible_with(first.shape):
        return examples.from_value(first, shape)
    specs: tuple[Tensor, ...] = examples.from_spec(shape, first._array.dtype, lengths)
    return specs


def argument_names(binding: Binding, bound: Any) -> list[str]:
    """A name for each leaf of the arguments: that of the parameter it belongs to."""
    args, kwargs = bound
    parameters = list(binding.signature.parameters.values())
    names: list[str] = []
    for at, each in enumerate(args):
        names += [positional_name(parameters, at)] * len(leaves(each))
    for name, each in kwargs.items():
        names += [name] * len(leaves(each))
    return names


def told_by(kinds: list[Kind], names: list[str]) -> Callable[[Any], Any]:
    """What stands for an argument in a signature: the spec of what is a tensor, or as it is."""
    open_kinds, open_names = iter(kinds), iter(names)

    def told(leaf: Any) -> Any:
        name = next(open_names)
        if not takes_slot(leaf):
            return leaf
        kind = next(open_kinds)
        if is_composite(leaf) and not isinstance(leaf, Symbolic):
            return spec_of_composite(leaf)._reshaped(TensorShape(kind.shape))
        if not isinstance(leaf, (Tensor, TensorSpec)):
            return leaf
        return TensorSpec(TensorShape(kind.shape), kind.dtype, getattr(leaf, "name", name) or name)

    return told
