"""Tracing of branches and loop bodies into subgraphs, and the nodes that run them at replay."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Final

import numpy as np

from tapelab.compile import examples
from tapelab.compile.call_graph import Graph, Node, Slot
from tapelab.compile.dead_calls import bodies
from tapelab.compile.pytree import Leaf, Tree, leaves, mapped
from tapelab.compile.subgraph import (
    Subgraph,
    choose,
    choose_number,
    each_item,
    first_value,
    loop,
)
from tapelab.compile.symbolic import Symbolic, SymbolicTensor, symbol
from tapelab.compile.trace import Trace
from tapelab.core.cell import Holder
from tapelab.core.convert import to_tensor
from tapelab.core.log import thread
from tapelab.core.tensor import Tensor, constant_of
from tapelab.ops.pass_through import identity

_PLAIN: Final = (bool, int, float, complex, str, bytes)


def trace_subgraph(
    outer: Trace, name: str, body: Callable[..., Any], *inputs: Tree
) -> tuple[Subgraph, Any]:
    """Trace a branch or a body for inputs of such kinds; returns it and what it returns."""
    inner, result = trace_body(outer, name, body, *inputs)
    return finish_subgraph(outer, inner, result)


def trace_body(
    outer: Trace, name: str, body: Callable[..., Any], *inputs: Tree
) -> tuple[Trace, Any]:
    """Trace a branch or a body, leaving open which of its results are wanted."""
    inner = Trace(name, outer=outer, environments=outer.environments, in_function=outer.in_function)
    inner.variables, inner.tapes = outer.variables, outer.tapes

    def placeholder(leaf: Leaf) -> Any:
        if not isinstance(leaf, (Tensor, Symbolic)):
            return leaf
        return inner.placeholder("arg", examples_of(leaf))

    places = mapped(inputs, placeholder)
    thread.trace = inner
    try:
        return inner, body(*places)
    finally:
        thread.trace = outer


def finish_subgraph(outer: Trace, inner: Trace, result: Tree) -> tuple[Subgraph, Any]:
    """The routine of a body that was traced, and its results as tensors of its graph."""
    thread.trace = inner
    try:
        outputs = mapped(result, lambda leaf: _output(inner, leaf))
    finally:
        thread.trace = outer
    captures = [outer.own(tensor) for tensor, _ in inner.captured.values()]
    return Subgraph(inner.graph(outputs), captures), outputs


def examples_of(leaf: Leaf) -> Any:
    """What stands for a thing in each environment."""
    return leaf._examples if isinstance(leaf, Symbolic) else (leaf, leaf)


def _output(inner: Trace, leaf: Leaf) -> Any:
    if isinstance(leaf, Symbolic):
        own = inner.own(leaf)
        new = isinstance(own, SymbolicTensor) and inner.is_placeholder(own)
        return inner.call(identity, (own,), {}) if new else own
    if isinstance(leaf, (Tensor, Holder, *_PLAIN)) or hasattr(leaf, "__array__"):
        return inner.call(to_tensor, (leaf,), {})
    return leaf


def between(outer: Trace, inputs: Tree, outside: Tree, outputs: Tree, stops: Tree = ()) -> Subgraph:
    """The part of a graph that leads to some outputs from its inputs, and from what is outside.

    Outside are variables and tensors with values. The calls that return a tensor of `stops` are
    left out, so that it counts as a constant.
    """
    known = {each._id for each in inputs}
    wanted = {id(getattr(each, "_cell", each)) for each in outside}
    stopped = {each._id for each in stops if isinstance(each, Symbolic)}
    part, needed = [], dict[int, None]()
    for node in outer.nodes:
        slots = [leaf.number for leaf in _arguments(node) if isinstance(leaf, Slot)]
        results = {slot.number for slot in node.results if slot is not None}
        if node.replay_only or node.writes or results & stopped:
            continue
        if known.intersection(slots) or not wanted.isdisjoint(_values_in(node)):
            part.append(node)
            known |= results
            needed |= dict.fromkeys(slots)
    produced = {slot.number for node in part for slot in node.results if slot is not None}
    results = mapped(outputs, lambda leaf: Slot(leaf._id) if isinstance(leaf, Symbolic) else leaf)
    needed |= dict.fromkeys(leaf.number for leaf in leaves(results) if isinstance(leaf, Slot))
    given = [Slot(each._id) for each in inputs]
    others = [number for number in needed if number not in produced and Slot(number) not in given]
    graph = Graph("gradients", tuple(given), tuple(part), results, tuple(map(Slot, others)))
    return Subgraph(graph, [outer.symbols[number] for number in others])


def _arguments(node: Node) -> list[Any]:
    return leaves((node.args, node.kwargs))


def _values_in(node: Node) -> Iterator[int]:
    """The ids of the tensors with values and of the variables' cells that a call reads."""
    for leaf in _arguments(node):
        if isinstance(leaf, (Tensor, Holder)):
            yield id(getattr(leaf, "_cell", leaf))
    for body in bodies(node):
        for inner in body.nodes:
            yield from _values_in(inner)


