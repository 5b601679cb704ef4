"""Trace rules of functions that call back: their callbacks are traced once, into subgraphs.

A rule takes the trace, the function and the arguments of the call. It returns NotImplemented where
nothing in the call depends on a symbolic tensor; then the function itself runs.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tapelab import control_flow
from tapelab.autodiff import graph_gradients
from tapelab.compile import examples, subgraph_trace
from tapelab.compile.abstract_evaluation import spread_from
from tapelab.compile.autograph.source_transform import convert_function
from tapelab.compile.pytree import Leaf, Tree, leaves, mapped
from tapelab.compile.symbolic import SymbolicTensor
from tapelab.compile.trace import CONTROL_FLOW, Trace
from tapelab.control_flow import map_ops, python_functions
from tapelab.core.cell import Holder
from tapelab.core.convert import to_tensor
from tapelab.core.log import thread
from tapelab.core.tape import GradientTape, UnconnectedGradients
from tapelab.core.tensor import Tensor
from tapelab.dtypes import as_dtype

Public = Callable[..., Any]


def _decides(value: Leaf) -> bool:
    return isinstance(value, (SymbolicTensor, Holder))


def _cond(
    trace: Trace, original: Public, pred: Leaf, true_fn: Public | None = None,
    false_fn: Public | None = None, name: str | None = None,
) -> Any:  # fmt: skip
    if not _decides(pred):
        return NotImplemented
    return subgraph_trace.cond(trace, pred, convert_function(true_fn), convert_function(false_fn))


def _while_loop(
    trace: Trace, original: Public, cond: Public, body: Public, loop_vars: Tree,
    shape_invariants: Tree = None, parallel_iterations: int = 10, back_prop: bool = True,
    swap_memory: bool = False, maximum_iterations: Leaf = None, name: str | None = None,
) -> Any:  # fmt: skip
    result = subgraph_trace.while_loop(
        trace,
        convert_function(cond),
        convert_function(body),
        loop_vars,
        most=maximum_iterations,
        invariants=shape_invariants,
    )
    return type(loop_vars)(result) if isinstance(loop_vars, (list, tuple)) else result


def _switch_case(
    trace: Trace, original: Public, branch_index: Leaf, branch_fns: Tree,
    default: Public | None = None, name: str | None = None,
) -> Any:  # fmt: skip
    if not _decides(branch_index):
        return NotImplemented
    pairs = branch_fns.items() if isinstance(branch_fns, dict) else enumerate(branch_fns)
    numbered = {
        int(each[1][0]) if isinstance(each[1], tuple) else each[0]:
        each[1][1] if isinstance(each[1], tuple) else each[1]
        for each in pairs
    }  # fmt: skip
    last = default or numbered[max(numbered)]
    branches = [convert_function(numbered.get(at, last)) for at in range(max(numbered) + 1)]
    return subgraph_trace.switch(trace, branch_index, [*branches, convert_function(last)])


def _case(
    trace: Trace, original: Public, pred_fn_pairs: Tree, default: Public | None = None,
    exclusive: bool = False, strict: bool = False, name: str = "case",
) -> Any:  # fmt: skip
    pairs = list(pred_fn_pairs.items() if isinstance(pred_fn_pairs, dict) else pred_fn_pairs)
    if not any(_decides(pred) for pred, _ in pairs):
        return NotImplemented
    last = default or pairs.pop()[1]

    def from_pair(at: int) -> Any:
        if at == len(pairs):
            return convert_function(last)()
        pred, branch = pairs[at]
        return subgraph_trace.cond(
            thread.trace, pred, convert_function(branch), lambda: from_pair(at + 1)
        )

    return from_pair(0)


def _map_fn(
    trace: Trace, original: Public, fn: Public, elems: Tree, *args: Tree, **kwargs: Tree
) -> Any:
    items = mapped(elems, _as_tensor)
    body, _ = subgraph_trace.trace_subgraph(
        trace, "map_fn", convert_function(fn), subgraph_trace.element_of(items)
    )
    return trace.call(original, (body, items, *args), kwargs)


def _folding(
    trace: Trace, original: Public, fn: Public, elems: Tree, initializer: Tree = None,
    *args: Tree, **kwargs: Tree,
) -> Any:  # fmt: skip
    items = mapped(elems, _as_tensor)
    start = None if initializer is None else mapped(initializer, _as_tensor)
    row = subgraph_trace.element_of(items)
    carried = row if start is None else start
    body, _ = subgraph_trace.trace_subgraph(
        trace, original.__name__, convert_function(fn), carried, row
    )
    return trace.call(original, (body, items, start, *args), kwargs)


def _as_tensor(leaf: Leaf) -> Any:
    return leaf if isinstance(leaf, Tensor) else thread.trace.call(to_tensor, (leaf,), {})


def _python(
    trace: Trace, original: Public, func: Public | None = None, inp: Tree = None,
    Tout: Any = None, **kwargs: Tree,
) -> Any:  # fmt: skip
    """A Python function that runs at each replay, and of whose results only dtypes are known."""
    inputs = [_as_tensor(each) for each in inp]
    kinds = Tout if isinstance(Tout, (list, tuple)) else [Tout]
    first, second = (
        [_unknown(trace, inputs, each, number) for each in kinds]
        for number in examples.ENVIRONMENTS
    )
    many = isinstance(Tout, (list, tuple))
    results = [first, second] if many else [first[0], second[0]]
    return trace.write(original, (func, inputs, Tout), results, runs=False)


def _unknown(trace: Trace, inputs: list[Any], kind: Any, number: int) -> Any:
    """An example of a tensor whose rank is not known, which a tape follows from the inputs."""
    dtype = np.dtype(as_dtype(getattr(kind, "dtype", kind)).as_numpy_dtype)
    seen = [subgraph_trace.examples_of(each)[number] for each in inputs]
    like = seen[0] if seen else None
    shape = () if like is None else like._array.shape
    example = examples.invented(shape if number == 0 else (*shape, 1), dtype, number)
    smooth = next((each for each in seen if each._array.dtype == dtype), None)
    return (
        example
        if smooth is None
        else trace.environments[number].run(spread_from, (smooth, example), {})
    )


def _static_value(trace: Trace, original: Public, tensor: Leaf, partial: bool = False) -> Any:
    if not isinstance(tensor, SymbolicTensor):
        return NotImplemented
    return tensor._examples[0]._array if tensor._id in trace.constants else None


def _gradients(
    trace: Trace, original: Public, ys: Tree, xs: Tree, grad_ys: Any = None,
    name: str = "gradients", gate_gradients: bool = False, aggregation_method: Any = None,
    stop_gradients: Tree = None, unconnected_gradients: Any = None,
) -> Any:  # fmt: skip
    """`tf.gradients`: what lies between xs and ys is run once more, under a tape."""
    del name, gate_gradients, aggregation_method
    between, inputs, sources = _between(trace, ys, xs, stop_gradients)
    unconnected = unconnected_gradients or UnconnectedGradients.NONE
    return trace.call(gradients_of, (between, inputs, sources, grad_ys, unconnected), {})


def _hessians(trace: Trace, original: Public, ys: Tree, xs: Tree, *args: Any, **kw: Any) -> Any:
    """`tf.hessians`: as `tf.gradients`, under two tapes."""
    return trace.call(hessians_of, _between(trace, ys, xs), {})


def _between(trace: Trace, ys: Tree, xs: Tree, stops: Tree = None) -> tuple[Any, Tree, list[Any]]:
    """The part of the graph from sources to targets, its inputs, and the sources."""
    sources = leaves(xs)
    if not all(isinstance(each, (Tensor, Holder)) for each in sources):
        raise TypeError(f"tf.gradients takes tensors and variables as sources, not {xs!r}.")
    inputs = [each for each in sources if isinstance(each, SymbolicTensor)]
    outside = [each for each in sources if not isinstance(each, SymbolicTensor)]
    part = subgraph_trace.between(trace, inputs, outside, (ys, inputs), leaves(stops))
    return part, inputs, sources


def gradients_of(between: Any, inputs: Tree, sources: Tree, seeds: Any, unconnected: Any) -> Any:
    """The gradients of what a part of a graph makes of its inputs."""
    with GradientTape() as tape:
        tape.watch(sources)
        ys, computed = between(*inputs)
    again = dict(zip(map(id, inputs), computed, strict=True))  # those that other sources lead to
    ends = [again.get(id(source), source) for source in sources]
    return tape.gradient(ys, ends, output_gradients=seeds, unconnected_gradients=unconnected)


def hessians_of(between: Any, inputs: Tree, sources: Tree) -> list[Any]:
    """The second derivatives of what a part of a graph makes of its inputs, by source."""
    with GradientTape(persistent=True) as outer:
        outer.watch(sources)
        with GradientTape() as inner:
            inner.watch(sources)
            ys, _ = between(*inputs)
        first = inner.gradient(ys, sources)
    return [outer.jacobian(g, x) for g, x in zip(first, sources, strict=True)]


CONTROL_FLOW.update(
    {
        control_flow.cond: _cond,
        control_flow.while_loop: _while_loop,
        control_flow.switch_case: _switch_case,
        control_flow.case: _case,
        control_flow.get_static_value: _static_value,
        map_ops.map_fn: _map_fn,
        map_ops.vectorized_map: _map_fn,
        map_ops.scan: _folding,
        map_ops.foldl: _folding,
        map_ops.foldr: _folding,
        graph_gradients.gradients: _gradients,
        graph_gradients.hessians: _hessians,
        python_functions.py_function: _python,
        python_functions.numpy_function: _python,
    }
)
