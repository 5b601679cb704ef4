"""Python's own functions in rewritten code: of tensors and datasets they are those of the graph.

Rewritten code calls the function of this module in place of Python's (`BUILTINS`). Given Python's
values it does what Python does. `zip`, `map`, `filter` and `enumerate` of datasets return datasets,
`any` and `all` of a dataset reduce it; Python itself would never come to the end of a dataset that
is gone through at replay only.
"""

from __future__ import annotations

import builtins
from collections.abc import Callable
from typing import Any, Final

from tapelab.array_ops.creation import constant
from tapelab.array_ops.creation import range as tensor_range
from tapelab.array_ops.gather_ops import gather
from tapelab.array_ops.shape_ops import shape
from tapelab.array_ops.sort_ops import argsort, sort
from tapelab.array_ops.value_ops import cast
from tapelab.compile.autograph.operators import is_dataset
from tapelab.compile.pytree import Leaf, Tree, mapped
from tapelab.compile.symbolic import SymbolicTensor
from tapelab.control_flow.map_ops import vectorized_map
from tapelab.core.cell import Holder
from tapelab.core.dispatch import public
from tapelab.core.tensor import Tensor
from tapelab.core.type_spec import TensorSpec
from tapelab.dtypes import float32, int32, string
from tapelab.errors import invalid_argument
from tapelab.math import abs as tensor_abs
from tapelab.math import maximum
from tapelab.strings import to_number

_UNSET: Final = object()


def _is_pipeline(value: Leaf) -> bool:
    """Whether a value is a whole dataset, not an iterator over one."""
    return is_dataset(value) and hasattr(value, "cardinality")


def _range(*limits: Any) -> Any:
    if not any(isinstance(each, (Tensor, Holder)) for each in limits):
        return builtins.range(*limits)
    if len(limits) < 3:  # with a negative number there are none, as in Python's range
        *starts, stop = limits
        limits = (*starts, maximum(starts[0] if starts else 0, stop))
    return tensor_range(*limits)


def _len(value: Leaf) -> Any:
    if _is_pipeline(value):
        if value.size < 0:
            raise invalid_argument(
                "Assert", f"len requires dataset with definitive cardinality, got {value.size}"
            )
        return value.cardinality()
    if not isinstance(value, SymbolicTensor):
        return len(value)
    lengths: Any = shape(value)
    if value.shape.rank == 0:
        raise ValueError(f"len requires a non-scalar tensor, got one of shape {lengths.shape}")
    known = value.shape[0] if value.shape.rank else None
    return lengths[0] if known is None else known


def _int(x: Leaf = 0, base: Any = _UNSET) -> Any:
    if not isinstance(x, SymbolicTensor):
        return int(x) if base is _UNSET else int(x, base)
    if base not in (_UNSET, 10):
        raise NotImplementedError(f"base {base} not supported for int")
    return _number(x, int32)


def _float(x: Leaf = 0) -> Any:
    return _number(x, float32) if isinstance(x, SymbolicTensor) else float(x)


def _number(x: SymbolicTensor, dtype: Any) -> Any:
    return to_number(x, dtype) if x.dtype is string else cast(x, dtype)


def _abs(value: Leaf) -> Any:
    if _is_pipeline(value):
        return value.map(lambda *parts: mapped(parts if len(parts) > 1 else parts[0], tensor_abs))
    return tensor_abs(value) if isinstance(value, SymbolicTensor) else abs(value)


def _enumerate(items: Tree, start: int = 0) -> Any:
    return items.enumerate(start) if _is_pipeline(items) else builtins.enumerate(items, start)


def _zip(*iterables: Tree, strict: bool = False) -> Any:
    if not iterables or not all(map(_is_pipeline, iterables)):
        return builtins.zip(*iterables, strict=strict)
    if strict:
        raise ValueError(
            "strict zip not supported by Dataset: how many elements there are is not known while "
            "the function is traced."
        )
    return iterables[0].zip(iterables)


def _map(function: Callable[..., Any], *iterables: Tree) -> Any:
    if not iterables or not all(map(_is_pipeline, iterables)):
        return builtins.map(function, *iterables)
    return iterables[0].zip(iterables).map(function)


def _filter(function: Callable[..., Any], items: Tree) -> Any:
    return items.filter(function) if _is_pipeline(items) else builtins.filter(function, items)


def _any(items: Tree) -> Any:
    if not _is_pipeline(items):
        return builtins.any(items)
    _check_truths("any", items)
    return is_any_true(items)


def _all(items: Tree) -> Any:
    if not _is_pipeline(items):
        return builtins.all(items)
    _check_truths("all", items)
    return are_all_true(items)


def _spec_of_truth(items: Tree) -> TensorSpec:
    del items
    return TensorSpec((), "bool")


@public(effect="host", result_spec=_spec_of_truth)
def is_any_true(items: Tree) -> Tensor:
    """Whether an element of a dataset is true."""
    return constant(builtins.any(items.as_numpy_iterator()))


@public(effect="host", result_spec=_spec_of_truth)
def are_all_true(items: Tree) -> Tensor:
    """Whether every element of a dataset is true."""
    return constant(builtins.all(items.as_numpy_iterator()))


def _check_truths(name: str, items: Tree) -> None:
    """ValueError unless the elements of a dataset are single truths."""
    if getattr(items.element_spec, "dtype", None) != "bool":
        raise ValueError(
            f'in graph mode, the "{name}" builtin only supports datasets that return bool scalars; '
            f"got: {items.element_spec}"
        )


def _sorted(items: Tree, key: Any = _UNSET, reverse: Any = _UNSET) -> Any:
    if not isinstance(items, SymbolicTensor):
        given = {"key": key, "reverse": reverse}
        return sorted(items, **{name: each for name, each in given.items() if each is not _UNSET})
    # TensorFlow sorts downwards wherever `reverse` is given, whatever it is.
    direction = "ASCENDING" if reverse is _UNSET else "DESCENDING"
    keys = items if key is _UNSET else vectorized_map(key, items)
    if keys.shape.rank not in (None, 1):
        raise ValueError("sort only supports only 1D tensors")
    if key is _UNSET:
        return sort(items, direction=direction)
    return gather(items, argsort(keys, direction=direction))


def _next(iterator: Tree, *default: Tree) -> Any:
    """The next element; one of a dataset's iterator comes at replay, where its end is an error."""
    return iterator.get_next() if is_dataset(iterator) else next(iterator, *default)


BUILTINS: Final[dict[Any, Any]] = {
    abs: _abs,
    all: _all,
    any: _any,
    enumerate: _enumerate,
    filter: _filter,
    float: _float,
    int: _int,
    len: _len,
    map: _map,
    next: _next,
    range: _range,
    sorted: _sorted,
    zip: _zip,
}
"""What rewritten code calls in place of a function of Python."""
