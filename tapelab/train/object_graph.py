"""The objects of a checkpoint: a graph whose edges are the names of attributes.

A checkpoint is restored by matching two graphs: that of the objects in the program, and the one
that the file describes (TrackableObjectGraph). Both are walked from the root, and an object gets
the values of the node that the same names lead to. Values are variables; lists, tuples and dicts
are nodes whose edges are places or keys.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from tapelab.core.cell import Holder
from tapelab.dtypes import DType, int64, string
from tapelab.framework.module import Module
from tapelab.io import protobuf
from tapelab.random.generator import GeneratorState

KEY: Final = "_CHECKPOINTABLE_OBJECT_GRAPH"
"""The name of the tensor that holds the graph."""
VALUE: Final = "VARIABLE_VALUE"
POSITION: Final = "TAPELAB_POSITION"
"""The value of an iterator over a dataset. TensorFlow stores other values of its iterators."""
NODES: Final = 1
CHILDREN, ATTRIBUTES, HAS_VALUES = 1, 2, 5
"""The fields of a TrackableObject."""
NODE, NAME = 1, 2
"""The fields of a reference to a child."""
ATTRIBUTE, FULL_NAME, CHECKPOINT_KEY = 1, 2, 3
"""The fields of a value."""


@dataclass
class Node:
    """An object in a file: its children by name, and the keys of its values by their names."""

    children: dict[str, int] = field(default_factory=dict)
    values: dict[str, str] = field(default_factory=dict)


def is_trackable(value: Any) -> bool:
    """Return whether a checkpoint may contain an object."""
    return (
        isinstance(value, (Holder, Module, list, tuple, dict))
        or hasattr(type(value), "_checkpoint_children")
        or hasattr(value, "get_concrete_function")
        or hasattr(type(value), "_saved_value")
    )


def value_name(value: Any) -> str | None:
    """Return the name under which an object has a value of its own; None if it has none."""
    if isinstance(value, Holder):
        return VALUE
    if not hasattr(type(value), "_saved_value"):
        return None
    return VALUE if isinstance(value, GeneratorState) else POSITION


def children_of(value: Any) -> dict[str, Any]:
    """Return the objects in an object by their names."""
    if hasattr(type(value), "_checkpoint_children"):
        children = value._checkpoint_children()
    elif isinstance(value, Module):
        children = vars(value)
    elif isinstance(value, dict):
        children = {key: each for key, each in value.items() if isinstance(key, str)}
    elif isinstance(value, (list, tuple)):
        children = {str(at): each for at, each in enumerate(value)}
    else:
        return {}
    return {name: each for name, each in children.items() if is_trackable(each)}


def identity(value: Any) -> int:
    """Return a number that identifies an object; one for a variable and what wraps it."""
    return id(value._cell) if isinstance(value, Holder) else id(value)


def array_of(variable: Any) -> tuple[DType, NDArray[Any]]:
    """Return the dtype and the array of a variable, or of another object with a value."""
    if not isinstance(variable, Holder):
        return int64, variable._saved_value()
    dtype, value = variable._cell.dtype, variable._cell.state._value
    if dtype is string and not isinstance(value, np.ndarray):
        scalar = np.empty((), dtype=object)
        scalar[()] = value
        return dtype, scalar
    return dtype, np.asarray(value)


def graph_of(root: Any) -> tuple[bytes, dict[str, tuple[DType, NDArray[Any]]]]:
    """Return the graph below an object as a message, and the arrays of its variables by key."""
    order: list[tuple[Any, tuple[str, ...]]] = [(root, ())]
    places = {identity(root): 0}
    nodes, arrays = [], {}
    for value, path in order:  # grows while it is walked
        references = []
        for name, child in children_of(value).items():
            if identity(child) not in places:
                places[identity(child)] = len(order)
                order.append((child, (*path, name)))
            references.append(protobuf.field(
                CHILDREN,
                protobuf.field(NODE, places[identity(child)]) + protobuf.field(NAME, name),
            ))  # fmt: skip
        node = b"".join(references)
        own_name = value_name(value)
        if own_name is not None:
            key = checkpoint_key(path, own_name)
            arrays[key] = array_of(value)
            full_name = value._cell.identity.name if isinstance(value, Holder) else ""
            node += protobuf.field(ATTRIBUTES, b"".join((
                protobuf.field(ATTRIBUTE, own_name),
                protobuf.field(FULL_NAME, full_name),
                protobuf.field(CHECKPOINT_KEY, key),
            )))  # fmt: skip
        nodes.append(protobuf.field(NODES, node + _has_values(value)))
    return b"".join(nodes), arrays


def _has_values(value: Any) -> bytes:
    return protobuf.field(HAS_VALUES, protobuf.field(1, int(value_name(value) is not None)))


def checkpoint_key(path: tuple[str, ...], name: str) -> str:
    """Return the key of a value of an object at a path of names."""
    escaped = (name.replace(".", "..").replace("/", ".S") for name in path)
    return "/".join([*escaped, ".ATTRIBUTES", name])


def nodes_in(raw: bytes) -> list[Node]:
    """Return the nodes of a graph; ValueError for bytes that are none."""
    nodes = [_node(each) for each in protobuf.message(raw).get(NODES, [])]
    if any(child >= len(nodes) for node in nodes for child in node.children.values()):
        raise ValueError("The graph of the checkpoint refers to a node that it does not have.")
    return nodes


def _node(raw: bytes) -> Node:
    node = Node()
    parts = protobuf.message(raw)
    for reference in map(protobuf.message, parts.get(CHILDREN, [])):
        node.children[_text(reference, NAME)] = reference.get(NODE, [0])[0]
    for value in map(protobuf.message, parts.get(ATTRIBUTES, [])):
        node.values[_text(value, ATTRIBUTE)] = _text(value, CHECKPOINT_KEY)
    return node


def _text(message: dict[int, list[Any]], number: int) -> str:
    return bytes(message.get(number, [b""])[0]).decode()


def below(root: Any) -> Iterator[Any]:
    """Yield an object and all objects below it, each once."""
    seen, pending = {identity(root)}, [root]
    for value in pending:  # grows while it is walked
        yield value
        for child in children_of(value).values():
            if identity(child) not in seen:
                seen.add(identity(child))
                pending.append(child)
