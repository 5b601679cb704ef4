"""`tf.autograph`: how Python's `if`, `while` and `for` become part of a traced function."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any, Final

from tapelab.compiling.conversion import converted_code, do_not_convert
from tapelab.compiling.function import Function
from tapelab.missing import in_module


def to_code(entity: Callable[..., Any], recursive: bool = True) -> str:
    """The Python code that a function is turned into before it is traced."""
    del recursive
    return converted_code(entity.python_function if isinstance(entity, Function) else entity)


def set_verbosity(level: int, alsologtostdout: bool = False) -> None:
    """Does nothing: the conversion does not report."""


def trace(*args: Any) -> None:
    """Print the arguments while a function is traced."""
    print(*args)


experimental: Final = SimpleNamespace(
    do_not_convert=do_not_convert,
    set_loop_options=lambda **options: None,
)
"""`tf.autograph.experimental`."""


__all__ = ["experimental", "set_verbosity", "to_code", "trace"]
__getattr__, _ = in_module(__name__)


def __dir__() -> list[str]:
    return sorted(__all__)
