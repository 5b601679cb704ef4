"""Names of layers (`dense`, `dense_1`, …) and paths of variables (`model/dense/kernel`)."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Final

from tapelab.core.execute import composite

_taken: Final[Counter[str]] = Counter()
_numbers: Final[Counter[str]] = Counter()
_scopes: Final[list[tuple[str, Any]]] = []
_WORD_STARTS: Final = re.compile(r"(?<=.)(?=[A-Z][a-z])|(?<=[a-z])(?=[A-Z])")


def snake_case(name: str) -> str:
    """Return a class name in snake case: layer_normalization for `LayerNormalization`."""
    return _WORD_STARTS.sub("_", re.sub(r"\W", "", name)).lower()


def unique_name(prefix: str) -> str:
    """Return the prefix the first time, then the prefix with _1, _2, …"""
    count = _taken[prefix]
    _taken[prefix] += 1
    return f"{prefix}_{count}" if count else prefix


def automatic_name(kind: type) -> str:
    """Return the next free name for an object of a class."""
    return unique_name(snake_case(kind.__name__))


def next_number(prefix: str) -> int:
    """Return how often a prefix was asked for, this time included; names do not count."""
    _numbers[prefix] += 1
    return _numbers[prefix]


def reset_names() -> None:
    """Restart all counts."""
    _taken.clear()
    _numbers.clear()


@contextmanager
def name_scope(name: str, caller: Any = None) -> Iterator[None]:
    """Prefix the paths of variables that are created inside.

    A scope that its caller opens again, as a layer does for `build` inside `call`, counts once.
    """
    is_open = bool(_scopes) and caller is not None and _scopes[-1][1] is caller
    if not is_open:
        _scopes.append((name, caller))
    try:
        yield
    finally:
        if not is_open:
            _scopes.pop()


def current_path() -> str:
    """Return the prefix of a new variable."""
    return "/".join(name for name, _ in _scopes)


def named_group(function: Callable[..., Any]) -> Callable[..., Any]:
    """Run a private function of several ops as a group, under its name without the underscore."""
    function.__name__ = function.__name__.strip("_")
    return composite(function)
