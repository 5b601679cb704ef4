"""How Keras names things: `dense`, `dense_1`, …, and paths such as `model/dense/kernel`."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Final

from tapelab.core.execute import composite

_taken: Final[Counter[str]] = Counter()
_scopes: Final[list[tuple[str, Any]]] = []
_WORD_STARTS: Final = re.compile(r"(?<=.)(?=[A-Z][a-z])|(?<=[a-z])(?=[A-Z])")


def snake_case(name: str) -> str:
    """A class name in Keras's small letters: `LayerNormalization` as layer_normalization."""
    return _WORD_STARTS.sub("_", re.sub(r"\W", "", name)).lower()


def unique_name(prefix: str) -> str:
    """The prefix itself the first time, then with _1, _2, … after it."""
    count = _taken[prefix]
    _taken[prefix] += 1
    return f"{prefix}_{count}" if count else prefix


def automatic_name(kind: type) -> str:
    """The next free name for a thing of a class."""
    return unique_name(snake_case(kind.__name__))


def reset_names() -> None:
    """Start all counts again."""
    _taken.clear()


@contextmanager
def name_scope(name: str, caller: Any = None) -> Iterator[None]:
    """Put a prefix before the paths of the variables that are made inside.

    A caller that opens its own scope twice, as a layer does around `build` inside `call`, counts
    once.
    """
    again = bool(_scopes) and caller is not None and _scopes[-1][1] is caller
    if not again:
        _scopes.append((name, caller))
    try:
        yield
    finally:
        if not again:
            _scopes.pop()


def current_path() -> str:
    """The prefix that a new variable gets."""
    return "/".join(name for name, _ in _scopes)


def named_group(function: Callable[..., Any]) -> Callable[..., Any]:
    """Run a private function of several ops as a group, under its name without the underscore."""
    function.__name__ = function.__name__.strip("_")
    return composite(function)
