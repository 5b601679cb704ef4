"""Errors while a function is traced: what eager code says, in the type and words of a graph."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, Final

from tapelab.compile.symbolic import OpenTrace, SymbolicTensor
from tapelab.errors import InvalidArgumentError
from tapelab.ops.products import matmul

_MIXED: Final = re.compile(r"was expected to be a (\w+) tensor but is a (\w+) tensor")
_RESHAPE: Final = re.compile(
    r"Input to reshape is a tensor with (\d+) values, but the requested shape has (\d+)"
)
_SPOKEN: Final = {"float": "float32", "double": "float64", "half": "float16"}


def graph_error(
    error: Exception, function: Callable[..., Any], args: Any, trace: OpenTrace
) -> Exception:
    """A refused argument is a ValueError in a graph, unlike dtypes are a TypeError."""
    if not isinstance(error, InvalidArgumentError):
        return error
    message = str(error)
    mixed = _MIXED.search(message)
    raised: Exception
    if mixed:
        wanted, got = (_SPOKEN.get(name, name) for name in mixed.groups())
        raised = TypeError(
            f"Input 'y' of '{trace.worlds[0].last_op() or function.__name__}' Op has type {got} "
            f"that does not match type {wanted} of argument 'x'. {message}"
        )
    else:
        message = _RESHAPE.sub(r"Cannot reshape a tensor with \1 elements to one with \2", message)
        raised = ValueError(f"{_unequal(error, args)}{message}")
    raised.__cause__ = error
    return raised


def _unequal(error: InvalidArgumentError, args: Any) -> str:
    """The words that start TensorFlow's message where two shapes do not fit."""
    shapes = [each.shape for each in args if isinstance(each, SymbolicTensor)]
    if len(shapes) != 2 or any(shape.rank is None for shape in shapes):
        return ""
    first, second = map(list, shapes)
    if matmul.raw in str(error.op) and len(first) > 1 and len(second) > 1:
        pairs = [(first[-1], second[-2])]
    else:
        pairs = list(zip(reversed(first), reversed(second), strict=False))
    unlike = next(((a, b) for a, b in pairs if a != b and a and b and 1 not in (a, b)), None)
    return (
        "" if unlike is None else f"Dimensions must be equal, but are {unlike[0]} and {unlike[1]}. "
    )