def cond(
    outer: Trace, pred: Leaf, true_fn: Callable[..., Any], false_fn: Callable[..., Any]
) -> Any:
    """One of two branches, chosen at replay; both are traced."""
    first, second = (
        trace_body(outer, "cond_true", true_fn),
        trace_body(outer, "cond_false", false_fn),
    )
    return record_choice(outer, pred, first, second)


def record_choice(
    outer: Trace, pred: Leaf, one: tuple[Trace, Any], other: tuple[Trace, Any]
) -> Any:
    """The choice between two branches that were traced."""
    (first, ours), (second, theirs) = finish_subgraph(outer, *one), finish_subgraph(outer, *other)
    return outer.write(choose, (pred, first, second), _joined(ours, theirs))


def switch(outer: Trace, index: Leaf, branches: list[Any]) -> Any:
    """One of several branches, chosen at replay by its number; the last one for all others."""
    traced = [trace_subgraph(outer, f"branch_{at}", each) for at, each in enumerate(branches)]
    results = _joined(traced[0][1], traced[-1][1])
    for _, outputs in traced[1:-1]:
        _joined(traced[0][1], outputs)
    return outer.write(choose_number, (index, [each for each, _ in traced]), results)


def _joined(ours: Tree, theirs: Tree) -> list[Any]:
    """The results of a choice: those of one branch in each environment."""
    first, second = leaves(ours), leaves(theirs)
    for a, b in zip(first, second, strict=False):
        if isinstance(a, Tensor) != isinstance(b, Tensor) or (
            isinstance(a, Tensor) and a.dtype is not b.dtype
        ):
            raise TypeError(f"{_UNLIKE} They return {a!r} and {b!r}.")
    if len(first) != len(second):
        raise TypeError(f"{_UNLIKE} They return {len(first)} and {len(second)} values.")
    other = iter(second)

    def second_environment(leaf: Leaf) -> Any:
        there = next(other)
        if not isinstance(leaf, SymbolicTensor):
            return leaf._examples[1] if isinstance(leaf, Symbolic) else leaf
        same = leaf.shape == there.shape and leaf.shape.is_fully_defined()
        record_choice: Tensor = (leaf if same else there)._examples[1]
        if not same and record_choice.shape == leaf._examples[0].shape:
            record_choice = examples.opposite(record_choice, leaf.shape)
        return record_choice

    here = mapped(ours, lambda x: x._examples[0] if isinstance(x, Symbolic) else x)
    return [here, mapped(ours, second_environment)]


_UNLIKE: Final = (
    "true_fn and false_fn arguments to tf.cond must have the same number, type, and overall "
    "structure of return values."
)


def while_loop(
    outer: Trace, test: Callable[..., Any], body: Callable[..., Any], variables: Tree, *,
    most: Leaf = None, invariants: Tree = None, first_in_body: tuple[str, ...] = (),
) -> Any:  # fmt: skip
    """A loop that runs at replay as long as its test holds; its body is traced once.

    The variables that are named in `first_in_body` get their first values in the body, so the loop
    must run at least once; InvalidArgumentError at replay if it does not.
    """
    start = mapped(variables, lambda leaf: _output(outer, leaf))
    entered = start if invariants is None else _opened(outer, start, invariants)
    check, _ = trace_subgraph(outer, "while_cond", test, *entered)
    step, outputs, entered = _body(outer, "while_body", body, [], list(entered))
    check_invariant(entered, outputs)
    arguments = (check, step, start, most, first_in_body)
    return outer.write(loop, arguments, _by_environment(outputs))


def for_loop(
    outer: Trace, items: Tree, element: Tree, body: Callable[..., Any], variables: Tree,
    test: Callable[..., Any] | None, *, first_in_body: tuple[str, ...] = (),
) -> Any:  # fmt: skip
    """A loop over the rows of a tensor, or over a dataset, at replay; its body is traced once.

    `first_in_body` as in `while_loop`.
    """
    start = mapped(variables, lambda leaf: _output(outer, leaf))
    step, outputs, entered = _body(outer, "for_body", body, leaves(element), list(start))
    check_invariant(entered, outputs)
    check = None if test is None else trace_subgraph(outer, "for_test", test, *start)[0]
    arguments = (items, step, start, check, first_in_body)
    return outer.write(each_item, arguments, _by_environment(outputs))


def as_tensor(leaf: Leaf) -> Any:
    """A leaf as a tensor of the open graph."""
    return _output(thread.trace, leaf)


