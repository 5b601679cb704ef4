"""The registry of user classes and functions that configs may name."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Final, TypeVar

_Object = TypeVar("_Object")
_registered: Final[dict[str, Any]] = {}
_short_names: Final[dict[str, Any]] = {}
"""The objects by their names without their packages, which other objects may have, too."""
_names: Final[dict[Any, str]] = {}


def register_keras_serializable(
    package: str = "Custom", name: str | None = None
) -> Callable[[_Object], _Object]:
    """Register a class or a function for configs: `@register_keras_serializable()`."""

    def register(obj: Any) -> Any:
        if isinstance(obj, type) and not hasattr(obj, "get_config"):
            raise ValueError(
                "Cannot register a class that does not have a get_config() method. Write one that "
                f"returns the arguments of {obj.__name__} in a dict."
            )
        full_name = f"{package}>{name or obj.__name__}"
        _registered[full_name] = _short_names[full_name.partition(">")[2]] = obj
        _names[obj] = full_name
        return obj

    return register


def get_registered_name(obj: Any) -> str:
    """Return the registered name of a class or a function; its own if it has none."""
    return _names.get(obj) or str(obj.__name__)


def get_registered_object(name: str, custom_objects: Any = None, module_objects: Any = None) -> Any:
    """Return the object that is registered for a name; None if there is none."""
    return registered({**(module_objects or {}), **(custom_objects or {})}).get(name)


def get_custom_objects() -> dict[str, Any]:
    """Return the registered objects by name; what you put into it is registered."""
    return _registered


def registered(custom_objects: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """Return the registered objects, and those given, by name."""
    return {**_short_names, **_registered, **(custom_objects or {})}


@contextmanager
def custom_object_scope(objects: Mapping[str, Any] | None) -> Iterator[None]:
    """Register classes and functions inside the block."""
    before = dict(_registered)
    _registered.update(objects or {})
    try:
        yield
    finally:
        _registered.clear()
        _registered.update(before)


CustomObjectScope = custom_object_scope
