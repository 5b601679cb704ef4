"""What a traced function is made of: a plain list of calls, and where each takes its inputs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from types import CodeType
from typing import Any, NamedTuple

from tapelab.compile.sites import Site, site


@dataclass(frozen=True, slots=True)
class Slot:
    """The place of a tensor in a graph; it stands in the arguments of the calls that use it."""

    number: int


class Place(NamedTuple):
    """Where in the learner's code a call was written."""

    code: CodeType
    instruction: int


@dataclass(frozen=True)
class Node:
    """One call of a function of the namespace, with slots where symbolic tensors stood.

    The arguments of a `simple` one are slots and numbers, by position. `writes` are the ids of the
    handles of variables that it returned. In a world, a call that `tells` is left out, and one with
    `examples` is not run but returns its example.
    """

    name: str
    kind: str
    function: Callable[..., Any]
    args: Any
    kwargs: Any
    results: tuple[Slot | None, ...]
    place: Place
    acts: bool
    writes: tuple[int, ...] = ()
    tells: bool = False
    examples: tuple[Any, ...] = ()
    simple: bool = False


@dataclass(frozen=True)
class Graph:
    """A traced function: its inputs, its calls in the order in which they ran, its outputs."""

    name: str
    inputs: tuple[Slot, ...]
    nodes: tuple[Node, ...]
    outputs: Any
    captures: tuple[Slot, ...] = ()
    tapes: frozenset[int] = field(default_factory=frozenset)

    @cached_property
    def steps(self) -> tuple[tuple[Node, Site], ...]:
        """Each call with the place to call it from."""
        known: dict[tuple[int, int], Site] = {}  # hashing a code object takes long
        found = []
        for node in self.nodes:
            code, instruction = node.place
            call = known.get((id(code), instruction))
            if call is None:
                call = known[id(code), instruction] = site(code, instruction)
            found.append((node, call))
        return tuple(found)


class FuncGraph:
    """What `tensor.graph` is inside a function."""

    def __init__(self, trace: Any) -> None:
        self.name = trace.name
        self._trace = trace

    def default_session(self) -> Any:
        """There is none: a function runs when it is called."""
        raise ValueError("Cannot evaluate tensor using `eval()`: No default session is registered.")

    def as_graph_def(self) -> Any:
        """The calls of the graph by name."""
        return [node.name for node in self._trace.nodes]

    def get_operations(self) -> list[str]:
        """The names of the calls, in the order in which they ran."""
        return [node.name for node in self._trace.nodes]

    def __repr__(self) -> str:
        return f"FuncGraph(name={self.name}, id={id(self)})"
