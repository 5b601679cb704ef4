"""Operators between symbolic tensors: each becomes a step of its own in a functional model."""

from __future__ import annotations

import operator
from collections.abc import Callable
from functools import wraps
from typing import Any, Final

from tapelab import nest
from tapelab.keras.graph import Node
from tapelab.keras.keras_tensor import KerasTensor
from tapelab.keras.naming import unique_name
from tapelab.keras.trial import symbolic_outputs

Function = Callable[..., Any]

OPERATORS: Final[dict[str, Function]] = {
    **{name: getattr(operator, name) for name in ("add", "sub", "mul", "truediv", "floordiv")},
    **{name: getattr(operator, name) for name in ("mod", "pow", "matmul", "getitem")},
    **{name: getattr(operator, name) for name in ("neg", "abs", "lt", "le", "gt", "ge")},
}
REFLECTED: Final = ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "matmul")
NAMES: Final = {
    "sub": "subtract", "mul": "multiply", "truediv": "true_divide", "floordiv": "floor_divide",
    "pow": "power", "getitem": "get_item", "neg": "negative", "abs": "absolute", "lt": "less",
    "le": "less_equal", "gt": "greater", "ge": "greater_equal",
}  # fmt: skip
"""What Keras calls them."""


class Operation:
    """A function as a step of a functional model."""

    def __init__(self, name: str, function: Function) -> None:
        self.name = unique_name(NAMES.get(name, name))
        self.function = function

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """The symbolic result of symbolic arguments; else what the function gives."""
        if not any(isinstance(each, KerasTensor) for each in nest.flatten((args, kwargs))):
            return self.function(*args, **kwargs)
        result = symbolic_outputs(self.function, args, kwargs)
        Node.joining(self, args, kwargs, result)
        return result

    def __repr__(self) -> str:
        return f"<Operation name={self.name}>"


def operation(function: Function) -> Function:
    """A function that also takes symbolic tensors, and then becomes a step of a model."""

    @wraps(function)
    def either(*args: Any, **kwargs: Any) -> Any:
        if any(isinstance(each, KerasTensor) for each in nest.flatten((args, kwargs))):
            return Operation(function.__name__, function)(*args, **kwargs)
        return function(*args, **kwargs)

    return either


def install() -> None:
    """Give symbolic tensors their operators."""
    for name, function in OPERATORS.items():
        _attach(f"__{name}__", name, function)
    for name in REFLECTED:
        _attach(f"__r{name}__", name, _turned(OPERATORS[name]))


def _attach(method: str, name: str, function: Function) -> None:
    def operate(*args: Any) -> Any:
        return Operation(name, function)(*args)

    operate.__name__ = method
    setattr(KerasTensor, method, operate)


def _turned(function: Function) -> Function:
    def reflected(one: Any, other: Any) -> Any:
        return function(other, one)

    return reflected
