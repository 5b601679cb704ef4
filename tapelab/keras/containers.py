"""How a layer notices what is put into its attributes, also into lists and dicts in them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from copy import deepcopy
from typing import Any

Notice = Callable[[Any], Any]
"""Is told of each thing that is put in; returns what to keep in its place."""


def _keep(thing: Any) -> Any:
    return thing


class TrackedList(list[Any]):
    """A list that tells its layer of everything put into it."""

    def __init__(self, values: Iterable[Any], notice: Notice = _keep) -> None:
        self._notice = notice
        super().__init__(map(notice, values))

    def append(self, value: Any) -> None:
        """Put a thing at the end."""
        super().append(self._notice(value))

    def insert(self, at: Any, value: Any) -> None:
        """Put a thing at a place."""
        super().insert(at, self._notice(value))

    def extend(self, values: Iterable[Any]) -> None:
        """Put several things at the end."""
        super().extend(map(self._notice, values))

    def __iadd__(self, values: Iterable[Any]) -> Any:  # type: ignore[misc]  # any iterable, as lists take it
        self.extend(values)
        return self

    def __setitem__(self, at: Any, value: Any) -> None:
        many = isinstance(at, slice)
        super().__setitem__(at, map(self._notice, value) if many else self._notice(value))

    def __reduce__(self) -> tuple[Any, ...]:
        return list, (list(self),)

    def __deepcopy__(self, memo: Any) -> Any:
        made = memo[id(self)] = TrackedList([])
        list.extend(made, deepcopy(list(self), memo))
        made._notice = deepcopy(self._notice, memo)
        return made


class TrackedDict(dict[Any, Any]):
    """A dict that tells its layer of everything put into it."""

    def __init__(self, values: Any, notice: Notice = _keep) -> None:
        self._notice = notice
        super().__init__({key: notice(value) for key, value in dict(values).items()})

    def __setitem__(self, key: Any, value: Any) -> None:
        super().__setitem__(key, self._notice(value))

    def update(self, *pairs: Any, **more: Any) -> None:
        """Put several things in."""
        for key, value in dict(*pairs, **more).items():
            self[key] = value

    def setdefault(self, key: Any, default: Any = None) -> Any:
        """What is there under a key, which is put in first if need be."""
        if key not in self:
            self[key] = default
        return self[key]

    def __reduce__(self) -> tuple[Any, ...]:
        return dict, (dict(self),)

    def __deepcopy__(self, memo: Any) -> Any:
        made = memo[id(self)] = TrackedDict({})
        dict.update(made, deepcopy(dict(self), memo))
        made._notice = deepcopy(self._notice, memo)
        return made


def tracked(value: Any, notice: Notice) -> Any:
    """A value that is put into an attribute, as a container that tells of its own changes."""
    if type(value) is list:
        return TrackedList(value, notice)
    if type(value) is dict:
        return TrackedDict(value, notice)
    if isinstance(value, tuple):
        for each in value:
            notice(each)
    return value
