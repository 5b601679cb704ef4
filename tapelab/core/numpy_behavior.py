"""Whether tensors behave as NumPy's arrays do, which `tf.experimental.numpy` switches on.

Then operators bring both sides to the dtype that NumPy would choose, square brackets take lists,
and tensors have some of an array's methods. This is looked at where an operator, an index or an
attribute would fail otherwise, so that it costs nothing while it is off.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

METHODS: Final = (
    "T",
    "astype",
    "clip",
    "max",
    "mean",
    "min",
    "ravel",
    "reshape",
    "size",
    "transpose",
)
"""What arrays have and tensors lack."""


@dataclass
class NumpyBehavior:
    """What is done instead of an error, while it is enabled."""

    enabled: bool = False
    prefer_float32: bool = False
    promoted: Callable[[Any, Any], tuple[Any, Any]] = lambda one, other: (one, other)
    indexed: Callable[[Any, Any], Any] = lambda tensor, key: tensor[key]
    methods: Mapping[str, Callable[[Any], Any]] = field(default_factory=dict)


behavior: Final = NumpyBehavior()


def method(name: str) -> property:
    """An attribute that tensors have only while they behave as arrays."""

    def find(self: Any) -> Any:
        if not behavior.enabled:
            raise AttributeError(
                f"{type(self).__name__} object has no attribute '{name}'. If you are looking for "
                "numpy-related methods, please run the following:\n"
                "tf.experimental.numpy.experimental_enable_numpy_behavior()"
            )
        return behavior.methods[name](self)

    find.__doc__ = f"`{name}` of NumPy's arrays, after `experimental_enable_numpy_behavior()`."
    return property(find)
