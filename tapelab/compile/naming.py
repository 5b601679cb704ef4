"""What nodes and tensors of a graph are called: `add`, `add_1`, `Sum`, `scope/MatMul`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tapelab.core.dispatch import declaration_of
from tapelab.core.variable import name_scopes


def base_name(function: Callable[..., Any], kwargs: Any, last_op: str) -> str:
    """What a call is called: by its `name=`, else as TensorFlow calls such calls."""
    given = kwargs.get("name")
    if isinstance(given, str) and given:
        return given
    own = str(getattr(function, "__name__", "")) or str(getattr(function, "name", ""))
    return declaration_of(function).graph_name or last_op or own


class Names:
    """The names that are taken in a graph."""

    def __init__(self) -> None:
        self._taken: dict[str, int] = {}

    def unique(self, name: str) -> str:
        """The name under the present scope, numbered if it is taken."""
        whole = "/".join([*name_scopes, name])
        count = self._taken.get(whole, 0)
        self._taken[whole] = count + 1
        if not count:
            return whole
        numbered = f"{whole}_{count}"
        self._taken[numbered] = 1
        return numbered
