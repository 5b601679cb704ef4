"""Which graphs may have a program: those whose calls do nothing but compute and assign."""

from __future__ import annotations

from collections.abc import Iterator
from enum import Enum
from types import BuiltinFunctionType, EllipsisType, FunctionType
from typing import Any, Final

import numpy as np

from tapelab.compiling import standing
from tapelab.compiling.doorways import DRAWING
from tapelab.compiling.graph import Graph, Node, Slot
from tapelab.compiling.objects import call_method
from tapelab.compiling.routines import Routine, choose, choose_number, each_item, loop
from tapelab.compiling.walking import leaves
from tapelab.dtypes import DType
from tapelab.engine.cell import Holder
from tapelab.engine.tape import GradientTape
from tapelab.engine.tensor import Tensor
from tapelab.engine.variable import Variable
from tapelab.shapes import TensorShape
from tapelab.specs import TensorSpec

_TAPE: Final = tuple(vars(GradientTape)[name] for name in ("__enter__", "__exit__", "watch"))
_VARIABLE: Final = tuple(vars(Variable)[name] for name in ("assign", "assign_add", "assign_sub"))
_ACTS: Final = frozenset({
    *_TAPE, *_VARIABLE, standing.pause, standing.resume,
    choose, choose_number, loop, each_item, call_method,
})  # fmt: skip
"""What a node may do beside computing."""
_PLAIN: Final = (
    *(type(None), bool, int, float, complex, str, bytes, np.ndarray, np.generic, np.dtype, type),
    *(Slot, Tensor, Holder, GradientTape, DType, TensorShape, TensorSpec, EllipsisType, Enum),
    *(FunctionType, BuiltinFunctionType),
)
"""What may stand in the arguments of a node: nothing that can change from call to call."""
_OWN_GRADIENT: Final = "CustomGradient"
"""The type, loaded by need, of a learner's function with a gradient of its own: traced like all."""


def may_be_lowered(graph: Graph) -> bool:
    """Whether a program could take the place of a graph's replay, as far as its calls tell."""
    return all(map(_harmless, graph.nodes))


def _harmless(node: Node) -> bool:
    inner = inner_function(node)
    if inner is not None:
        return may_be_lowered(inner._graph)
    if node.function.__module__ in DRAWING:
        return draws(node)
    if node.tells:
        return False
    if node.acts and node.function not in _ACTS:
        return False
    given = list(_spread((node.args, node.kwargs)))
    routines = [each for each in given if isinstance(each, Routine)]
    return all(map(_unchanging, given)) and all(may_be_lowered(each._graph) for each in routines)


def draws(node: Node) -> bool:
    """Whether a call draws random numbers in the same way each time, whatever else is computed."""
    given = leaves((node.args, node.kwargs))
    moving = any(isinstance(each, (Slot, Holder, GradientTape)) for each in given)
    return node.function.__module__ in DRAWING and not moving


def _unchanging(thing: Any) -> bool:
    return isinstance(thing, (*_PLAIN, Routine)) or type(thing).__name__ == _OWN_GRADIENT


def inner_function(node: Node) -> Any:
    """The traced function that a node calls, if it calls one."""
    owner = getattr(node.function, "__self__", None)
    return owner if hasattr(owner, "_execution") else None


def _spread(thing: Any) -> Iterator[Any]:
    """All leaves, and the routines themselves with what they take from outside."""
    if isinstance(thing, Routine):
        yield thing
        yield from leaves(thing)
    elif type(thing) in (tuple, list):
        for each in thing:
            yield from _spread(each)
    elif type(thing) is dict:
        for each in thing.values():
            yield from _spread(each)
    else:
        yield from leaves(thing)
