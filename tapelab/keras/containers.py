"""Lists and dicts of a layer's attributes, which report what is put into them to the layer."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from copy import deepcopy
from typing import Any

Observer = Callable[[Any], Any]
"""Called with each new value; returns the value to store."""


def _unchanged(value: Any) -> Any:
    return value


class TrackedList(list[Any]):
    """A list that reports its new values."""

    def __init__(self, values: Iterable[Any], observer: Observer = _unchanged) -> None:
        self._observer = observer
        super().__init__(map(observer, values))

    def append(self, value: Any) -> None:
        """Append a value."""
        super().append(self._observer(value))

    def insert(self, at: Any, value: Any) -> None:
        """Insert a value at a position."""
        super().insert(at, self._observer(value))

    def extend(self, values: Iterable[Any]) -> None:
        """Append several values."""
        super().extend(map(self._observer, values))

    def __iadd__(self, values: Iterable[Any]) -> Any:  # type: ignore[misc]  # any iterable, as lists take it
        self.extend(values)
        return self

    def __setitem__(self, at: Any, value: Any) -> None:
        is_slice = isinstance(at, slice)
        super().__setitem__(at, map(self._observer, value) if is_slice else self._observer(value))

    def __reduce__(self) -> tuple[Any, ...]:
        return list, (list(self),)

    def __deepcopy__(self, memo: Any) -> Any:
        copy = memo[id(self)] = TrackedList([])
        list.extend(copy, deepcopy(list(self), memo))
        copy._observer = deepcopy(self._observer, memo)
        return copy


class TrackedDict(dict[Any, Any]):
    """A dict that reports its new values."""

    def __init__(self, values: Any, observer: Observer = _unchanged) -> None:
        self._observer = observer
        super().__init__({key: observer(value) for key, value in dict(values).items()})

    def __setitem__(self, key: Any, value: Any) -> None:
        super().__setitem__(key, self._observer(value))

    def update(self, *pairs: Any, **more: Any) -> None:
        """Add or replace several values."""
        for key, value in dict(*pairs, **more).items():
            self[key] = value

    def setdefault(self, key: Any, default: Any = None) -> Any:
        """Return the value of a key, after storing the default if there is none."""
        if key not in self:
            self[key] = default
        return self[key]

    def __reduce__(self) -> tuple[Any, ...]:
        return dict, (dict(self),)

    def __deepcopy__(self, memo: Any) -> Any:
        copy = memo[id(self)] = TrackedDict({})
        dict.update(copy, deepcopy(dict(self), memo))
        copy._observer = deepcopy(self._observer, memo)
        return copy


def tracked(value: Any, observer: Observer) -> Any:
    """Return the value of an attribute; a list or dict as one that reports its new values."""
    if type(value) is list:
        return TrackedList(value, observer)
    if type(value) is dict:
        return TrackedDict(value, observer)
    if isinstance(value, tuple):
        for each in value:
            observer(each)
    return value
