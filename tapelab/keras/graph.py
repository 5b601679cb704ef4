"""The graph of a functional model: which layer makes which symbolic tensors from which."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from tapelab import nest
from tapelab.keras.keras_tensor import KerasTensor


@dataclass(eq=False, frozen=True)
class Node:
    """One use of a layer: its symbolic arguments and its symbolic result."""

    operation: Any
    args: Any
    kwargs: Any
    result: Any

    @classmethod
    def joining(cls, operation: Any, args: Any, kwargs: Any, result: Any) -> Node:
        """A node that its symbolic results remember as the one that makes them."""
        made = cls(operation, args, kwargs, result)
        for each in nest.flatten(result):
            if not isinstance(each, KerasTensor):
                raise ValueError(
                    f"All operation outputs must be tensors. Operation {operation} returned a "
                    f"non-tensor. Non-tensor received: {each}"
                )
            each.history = made
        return made

    @property
    def inputs(self) -> Any:
        """The symbolic inputs: one, or a list of several."""
        found = self.sources()
        return found[0] if len(found) == 1 else found

    def filled(self, values: dict[int, Any]) -> tuple[Any, Any]:
        """Its arguments with values in the place of symbolic tensors."""
        return _filled(self.args, values), _filled(self.kwargs, values)

    def sources(self) -> list[KerasTensor]:
        """All symbolic tensors among its arguments."""
        given = nest.flatten((self.args, self.kwargs))
        return [each for each in given if isinstance(each, KerasTensor)]


def nodes_between(inputs: Iterable[KerasTensor], outputs: Iterable[KerasTensor]) -> list[Node]:
    """The nodes from some symbolic tensors to others, in an order in which they can run."""
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


def run(nodes: Iterable[Node], values: dict[int, Any], **settings: Any) -> None:
    """Fill in the symbolic tensors of all nodes, from those that are filled in."""
    for node in nodes:
        args, kwargs = node.filled(values)
        found = node.operation(*args, **{**kwargs, **settings})
        flat = zip(nest.flatten(node.result), nest.flatten(found), strict=True)
        values.update({id(symbol): value for symbol, value in flat})


def _filled(structure: Any, values: dict[int, Any]) -> Any:
    flat = [values.get(id(each), each) for each in nest.flatten(structure)]
    return nest.pack_sequence_as(structure, flat)