def zeros_of_kind(leaf: Leaf) -> Any:
    """Zeros of the dtype and the shape of a tensor; along its open axes they are of size 1."""
    kind = leaf if isinstance(leaf, Tensor) else to_tensor(leaf)
    shape = tuple(kind.shape) if kind.shape.rank is not None else ()
    dtype = kind.dtype.as_numpy_dtype
    results = [constant_of(np.zeros(x._array.shape, dtype)[()]) for x in examples_of(kind)]
    fixed = (tuple([1 if n is None else n for n in shape]), dtype)
    return thread.trace.write(first_value, fixed, results, runs=False)


def _body(
    outer: Trace, name: str, body: Callable[..., Any], parts: list[Any], start: list[Any]
) -> tuple[Subgraph, Any, list[Any]]:
    """Trace a loop's body; once more where it says itself which lengths may change."""

    def repeated(*given: Tree) -> Any:
        return _as_tuple(body(*given))

    inner, result = trace_body(outer, name, repeated, *parts, *start)
    if inner.options:
        shapes = iter([inner.options.get(slot.number) for slot in inner.inputs[len(parts) :]])
        start = mapped(start, lambda leaf: _widened(outer, leaf, next(shapes, None)))
        inner, result = trace_body(outer, name, repeated, *parts, *start)
    return (*finish_subgraph(outer, inner, result), start)


def _widened(outer: Trace, leaf: Leaf, shape: Any) -> Any:
    if shape is None:
        return leaf
    first = examples_of(leaf)[0]
    return outer.placeholder_like(leaf, (first, examples.opposite(first, shape)))


def _as_tuple(result: Tree) -> tuple[Any, ...]:
    return tuple(result) if isinstance(result, (list, tuple)) else (result,)


def _by_environment(outputs: Tree) -> list[Any]:
    def in_environment(number: int) -> Any:
        return mapped(outputs, lambda x: x._examples[number] if isinstance(x, Symbolic) else x)

    return [in_environment(number) for number in examples.ENVIRONMENTS]


def check_invariant(entered: Any, outputs: Tree) -> None:
    """TypeError or ValueError where one round changes the dtype or the shape of a loop variable."""
    before, after = leaves(entered), leaves(outputs)
    if len(before) != len(after):
        raise ValueError(
            "The two structures don't have the same nested structure: the loop starts with "
            f"{len(before)} values and its body returns {len(after)}."
        )
    for a, b in zip(before, after, strict=True):
        if isinstance(a, Tensor) and isinstance(b, Tensor):
            if a.dtype is not b.dtype:
                raise TypeError(
                    f"{a!r} has dtype {a.dtype.name} before the loop, but dtype {b.dtype.name} "
                    "after one iteration. Try tf.cast inside the loop."
                )
            if a.shape.is_fully_defined() and a.shape != b.shape:
                name = getattr(a, "_name", "x")
                raise ValueError(
                    f"Input tensor '{name}' enters the loop with shape {a.shape}, but has shape "
                    f"{b.shape} after one iteration. To allow the shape to vary across "
                    "iterations, use the `shape_invariants` argument of tf.while_loop to specify "
                    "a less-specific shape."
                )


def _opened(outer: Trace, start: Any, invariants: Tree) -> Any:
    """The loop variables as they are in any round: with the lengths open that may change."""
    shapes = iter(leaves(list(map(_shape_of, _flat_shapes(invariants)))))

    def open_up(leaf: Leaf) -> Any:
        shape = next(shapes, None)
        if not isinstance(leaf, Tensor) or shape is None:
            return leaf
        first = examples_of(leaf)[0]
        return outer.placeholder_like(leaf, (first, examples.opposite(first, shape)))

    return mapped(start, open_up)


def _flat_shapes(invariants: Tree) -> list[Any]:
    if isinstance(invariants, (list, tuple)):
        return [shape for each in invariants for shape in _flat_shapes(each)]
    return [invariants]


def _shape_of(invariant: Any) -> Any:
    return getattr(invariant, "shape", invariant)


def element_of(items: Tree) -> Any:
    """A symbolic row of a tensor, of each tensor in a nest, or a symbolic element of a dataset."""
    trace = thread.trace
    if not hasattr(items, "element_spec"):
        return mapped(items, lambda leaf: symbol(
            trace, "item:0", tuple(_row(each) for each in examples_of(leaf))
        ))  # fmt: skip
    first, second = examples.spec_examples(items.element_spec)
    others = iter(leaves(second))
    return mapped(first, lambda each: symbol(trace, "item:0", (each, next(others))))


def _row(tensor: Tensor) -> Tensor:
    value = tensor._array
    if not value.ndim:
        raise TypeError("Cannot iterate over a scalar tensor.")
    if len(value):
        return constant_of(value[0])
    return examples.invented(value.shape[1:], value.dtype, 0)
