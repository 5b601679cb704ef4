"""Contexts that change how what is inside is named or run; most have nothing to do here."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Any

from tapelab.core.log import thread
from tapelab.core.variable import name_scopes


class name_scope:  # noqa: N801 - TensorFlow's name
    """Put a prefix before the names of the variables that are made inside.

    A name that ends in a slash is a whole prefix: it takes the place of those outside.
    """

    def __init__(self, name: str) -> None:
        if not isinstance(name, str):
            raise ValueError("name for name_scope must be a string.")
        self._name = name
        self._outside: list[list[str]] = []

    @property
    def name(self) -> str:
        """The prefix."""
        return self._name

    def __enter__(self) -> str:
        self._outside.append(name_scopes[:])
        whole = self._name.endswith("/")
        name_scopes[:] = [self._name[:-1]] if whole else [*name_scopes, self._name]
        return "/".join(name_scopes) + "/"

    def __exit__(self, *error: object) -> None:
        name_scopes[:] = self._outside.pop()


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


@contextmanager
def init_scope() -> Iterator[None]:
    """Step out of all functions that are being traced: what is inside runs at once."""
    trace, thread.trace = thread.trace, None
    try:
        yield
    finally:
        thread.trace = trace


def executing_eagerly() -> bool:
    """Whether ops run at once; they do not while a function is traced."""
    return thread.trace is None


def inside_function() -> bool:
    """Whether a function is being traced."""
    return thread.trace is not None and thread.trace.in_function


@contextmanager
def off_tape() -> Iterator[None]:
    """Compute without the tapes that are open outside; the log goes on."""
    active, thread.active_tapes = thread.active_tapes, ()
    try:
        yield
    finally:
        thread.active_tapes = active
