"""A cache by which object a function was given, and not by which objects that one is equal to.

Code compiled from the same text is equal, in whatever file or cell it stands, and so its place and
its source are not to be looked up under an equal one. The id of an object is no key either: once
the object is gone, another may have it.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Hashable
from functools import lru_cache, wraps
from typing import Any, TypeVar, cast

F = TypeVar("F", bound=Callable[..., Any])


class SameObject:
    """Equal to itself for the same object only, and to nothing once that is gone."""

    __slots__ = ("_hash", "value")

    def __init__(self, value: Any) -> None:
        self._hash = id(value)
        try:
            self.value: Callable[[], Any] = weakref.ref(value)
        except TypeError:
            self.value = lambda: value

    def __eq__(self, other: object) -> bool:
        mine = self.value()
        return isinstance(other, SameObject) and mine is not None and mine is other.value()

    def __hash__(self) -> int:
        return self._hash


def cached_by_identity(maxsize: int) -> Callable[[F], F]:
    """Remember so many results of a function, by its first argument's identity; it may be gone."""

    def decorate(function: F) -> F:
        @lru_cache(maxsize=maxsize)
        def remembered(key: SameObject, *args: Hashable) -> Any:
            return function(key.value(), *args)

        @wraps(function)
        def cached(value: Any, *args: Hashable) -> Any:
            return remembered(SameObject(value), *args)

        return cast("F", cached)

    return decorate
