"""`tf.Graph` and its sessions: calls are collected first, and run when they are asked for."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Any, Final, Self

import numpy as np

from tapelab import nest
from tapelab.compile import callback_rules as callback_rules  # noqa: PLC0414 - registers its rules
from tapelab.compile import examples
from tapelab.compile.call_graph import Graph as Calls
from tapelab.compile.call_graph import Node, Slot, site
from tapelab.compile.pytree import leaves
from tapelab.compile.replay import Replay
from tapelab.compile.symbolic import Operation, SymbolicTensor
from tapelab.compile.trace import Trace
from tapelab.core.cell import Cell, Holder
from tapelab.core.convert import to_tensor
from tapelab.core.log import thread
from tapelab.core.tensor import Tensor
from tapelab.core.tensor_shape import TensorShape
from tapelab.dtypes import as_dtype
from tapelab.errors import FailedPreconditionError, invalid_argument

_sessions: Final[list[Session]] = []
_graphs: Final[list[Graph]] = []


class Graph:
    """A collection of calls: inside `graph.as_default()` they are written down, not run."""

    def __init__(self) -> None:
        self._trace = Trace("graph", in_function=False, creates=True)
        self._trace.graph_handle = self
        self._named: dict[str, SymbolicTensor] = {}
        self.seed: int | None = None

    @contextmanager
    def as_default(self) -> Iterator[Graph]:
        """Write down all calls inside the block."""
        before, thread.trace = thread.trace, self._trace
        _graphs.append(self)
        try:
            yield self
        finally:
            _graphs.pop()
            thread.trace = before

    def placeholder(self, dtype: Any, shape: Any, name: str | None) -> SymbolicTensor:
        """A tensor that is fed at each run."""
        static, kind = TensorShape(shape), as_dtype(dtype).as_numpy_dtype
        symbol: SymbolicTensor = self._trace.placeholder(
            name or "Placeholder", examples.from_spec(static, kind)
        )
        self._named[symbol.name] = symbol
        return symbol

    def get_tensor_by_name(self, name: str) -> SymbolicTensor:
        """The tensor of that name, such as "x:0"; KeyError if there is none."""
        if name not in self._named:
            raise KeyError(
                f"The name '{name}' refers to a Tensor which does not exist. Only placeholders "
                f"are found by name: {', '.join(self._named) or 'there are none'}."
            )
        return self._named[name]

    def get_operations(self) -> list[Operation]:
        """The nodes of the graph, placeholders first."""
        return [Operation(self, name, kind) for name, kind in self._trace.kinds.items()]

    def finalize(self) -> None:
        """Nothing more is to be added; it is not held to that."""

    def default_session(self) -> Session:
        """The innermost session that is open."""
        if not _sessions:
            raise ValueError(
                "Cannot evaluate tensor using `eval()`: No default session is registered. Use "
                "`with sess.as_default()` or pass an explicit session to `eval(session=sess)`"
            )
        return _sessions[-1]


def open_session() -> Session | None:
    """The innermost session that is open, or None."""
    return _sessions[-1] if _sessions else None


class Initializer:
    """What `global_variables_initializer()` returns: running it starts the variables."""

    def __init__(self, cells: list[Cell]) -> None:
        self.states = [(cell, cell.state) for cell in cells]


class Session:
    """Runs a graph: `session.run(fetches, feed_dict)` computes what the fetches need."""

    def __init__(self, target: str = "", graph: Graph | None = None, config: Any = None) -> None:
        del target, config
        self.graph = graph or (_graphs[-1] if _graphs else None)
        self._started: set[Cell] = set()
        self._stack = ExitStack()

    def __enter__(self) -> Self:
        self._stack.enter_context(self.as_default())
        return self

    def __exit__(self, *exception: object) -> None:
        self._stack.close()

    @contextmanager
    def as_default(self) -> Iterator[Session]:
        """Let `tensor.eval()` and `v.eval()` use this session inside the block."""
        _sessions.append(self)
        try:
            yield self
        finally:
            _sessions.remove(self)

    def close(self) -> None:
        """There is nothing to release."""

    def run(self, fetches: Any, feed_dict: Any = None, options: Any = None) -> Any:
        """The numbers of tensors, in the structure in which they are asked for."""
        del options
        if self.graph is None:
            raise RuntimeError(
                "The Session graph is empty. Add operations to the graph before calling run()."
            )
        flat = [self._fetch(each) for each in nest.flatten(fetches)]
        trace, thread.trace = thread.trace, None
        try:
            run = self._run(flat, self._fed(feed_dict or {}))
            values = [self._number(each, run) for each in flat]
        finally:
            thread.trace = trace
        return nest.pack_sequence_as(fetches, values)

    def _fetch(self, each: Any) -> Any:
        if isinstance(each, str) and self.graph is not None:
            return self.graph.get_tensor_by_name(each)
        if isinstance(each, (SymbolicTensor, Holder, Initializer, Operation)):
            return each
        raise TypeError(
            f"Argument `fetch` = {each!r} has invalid type {type(each).__name__!r} must be a "
            f"string or Tensor. (Can not convert a {type(each).__name__} into a Tensor or "
            "Operation.)"
            if each is not None
            else 'Argument `fetch` = None has invalid type "NoneType". Cannot be None'
        )

    def _fed(self, feed_dict: Any) -> dict[int, Tensor]:
        fed = {}
        for key, value in feed_dict.items():
            tensor = self._fetch(key.deref() if hasattr(key, "deref") else key)
            given = to_tensor(np.asarray(value, tensor.dtype.as_numpy_dtype))
            if not tensor.shape.is_compatible_with(given.shape):
                raise ValueError(
                    f"Cannot feed value of shape {given.shape} for Tensor {tensor.name}, which "
                    f"has shape {tensor.shape}"
                )
            fed[tensor._id] = given
        return fed

    def _run(self, fetches: list[Any], fed: dict[int, Tensor]) -> Replay:
        trace = self.graph._trace  # type: ignore[union-attr]  # begun by then
        for each in fetches:
            if isinstance(each, Initializer):
                self._start(each)
        needed = _needed(trace.nodes, fetches, set(fed))
        run = Replay(Calls("session", (), (), None))
        run.slots.update(fed)
        for node in needed:
            self._check(node, run)
            run.step(node, site(node.place.code, node.place.instruction))
            run.slots.update(fed)
        return run

    def _start(self, initializer: Initializer) -> None:
        for cell, state in initializer.states:
            cell.state = state
            self._started.add(cell)

    def _check(self, node: Node, run: Replay) -> None:
        """InvalidArgumentError without a feed, FailedPreconditionError without an initial value."""
        for leaf in leaves((node.args, node.kwargs)):
            if type(leaf) is Slot and leaf.number not in run.slots:
                self._unfed(leaf.number)
            if isinstance(leaf, Holder):
                self._check_started(leaf)

    def _check_started(self, holder: Holder) -> None:
        if holder._cell not in self._started:
            raise FailedPreconditionError(
                None, None, f"Could not find variable {holder._cell.identity.name}. This could "
                "mean that the variable has been deleted. In TF1, it can also mean the variable "
                "is uninitialized. Run tf.compat.v1.global_variables_initializer() first.",
            )  # fmt: skip

    def _unfed(self, number: int) -> None:
        named = self.graph._named.values() if self.graph else ()
        name = next((each.op.name for each in named if each._id == number), "Placeholder")
        kind = next((each.dtype for each in named if each._id == number), None)
        dtype = f" with dtype {kind.name}" if kind is not None else ""
        raise invalid_argument(
            "Placeholder", f"You must feed a value for placeholder tensor '{name}'{dtype}"
        )

    def _number(self, each: Any, run: Replay) -> Any:
        if isinstance(each, Initializer | Operation):
            return None
        if isinstance(each, Holder):
            self._check_started(each)
            return each._cell.state.numpy()
        if each._id not in run.slots:
            self._unfed(each._id)
        return run.slots[each._id].numpy()


def _needed(nodes: list[Node], fetches: list[Any], fed: set[int]) -> list[Node]:
    """The calls that the fetches depend on, in order; what is fed need not be computed."""
    wanted = {each._id for each in fetches if isinstance(each, SymbolicTensor)} - fed
    named = {each.name for each in fetches if isinstance(each, Operation)}
    assigned = {id(each) for each in fetches if isinstance(each, Holder)}
    chosen = []
    for node in reversed(nodes):
        makes = {slot.number for slot in node.results if slot is not None}
        if makes & wanted or node.name in named or assigned & set(node.writes):
            chosen.append(node)
            inside = leaves((node.args, node.kwargs))
            wanted |= {leaf.number for leaf in inside if type(leaf) is Slot} - fed
    return chosen[::-1]


def default_graph() -> Graph:
    """The graph that calls are written into now, or an empty one."""
    return _graphs[-1] if _graphs else _outermost


_outermost: Final = Graph()
