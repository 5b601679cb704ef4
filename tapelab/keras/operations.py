"""Operators between symbolic tensors: each becomes a step of its own in a functional model."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any, Final

from tapelab.core.dispatch import takes
from tapelab.keras.graph import Node
from tapelab.keras.keras_tensor import KerasTensor
from tapelab.keras.name_scopes import unique_name
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

    def __init__(self, function: Function) -> None:
        self.name = unique_name(NAMES.get(function.__name__, function.__name__))
        self.function = function

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """What the function gives for concrete tensors."""
        return self.function(*args, **kwargs)

    def place(self, args: Any, kwargs: Any) -> Any:
        """The symbolic result for symbolic arguments, as one more node of a functional model."""
        result = symbolic_outputs(self.function, args, kwargs)
        Node.joining(self, args, kwargs, result)
        return result

    def __repr__(self) -> str:
        return f"<Operation name={self.name}>"


operation: Final = takes(KerasTensor)
"""Let a function take symbolic tensors as well, and become a step of a model."""


def _carry_out(self: KerasTensor, function: Function, args: Any, kwargs: Any) -> Any:
    """The symbolic result of a function of symbolic tensors."""
    del self
    return Operation(function).place(args, kwargs)


def install() -> None:
    """Give symbolic tensors what carries out functions, and their operators."""
    KerasTensor.carry_out = _carry_out
    for name, function in OPERATORS.items():
        setattr(KerasTensor, f"__{name}__", operation(_named(name, function)))
    for name in REFLECTED:
        setattr(KerasTensor, f"__r{name}__", operation(_named(name, _turned(OPERATORS[name]))))


def _named(name: str, function: Function) -> Function:
    def operate(*args: Any) -> Any:
        return function(*args)

    operate.__name__ = name
    return operate


def _turned(function: Function) -> Function:
    def reflected(one: Any, other: Any) -> Any:
        return function(other, one)

    return reflected
