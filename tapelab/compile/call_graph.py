"""The graph of a traced function: its calls, where each takes its inputs and where it was written.

At replay the user's code is not running, yet pictures, explanations and tracebacks show its lines.
So each call goes through a small function that is compiled under the user's file name and position.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from itertools import islice
from types import CodeType
from typing import Any, NamedTuple

from tapelab.core.dispatch import declaration_of
from tapelab.core.origin import ModuleScope, Scope
from tapelab.core.variable import name_scopes
from tapelab.errors import OpError


@dataclass(frozen=True, slots=True)
class Slot:
    """The place of a tensor in a graph; it stands in the arguments of the calls that use it."""

    number: int


class Place(NamedTuple):
    """Where in the user's code a call was written, and in which calls of modules it ran."""

    code: CodeType
    instruction: int
    scope: ModuleScope | None = None


@dataclass(frozen=True)
class Node:
    """One call of a function of the namespace, with slots where symbolic tensors stood.

    The arguments of a `simple` one are slots and numbers, by position. `writes` are the ids of the
    handles of variables that it returned. In an environment, a call that is
    `replay_only` is left out, and one with `examples` is not run but returns its example.
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
    replay_only: bool = False
    examples: tuple[Any, ...] = ()
    simple: bool = False


@dataclass(frozen=True)
class Graph:
    """A traced function: its inputs, its calls in the order in which they ran, its outputs.

    The calls named in `dead` have no effect and results that are not used; see `dead_calls`.
    """

    name: str
    inputs: tuple[Slot, ...]
    nodes: tuple[Node, ...]
    outputs: Any
    captures: tuple[Slot, ...] = ()
    tapes: frozenset[int] = field(default_factory=frozenset)
    dead: frozenset[str] = frozenset()

    @cached_property
    def steps(self) -> tuple[tuple[Node, Site, ModuleScope | None], ...]:
        """Each call with the place to call it from, and the calls of modules around it."""
        known: dict[tuple[int, int], Site] = {}  # hashing a code object takes long
        scopes: dict[int, ModuleScope | None] = {id(None): None}

        def site_of(code: CodeType, instruction: int) -> Site:
            call = known.get((id(code), instruction))
            if call is None:
                call = known[id(code), instruction] = site(code, instruction)
            return call

        def scope_of(scope: Scope | None) -> ModuleScope | None:
            if scope is not None and id(scope) not in scopes:
                code = site_of(scope.code, scope.instruction).__code__
                outer = scope_of(scope.outer)
                scopes[id(scope)] = ModuleScope(scope.name, outer, code, _call_in(code))
            return scopes[id(scope)]

        def call_of(node: Node) -> Site:
            call = site_of(node.place.code, node.place.instruction)
            return _forgiving(call) if node.name in self.dead else call

        return tuple([(node, call_of(node), scope_of(node.place.scope)) for node in self.nodes])


class FuncGraph:
    """What `tensor.graph` is inside a function."""

    def __init__(self, trace: Any) -> None:
        self.name = trace.name
        self._trace = trace

    def default_session(self) -> Any:
        """There is none: a function runs when it is called."""
        raise ValueError("Cannot evaluate tensor using `eval()`: No default session is registered.")

    def as_graph_def(self) -> Any:
        """The calls of the graph by name, and what each one takes."""
        return self._trace.graph_def()

    def get_operations(self) -> list[str]:
        """The names of the calls, in the order in which they ran."""
        return [node.name for node in self._trace.nodes]

    def __repr__(self) -> str:
        return f"FuncGraph(name={self.name}, id={id(self)})"


Site = Callable[[Callable[..., Any], Any, Any], Any]


def _forgiving(call: Site) -> Site:
    """The site of a dead call: TensorFlow does not run it, so it must not fail."""

    def attempt(function: Callable[..., Any], args: Any, kwargs: Any) -> Any:
        with suppress(OpError):
            return call(function, args, kwargs)

    return attempt


def site(code: CodeType, instruction: int) -> Site:
    """A function `call(function, args, kwargs)` that stands where an instruction stands."""
    return _site(code, instruction, code.co_filename)


@lru_cache(maxsize=4096)
def _site(code: CodeType, instruction: int, file: str) -> Site:
    """The same; cells with the same text have code that is equal, under other file names."""
    place = next(islice(code.co_positions(), instruction // 2, None), (None,) * 4)
    line, end_line, column, end_column = place
    program = ast.parse("def call(function, args, kwargs): return function(*args, **kwargs)")
    node: Any
    for node in ast.walk(program):
        if hasattr(node, "lineno"):
            node.lineno = line or code.co_firstlineno
            node.end_lineno = end_line or node.lineno
            node.col_offset, node.end_col_offset = column or 0, end_column or 0
    names: dict[str, Any] = {"__name__": "__replay__"}
    exec(compile(program, file, "exec"), names)  # noqa: S102 - our own six words
    call: Any = names["call"]
    call.__code__ = call.__code__.replace(co_name=code.co_name)
    call_site: Site = call
    return call_site


@lru_cache(maxsize=4096)
def _call_in(site: CodeType) -> int:
    """The instruction of a site that calls the function."""
    import dis  # which is slow to load, and needed for graphs with modules alone

    steps = dis.get_instructions(site)
    return next(step.offset for step in steps if step.opname == "CALL_FUNCTION_EX")


def base_name(function: Callable[..., Any], kwargs: Any, last_op: str) -> str:
    """What a call is called: by its `name=`, else as TensorFlow calls such calls."""
    given = kwargs.get("name")
    if isinstance(given, str) and given:
        return given
    own = str(getattr(function, "__name__", "")) or str(getattr(function, "name", ""))
    return declaration_of(function).graph_name or last_op or own


class Names:
    """The names that are taken in a graph."""

    def __init__(self) -> None:
        self._taken: dict[str, int] = {}

    def unique(self, name: str) -> str:
        """The name under the present scope, numbered if it is taken."""
        whole = "/".join([*name_scopes, name])
        count = self._taken.get(whole, 0)
        self._taken[whole] = count + 1
        if not count:
            return whole
        numbered = f"{whole}_{count}"
        self._taken[numbered] = 1
        return numbered
