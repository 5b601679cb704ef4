"""Objects whose values wait in a checkpoint: they are restored when attributes are set."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final
from weakref import WeakKeyDictionary

_waiting: Final[WeakKeyDictionary[Any, list[Callable[[], bool]]]] = WeakKeyDictionary()


def await_values(owner: Any, resume: Callable[[], bool]) -> None:
    """Call a function whenever an attribute of an object is set, until it returns True."""
    _waiting.setdefault(owner, []).append(resume)


def restore_new(owner: Any) -> None:
    """Restore what an object has got since its checkpoint was restored."""
    if _waiting and owner in _waiting:
        left = [resume for resume in _waiting.pop(owner) if not resume()]
        if left:
            _waiting[owner] = [*left, *_waiting.get(owner, ())]
