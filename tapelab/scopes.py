"""Contexts that change how what is inside is named or run; most have nothing to do here."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Any

from tapelab.engine.variable import name_scopes


class name_scope:  # noqa: N801 - TensorFlow's name
    """Put a prefix before the names of the variables that are made inside."""

    def __init__(self, name: str) -> None:
        if not isinstance(name, str):
            raise ValueError("name for name_scope must be a string.")
        self._name = name

    @property
    def name(self) -> str:
        """The prefix."""
        return self._name

    def __enter__(self) -> str:
        name_scopes.append(self._name)
        return "/".join(name_scopes) + "/"

    def __exit__(self, *error: object) -> None:
        name_scopes.pop()


def get_current_name_scope() -> str:
    """The prefix that a new variable would get."""
    return "/".join(name_scopes)


@contextmanager
def device(device_name: str) -> Iterator[None]:
    """Does nothing: everything runs on the processor."""
    yield


def control_dependencies(control_inputs: Any) -> AbstractContextManager[None]:
    """Does nothing: ops run in the order in which they are written."""
    return nullcontext()


def init_scope() -> AbstractContextManager[None]:
    """Does nothing: there is no graph to step out of."""
    return nullcontext()


def executing_eagerly() -> bool:
    """Whether ops run at once; always, here."""
    return True
