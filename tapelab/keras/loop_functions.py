"""Functions of `tf.keras.ops` that call functions: branches, loops, scans and maps."""

from __future__ import annotations

import builtins
from collections.abc import Callable
from typing import Any

from tapelab import control_flow, nest
from tapelab.array_ops import gather_ops, shape_ops
from tapelab.autodiff import gradient_overrides
from tapelab.control_flow import map_ops
from tapelab.keras import backend
from tapelab.keras.keras_tensor import operation

Body = Callable[..., Any]


@operation
def cond(pred: Any, true_fn: Body, false_fn: Body) -> Any:
    """Return the result of one of two functions, by a condition."""
    if isinstance(pred, bool):
        return true_fn() if pred else false_fn()
    return control_flow.cond(pred, true_fn=true_fn, false_fn=false_fn)


@operation
def switch(index: Any, branches: Any, *operands: Any) -> Any:
    """Return the result of the function with a number, limited to those there are."""
    last = len(branches) - 1
    at = builtins.min(builtins.max(int(backend.convert_to_tensor(index)), 0), last)
    return branches[at](*operands)


def while_loop(
    cond: Body, body: Body, loop_vars: Any, maximum_iterations: int | None = None
) -> Any:
    """Return the variables of a loop after its condition is false."""
    is_sequence = isinstance(loop_vars, (tuple, list))
    start = tuple(loop_vars) if is_sequence else (loop_vars,)

    def step(*values: Any) -> Any:
        results = body(*values)
        return tuple(results) if isinstance(results, (tuple, list)) else (results,)

    tensors = nest.map_structure(backend.convert_to_tensor, start)
    results = control_flow.while_loop(cond, step, tensors, maximum_iterations=maximum_iterations)
    if isinstance(loop_vars, list):
        return list(results)
    return tuple(results) if is_sequence else results[0]


def fori_loop(lower: Any, upper: Any, body_fun: Body, init_val: Any) -> Any:
    """Return a value after `body_fun(i, value)` for each i from `lower` to `upper`."""
    results = control_flow.while_loop(
        lambda i, value: i < upper,
        lambda i, value: (i + 1, body_fun(i, value)),
        (backend.convert_to_tensor(lower), nest.map_structure(backend.convert_to_tensor, init_val)),
    )
    return results[1]


def map(f: Body, xs: Any) -> Any:
    """Return the results of a function for each element along the first axis."""
    rows = [f(row) for row in _rows(xs)]
    return nest.map_structure(lambda *parts: shape_ops.stack(list(parts)), *rows)


def _rows(xs: Any) -> list[Any]:
    """The structures of elements along the first axis of all tensors."""
    parts = [shape_ops.unstack(backend.convert_to_tensor(each)) for each in nest.flatten(xs)]
    return [nest.pack_sequence_as(xs, list(row)) for row in zip(*parts, strict=True)]


def vectorized_map(function: Body, elements: Any) -> Any:
    """Return the results of a function for each element along the first axis."""
    return map_ops.vectorized_map(function, elements)


def scan(
    f: Body, init: Any, xs: Any = None, length: int | None = None, reverse: bool = False,
    unroll: Any = 1,
) -> Any:  # fmt: skip
    """Return the last state, and the results of `f(state, x)` for each element in turn."""
    if not callable(f):
        raise TypeError(f"`f` should be a callable. Received: f={f}")
    if not isinstance(unroll, bool) and (not isinstance(unroll, int) or unroll < 1):
        raise ValueError(
            f"`unroll` must be an positive integer or boolean. Received: unroll={unroll}"
        )
    if xs is None and length is None:
        raise ValueError("Got no `xs` to scan over and `length` not provided.")
    rows: list[Any] = [None] * (length or 0) if xs is None else _rows(xs)
    state = nest.map_structure(backend.convert_to_tensor, init)
    results = []
    for row in reversed(rows) if reverse else rows:
        state, result = f(state, row)
        results.append(result)
    ordered = results[::-1] if reverse else results
    if not ordered or ordered[0] is None:
        return state, None
    return state, nest.map_structure(lambda *parts: shape_ops.stack(list(parts)), *ordered)


def associative_scan(f: Body, elems: Any, reverse: bool = False, axis: int = 0) -> Any:
    """Return the running results of an associative function along an axis."""
    if not callable(f):
        raise TypeError(f"`f` should be a callable. Received: f={f}")
    tensors = [backend.convert_to_tensor(each) for each in nest.flatten(elems)]
    count = int(tensors[0].shape[axis])

    def part(at: int) -> Any:
        taken = [gather_ops.gather(each, [at], axis=axis) for each in tensors]
        return nest.pack_sequence_as(elems, taken)

    order = [*range(count)][::-1] if reverse else [*range(count)]
    running = [part(order[0])]
    for at in order[1:]:
        running.append(f(running[-1], part(at)))
    ordered = running[::-1] if reverse else running
    return nest.map_structure(lambda *parts: shape_ops.concat(list(parts), axis), *ordered)


def custom_gradient(f: Body) -> Body:
    """Return a function with the gradient that it returns beside its result."""
    decorated: Body = gradient_overrides.custom_gradient(f)
    return decorated
