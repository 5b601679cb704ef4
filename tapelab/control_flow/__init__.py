"""Control flow as functions: branches and loops, and the small helpers of graph code.

In eager mode a predicate is a value like any other, so a branch or a loop is Python's own. It is
looked at in one place, `decided`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from tapelab import nest
from tapelab.control_flow.tensor_array import TensorArray
from tapelab.core.convert import to_tensor
from tapelab.core.dispatch import public
from tapelab.core.op import op
from tapelab.core.tensor import Tensor
from tapelab.core.variable import Variable
from tapelab.errors import invalid_argument
from tapelab.ops import samples
from tapelab.ops.public import unary

Branch = Callable[..., Any]


def decided(pred: Any) -> bool:
    """Whether a predicate, a tensor or a Python value, holds."""
    return bool(pred)


@public
def cond(pred: Any, true_fn: Any = None, false_fn: Any = None, name: str | None = None) -> Any:
    """Call one of two functions without arguments; only what that one does is on the tape."""
    for role, branch in (("true_fn", true_fn), ("false_fn", false_fn)):
        if branch is None:
            raise TypeError(f"cond(): '{role}' argument required")
    for role, branch in (("true_fn", true_fn), ("false_fn", false_fn)):
        _check_callable(branch, role)
    return true_fn() if decided(pred) else false_fn()


@public
def case(
    pred_fn_pairs: Any, default: Any = None, exclusive: bool = False, strict: bool = False,
    name: str = "case",
) -> Any:  # fmt: skip
    """Call the function of the first predicate that holds, or else the default.

    With `exclusive` no other predicate may hold; without a default one must.
    """
    pairs = _checked_pairs(pred_fn_pairs)
    if default is not None:
        _check_callable(default, "false_fn")
    held = [decided(pred) for pred, _ in pairs]
    rivals = held if default is not None else held[:-1]  # the last stands in for the default
    if exclusive and sum(rivals) > 1:
        raise _refused(f"exclusive=True: more than 1 conditions evaluated as True: {held}")
    if True in held:
        return pairs[held.index(True)][1]()
    if default is None:
        raise _refused(f"None of conditions evaluated as True: {held}. Give a default= function.")
    return default()


def _checked_pairs(given: Any) -> list[tuple[Any, Branch]]:
    if not isinstance(given, (list, tuple, Mapping)):
        raise TypeError("'pred_fn_pairs' must be a list, tuple, or dict of (predicate, function).")
    pairs: list[Any] = list(given.items()) if isinstance(given, Mapping) else list(given)
    if not pairs:
        raise ValueError(
            "not enough values to unpack (expected 2, got 0): case needs at least one pair of a "
            "predicate and a function."
        )
    for pair in pairs:
        if not isinstance(pair, tuple) or len(pair) != 2:
            raise TypeError(f"Each entry in 'pred_fn_pairs' must be a 2-tuple. Received {pair}.")
        pred, branch = pair
        if not isinstance(pred, Tensor):
            raise TypeError(f"pred must be a Tensor, got: {pred}")
        if pred._array.dtype.kind != "b":
            raise TypeError(
                f"pred must be Tensor of type bool, got {pred!r}. Compare it, as x > 0."
            )
        _check_callable(branch, "fn")
    return pairs


@public
def switch_case(
    branch_index: Any, branch_fns: Any, default: Any = None, name: str = "switch_case"
) -> Any:
    """Call a function by its number; a number that none has calls the default, or the last one."""
    if not isinstance(branch_index, Tensor):
        raise TypeError(f"'branch_index' must be a Tensor, got {type(branch_index)}")
    if not branch_index.dtype.is_integer:
        raise TypeError(f"'branch_index' must be an integer Tensor, got {branch_index.dtype!r}")
    branches = _numbered(branch_fns)
    number = int(branch_index)
    fallback = default if default is not None else branches[max(branches)]
    return branches.get(number, fallback)()


def _numbered(given: Any) -> dict[int, Branch]:
    if not isinstance(given, (list, tuple, Mapping)):
        raise TypeError("'branch_fns' must be a list, tuple, or dict")
    pairs: list[Any] = list(given.items()) if isinstance(given, Mapping) else list(given)
    if not pairs:
        raise ValueError("Must provide at least one item in 'branch_fns'")
    if all(callable(each) for each in pairs):
        pairs = list(enumerate(pairs))
    for pair in pairs:
        if not isinstance(pair, tuple) or len(pair) != 2:
            raise TypeError(f"Each entry in 'branch_fns' must be a 2-tuple. Received {pair}.")
        key, branch = pair
        if not isinstance(key, int):
            raise TypeError(f"key must be a Python `int`, got {type(key)}")
        _check_callable(branch, f"fn for key {key}")
    keys = sorted(key for key, _ in pairs)
    if keys != list(range(len(pairs))):
        raise ValueError(
            f"branch indices (keys) must form contiguous range of [0 to {len(pairs)}) but found "
            f"{{{','.join(map(str, keys))}}}"
        )
    return dict(pairs)


@public
def while_loop(
    cond: Any, body: Any, loop_vars: Any, shape_invariants: Any = None,
    parallel_iterations: int = 10, back_prop: bool = True, swap_memory: bool = False,
    maximum_iterations: Any = None, name: str | None = None,
) -> Any:  # fmt: skip
    """Call the body again and again while the condition holds; each round is on the tape.

    Both take the loop variables, and the body returns the new ones as a list or a tuple.
    """
    del shape_invariants, swap_memory
    _check_callable(cond, "cond")
    _check_callable(body, "body")
    if parallel_iterations < 1:
        raise TypeError("'parallel_iterations' must be a positive integer.")
    if not isinstance(loop_vars, (list, tuple)) or not loop_vars:
        raise ValueError(
            f"'loop_vars' must be provided. Give a list or a tuple, not {loop_vars!r}."
        )
    first, rounds = loop_vars, 0
    limit = None if maximum_iterations is None else int(maximum_iterations)
    while (limit is None or rounds < limit) and decided(cond(*loop_vars)):
        loop_vars = body(*loop_vars)
        rounds += 1
        if limit is None:
            nest.assert_same_structure(list(first), list(loop_vars))
        else:
            nest.assert_same_structure(first, loop_vars)
    return nest.map_structure(_as_result, loop_vars)


def _as_result(value: Any) -> Any:
    whole = isinstance(value, TensorArray) or nest.is_composite(value)
    return value if whole else to_tensor(value)


def _check_callable(function: Any, role: str) -> None:
    if not callable(function):
        raise TypeError(f"'{role}' must be callable. It is {function!r}; try lambda: {function!r}.")


def _refused(what: str) -> Exception:
    return invalid_argument("Assert", f"Input error: {what}")


@public
def group(*inputs: Any, **kwargs: Any) -> None:
    """Does nothing: what is grouped has run already when it was written."""


@public
def no_op(name: str | None = None) -> None:
    """Does nothing."""


@public
def tuple_(tensors: Any, control_inputs: Any = None, name: str | None = None) -> Any:
    """The same tensors: what a graph would wait for has run already."""
    return tensors


@op(formula="y = x", glyph="const", raw="GuaranteeConst", pattern="not implemented",
    samples=samples.anywhere)  # fmt: skip
def constant_value(x: Any) -> Any:
    """The same value, promised never to change; as in TensorFlow, no gradient is known for it."""
    return x


guarantee_const = unary(constant_value)
guarantee_const.__name__ = "guarantee_const"


@public
def get_static_value(tensor: Any, partial: bool = False) -> Any:
    """The numbers of a tensor, which in eager mode are always known; None for a variable."""
    if isinstance(tensor, Tensor):
        return tensor.numpy()
    return None if isinstance(tensor, Variable) or nest.is_composite(tensor) else tensor
