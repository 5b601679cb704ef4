"""What a call that was tried out tells of its results, also where a world could not do it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

from tapelab.compile import examples
from tapelab.compile.symbolic import Symbolic, SymbolicTensor
from tapelab.compile.walking import leaves
from tapelab.compile.worlds import World, is_eager
from tapelab.core.dispatch import declaration_of
from tapelab.core.tensor import Tensor
from tapelab.core.tensor_shape import TensorShape
from tapelab.ops.reduction import reduce_sum
from tapelab.ops.selection import zeros_like as zeros_of

FAILED: Final = object()
_TENSOR_AND_SHAPE: Final = 2


def has_fixed_shapes(function: Any, symbols: Iterable[Symbolic]) -> bool:
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


def told_shape(world: World, function: Any, args: Any) -> Any:
    """What a function returns that is told the shape of a tensor whose lengths are open."""
    if not declaration_of(function).shape_argument or len(args) < _TENSOR_AND_SHAPE:
        return FAILED
    tensor, shape = args[:_TENSOR_AND_SHAPE]
    if not isinstance(tensor, SymbolicTensor) or tensor.shape.is_fully_defined():
        return FAILED
    try:
        wanted = TensorShape([None if each == -1 else each for each in shape])
    except (TypeError, ValueError):
        return FAILED
    there = tensor._examples[world.number]
    spec = examples.from_spec(wanted, there._array.dtype)[world.number]
    return world.run(spread_from, (there, spec), {})


def missing(result: Any) -> int:
    """How many Nones a result holds: the fewer, the more of it is known."""
    return sum(leaf is None for leaf in leaves(result))


def spread_from(tensor: Tensor, like: Tensor) -> Any:
    """An example like another, but made from a tensor, so that a tape follows it."""
    if not tensor.dtype.is_floating:
        return like
    return zeros_of(reduce_sum(tensor, axis=None, keepdims=False)) + like


def result_examples(
    function: Any, leaf: Tensor, seen: list[Any], *, is_fixed: bool
) -> tuple[Tensor, ...]:
    """The examples of one result.

    A world that failed gets one like that of the other world: of its shape if the shapes of results
    are `is_fixed`, and with all axes open if not.
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
