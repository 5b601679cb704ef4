"""`tf.keras.saving`: classes of a learner's own that configs may name."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, TypeVar

from tapelab.namespace.missing_names import in_module

Thing = TypeVar("Thing")
_registered: dict[str, Any] = {}
_names: dict[Any, str] = {}


def register_keras_serializable(
    package: str = "Custom", name: str | None = None
) -> Callable[[Thing], Thing]:
    """Let configs name a class or a function of yours: `@register_keras_serializable()`."""

    def register(thing: Any) -> Any:
        if isinstance(thing, type) and not hasattr(thing, "get_config"):
            raise ValueError(
                "Cannot register a class that does not have a get_config() method. Write one that "
                f"returns the arguments of {thing.__name__} in a dict."
            )
        whole = f"{package}>{name or thing.__name__}"
        _registered[whole] = _registered[whole.partition(">")[2]] = thing
        _names[thing] = whole
        return thing

    return register


def get_registered_name(obj: Any) -> str:
    """The name that a class or a function was registered under; else its own."""
    return _names.get(obj) or str(obj.__name__)


def get_registered_object(name: str, custom_objects: Any = None, module_objects: Any = None) -> Any:
    """What a name was registered for; None where it was not."""
    return registered({**(module_objects or {}), **(custom_objects or {})}).get(name)


def registered(custom_objects: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """What configs may name: what is registered, and what is given beside it."""
    return {**_registered, **(custom_objects or {})}


@contextmanager
def custom_object_scope(objects: Mapping[str, Any]) -> Iterator[None]:
    """Let configs name the given classes and functions inside the block."""
    before = dict(_registered)
    _registered.update(objects)
    try:
        yield
    finally:
        _registered.clear()
        _registered.update(before)


CustomObjectScope = custom_object_scope

__getattr__, __dir__ = in_module(__name__)
