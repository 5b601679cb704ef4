"""Which graphs may have a program: those whose calls do nothing but compute and assign."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from enum import Enum
from types import BuiltinFunctionType, EllipsisType, FunctionType
from typing import Any, Final

import numpy as np

from tapelab.autodiff.gradient_overrides import CustomGradient
from tapelab.compile.call_graph import Graph, Node, Slot
from tapelab.compile.pytree import Bundle, Leaf, leaves
from tapelab.core.cell import Holder
from tapelab.core.dispatch import declaration_of
from tapelab.core.tape import GradientTape
from tapelab.core.tensor import Tensor
from tapelab.core.tensor_shape import TensorShape
from tapelab.core.type_spec import TensorSpec
from tapelab.dtypes import DType
from tapelab.random.seeds import OpSeed
from tapelab.random.streams import Source

_PLAIN: Final = (
    *(type(None), bool, int, float, complex, str, bytes, np.ndarray, np.generic, np.dtype, type),
    *(Slot, Tensor, Holder, GradientTape, Source, DType, TensorShape, TensorSpec, Enum),
    *(slice, EllipsisType, FunctionType, BuiltinFunctionType),
)
"""What may stand in the arguments of a node: nothing that can change from call to call."""


def can_be_lowered(graph: Graph) -> bool:
    """Whether a program could take the place of a graph's replay, as far as its calls tell."""
    return all(map(_harmless, graph.nodes))


def can_be_tried(graph: Graph) -> bool:
    """Whether a graph could be replayed beside the tapes: it may have a program and asks of none
    that belongs to somebody else.
    """
    return can_be_lowered(graph) and _keeps_to_itself(graph, graph.tapes)


def _keeps_to_itself(graph: Graph, tapes: frozenset[int]) -> bool:
    for node in graph.nodes:
        if node.simple:
            continue
        inner = inner_function(node)
        if inner is not None and not can_be_tried(inner._graph):
            return False
        for each in _spread((node.args, node.kwargs)):
            if isinstance(each, GradientTape) and id(each) not in tapes:
                return False
            if isinstance(each, Bundle) and not _keeps_to_itself(each.graph, tapes):
                return False
    return True


def _harmless(node: Node) -> bool:
    if node.simple:
        return True
    inner = inner_function(node)
    if inner is not None:
        return can_be_lowered(inner._graph)
    if draws(node):
        return True
    if node.replay_only:
        return asserts(node)
    if node.acts and not _may_act(node.function):
        return False
    given = list(_spread((node.args, node.kwargs)))
    routines = [each for each in given if isinstance(each, Bundle)]
    return all(map(_unchanging, given)) and all(can_be_lowered(each.graph) for each in routines)


def _may_act(function: Callable[..., Any]) -> bool:
    """Whether what a function does besides computing can be part of a program."""
    return declaration_of(function).effect in ("assigns", "tape", "random", "control")


def draws(node: Node) -> bool:
    """Whether a call draws random numbers in the same way each time, whatever else is computed."""
    given = leaves((node.args, node.kwargs))
    varying = any(isinstance(each, (Slot, Holder, GradientTape, Source)) for each in given)
    return declaration_of(node.function).effect == "random" and not varying


def asserts(node: Node) -> bool:
    """Whether a call only looks whether something is so: it returns nothing, or an error."""
    given = list(_spread((node.args, node.kwargs)))
    plain = all(map(_unchanging, given)) and not any(isinstance(each, Holder) for each in given)
    return plain and node.replay_only and declaration_of(node.function).effect == "asserts"


def _unchanging(value: Leaf) -> bool:
    return isinstance(value, (*_PLAIN, Bundle, CustomGradient, OpSeed))


def inner_function(node: Node) -> Any:
    """The traced function that a node calls, if it calls one."""
    owner = getattr(node.function, "__self__", None)
    return owner if hasattr(owner, "_execution") else None


def _spread(value: Leaf) -> Iterator[Any]:
    """All leaves, and the routines themselves with what they take from outside."""
    if isinstance(value, Bundle):
        yield value
        yield from leaves(value)
    elif type(value) in (tuple, list):
        for each in value:
            yield from _spread(each)
    elif type(value) is dict:
        for each in value.values():
            yield from _spread(each)
    else:
        yield from leaves(value)
