"""`tf.autograph`: how Python's `if`, `while` and `for` become part of a traced function."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from enum import Enum
from types import SimpleNamespace
from typing import Any, Final

from tapelab.compile.autograph.source_transform import converted_code, do_not_convert
from tapelab.compile.function import Function
from tapelab.core.log import thread
from tapelab.core.tensor_shape import TensorShape
from tapelab.namespace.missing_names import in_module


def to_code(entity: Callable[..., Any], recursive: bool = True) -> str:
    """The Python code that a function is turned into before it is traced."""
    del recursive
    return converted_code(entity.python_function if isinstance(entity, Function) else entity)


def set_verbosity(level: int, alsologtostdout: bool = False) -> None:
    """Does nothing: the conversion does not report."""


def trace(*args: Any) -> None:
    """Print the arguments while a function is traced."""
    print(*args)


def set_loop_options(
    parallel_iterations: int | None = None, swap_memory: bool | None = None,
    maximum_iterations: Any = None, shape_invariants: Any = None,
) -> None:  # fmt: skip
    """Say of a loop, inside of it, which variables may change their lengths."""
    del parallel_iterations, swap_memory, maximum_iterations
    tracing = thread.trace
    if tracing is not None:
        options = {tensor._id: TensorShape(shape) for tensor, shape in shape_invariants or ()}
        tracing.options.update(options)


class Feature(Enum):
    """Optional parts of the conversion; a function may ask for them, and gets the same code."""

    ALL = "ALL"
    AUTO_CONTROL_DEPS = "AUTO_CONTROL_DEPS"
    ASSERT_STATEMENTS = "ASSERT_STATEMENTS"
    BUILTIN_FUNCTIONS = "BUILTIN_FUNCTIONS"
    EQUALITY_OPERATORS = "EQUALITY_OPERATORS"
    LISTS = "LISTS"
    NAME_SCOPES = "NAME_SCOPES"

    @classmethod
    def all(cls) -> tuple[Feature, ...]:
        """All of them but `ALL`, which stands for them."""
        return tuple(feature for feature in cls if feature is not cls.ALL)

    @classmethod
    def all_but(cls, exclude: Feature | Iterable[Feature]) -> tuple[Feature, ...]:
        """All of them but those."""
        without = (exclude,) if isinstance(exclude, Feature) else tuple(exclude)
        return tuple(feature for feature in cls.all() if feature not in without)


experimental: Final = SimpleNamespace(
    Feature=Feature,
    do_not_convert=do_not_convert,
    set_loop_options=set_loop_options,
)
"""`tf.autograph.experimental`."""


__all__ = ["experimental", "set_verbosity", "to_code", "trace"]
__getattr__, _ = in_module(__name__)


def __dir__() -> list[str]:
    return sorted(__all__)
